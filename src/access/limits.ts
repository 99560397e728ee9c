/**
 * Rate limits by token bucket. Keys come from outside, so the least recently used are dropped. Several processes can
 * share the buckets.
 */

import { parseJson } from '../lib/json.ts';
import { createLru } from '../lib/lru.ts';
import { isFlag, isNumber, isText, objectOf, optional, shape } from '../lib/shape.ts';

export type LimitResult = { ok: true } | { ok: false; first: boolean };

export interface RateLimiter {
  /**
   * Takes one token for a message sent at `at`, in milliseconds since the epoch; a backlog counts by when it was sent.
   * Consecutive parts of one `group` count as one message. `first` marks the first refusal in a row, so that it is
   * reported once.
   */
  take(key: string, at: number, group?: string): LimitResult;
}

/** Like `RateLimiter`; rejects while the shared store is unavailable. */
export interface SharedRateLimiter {
  take(key: string, at: number, group?: string): Promise<LimitResult>;
}

/** Small values that all processes share (`engine/engine.ts`). */
export interface SharedValues {
  get(key: string): Promise<string | undefined>;
  cas(key: string, before: string | undefined, after: string, ttlMs?: number): Promise<boolean>;
}

interface Bucket {
  tokens: number;
  at: number;
  refused: boolean;
  /** The group of the last message, accepted or refused. */
  group?: string | undefined;
}

const MAX_KEYS = 10_000;
/** A bucket unused for this long is full again. */
const KEPT_MS = 120_000;
/** Messages of one person are at most this far out of order, in ms. */
const BACK_MS = 60_000;
/** The number of attempts while others change the value; there are never that many at once. */
const MAX_TRIES = 50;

/** Returns the resulting bucket, unchanged if nothing was taken. */
function taken(bucket: Bucket, perMinute: number, at: number, group: string | undefined): [Bucket, LimitResult] {
  if (group !== undefined && group === bucket.group)
    return [bucket, bucket.refused ? { ok: false, first: false } : { ok: true }];
  // A message this much earlier means that the clock was set back, so time counts from there.
  const since = at < bucket.at - BACK_MS ? at : bucket.at;
  const elapsed = Math.max(0, at - since);
  const tokens = Math.min(perMinute, bucket.tokens + (elapsed * perMinute) / 60_000);
  const next = { at: since + elapsed, group };
  if (tokens >= 1) return [{ ...next, tokens: tokens - 1, refused: false }, { ok: true }];
  return [
    { ...next, tokens, refused: true },
    { ok: false, first: !bucket.refused },
  ];
}

const full = (perMinute: number, at: number): Bucket => ({ tokens: perMinute, at, refused: false });

export function createRateLimiter(perMinute: number): RateLimiter {
  const buckets = createLru<Bucket>(MAX_KEYS);
  return {
    take(key, at, group) {
      const [next, answer] = taken(buckets.get(key) ?? full(perMinute, at), perMinute, at, group);
      buckets.set(key, next);
      return answer;
    },
  };
}

const bucketShape = shape<Bucket>(
  objectOf({ tokens: isNumber, at: isNumber, refused: isFlag, group: optional(isText) }),
);

/** Tries the last value seen by this process first, so one request usually suffices. */
export function createSharedRateLimiter(perMinute: number, values: SharedValues): SharedRateLimiter {
  const seen = createLru<string>(MAX_KEYS);
  return {
    async take(name, at, group) {
      const key = `rate:${name}`;
      let before = seen.get(key);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { data } = bucketShape.safeParse(before === undefined ? undefined : parseJson(before));
        const bucket = data ?? full(perMinute, at);
        const [next, answer] = taken(bucket, perMinute, at, group);
        const after = JSON.stringify(next);
        if (await values.cas(key, before, after, KEPT_MS)) {
          seen.set(key, after);
          return answer;
        }
        before = await values.get(key);
      }
      return { ok: true };
    },
  };
}
