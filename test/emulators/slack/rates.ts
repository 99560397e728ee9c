/**
 * The platform's limits, when switched on: about one message a second in a channel with a small burst, and so many calls
 * of each method a minute. Each limit is a bucket of tokens that refills evenly.
 */
import { ApiError } from './errors.ts';

export interface RateLimits {
  perChannelSecond: number;
  channelBurst: number;
  /** Calls a minute by the tier of the method; chat.postMessage has its own rule instead. */
  tiers: { 1: number; 2: number; 3: number; 4: number };
}

export const DEFAULT_LIMITS: RateLimits = {
  perChannelSecond: 1,
  channelBurst: 4,
  tiers: { 1: 1, 2: 20, 3: 50, 4: 100 },
};

export interface Rates {
  set(limits: RateLimits | undefined): void;
  /** Throws ApiError `ratelimited`, with the seconds to wait. */
  take(method: string, tier: 1 | 2 | 3 | 4 | undefined, channel: unknown): void;
  counts(): { violations: number; early: number };
  reset(): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** What even the slowest tier lets through at once. */
const TIER_BURST = 5;
const POSTS = new Set(['chat.postMessage', 'chat.postEphemeral', 'chat.startStream']);

export function createRates(): Rates {
  let limits: RateLimits | undefined;
  let counts = { violations: 0, early: 0 };
  const buckets = new Map<string, Bucket>();
  const blockedUntil = new Map<string, number>();

  /** Seconds until a token of this bucket is there; takes it when that is 0. */
  function take(name: string, perSecond: number, capacity: number, nowMs: number): number {
    const bucket = buckets.get(name) ?? { tokens: capacity, at: nowMs };
    buckets.set(name, bucket);
    bucket.tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.at) / 1000) * perSecond);
    bucket.at = nowMs;
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perSecond;
    bucket.tokens -= 1;
    return 0;
  }

  return {
    set(next) {
      limits = next;
      buckets.clear();
      blockedUntil.clear();
    },
    take(method, tier, channel) {
      if (!limits) return;
      const nowMs = Date.now();
      const isPost = POSTS.has(method);
      if (!isPost && tier === undefined) return;
      const name = isPost ? `post ${channel}` : method;
      const perMinute = limits.tiers[tier ?? 4];
      // A tier is a promise for a minute; short bursts above its even pace are let through.
      const wait = isPost
        ? take(name, limits.perChannelSecond, limits.channelBurst, nowMs)
        : take(name, perMinute / 60, Math.max(perMinute, TIER_BURST), nowMs);
      if (wait === 0) return;
      const seconds = Math.max(1, Math.ceil(wait));
      counts.violations += 1;
      if ((blockedUntil.get(name) ?? 0) > nowMs) counts.early += 1;
      blockedUntil.set(name, nowMs + seconds * 1000);
      throw new ApiError('ratelimited', {}, seconds);
    },
    counts: () => ({ ...counts }),
    reset() {
      counts = { violations: 0, early: 0 };
      buckets.clear();
      blockedUntil.clear();
    },
  };
}
