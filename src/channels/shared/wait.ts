/** Provides waits that end early when a signal is aborted, and the wait after the nth failure. */

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}

/** Waits without keeping the process alive. */
export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

/** Runs an action later, without keeping the process alive. */
export function later(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, ms).unref();
}

/** Returns the limit for passing on so many bytes: at least `leastMs`, and long enough for a line of 500 KB/s. */
export const transferMs = (leastMs: number, bytes: number): number => Math.ceil(leastMs + bytes / 500);

export interface Backoff {
  /** Returns the wait in ms: doubles from `minMs` to `maxMs`, each time between half and all of it. */
  next(): number;
  reset(): void;
}

export function createBackoff(minMs: number, maxMs: number): Backoff {
  let failures = 0;
  return {
    next: () => Math.min(maxMs, minMs * 2 ** Math.min(failures++, 30)) * (0.5 + Math.random() / 2),
    reset: () => {
      failures = 0;
    },
  };
}
