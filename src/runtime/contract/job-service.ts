/**
 * What chats, tools and the command line can do with scheduled jobs. `src/features/jobs/service.ts` implements it. Types only.
 */
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { Wording } from '../../messages/messages.ts';

export interface JobView {
  /** The name of its file without `.yaml`. */
  id: string;
  name: string;
  /** The schedule as written, and in words as we understand it; both may be empty if the job is `broken`. */
  schedule: string;
  words: string;
  timezone: string;
  /** `done`: a job that runs once has run. */
  state: 'on' | 'paused' | 'broken' | 'done';
  /** The next three times, ISO 8601; empty unless the job is on. */
  next: string[];
  deliver: string[];
  /** Why it is broken, or why the version before the last edit is in force. In English, one line per problem. */
  problem?: string;
  /** The same problems as messages for people. */
  wrong?: readonly Wording[];
  /** A sentence for each viber, model, skill and tool that it names but that doesn't exist. */
  lacks?: Wording[];
  /** A digest of everything that the job does, and when. It changes if another job takes its name. */
  version: string;
  lastRun?: { task: string; slot: string; state: 'running' | 'completed' | 'error' | 'stopped' };
  /** A principal as text, for jobs made in a chat. */
  createdBy?: string;
}

/** A new job as a person or a model describes it. */
export interface NewJob {
  name: string;
  /** A cron expression or a phrase. */
  schedule: string;
  prompt: string;
  /**
   * Addresses as text. Absent: the conversation where it is made, or its maker's direct messages if nothing can be
   * posted there unprompted. `[]`: nowhere.
   */
  deliver?: string[];
  timezone?: string;
  skills?: string[];
  model?: string;
  /** The viber whose files, memory and settings it uses; absent: the default one. */
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
   * Returns how a new job is understood and stored, and its next three times from now on, without creating it.
   * @throws UserError for an invalid or too frequent schedule, an invalid address, a name that is taken, or one job too
   * many
   */
  preview(job: NewJob): { stored: string; words: string; timezone: string; next: string[]; now: string };
  /**
   * Returns where its result goes, as text.
   * @throws as `preview`; and as `create` for a place where nothing may be posted, for somebody who isn't an owner, or
   * if it names something that doesn't exist
   */
  check(job: NewJob, by: Principal, from: Address): Promise<string[]>;
  /**
   * Creates the file.
   * @param agoMs how long ago the job was requested: "in 20 minutes" and "tomorrow" count from then, as they were shown
   * @throws UserError as `preview`, for a place where nothing may be posted, and for anybody but an owner
   * @throws DeliveryError while a platform can't be asked
   */
  create(job: NewJob, by: Principal, from: Address, agoMs?: number): Promise<JobView>;
  /**
   * Changes the time or the zone of an existing job.
   * @param agoMs as for `create`
   * @throws UserError as `preview`
   */
  change(name: string, to: JobChange, by: Principal, agoMs?: number): Promise<JobView>;
  /** Returns how that change is understood, without making it. */
  previewChange(name: string, to: JobChange): ReturnType<JobService['preview']>;
  /** These three throw UserError for an unknown name, and for anybody but an owner. */
  remove(name: string, by: Principal): Promise<JobView>;
  pause(name: string, by: Principal): Promise<JobView>;
  resume(name: string, by: Principal): Promise<JobView>;
  /**
   * Runs it at once, in addition to its schedule.
   * @throws UserError as above, and if it can't run: paused, broken, already running, or its viber or model is unknown
   */
  runNow(name: string, by: Principal): Promise<JobView>;
}

/** What a text means as a job file. */
export interface JobCheck {
  ok: boolean;
  problems?: string[];
  /** The schedule in words, and its next times, ISO 8601. */
  words?: string;
  next?: string[];
}

/** A home that may have job files; no gateway needs to run there. */
export interface JobFilesAt {
  home: string;
  env: NodeJS.ProcessEnv;
  /** For jobs that name none; absent: the machine's own. */
  timezone?: string | undefined;
}

export interface JobFiles {
  folder: string;
  /** Returns the name of the job's file, or undefined if there is none. */
  fileOf(id: string): string | undefined;
  /** Returns an ID for a name. */
  idOf(name: string): string;
  /** Checks a text as the scheduler would; changes nothing. */
  check(file: string, text: string): Promise<JobCheck>;
}

export interface KnownSkill {
  name: string;
  /** It can be called as a tool of its own. */
  isTool: boolean;
}

/** Everything that a job may name, as far as it is known now. */
export interface KnownNames {
  vibers: readonly string[];
  providers: readonly string[];
  /** Returns why a model of a known provider can't be used; undefined if it can. */
  modelProblem(name: string): string | undefined;
  /** Skills by viber; an absent viber wasn't read, or couldn't be. */
  skills: ReadonlyMap<string, readonly KnownSkill[]>;
  /** Bundled skills that the configuration turns off. */
  off: readonly string[];
  tools: readonly string[];
  /** Tool servers, each with the tools that runs are offered; undefined until it has been connected. */
  servers: ReadonlyMap<string, readonly string[] | undefined>;
}
