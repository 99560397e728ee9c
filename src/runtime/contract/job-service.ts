/** What chats, tools and the command line may ask of the scheduled jobs. `src/jobs/service.ts` implements it. Types only. */
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { Said } from '../../messages/messages.ts';

export interface JobView {
  /** The name of its file without `.yaml`. */
  id: string;
  name: string;
  /** As it is written, and how that is understood; with `broken` both may be ''. */
  schedule: string;
  words: string;
  timezone: string;
  /** `done`: its one time is over. */
  state: 'on' | 'paused' | 'broken' | 'done';
  /** The next three times, ISO 8601; [] unless it is on. */
  next: string[];
  deliver: string[];
  /** Why it is broken, or why the version before the last edit is in force; in English, a line for each problem. */
  problem?: string;
  /** The same for people. */
  wrong?: readonly Said[];
  /** A sentence for each viber, model, skill and tool that it names and that there is not. */
  lacks?: Said[];
  /** A sum of all that the job does, and when: another one for another job under its name. */
  version: string;
  lastRun?: { task: string; slot: string; state: 'running' | 'completed' | 'error' | 'stopped' };
  /** A principal as text, for jobs made in a chat. */
  createdBy?: string;
}

/** What a person or a model says of a new job. */
export interface NewJob {
  name: string;
  /** Cron or a phrase. */
  schedule: string;
  prompt: string;
  /** Addresses as text; absent: the conversation where it is made, or its maker's direct one where nothing can be said first; []: nowhere. */
  deliver?: string[];
  timezone?: string;
  skills?: string[];
  model?: string;
  /** Whose files, memory and settings it works with; absent: the usual one's. */
  viber?: string;
}

export interface JobChange {
  schedule?: string;
  timezone?: string;
}

export interface JobService {
  list(): JobView[];
  /**
   * By id or name, whatever its case; the beginning is enough when it is unique. Throws UserError when there is none or more than
   * one.
   */
  find(name: string): JobView;
  /**
   * How a new job is understood, as its file keeps it (`stored`), and its next three times, from now on, nothing made. Throws UserError: a wrong schedule, one that is too
   * frequent, an address that is none, a name that is taken, one too many.
   */
  preview(job: NewJob): { stored: string; words: string; timezone: string; next: string[]; now: string };
  /**
   * Where its result goes, as text. Throws as `preview`, and as `create` where nothing may be sent to a place, an owner must not ask,
   * or what it names does not exist.
   */
  check(job: NewJob, by: Principal, from: Address): Promise<string[]>;
  /**
   * Makes the file. Throws UserError as `preview`, for a place where nothing may be sent, and for anybody but an owner;
   * DeliveryError while a platform cannot be asked.
   * @param agoMs how long ago it was asked for: "in 20 minutes" and "tomorrow" count from then, as they were shown
   */
  create(job: NewJob, by: Principal, from: Address, agoMs?: number): Promise<JobView>;
  /** Another time, or another zone, for a job that there is. Throws UserError as `preview`. @param agoMs as of `create` */
  change(name: string, to: JobChange, by: Principal, agoMs?: number): Promise<JobView>;
  /** How that would be understood, nothing changed. */
  previewChange(name: string, to: JobChange): ReturnType<JobService['preview']>;
  /** These throw UserError for a name that is none, and for anybody but an owner. */
  remove(name: string, by: Principal): Promise<JobView>;
  pause(name: string, by: Principal): Promise<JobView>;
  resume(name: string, by: Principal): Promise<JobView>;
  /** At once, beside its schedule. Throws UserError as well when it does not run: paused, broken, its last run under way, its viber or model unknown. */
  runNow(name: string, by: Principal): Promise<JobView>;
}

export interface KnownSkill {
  name: string;
  /** It is called as a tool of its own. */
  isTool: boolean;
}

/** What a job may name, as far as it is known right now. */
export interface KnownNames {
  vibers: readonly string[];
  providers: readonly string[];
  /** Why a model of a known provider cannot be used; undefined when it can. */
  modelProblem(name: string): string | undefined;
  /** By viber; one that is absent here was not looked at, or could not be read. */
  skills: ReadonlyMap<string, readonly KnownSkill[]>;
  /** Bundled skills that the configuration leaves out. */
  off: readonly string[];
  /** Our own. */
  tools: readonly string[];
  /** Servers of tools, each with what runs are offered of it; undefined until it has been connected. */
  servers: ReadonlyMap<string, readonly string[] | undefined>;
}
