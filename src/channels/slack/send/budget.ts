/**
 * Limits how often something is done: a token bucket that refills evenly. Slack counts most methods across the whole
 * workspace.
 */

export interface Budget {
  /** Takes a token; returns false if there is none. */
  take(): boolean;
  /** Gives no token for `ms` milliseconds, because Slack asked to wait. */
  pause(ms: number): void;
}

export function createBudget(perMinute: number, burst: number): Budget {
  let tokens = burst;
  let at = Date.now();
  let pausedUntil = 0;
  return {
    take() {
      const time = Date.now();
      if (time < pausedUntil) return false;
      tokens = Math.min(burst, tokens + ((time - at) / 60_000) * perMinute);
      at = time;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, Date.now() + ms);
    },
  };
}
