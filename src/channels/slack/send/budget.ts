/** How often something may be done: a bucket of tokens that refills evenly. Slack counts most methods over the whole workspace. */

export interface Budget {
  /** Takes a token if there is one. */
  take(): boolean;
  /** None for so many milliseconds: Slack has said so. */
  pause(ms: number): void;
}

export function createBudget(perMinute: number, burst: number, now: () => number = Date.now): Budget {
  let tokens = burst;
  let at = now();
  let pausedUntil = 0;
  return {
    take() {
      const time = now();
      if (time < pausedUntil) return false;
      tokens = Math.min(burst, tokens + ((time - at) / 60_000) * perMinute);
      at = time;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, now() + ms);
    },
  };
}
