/**
 * Scheduled jobs, loaded on demand: nothing is loaded before there is a file or somebody asks. Jobs are read a moment
 * after the start; if that fails, the next request tries again.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Engine } from '../../engine/engine.ts';
import { errorCode } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { isShared } from '../../lib/locks.ts';
import type { Entry } from '../../runtime/contract/entry.ts';
import type { JobService } from '../../runtime/contract/job-service.ts';
import type { Answer } from '../../runtime/contract/outcome.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import type { Jobs } from './files.ts';
import { sweepJobRuns } from './past-runs.ts';
import type { ScheduledJobs } from './service.ts';

/**
 * The delay after the start before jobs are read, so that they don't slow it down. It doesn't wait for platforms, which
 * may be unreachable.
 */
const START_MS = 1_000;
/** The interval of checks for changes by other processes. */
const LOOK_MS = 5_000;
const TOPIC = 'jobs';

export class JobsOnDemand {
  readonly #gw: Gateway;
  readonly #folder: string;
  /** The folder of the jobs' state files. */
  readonly #records: string;
  readonly #waiting: NodeJS.Timeout;
  #opened: { service: ScheduledJobs; files: Jobs } | undefined;
  #opening: Promise<void> | undefined;
  #watcher: fs.FSWatcher | undefined;
  #unhear: (() => Promise<void>) | undefined;
  /** Identifies our own messages, which are ignored. */
  readonly #self = randomBytes(8).toString('hex');
  #isStopped = false;

  constructor(gw: Gateway) {
    this.#gw = gw;
    this.#folder = path.resolve(gw.features.env.OPENVIBER_JOBS_DIR || gw.home.jobs);
    this.#records = path.join(gw.home.spool, 'jobs');
    this.#waiting = setTimeout(() => this.#begin(), START_MS).unref();
  }

  /** Idempotent. Runs automatically shortly after the start. */
  start(): Promise<void> {
    clearTimeout(this.#waiting);
    this.#watcher?.close();
    if (!this.#isStopped) this.#opening ??= this.#open().catch((error: unknown) => this.#failed(error));
    return this.#opening ?? Promise.resolve();
  }

  /** Returns the service once the jobs have been read, or undefined if that failed. */
  async service(): Promise<JobService | undefined> {
    await this.start();
    await this.#opened?.service.refresh();
    return this.#opened?.service;
  }

  /** Must be called when a run has ended. Ignores runs that don't belong to a job. */
  ended(entry: Entry, { state, error, text }: Pick<Answer, 'state' | 'error' | 'text'>): void {
    if (!entry.job || state === 'waiting') return;
    const why = error === undefined ? undefined : text || error;
    // A run that was recovered at a restart may end before the jobs have been read.
    this.start()
      .then(() => this.#opened?.service.ended(entry, state, why))
      .catch((err: unknown) => this.#gw.log.error({ err, job: entry.job?.id }, 'could not record the end of a job'));
  }

  /** Removes the tasks of runs that are too old. Never rejects. */
  async sweep(now: Date): Promise<void> {
    const { home, log } = this.#gw;
    const days = configOf(this.#gw).jobs.keepDays;
    try {
      const removed = await sweepJobRuns(home, days, now, (task, err) =>
        log.error({ err, task }, 'could not remove the task of an old job run'),
      );
      if (removed > 0) log.info({ removed, days }, 'tasks of old job runs were removed');
    } catch (err) {
      log.error({ err }, 'could not remove the tasks of old job runs');
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#waiting);
    this.#watcher?.close();
    await this.#opening;
    await this.#unhear?.();
    await this.#opened?.service.stop();
    await this.#opened?.files.close();
  }

  #begin(): void {
    const folder = this.#folder;
    const start = () => void this.start();
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const isUsed = fs.existsSync(this.#records) || fs.readdirSync(folder).length > 0;
      // File watching doesn't see changes from another machine.
      if (isUsed || isShared(this.#records)) start();
      else this.#watcher = fs.watch(folder, start).unref().on('error', start);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      // If the folder can't be created or watched, opening it reports why.
      start();
    }
  }

  async #open(): Promise<void> {
    const [{ Jobs }, { ScheduledJobs }, { openJobStates, scheduleIn }, { systemTimezone }, { openLastGood }] =
      await Promise.all([
        import('./files.ts'),
        import('./service.ts'),
        import('./state.ts'),
        import('./schedule.ts'),
        import('./written/last-good.ts'),
      ]);
    const { engine, log, clock = systemClock } = this.#gw;
    const folder = this.#folder;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const timezone = configOf(this.#gw).jobs.timezone ?? systemTimezone();
    const lock: Engine<Entry>['lock'] = (name, work) => engine.lock(name, work);
    const onWritten = (id = '') => engine.publish(TOPIC, `${this.#self} ${id}`);
    const states = openJobStates(this.#records, { shared: isShared(this.#records) ? { lock, onWritten } : undefined });
    const recorded = (id: string) => scheduleIn(states.get(id));
    const lastGood = openLastGood({ folder: path.join(this.#records, 'good'), timezone, log, recorded });
    const files = new Jobs({ folder, timezone, lastGood, log, onWritten: () => onWritten() });
    const service = new ScheduledJobs({ jobs: files, states, clock, timezone }, this.#gw);
    await files.start();
    if (this.#isStopped) return files.close();
    service.start();
    this.#opened = { service, files };
    if (isShared(this.#records)) this.#hearOthers({ service, files });
    log.info({ jobs: files.all().length }, 'the scheduled jobs were read');
  }

  /**
   * Picks up changes by other processes: from their messages, and by checking periodically in case one was lost. File
   * watching doesn't see other machines.
   */
  #hearOthers({ service, files }: { service: ScheduledJobs; files: Jobs }): void {
    const { engine, log } = this.#gw;
    const look = (id: string) => {
      const done = id === '' ? files.refresh().then(() => service.noticed()) : service.noticed(id);
      done.catch((err: unknown) =>
        log.error({ err }, 'could not read the changes that another process made to the jobs'),
      );
    };
    const unsubscribe = engine.subscribe(TOPIC, (text) => {
      const [by, id = ''] = text.split(' ', 2);
      if (by !== this.#self) look(id);
    });
    const timer = setInterval(() => look(''), LOOK_MS).unref();
    this.#unhear = () => {
      clearInterval(timer);
      return unsubscribe();
    };
  }

  #failed(err: unknown): void {
    this.#gw.log.error(
      { err, folder: this.#folder },
      'the scheduled jobs could not be started; check their folder (OPENVIBER_JOBS_DIR, else jobs/ of the home)',
    );
    // The next request tries again.
    this.#opening = undefined;
  }
}

/** The jobs are read shortly after the first call, which `start` makes. */
export const jobsOf = perGateway((gw) => new JobsOnDemand(gw));
