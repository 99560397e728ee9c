/** The scheduler's clock, which tests can control. */

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
