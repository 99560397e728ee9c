/** Scheduled jobs, for chats, tools and the command line (`features/jobs/service.ts`). */
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { Wording } from '../../messages/messages.ts';

export interface JobView {
  /** The name of its file without `.yaml`. */
  id: string;
  name: string;
  /** As written, and in words as we understand it; both may be empty if it is `broken`. */
  schedule: string;
  words: string;
  timezone: string;
  /** `done`: a job that runs once has run. */
  state: 'on' | 'paused' | 'broken' | 'done';
  /** The next three times; empty unless it is on. */
  next: string[];
  deliver: string[];
  /** English, one line per problem. */
  problem?: string;
  /** The same problems as messages for people. */
  wrong?: readonly Wording[];
  /** A sentence for each viber, model, skill, tool and chat that it names but that isn't there. */
  lacks?: Wording[];
  /** Changes with anything the job does, with its time, or if another job takes its name. */
  version: string;
  lastRun?: { task: string; slot: string; state: 'running' | 'completed' | 'error' | 'stopped' };
  /** A principal as text, for jobs made in a chat. */
  createdBy?: string;
}

export interface NewJob {
  name: string;
  /** A cron expression or a phrase. */
  schedule: string;
  prompt: string;
  /**
   * Absent: where it is made, or its maker's direct messages if nothing can be posted there unprompted. `[]`: nowhere.
   */
  deliver?: string[];
  timezone?: string;
  skills?: string[];
  model?: string;
  /** Absent: the default one. */
  viber?: string;
}

export interface JobChange {
  schedule?: string;
  timezone?: string;
}

export interface JobService {
  list(): JobView[];
  /**
   * Finds a job by ID or name in any case; a unique beginning is enough.
   * @throws UserError if none or several match
   */
  find(name: string): JobView;
  /**
   * Returns how a new job would be interpreted and stored, with its next three times, without creating it.
   * @throws UserError for an invalid or too frequent schedule, an invalid address, a name that is taken, or one job too
   * many
   */
  preview(job: NewJob): { stored: string; words: string; timezone: string; next: string[]; now: string };
  /**
   * Returns where its result goes.
   * @throws as `preview`; and as `create` for a place where nothing may be posted, for anybody but an owner, or if it
   * names something that doesn't exist
   */
  check(job: NewJob, by: Principal, from: Address): Promise<string[]>;
  /**
   * @param agoMs how long ago the job was requested: "in 20 minutes" counts from then
   * @throws UserError as `preview`, for a place where nothing may be posted, and for anybody but an owner
   * @throws DeliveryError while a platform can't be asked
   */
  create(job: NewJob, by: Principal, from: Address, agoMs?: number): Promise<JobView>;
  /** Changes the time or the zone. | @throws UserError as `preview` */
  change(name: string, to: JobChange, by: Principal, agoMs?: number): Promise<JobView>;
  /** Returns how that change would be interpreted, without making it. */
  previewChange(name: string, to: JobChange): ReturnType<JobService['preview']>;
  /** These three throw UserError for an unknown name, and for anybody but an owner. */
  remove(name: string, by: Principal): Promise<JobView>;
  pause(name: string, by: Principal): Promise<JobView>;
  resume(name: string, by: Principal): Promise<JobView>;
  /**
   * Runs it at once, in addition to its schedule.
   * @throws UserError as above, and if it is paused, broken, already running, or its viber or model is unknown
   */
  runNow(name: string, by: Principal): Promise<JobView>;
}

/** The meaning of a text as a job file. */
export interface JobCheck {
  ok: boolean;
  problems?: string[];
  /** The schedule in words, and its next times. */
  words?: string;
  next?: string[];
}

/** A home that may have job files, with a gateway or without. */
export interface JobFilesAt {
  home: string;
  env: NodeJS.ProcessEnv;
  /** For jobs that name none; absent: the machine's own. */
  timezone?: string | undefined;
}

export interface JobFiles {
  folder: string;
  fileOf(id: string): string | undefined;
  idOf(name: string): string;
  /** Checks a text as the scheduler would; changes nothing. */
  check(file: string, text: string): Promise<JobCheck>;
}

export interface KnownSkill {
  name: string;
  isTool: boolean;
}

export interface KnownNames {
  vibers: readonly string[];
  providers: readonly string[];
  /** Why a model of a known provider can't be used. */
  modelProblem(name: string): string | undefined;
  /** Skills by viber; an absent viber wasn't read, or couldn't be. */
  skills: ReadonlyMap<string, readonly KnownSkill[]>;
  /** Bundled skills that the configuration turns off. */
  off: readonly string[];
  tools: readonly string[];
  /** Undefined until the server has been connected. */
  servers: ReadonlyMap<string, readonly string[] | undefined>;
}
