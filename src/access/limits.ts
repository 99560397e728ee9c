/** Token buckets in a bounded map: keys come from outside, so the least recently used are forgotten. */

export interface RateLimiter {
  /**
   * Takes one token for a message sent at `at`, in milliseconds since the epoch: what has piled up somewhere is counted by when
   * it was sent. Parts of one `group` that follow each other are one message. `first` marks the first refusal in a row, so
   * that it is told once.
   */
  take(key: string, at: number, group?: string): { ok: true } | { ok: false; first: boolean };
}

interface Bucket {
  tokens: number;
  at: number;
  refused: boolean;
  /** Of the last message that took a token or was refused one. */
  group: string | undefined;
}

const MAX_KEYS = 10_000;

export function createRateLimiter(perMinute: number): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(key, at, group) {
      const bucket = buckets.get(key) ?? { tokens: perMinute, at, refused: false, group: undefined };
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > MAX_KEYS) {
        const oldest = buckets.keys().next().value;
        if (oldest !== undefined) buckets.delete(oldest);
      }
      if (group !== undefined && group === bucket.group)
        return bucket.refused ? { ok: false, first: false } : { ok: true };
      bucket.group = group;
      const elapsed = Math.max(0, at - bucket.at);
      bucket.tokens = Math.min(perMinute, bucket.tokens + (elapsed * perMinute) / 60_000);
      bucket.at += elapsed;
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        bucket.refused = false;
        return { ok: true };
      }
      const first = !bucket.refused;
      bucket.refused = true;
      return { ok: false, first };
    },
  };
}
