/** Time as the scheduler knows it, so that a test can move it. */

export interface Clock {
  /** Milliseconds since the epoch. It may jump both ways. */
  now(): number;
  /** Calls once, not before `ms` have gone by; what it gives back cancels that. */
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
