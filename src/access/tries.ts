/**
 * Wrong guesses, counted for each key in a bounded map: keys come from outside (promise 20). Where several processes hear guesses, one
 * counts for all.
 */

import { createLru } from '../lib/lru.ts';

export interface Tries {
  /** How many more may be wrong in this window. */
  left(key: string, now: number): number;
  fail(key: string, now: number): void;
}

const MAX_KEYS = 10_000;

/** At most `max` failures in `perMs` milliseconds, which begin with the first. */
export function createTries({ max, perMs }: { max: number; perMs: number }): Tries {
  const failures = createLru<{ count: number; since: number }>(MAX_KEYS);
  const current = (key: string, now: number) => {
    const entry = failures.get(key);
    return entry && now - entry.since < perMs ? entry : { count: 0, since: now };
  };
  return {
    left: (key, now) => Math.max(0, max - current(key, now).count),
    fail(key, now) {
      const { count, since } = current(key, now);
      failures.set(key, { count: count + 1, since });
    },
  };
}

/** Sums that all processes see (`engine/engine.ts`). */
export interface SharedSums {
  get(key: string): Promise<string | undefined>;
  add(key: string, by: number, ttlMs?: number): Promise<number>;
}

/** As `Tries`; a guess is counted before it is looked at, so that of many at once no more than `max` are. */
export interface SharedTries {
  /** False: it is one too many. The window begins with the last that was counted. */
  count(key: string): Promise<boolean>;
  /** It was right. */
  forget(key: string): Promise<void>;
}

export function createSharedTries({ max, perMs }: { max: number; perMs: number }, sums: SharedSums): SharedTries {
  const keyOf = (key: string) => `guesses:${key}`;
  return {
    async count(key) {
      if (Number(await sums.get(keyOf(key))) >= max) return false;
      return (await sums.add(keyOf(key), 1, perMs)) <= max;
    },
    async forget(key) {
      await sums.add(keyOf(key), -1, perMs);
    },
  };
}
