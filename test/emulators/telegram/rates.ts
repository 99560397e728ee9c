/**
 * The platform's sending limits, if switched on: about one message a second per chat with a small burst, 20 a minute in
 * a group, 30 a second over all chats.
 */
import { createLimiter, type Limit, type RateCounts } from '../base/faults.ts';
import { tooManyRequests } from './errors.ts';

export interface RateLimits {
  perChatSecond: number;
  chatBurst: number;
  perGroupMinute: number;
  perSecond: number;
}

export const DEFAULT_LIMITS: RateLimits = { perChatSecond: 1, chatBurst: 3, perGroupMinute: 20, perSecond: 30 };

export interface Rates {
  set(limits: RateLimits | undefined): void;
  /** Takes tokens for `count` messages. Throws ApiError 429. */
  take(chat: unknown, count: number): void;
  counts(): RateCounts;
  reset(): void;
}

const COUNTED = /^(?:send(?!chataction|messagedraft|richmessagedraft)|edit|forward|copy)/i;

/** Returns whether the limits count calls of this method. */
export function isCounted(method: string): boolean {
  return COUNTED.test(method);
}

export function createRates(): Rates {
  let limits: RateLimits | undefined;
  const limiter = createLimiter();
  return {
    set(next) {
      limits = next;
      limiter.fill();
    },
    take(chat, count) {
      if (!limits) return;
      const id = String(chat);
      const { perChatSecond, chatBurst, perGroupMinute, perSecond } = limits;
      const asked: Limit[] = [
        { name: 'all', perSecond, capacity: perSecond },
        { name: `chat ${id}`, perSecond: perChatSecond, capacity: chatBurst },
      ];
      const isGroup = id.startsWith('-') || id.startsWith('@');
      if (isGroup) asked.push({ name: `group ${id}`, perSecond: perGroupMinute / 60, capacity: perGroupMinute });
      const seconds = limiter.take(id, asked, count);
      if (seconds !== undefined) throw tooManyRequests(seconds);
    },
    counts: () => limiter.counts(),
    reset: () => limiter.reset(),
  };
}
