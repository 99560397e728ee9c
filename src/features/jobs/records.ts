/**
 * Keeps the state of jobs: when a job was first seen, which slots are settled, how its runs ended. A record that can't
 * be written still counts in memory; after a crash this leads to a duplicate, which the queue rejects.
 */

import type { Clock } from '../../lib/clock.ts';
import { hashText } from '../../lib/files.ts';
import type { Logger } from '../../log.ts';
import { restMs, type SkipReason } from './decide.ts';
import type { Job } from './job.ts';
import type { JobState, JobStates } from './state.ts';

/** How long the state of a removed job is kept. */
const KEEP_MS = 30 * 24 * 3_600_000;
/** The queue recognises duplicates for 30 days. */
const WRONG_CLOCK_MS = 32 * 24 * 3_600_000;
/** A job first seen this far in the future was seen with a clock that was ahead; it doesn't wait for that time. */
const SEEN_AHEAD_MS = 2 * 24 * 3_600_000;
const MINUTE_MS = 60_000;
/** Longer than an approval stays pending, so that a requested job already has its record. */
const MADE_LATELY_MS = 60 * MINUTE_MS;

export type Outcome = 'completed' | 'error' | 'stopped';

export interface Trouble {
  /** The number of failures in a row. */
  failures: number;
  /**
   * The time of the first one; with the job's ID it identifies the streak, so that a repeated report can be recognised.
   */
  since: Date;
  error: string;
}

export class Records {
  readonly #clock: Clock;
  readonly #state: JobStates;
  readonly #log: Pick<Logger, 'warn' | 'error'>;
  readonly #onRun: (id: string) => void;
  readonly #unwritten = new Map<string, JobState>();

  /** @param onRun called when a job's last run or last skipped slot has changed */
  constructor(
    clock: Clock,
    state: JobStates,
    log: Pick<Logger, 'warn' | 'error'>,
    onRun: (id: string) => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#state = state;
    this.#log = log;
    this.#onRun = onRun;
  }

  get(id: string): JobState | undefined {
    return this.#unwritten.get(id) ?? this.#state.get(id);
  }

  ids(): string[] {
    return this.#state.ids();
  }

  /** Starts the schedule of an active job. A new, changed or returning job begins now, without earlier slots. */
  adopt(job: Job): void {
    const { id, schedule: wanted, createdBy, createdAt } = job;
    const now = this.#clock.now();
    const schedule = JSON.stringify(wanted);
    const definition = definitionOf(job);
    void this.#change(id, (stored) => {
      if (!stored) {
        // A job created from a chat counts from its creation, even if the gateway stopped right then. An older one is a
        // copy or has been renamed, and must not repeat what ran under the old name.
        const made = createdBy && createdAt ? Date.parse(createdAt) : now;
        const isFresh = wanted.kind === 'once' || now - made <= MADE_LATELY_MS;
        const since = isFresh ? Math.min(now, made) : now;
        return { schedule, definition, since, failures: 0 };
      }
      const known = this.#withoutFuture(id, stored, now);
      const { goneSince, ...rest } = forDefinition(known, definition);
      const isNew = known.schedule !== schedule || goneSince !== undefined || known.since > now + MINUTE_MS;
      if (isNew) return beginning(rest, schedule, now);
      return known.definition === definition ? known : rest;
    });
  }

  /**
   * Records that somebody requested this job, or its schedule, at that time: slots since then count, however late the
   * approval came.
   */
  async asked(job: Job, at: number): Promise<void> {
    const since = Math.min(this.#clock.now(), at);
    const schedule = JSON.stringify(job.schedule);
    await this.#change(job.id, (known = { schedule, since, failures: 0 }) => {
      const { goneSince, ...rest } = forDefinition(known, definitionOf(job));
      return beginning(rest, schedule, since);
    });
  }

  /** Handles that the clock was set back while the job was active. */
  clockBack(id: string): void {
    const now = this.#clock.now();
    void this.#change(id, (known) => known && this.#withoutFuture(id, known, now));
  }

  /**
   * A slot later than now was settled with a clock that was ahead, so it doesn't count. For 30 days, the queue knows
   * which earlier slots have run; a job with slots further apart starts over.
   */
  #withoutFuture(id: string, known: JobState, now: number): JobState {
    const { lastSlot = 0, ...rest } = known;
    const isFar = lastSlot > now + WRONG_CLOCK_MS || known.since > now + SEEN_AHEAD_MS;
    if (lastSlot <= now && !isFar) return known;
    this.#log.warn({ job: id, lastSlot }, 'the clock was ahead; slots that it settled count again');
    if (isFar) return { ...rest, since: now };
    return rest;
  }

  /** Marks a job as no longer active. Its state is removed after 30 days unless its file still exists. */
  gone(id: string, hasFile: boolean): void {
    const known = this.get(id);
    if (!known) return;
    const now = this.#clock.now();
    if (known.goneSince === undefined) {
      void this.#change(id, (before) => before && { ...before, goneSince: before.goneSince ?? now });
    } else if (!hasFile && now - known.goneSince > KEEP_MS) {
      this.#unwritten.delete(id);
      this.#state.remove(id);
    }
  }

  async skipped(id: string, slot: Date, reason: SkipReason): Promise<void> {
    const time = slot.getTime();
    await this.#change(id, (known) => known && { ...known, lastSlot: time, lastSkip: { slot: time, reason } });
  }

  /** @param before the last run when firing began; if it differs now, that run has ended in the meantime */
  async fired(id: string, slot: Date, before: JobState['lastRun']): Promise<void> {
    const time = slot.getTime();
    const began = { slot: time, at: this.#clock.now(), state: 'running' as const };
    await this.#change(id, (known) => {
      if (!known) return undefined;
      const ended = isEqualJson(known.lastRun, before) || isEqualJson(known.lastRun, began) ? undefined : known.lastRun;
      return { ...known, lastSlot: time, lastRun: ended ? { ...ended, slot: time } : began };
    });
  }

  /** Restores the previous last run: an earlier process had fired this run, and it is over. */
  async overBefore(id: string, before: JobState['lastRun']): Promise<void> {
    await this.#change(id, (known) => {
      if (known?.lastRun?.state !== 'running') return undefined;
      const { lastRun, ...rest } = known;
      return before ? { ...rest, lastRun: before } : rest;
    });
  }

  async ranOutOfTurn(id: string, slot: Date): Promise<void> {
    const time = slot.getTime();
    await this.#change(id, (known) => known && { ...known, lastRun: { slot: time, at: time, state: 'running' } });
  }

  /** Returns the failure to report, if any. */
  async ended(
    id: string,
    outcome: Outcome,
    { task, error = '' }: { task?: string; error?: string },
  ): Promise<Trouble | undefined> {
    const now = this.#clock.now();
    let trouble: Trouble | undefined;
    await this.#change(id, (known) => {
      trouble = undefined;
      if (!known) return undefined;
      const { failingSince, restUntil, toldAt, ...rest } = known;
      const began = known.lastRun ?? { slot: now, at: now };
      const lastRun = { ...began, ...(task === undefined ? {} : { task }), state: outcome };
      // A run that a person stopped says nothing about the next one.
      if (outcome === 'stopped') return { ...known, lastRun };
      if (outcome !== 'error') return { ...rest, lastRun, failures: 0 };
      const failures = known.failures + 1;
      // Counted from the run's start, so that a job which pauses within its own schedule anyway loses no slot to a long
      // run.
      const since = failingSince ?? now;
      if (toldAt === undefined) trouble = { failures, since: new Date(since), error };
      return { ...known, lastRun, failures, failingSince: since, restUntil: began.at + restMs(failures) };
    });
    return trouble;
  }

  async reported(id: string): Promise<void> {
    const now = this.#clock.now();
    await this.#change(id, (known) => known && { ...known, toldAt: now });
  }

  /** Takes effect at once, even if it can't be written. */
  async #change(id: string, next: (known: JobState | undefined) => JobState | undefined): Promise<void> {
    const before = this.get(id);
    const unwritten = this.#unwritten.get(id);
    let after: JobState | undefined;
    try {
      await this.#state.change(id, (stored) => {
        after = next(unwritten ?? stored);
        return after;
      });
      if (this.#unwritten.get(id) === unwritten) this.#unwritten.delete(id);
    } catch (error) {
      after ??= next(before);
      if (after) this.#unwritten.set(id, after);
      this.#log.error({ err: error, job: id }, 'could not write the state of a job');
    }
    if (after && !(isEqualJson(before?.lastRun, after.lastRun) && isEqualJson(before?.lastSkip, after.lastSkip)))
      this.#onRun(id);
  }
}

/** Slots settled under another schedule don't count for this one. */
function beginning(known: JobState, schedule: string, since: number): JobState {
  const { lastSlot, ...rest } = known;
  return known.schedule === schedule ? { ...known, since } : { ...rest, schedule, since };
}

/** Failures and the pause after them belong to the job's definition; a changed or returning job starts without them. */
function forDefinition(known: JobState, definition: string): JobState {
  const isSameJob = known.definition === undefined || known.definition === definition;
  if (isSameJob && known.goneSince === undefined) return { ...known, definition };
  const { failingSince, restUntil, toldAt, lastSkip, ...rest } = known;
  return { ...rest, definition, failures: 0 };
}

const definitionOf = (job: Job): string => hashText(JSON.stringify(job)).slice(0, 16);

const isEqualJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
