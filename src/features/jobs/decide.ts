/** Decides what to do about a job at a given time. Depends only on its schedule, its state and the time. */
import { hash } from 'node:crypto';
import type { Job } from './job.ts';
import { latestSlot, nextSlot } from './schedule.ts';
import type { JobState } from './state.ts';

/** Milliseconds. A slot that runs this late still counts as on time. */
const ON_TIME_MS = 90_000;
/** How old a missed slot may be and still run. */
const WINDOW_MS = 24 * 3_600_000;
/** The pause after one failure, in ms, doubled with each further one up to MAX_REST_MS. */
const REST_MS = 5 * 60_000;
const MAX_REST_MS = 6 * 3_600_000;
/** The delay before a slot that could not be stored is retried, in ms, doubled up to MAX_RETRY_MS. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;
/** Jitter is limited to this share of the time to the next slot, so that slots stay in order. */
const JITTER_SHARE = 0.9;

export type SkipReason = 'missed' | 'busy' | 'resting';

export type Decision =
  /** The next slot, and when it is due, in milliseconds since the epoch. */
  | { kind: 'wait'; slot: Date; due: number }
  /** There are no more slots. */
  | { kind: 'done' }
  | { kind: 'fire'; slot: Date }
  /** Settles the slot without a run. */
  | { kind: 'skip'; slot: Date; reason: SkipReason };

export interface Moment {
  now: number;
  isBusy: boolean;
  /** The slot that could not be stored, and the time of the next retry. */
  retry?: { slot: number; at: number } | undefined;
}

/** Considers only the latest of several past slots, and never one at or before `lastSlot` or `since`. */
export function decideSlot(job: Job, state: JobState, { now, isBusy, retry }: Moment): Decision {
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
  if (late > WINDOW_MS || isLost) return { kind: 'skip', slot: latest, reason: 'missed' };
  if (isResting(job, state, latest, now)) return { kind: 'skip', slot: latest, reason: 'resting' };
  if (isBusy) return { kind: 'skip', slot: latest, reason: 'busy' };
  // After the clock was set back, the wait must not exceed the longest delay.
  if (isRetry && retry.at > now) return { kind: 'wait', slot: latest, due: Math.min(retry.at, now + MAX_RETRY_MS) };
  return { kind: 'fire', slot: latest };
}

/** Returns the time up to which all slots are settled. */
export function settledUntil({ since, lastSlot }: JobState): number {
  return Math.max(since, lastSlot ?? 0);
}

/**
 * Returns when a job without further slots may be removed. If its last slot did not run, waits for a day, since the
 * clock may be wrong.
 * @param doneAt when its last slot was found to be settled
 */
export function removableFrom({ lastSlot, lastRun }: JobState, doneAt: number): number {
  if (lastSlot === undefined) return Number.POSITIVE_INFINITY;
  if (lastRun?.slot !== lastSlot) return doneAt + WINDOW_MS;
  return lastRun.state === 'running' ? lastSlot + WINDOW_MS : lastSlot;
}

/** Returns how long a job pauses after this many failures in a row. */
export function restMs(failures: number): number {
  return Math.min(MAX_REST_MS, REST_MS * 2 ** Math.min(20, failures - 1));
}

/** Returns the delay before the next retry of a slot that could not be stored. */
export function retryMs(tries: number): number {
  return Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(20, tries - 1));
}

/** Never skips the last slot of a schedule. Ignores a pause longer than the maximum: the clock was set back. */
function isResting({ schedule }: Job, { restUntil }: JobState, slot: Date, now: number): boolean {
  const isDuring = restUntil !== undefined && slot.getTime() < restUntil && restUntil <= now + MAX_REST_MS;
  return isDuring && nextSlot(schedule, slot) !== undefined;
}

/** Adds jitter to a slot: the same for the same job and slot, and never past the next slot. */
function dueAt({ id, schedule, jitterMs }: Job, slot: Date): number {
  if (jitterMs === 0) return slot.getTime();
  const next = nextSlot(schedule, slot);
  const room = next ? Math.min(jitterMs, (next.getTime() - slot.getTime()) * JITTER_SHARE) : jitterMs;
  const share = Number.parseInt(hash('sha256', `${id} ${slot.toISOString()}`).slice(0, 8), 16) / 2 ** 32;
  return slot.getTime() + Math.floor(share * room);
}
