/**
 * The platform's limits, if switched on: about one message a second per channel with a small burst, and a number of
 * calls of each method per minute.
 */
import { createLimiter, type RateCounts } from '../base/faults.ts';
import { ApiError } from './errors.ts';

export interface RateLimits {
  perChannelSecond: number;
  channelBurst: number;
  /** Calls per minute by the method's tier; chat.postMessage has its own rule instead. */
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
  counts(): RateCounts;
  reset(): void;
}

/** The burst that even the slowest tier allows. */
const TIER_BURST = 5;
const POSTS = new Set(['chat.postMessage', 'chat.startStream']);

export function createRates(): Rates {
  let limits: RateLimits | undefined;
  const limiter = createLimiter();
  return {
    set(next) {
      limits = next;
      limiter.fill();
    },
    take(method, tier, channel) {
      if (!limits) return;
      const isPost = POSTS.has(method);
      if (!isPost && tier === undefined) return;
      const name = isPost ? `post ${channel}` : method;
      const perMinute = limits.tiers[tier ?? 4];
      // A tier is a promise per minute, so short bursts above its even pace are allowed.
      const limit = isPost
        ? { name, perSecond: limits.perChannelSecond, capacity: limits.channelBurst }
        : { name, perSecond: perMinute / 60, capacity: Math.max(perMinute, TIER_BURST) };
      const seconds = limiter.take(name, [limit]);
      if (seconds !== undefined) throw new ApiError('ratelimited', {}, seconds);
    },
    counts: () => limiter.counts(),
    reset: () => limiter.reset(),
  };
}
