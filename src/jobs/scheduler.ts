/**
 * Fires jobs at their slots, each slot at most once. The claim on a slot is the queue's exclusive name for its run, made durable by
 * `fire` before the run begins; what is remembered here is written after that. A crash in between fires the slot again, and the
 * queue says `duplicate`.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { crashPoint } from '../crash-points.ts';
import { UserError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Clock } from './clock.ts';
import { decide, type SkipReason, settledUntil } from './decide.ts';
import type { Jobs } from './files.ts';
import type { Job } from './job.ts';
import { createRecords, type Outcome, type Trouble } from './records.ts';
import { nextSlot, nextSlots } from './schedule.ts';
import type { JobState, JobStates } from './state.ts';

export type { SkipReason } from './decide.ts';
export type { Outcome, Trouble } from './records.ts';

const WINDOW_MS = 24 * 3_600_000;
/** A clock that jumps, or a machine that has slept, is noticed within this time. */
const STEP_MS = 60_000;
const MAX_FIRING = 16;
/** Milliseconds until a slot that could not be stored is tried again, doubled up to the larger. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;

export interface SchedulerOptions {
  clock: Clock;
  jobs: Pick<Jobs, 'all' | 'get' | 'onChange' | 'remove'>;
  state: JobStates;
  /** Makes the run of a slot durable under a name that no other run of this slot can have. Rejects when it cannot. */
  fire(job: Job, slot: Date): Promise<'accepted' | 'duplicate'>;
  /** Whether a run of the job waits or works. */
  isBusy(id: string): boolean;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How old a missed slot may be that still runs. */
  windowMs?: number;
  /** Once for failures in a row. */
  onTrouble?(job: Job, trouble: Trouble): void | Promise<void>;
  onSkip?(job: Job, slot: Date, reason: SkipReason): void;
}

export interface Scheduler {
  /** Call it once the job files have been read: what is not among them counts as removed. */
  start(): void;
  /** Resolves when nothing is being fired any more and the records are written. */
  stop(): Promise<void>;
  /** A run out of turn. Throws UserError when there is no such job or it is running. */
  runNow(id: string): Promise<'accepted' | 'duplicate'>;
  /** The next times, without jitter; fewer than n when the schedule ends. */
  next(id: string, n: number): Date[];
  /** How the run of a job has ended. Counts failures, and removes a job made for one time from a chat. */
  ended(id: string, outcome: Outcome, details?: { task?: string; error?: string }): Promise<void>;
  /** What is remembered of a job: its last run, its last skipped slot, its failures. */
  history(id: string): JobState | undefined;
  /** Resolves when everything due by now has been dealt with. */
  idle(): Promise<void>;
}

interface Plan {
  job: Job;
  /** Milliseconds since the epoch; -Infinity: to be decided, Infinity: never again. */
  due: number;
  /** Its slot could not be stored. */
  retry?: { slot: number; tries: number; at: number };
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, jobs, log, windowMs = WINDOW_MS } = options;
  const records = createRecords(clock, options.state, log);
  const plans = new Map<string, Plan>();
  const waiting = new Set<string>();
  /** Being decided or fired; at most one of a job, and few in all. */
  const working = new Set<string>();
  const lanes = new Set<Promise<void>>();
  let lastNow = 0;
  let armedFor = Number.POSITIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let unsubscribe: (() => void) | undefined;

  function replan(): void {
    const active = new Map<string, Job>();
    for (const { id, state, job } of jobs.all()) {
      if (job?.enabled && state !== 'disabled' && !active.has(id)) active.set(id, job);
    }
    for (const [id, job] of active) {
      records.adopt(job);
      if (plans.get(id)?.job !== job) plans.set(id, { job, due: Number.NEGATIVE_INFINITY });
    }
    for (const id of plans.keys()) if (!active.has(id)) plans.delete(id);
    for (const id of records.ids()) if (!active.has(id)) records.gone(id, jobs.get(id) !== undefined);
    tick();
  }

  function tick(): void {
    if (!unsubscribe) return;
    const now = clock.now();
    if (now < lastNow - 1000) {
      log.warn({ byMs: lastNow - now }, 'the clock has gone back');
      for (const plan of plans.values()) plan.due = Number.NEGATIVE_INFINITY;
    }
    lastNow = now;
    const due = [...plans].filter(([id, plan]) => plan.due <= now && !working.has(id));
    for (const [id] of due.sort(([, a], [, b]) => a.due - b.due)) waiting.add(id);
    while (lanes.size < Math.min(MAX_FIRING, working.size + waiting.size)) {
      const lane: Promise<void> = work().then(() => void lanes.delete(lane));
      lanes.add(lane);
    }
    cancelTimer?.();
    armedFor = Number.POSITIVE_INFINITY;
    let first = armedFor;
    for (const [id, plan] of plans) if (!waiting.has(id) && !working.has(id)) first = Math.min(first, plan.due);
    arm(first);
  }

  /** One timer for the nearest time, in steps; none when nothing is to come. */
  function arm(due: number): void {
    if (!unsubscribe || due >= armedFor) return;
    cancelTimer?.();
    armedFor = due;
    cancelTimer = clock.after(Math.min(STEP_MS, Math.max(0, due - clock.now())), tick);
  }

  async function work(): Promise<void> {
    for (const id of waiting) {
      waiting.delete(id);
      working.add(id);
      try {
        await bring(id);
      } catch (error) {
        // What is wrong with one job holds up no other; it is looked at again after a step.
        log.error({ err: error, job: id }, 'a job cannot be scheduled');
        const plan = plans.get(id);
        if (plan) plan.due = clock.now() + STEP_MS;
      }
      working.delete(id);
      arm(plans.get(id)?.due ?? Number.POSITIVE_INFINITY);
      // The times of many jobs in one go would hold up the messages.
      await turn();
    }
  }

  /** Deals with everything the job is due, up to the next slot that is to be waited for. */
  async function bring(id: string): Promise<void> {
    for (;;) {
      const plan = plans.get(id);
      const known = records.get(id);
      if (!plan || !known || !unsubscribe) return;
      const { job, retry } = plan;
      const now = clock.now();
      const decision = decide(job, known, { now, windowMs, isBusy: options.isBusy(id), retried: retry?.slot });
      if (decision.kind === 'wait') {
        plan.due = decision.due;
        return;
      }
      if (decision.kind === 'done') {
        plan.due = Number.POSITIVE_INFINITY;
        return removeDone(job);
      }
      const { slot } = decision;
      if (decision.kind === 'fire' && retry?.slot === slot.getTime() && retry.at > now) {
        plan.due = Math.min(retry.at, now + MAX_RETRY_MS);
        return;
      }
      tellMissed(job, known, slot);
      if (decision.kind === 'skip') {
        log.info({ job: id, slot: slot.toISOString(), reason: decision.reason }, 'a job is skipped');
        await records.skipped(id, slot, decision.reason);
        options.onSkip?.(job, slot, decision.reason);
      } else if (!(await fireSlot(plan, slot))) return;
    }
  }

  /** False when the slot could not be stored: nothing is marked, and it is tried again. */
  async function fireSlot(plan: Plan, slot: Date): Promise<boolean> {
    const { id } = plan.job;
    const time = slot.getTime();
    const before = records.get(id)?.lastRun;
    try {
      const outcome = await options.fire(plan.job, slot);
      log.info({ job: id, slot: slot.toISOString(), outcome }, 'a job is fired');
      crashPoint('job:fired');
      delete plan.retry;
      await records.fired(id, slot, before);
      if (outcome === 'duplicate' && !options.isBusy(id)) await records.overBefore(id, before);
      return true;
    } catch (error) {
      const tries = plan.retry?.slot === time ? plan.retry.tries + 1 : 1;
      const at = clock.now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(20, tries - 1));
      plan.retry = { slot: time, tries, at };
      plan.due = at;
      log.error({ err: error, job: id, slot: slot.toISOString(), tries }, 'a job cannot be fired; it is tried again');
      return false;
    }
  }

  function tellMissed(job: Job, known: JobState, slot: Date): void {
    const first = nextSlot(job.schedule, new Date(settledUntil(known)));
    if (!first || first >= slot) return;
    const missed = { job: job.id, from: first.toISOString(), before: slot.toISOString() };
    log.warn(missed, 'slots were missed; only the latest counts');
  }

  /** A job made from a chat for one time has no use once its run has ended. One written by hand stays. */
  async function removeDone({ id, createdBy }: Job): Promise<void> {
    const { lastSlot, lastRun } = records.get(id) ?? {};
    if (!createdBy || lastSlot === undefined || options.isBusy(id)) return;
    const isOver = lastRun?.slot === lastSlot && lastRun.state !== 'running';
    if (isOver || clock.now() - lastSlot > WINDOW_MS) await jobs.remove(id);
  }

  async function tellTrouble(id: string, trouble: Trouble): Promise<void> {
    const job = jobs.get(id)?.job;
    if (!job) return;
    try {
      await options.onTrouble?.(job, trouble);
      await records.told(id);
    } catch (error) {
      log.error({ err: error, job: id }, 'nobody could be told that a job fails; the next failure tells');
    }
  }

  return {
    start() {
      lastNow = clock.now();
      unsubscribe ??= jobs.onChange(replan);
      replan();
    },
    async stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      cancelTimer?.();
      waiting.clear();
      await Promise.all(lanes);
      await options.state.flush();
    },
    async runNow(id) {
      const entry = jobs.get(id);
      const job = entry?.state === 'disabled' ? undefined : entry?.job;
      if (!entry) throw new UserError(`There is no job ${id}; /jobs lists them.`);
      if (!job) throw new UserError(`The job ${id} is paused or its file is broken; /jobs says which.`);
      if (options.isBusy(id) || working.has(id)) throw new UserError(`The job ${id} is running; its answer will come.`);
      const slot = new Date(clock.now());
      working.add(id);
      try {
        const outcome = await options.fire(job, slot);
        if (outcome === 'accepted') await records.ranOutOfTurn(id, slot);
        return outcome;
      } finally {
        working.delete(id);
        arm(plans.get(id)?.due ?? Number.POSITIVE_INFINITY);
      }
    },
    next(id, n) {
      const entry = jobs.get(id);
      if (!entry?.job || entry.state === 'disabled') return [];
      const known = records.get(id);
      return nextSlots(entry.job.schedule, new Date(Math.max(clock.now(), known ? settledUntil(known) : 0)), n);
    },
    async ended(id, outcome, details = {}) {
      const trouble = await records.ended(id, outcome, details);
      if (trouble) await tellTrouble(id, trouble);
      const plan = plans.get(id);
      if (plan?.due === Number.POSITIVE_INFINITY) await removeDone(plan.job);
    },
    history: (id) => records.get(id),
    async idle() {
      while (lanes.size > 0) await Promise.all(lanes);
    },
  };
}
