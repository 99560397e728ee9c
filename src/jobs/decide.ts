/** What is to be done about a job at a moment: decided from its schedule, what is remembered of it and the time, nothing else. */
import { hash } from 'node:crypto';
import type { Job } from './job.ts';
import { latestSlot, nextSlot } from './schedule.ts';
import type { JobState } from './state.ts';

/** Milliseconds. A slot that runs this late still counts as on time. */
const ON_TIME_MS = 90_000;
/** How old a missed slot may be that still runs, unless the scheduler is told otherwise. */
export const WINDOW_MS = 24 * 3_600_000;
/** After one failure, doubled with each further one. */
const REST_MS = 5 * 60_000;
const MAX_REST_MS = 6 * 3_600_000;
/** Milliseconds until a slot that could not be stored is tried again, doubled up to the larger. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;
/** Of the time to the next slot, so that a delayed one still comes first. */
const JITTER_SHARE = 0.9;

export type SkipReason = 'missed' | 'busy' | 'resting';

export type Decision =
  /** The next slot and when it is due, in milliseconds since the epoch. */
  | { kind: 'wait'; slot: Date; due: number }
  /** There are no more slots. */
  | { kind: 'done' }
  | { kind: 'fire'; slot: Date }
  /** The slot is settled without a run. */
  | { kind: 'skip'; slot: Date; reason: SkipReason };

export interface Moment {
  now: number;
  /** How old a missed slot may be. */
  windowMs: number;
  isBusy: boolean;
  /** The slot whose firing has failed, and when it is tried again. */
  retry?: { slot: number; at: number } | undefined;
}

/** Of several slots that have gone by only the latest counts; none at or before `lastSlot` or `since` ever does. */
export function decide(job: Job, state: JobState, { now, windowMs, isBusy, retry }: Moment): Decision {
  const after = settledUntil(state);
  const latest = latestSlot(job.schedule, new Date(after), new Date(now));
  if (!latest) {
    const next = nextSlot(job.schedule, new Date(Math.max(after, now)));
    return next ? { kind: 'wait', slot: next, due: dueAt(job, next) } : { kind: 'done' };
  }
  const due = dueAt(job, latest);
  if (due > now) return { kind: 'wait', slot: latest, due };
  const isRetry = retry?.slot === latest.getTime();
  const late = now - due;
  const isLost = late > ON_TIME_MS && !job.catchUp && !isRetry;
  if (late > windowMs || isLost) return { kind: 'skip', slot: latest, reason: 'missed' };
  if (isResting(job, state, latest, now)) return { kind: 'skip', slot: latest, reason: 'resting' };
  if (isBusy) return { kind: 'skip', slot: latest, reason: 'busy' };
  // A clock that has gone back must not make the wait longer than any can be.
  if (isRetry && retry.at > now) return { kind: 'wait', slot: latest, due: Math.min(retry.at, now + MAX_RETRY_MS) };
  return { kind: 'fire', slot: latest };
}

/** Slots up to here are no more to be thought of. */
export function settledUntil({ since, lastSlot }: JobState): number {
  return Math.max(since, lastSlot ?? 0);
}

/**
 * From when a job without further slots may be removed. One whose last slot has had no run waits for a day: the clock that has gone
 * past its time may be wrong.
 * @param doneAt when its last slot was found to be settled
 */
export function removableFrom({ lastSlot, lastRun }: JobState, doneAt: number): number {
  if (lastSlot === undefined) return Number.POSITIVE_INFINITY;
  if (lastRun?.slot !== lastSlot) return doneAt + WINDOW_MS;
  return lastRun.state === 'running' ? lastSlot + WINDOW_MS : lastSlot;
}

/** How long a job rests after so many failures in a row. */
export function restMs(failures: number): number {
  return Math.min(MAX_REST_MS, REST_MS * 2 ** Math.min(20, failures - 1));
}

/** How long a slot that could not be stored so many times waits for the next try. */
export function retryMs(tries: number): number {
  return Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(20, tries - 1));
}

/** The last slot of a schedule is not given up for a rest. A rest longer than any can be comes from a clock that has gone back. */
function isResting({ schedule }: Job, { restUntil }: JobState, slot: Date, now: number): boolean {
  const isDuring = restUntil !== undefined && slot.getTime() < restUntil && restUntil <= now + MAX_REST_MS;
  return isDuring && nextSlot(schedule, slot) !== undefined;
}

/** The slot and its jitter: the same for the same job and slot, and never past the next slot. */
function dueAt({ id, schedule, jitterMs }: Job, slot: Date): number {
  if (jitterMs === 0) return slot.getTime();
  const next = nextSlot(schedule, slot);
  const room = next ? Math.min(jitterMs, (next.getTime() - slot.getTime()) * JITTER_SHARE) : jitterMs;
  const share = Number.parseInt(hash('sha256', `${id} ${slot.toISOString()}`).slice(0, 8), 16) / 2 ** 32;
  return slot.getTime() + Math.floor(share * room);
}
