/** Wrong guesses, counted for each key in a bounded map: keys come from outside (promise 20). */

export interface Tries {
  /** How many more may be wrong in this window. */
  left(key: string, now: number): number;
  fail(key: string, now: number): void;
}

const MAX_KEYS = 10_000;

/** At most `max` failures in `perMs` milliseconds, which begin with the first. */
export function createTries({ max, perMs }: { max: number; perMs: number }): Tries {
  const failures = new Map<string, { count: number; since: number }>();
  const current = (key: string, now: number) => {
    const entry = failures.get(key);
    return entry && now - entry.since < perMs ? entry : { count: 0, since: now };
  };
  return {
    left: (key, now) => Math.max(0, max - current(key, now).count),
    fail(key, now) {
      const { count, since } = current(key, now);
      failures.delete(key);
      failures.set(key, { count: count + 1, since });
      const oldest = failures.keys().next().value;
      if (failures.size > MAX_KEYS && oldest !== undefined) failures.delete(oldest);
    },
  };
}
