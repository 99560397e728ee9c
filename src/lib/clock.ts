/**
 * Clocks: the scheduler's, which tests can control, and two that ignore changes of the system's clock, for waits of
 * minutes: setting the clock must neither end a wait nor extend it.
 */
import os from 'node:os';

export interface Clock {
  /** Milliseconds since the epoch. It may jump both ways. */
  now(): number;
  /** Calls `fn` once after at least `ms`; returns a function that cancels it. */
  after(ms: number, fn: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

const startedAt = Date.now();
const upAtStart = os.uptime();

/**
 * Returns milliseconds since the epoch by the clock at the start of the process. Counts the time the machine sleeps.
 */
export const steadyNow = (): number => startedAt + Math.round((os.uptime() - upAtStart) * 1000);

/** Like `steadyNow`, without the time asleep; needs no system call. */
export const awakeNow = (): number => performance.timeOrigin + performance.now();
