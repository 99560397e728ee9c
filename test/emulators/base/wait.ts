/** Waits for an event without polling and without missing one. */
import type { EventEmitter } from 'node:events';

/**
 * Resolves with the first value of `event` that matches. `describe` is called at the time limit and completes the
 * error.
 */
export function until<T>(
  changes: EventEmitter,
  event: string,
  fits: (value: T) => boolean,
  timeoutMs: number,
  describe: () => string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      changes.off(event, look);
    };
    const look = (value: T) => {
      try {
        if (!fits(value)) return;
        resolve(value);
      } catch (error) {
        reject(error);
      }
      stop();
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`nothing that fits within ${timeoutMs} ms; ${describe()}`));
    }, timeoutMs);
    changes.on(event, look);
  });
}
