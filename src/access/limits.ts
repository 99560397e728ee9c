/** Token buckets: keys come from outside, so the least recently used are forgotten. Of several processes all count in one. */
import { createLru } from '../lib/lru.ts';
import { parseJson } from '../lib/read-json.ts';
import { isFlag, isNumber, isText, objectOf, optional, shape } from '../lib/shape.ts';

export type Taken = { ok: true } | { ok: false; first: boolean };

export interface RateLimiter {
  /**
   * Takes one token for a message sent at `at`, in milliseconds since the epoch: what has piled up somewhere is counted by when
   * it was sent. Parts of one `group` that follow each other are one message. `first` marks the first refusal in a row, so
   * that it is told once.
   */
  take(key: string, at: number, group?: string): Taken;
}

/** As `RateLimiter`; rejects while what all processes share cannot be asked. */
export interface SharedRateLimiter {
  take(key: string, at: number, group?: string): Promise<Taken>;
}

/** Small values that all processes see (`engine/engine.ts`). */
export interface SharedValues {
  get(key: string): Promise<string | undefined>;
  cas(key: string, before: string | undefined, after: string, ttlMs?: number): Promise<boolean>;
}

interface Bucket {
  tokens: number;
  at: number;
  refused: boolean;
  /** Of the last message that took a token or was refused one. */
  group?: string | undefined;
}

const MAX_KEYS = 10_000;
/** A bucket that nobody has asked for so long is full again. */
const KEPT_MS = 120_000;
/** Messages of one person that come out of order are not further apart. */
const BACK_MS = 60_000;
/** Others have changed it each time: that many never come together. */
const MAX_TRIES = 50;

/** Gives the bucket that stands afterwards, the same one where nothing was taken. */
function taken(bucket: Bucket, perMinute: number, at: number, group: string | undefined): [Bucket, Taken] {
  if (group !== undefined && group === bucket.group)
    return [bucket, bucket.refused ? { ok: false, first: false } : { ok: true }];
  // A message so much earlier than the last is one after the clock went back: time counts from there.
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

/** In the memory of this process. */
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

/** What this process has seen last is tried first: as a rule one question is enough. */
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
