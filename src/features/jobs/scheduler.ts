/**
 * Fires jobs at their slots, each slot at most once. The queue's unique name for a run claims the slot: `fire` makes
 * the run durable before it begins, and the state here is written after that. A crash in between fires the slot again,
 * and the queue answers `duplicate`.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { crashPoint } from '../../crash-points.ts';
import { UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import { decideSlot, removableFrom, retryMs, settledUntil } from './decide.ts';
import type { Job } from './job.ts';
import { type Outcome, Records, type Trouble } from './records.ts';
import { nextSlot, nextSlots } from './schedule.ts';
import type { SchedulerOptions } from './scheduler-options.ts';
import type { JobState } from './state.ts';

/** The longest timer: a clock change or a suspended machine is noticed within this time. */
const STEP_MS = 60_000;
const MAX_FIRING = 16;

interface Plan {
  job: Job;
  /** Milliseconds since the epoch; -Infinity means not decided yet, Infinity means never. */
  due: number;
  /** The `since` of its state at the last decision. */
  since?: number;
  /** Set if its slot could not be stored. */
  retry?: { slot: number; tries: number; at: number };
  /** The time since which it has had no further slots. */
  doneAt?: number;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #records: Records;
  readonly #plans = new Map<string, Plan>();
  readonly #waiting = new Set<string>();
  /** Jobs that are being decided or fired: each at most once, and only a few at a time. */
  readonly #working = new Set<string>();
  readonly #lanes = new Set<Promise<void>>();
  #lastNow = 0;
  #armedFor = Number.POSITIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#records = new Records(options.clock, options.state, options.log, (id) => options.onRun?.(id));
  }

  /**
   * Must be called after the job files have been read: a missing job counts as removed. May be repeated after `stop`.
   */
  start(): void {
    this.#lastNow = this.#options.clock.now();
    this.#unsubscribe ??= this.#options.jobs.onChange(() => this.#replan());
    this.#replan();
  }

  /** Resolves once nothing is being fired and the state is written. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#cancelTimer?.();
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#waiting.clear();
    this.#plans.clear();
    await Promise.all(this.#lanes);
    await this.#options.state.flush();
  }

  /**
   * Runs a job now.
   * @throws {UserError} if the job does not exist, is off or is running
   */
  async runNow(id: string): Promise<'accepted' | 'duplicate'> {
    const entry = this.#options.jobs.get(id);
    const job = entry?.state === 'disabled' ? undefined : entry?.job;
    if (!entry) throw new UserError(say('jobs.unknown', { name: id }));
    if (!job) throw new UserError(say('jobs.notOn', { name: id }));
    const isRunning = say('jobs.underWay', { name: id });
    if (this.#working.has(id)) throw new UserError(isRunning);
    const slot = new Date(this.#options.clock.now());
    this.#working.add(id);
    try {
      if (await this.#options.isBusy(id)) throw new UserError(isRunning);
      const outcome = await this.#options.fire(job, slot);
      if (outcome === 'accepted') await this.#records.ranOutOfTurn(id, slot);
      return outcome;
    } finally {
      this.#working.delete(id);
      this.#arm(this.#plans.get(id)?.due ?? Number.POSITIVE_INFINITY);
    }
  }

  /** Returns the next times without jitter; fewer than n if the schedule ends. */
  next(id: string, n: number): Date[] {
    const entry = this.#options.jobs.get(id);
    if (!entry?.job || entry.state === 'disabled') return [];
    const known = this.#records.get(id);
    return nextSlots(
      entry.job.schedule,
      new Date(Math.max(this.#options.clock.now(), known ? settledUntil(known) : 0)),
      n,
    );
  }

  /** Records the end of a run. Counts failures, and removes a one-time job created from a chat. */
  async ended(id: string, outcome: Outcome, details: { task?: string; error?: string } = {}): Promise<void> {
    const trouble = await this.#records.ended(id, outcome, details);
    if (trouble) await this.#reportTrouble(id, trouble);
    await this.#removeDone(this.#plans.get(id));
  }

  /** Records that somebody requested a job, or another time for it, `agoMs` ago: slots since then count. */
  async asked(id: string, agoMs: number): Promise<void> {
    const { job, state } = this.#options.jobs.get(id) ?? {};
    if (!job || state !== 'loaded') return;
    await this.#records.asked(job, this.#options.clock.now() - Math.max(0, agoMs));
    await this.noticed(id);
  }

  /** Must be called when the job's state has changed, here or in another process. */
  async noticed(id: string): Promise<void> {
    const plan = this.#plans.get(id);
    const isStale = plan?.since !== undefined && plan.since !== this.#records.get(id)?.since;
    if (!isStale) return this.#removeDone(plan);
    this.#plans.set(id, undecided(plan));
    this.#tick();
  }

  /** Returns a job's state: its last run, its last skipped slot, its failures. */
  history(id: string): JobState | undefined {
    return this.#records.get(id);
  }

  /** Resolves once everything that is due now is done. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes);
  }

  #replan(): void {
    const active = new Map<string, Job>();
    for (const { id, state, job } of this.#options.jobs.all()) {
      if (job?.enabled && state !== 'disabled' && !active.has(id)) active.set(id, job);
    }
    for (const [id, job] of active) {
      this.#records.adopt(job);
      if (this.#plans.get(id)?.job !== job) this.#plans.set(id, { job, due: Number.NEGATIVE_INFINITY });
    }
    for (const id of this.#plans.keys()) if (!active.has(id)) this.#plans.delete(id);
    for (const id of this.#records.ids())
      if (!active.has(id)) this.#records.gone(id, this.#options.jobs.get(id) !== undefined);
    this.#tick();
  }

  #tick(): void {
    if (!this.#unsubscribe) return;
    const now = this.#options.clock.now();
    if (now < this.#lastNow - 1000) {
      this.#options.log.warn({ byMs: this.#lastNow - now }, 'the clock has gone back');
      for (const [id, plan] of this.#plans) {
        this.#records.clockBack(id);
        this.#plans.set(id, undecided(plan));
      }
    }
    this.#lastNow = now;
    const due = [...this.#plans].filter(([id, plan]) => plan.due <= now && !this.#working.has(id));
    for (const [id] of due.sort(([, a], [, b]) => a.due - b.due)) this.#waiting.add(id);
    while (this.#lanes.size < Math.min(MAX_FIRING, this.#working.size + this.#waiting.size)) {
      const lane: Promise<void> = this.#work().then(() => void this.#lanes.delete(lane));
      this.#lanes.add(lane);
    }
    this.#cancelTimer?.();
    this.#armedFor = Number.POSITIVE_INFINITY;
    let first = this.#armedFor;
    for (const [id, plan] of this.#plans)
      if (!this.#waiting.has(id) && !this.#working.has(id)) first = Math.min(first, plan.due);
    this.#arm(first);
  }

  /** Sets one timer for the nearest time, in steps; none if nothing is due. */
  #arm(due: number): void {
    if (!this.#unsubscribe || due >= this.#armedFor) return;
    this.#cancelTimer?.();
    this.#armedFor = due;
    this.#cancelTimer = this.#options.clock.after(Math.min(STEP_MS, Math.max(0, due - this.#options.clock.now())), () =>
      this.#tick(),
    );
  }

  async #work(): Promise<void> {
    for (const id of this.#waiting) {
      this.#waiting.delete(id);
      this.#working.add(id);
      try {
        await this.#handle(id);
      } catch (error) {
        // An error in one job doesn't stop the others; it is retried after a step.
        this.#options.log.error({ err: error, job: id }, 'a job cannot be scheduled');
        const plan = this.#plans.get(id);
        if (plan) plan.due = this.#options.clock.now() + STEP_MS;
      }
      this.#working.delete(id);
      this.#arm(this.#plans.get(id)?.due ?? Number.POSITIVE_INFINITY);
      // Yields, because computing the times of many jobs in a row would delay messages.
      await turn();
    }
  }

  /** Handles everything that is due for the job, until there is a slot to wait for. */
  async #handle(id: string): Promise<void> {
    for (;;) {
      const isBusy = await this.#options.isBusy(id);
      const plan = this.#plans.get(id);
      const known = this.#records.get(id);
      if (!plan || !known || !this.#unsubscribe) return;
      const { job, retry } = plan;
      plan.since = known.since;
      const now = this.#options.clock.now();
      const decision = decideSlot(job, known, { now, isBusy, retry });
      if (decision.kind === 'wait') {
        plan.due = decision.due;
        return;
      }
      if (decision.kind === 'done') {
        plan.due = Number.POSITIVE_INFINITY;
        plan.doneAt ??= now;
        return this.#removeDone(plan);
      }
      const { slot } = decision;
      this.#logMissed(job, known, slot);
      if (decision.kind === 'skip') {
        this.#options.log.info({ job: id, slot: slot.toISOString(), reason: decision.reason }, 'a job is skipped');
        await this.#records.skipped(id, slot, decision.reason);
        // After the clock was wrong, a slot may come up that has already run.
        if (known.lastRun?.slot !== slot.getTime()) this.#options.onSkip?.(job, slot, decision.reason);
      } else if (!(await this.#fireSlot(plan, slot))) return;
    }
  }

  /** Returns false if the slot could not be stored: its state is unchanged, and it is retried. */
  async #fireSlot(plan: Plan, slot: Date): Promise<boolean> {
    const { id } = plan.job;
    const time = slot.getTime();
    const before = this.#records.get(id)?.lastRun;
    try {
      const outcome = await this.#options.fire(plan.job, slot);
      this.#options.log.info({ job: id, slot: slot.toISOString(), outcome }, 'a job is fired');
      crashPoint('job:fired');
      delete plan.retry;
      await this.#records.fired(id, slot, before);
      if (outcome === 'duplicate' && !(await this.#options.isBusy(id))) await this.#records.overBefore(id, before);
      return true;
    } catch (error) {
      const tries = plan.retry?.slot === time ? plan.retry.tries + 1 : 1;
      const at = this.#options.clock.now() + retryMs(tries);
      plan.retry = { slot: time, tries, at };
      plan.due = at;
      this.#options.log.error(
        { err: error, job: id, slot: slot.toISOString(), tries },
        'a job could not be started and will be retried',
      );
      return false;
    }
  }

  #logMissed(job: Job, known: JobState, slot: Date): void {
    const first = nextSlot(job.schedule, new Date(settledUntil(known)));
    if (!first || first >= slot) return;
    const missed = { job: job.id, from: first.toISOString(), before: slot.toISOString() };
    this.#options.log.warn(missed, 'slots were missed; only the latest counts');
  }

  /** Removes a one-time job created from a chat after its run. A job written by hand stays. */
  async #removeDone(plan: Plan | undefined): Promise<void> {
    if (!plan?.job.createdBy || plan.doneAt === undefined) return;
    if (await this.#options.isBusy(plan.job.id)) return;
    const known = this.#records.get(plan.job.id);
    plan.due = known ? removableFrom(known, plan.doneAt) : Number.POSITIVE_INFINITY;
    if (plan.due <= this.#options.clock.now()) await this.#options.jobs.remove(plan.job.id);
    else this.#arm(plan.due);
  }

  async #reportTrouble(id: string, trouble: Trouble): Promise<void> {
    const job = this.#options.jobs.get(id)?.job;
    if (!job) return;
    try {
      await this.#options.onTrouble?.(job, trouble);
      await this.#records.reported(id);
    } catch (error) {
      this.#options.log.error(
        { err: error, job: id },
        "a job's failure could not be reported; its next one will be reported instead",
      );
    }
  }
}

/** Returns a new plan to decide. Work in progress on the old plan must not decide this one. */
const undecided = ({ job, retry }: Plan): Plan => ({ job, due: Number.NEGATIVE_INFINITY, ...(retry ? { retry } : {}) });
