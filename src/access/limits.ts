/** Token buckets in a bounded map: keys come from outside, so the least recently used are forgotten (R22, T23). */

export interface RateLimiter {
  /** Takes one token; `first` marks the first refusal in a row, so that it is told once. */
  take(key: string, now: number): { ok: true } | { ok: false; first: boolean };
}

const MAX_KEYS = 10_000;

export function createRateLimiter(perMinute: number): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number; refused: boolean }>();
  return {
    take(key, now) {
      const bucket = buckets.get(key) ?? { tokens: perMinute, at: now, refused: false };
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > MAX_KEYS) {
        const oldest = buckets.keys().next().value;
        if (oldest !== undefined) buckets.delete(oldest);
      }
      bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000);
      bucket.at = now;
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
