/**
 * Counts wrong guesses per key in a bounded map, since keys come from outside (promise 20). Several processes can share
 * the count.
 */

import { createLru } from '../lib/lru.ts';

export interface Tries {
  /** Returns how many more guesses may fail in this window. */
  left(key: string, now: number): number;
  fail(key: string, now: number): void;
}

const MAX_KEYS = 10_000;

/** Allows at most `max` failures within `perMs` milliseconds of the first. */
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

/** Sums that all processes share (`engine/engine.ts`). */
export interface SharedSums {
  get(key: string): Promise<string | undefined>;
  add(key: string, by: number, ttlMs?: number): Promise<number>;
}

/**
 * Like `Tries`; a guess is counted before it is checked, so that at most `max` of many simultaneous ones are checked.
 */
export interface SharedTries {
  /** Returns false if it exceeds the limit. The window restarts with each counted guess. */
  count(key: string): Promise<boolean>;
  /** Uncounts a correct guess. */
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
