/**
 * The platform's sending limits, when switched on: about one message a second in a chat with a small burst, 20 a minute
 * in a group, 30 a second over all chats. Each limit is a bucket of tokens that refills evenly.
 */
import { tooManyRequests } from './errors.ts';

export interface RateLimits {
  perChatSecond: number;
  chatBurst: number;
  perGroupMinute: number;
  perSecond: number;
}

export const DEFAULT_LIMITS: RateLimits = { perChatSecond: 1, chatBurst: 3, perGroupMinute: 20, perSecond: 30 };

export interface RateCounts {
  /** Calls answered with 429. */
  violations: number;
  /** Those of them that came before an earlier `retry_after` of their chat had passed. */
  early: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

export interface Rates {
  set(limits: RateLimits | undefined): void;
  /** Takes tokens for `count` messages. Throws ApiError 429. */
  take(chat: unknown, count: number): void;
  counts(): RateCounts;
  reset(): void;
}

const COUNTED = /^(?:send(?!chataction|messagedraft|richmessagedraft)|edit|forward|copy)/i;

/** Whether the limits count calls of this method. */
export function isCounted(method: string): boolean {
  return COUNTED.test(method);
}

/** Seconds until `count` tokens are there; 0 takes nothing yet. */
function missing(bucket: Bucket, perSecond: number, capacity: number, count: number, nowMs: number): number {
  bucket.tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.at) / 1000) * perSecond);
  bucket.at = nowMs;
  // An album larger than the bucket passes when the bucket is full.
  return Math.max(0, Math.min(count, capacity) - bucket.tokens) / perSecond;
}

export function createRates(): Rates {
  let limits: RateLimits | undefined;
  let counts: RateCounts = { violations: 0, early: 0 };
  const buckets = new Map<string, Bucket>();
  const blockedUntil = new Map<string, number>();

  function bucket(name: string, capacity: number, nowMs: number): Bucket {
    const known = buckets.get(name) ?? { tokens: capacity, at: nowMs };
    buckets.set(name, known);
    return known;
  }

  return {
    set(next) {
      limits = next;
      buckets.clear();
      blockedUntil.clear();
    },
    take(chat, count) {
      if (!limits) return;
      const nowMs = Date.now();
      const id = String(chat);
      const { perChatSecond, chatBurst, perGroupMinute, perSecond } = limits;
      const asked: [Bucket, number, number][] = [
        [bucket('all', perSecond, nowMs), perSecond, perSecond],
        [bucket(`chat ${id}`, chatBurst, nowMs), perChatSecond, chatBurst],
      ];
      const isGroup = id.startsWith('-') || id.startsWith('@');
      if (isGroup) asked.push([bucket(`group ${id}`, perGroupMinute, nowMs), perGroupMinute / 60, perGroupMinute]);
      const waits = asked.map(([each, rate, capacity]) => missing(each, rate, capacity, count, nowMs));
      const wait = Math.max(...waits);
      if (wait <= 0) {
        for (const [each] of asked) each.tokens -= count;
        return;
      }
      const seconds = Math.max(1, Math.ceil(wait));
      counts.violations += 1;
      if ((blockedUntil.get(id) ?? 0) > nowMs) counts.early += 1;
      blockedUntil.set(id, nowMs + seconds * 1000);
      throw tooManyRequests(seconds);
    },
    counts: () => ({ ...counts }),
    reset() {
      counts = { violations: 0, early: 0 };
      buckets.clear();
      blockedUntil.clear();
    },
  };
}
