/**
 * Pace after a platform has said "slow down" (promise 8). Until then nothing is held back: platforms allow bursts and say when
 * it is enough. From the first 429 the chat keeps to a slow pace for a while, so that it does not run into the limit again.
 */
import type { Address } from '../channels/channel.ts';

export interface Pace {
  /** Milliseconds to wait before sending to this address; 0 to send now. */
  delay(address: Address): number;
  /** The platform refused with "retry after". */
  limited(address: Address, retryAfterMs: number): void;
  sent(address: Address): void;
}

const SLOW_FOR_MS = 60_000;
/** Telegram's advice for one chat; Slack's and Discord's limits are of the same size. */
const SLOW_GAP_MS = 1_050;
const MAX_CHATS = 5_000;

interface ChatPace {
  blockedUntil: number;
  slowUntil: number;
  lastAt: number;
}

/** Topics and threads share their chat's limit. */
export const chatOf = (address: Address): string => `${address.channel} ${address.account} ${address.chat}`;

export function createPace(now: () => number): Pace {
  const chats = new Map<string, ChatPace>();
  return {
    delay(address) {
      const chat = chats.get(chatOf(address));
      if (!chat) return 0;
      const at = now();
      if (at >= chat.slowUntil) {
        chats.delete(chatOf(address));
        return 0;
      }
      return Math.max(0, chat.blockedUntil - at, chat.lastAt + SLOW_GAP_MS - at);
    },
    limited(address, retryAfterMs) {
      const key = chatOf(address);
      const until = now() + retryAfterMs;
      const lastAt = chats.get(key)?.lastAt ?? 0;
      chats.delete(key);
      chats.set(key, { blockedUntil: until, slowUntil: until + SLOW_FOR_MS, lastAt });
      const oldest = chats.keys().next().value;
      if (chats.size > MAX_CHATS && oldest !== undefined) chats.delete(oldest);
    },
    sent(address) {
      const chat = chats.get(chatOf(address));
      if (chat) chat.lastAt = now();
    },
  };
}
