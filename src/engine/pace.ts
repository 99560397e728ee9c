/**
 * Paces sends after a platform has said "slow down" (promise 8). Before that nothing is held back: platforms allow
 * bursts and report when it is too much. From the first 429 on, the chat is slowed down for a while, so that it doesn't
 * hit the limit again.
 */

import type { Address } from '../channels/channel.ts';
import { createLru } from '../lib/lru.ts';
import { isCount, isText, objectOf, shape } from '../lib/shape.ts';
import type { Engine } from './engine.ts';

export interface Pace {
  /** Returns the milliseconds to wait before sending to this address; 0 to send now. */
  delay(address: Address): number;
  /** Records that the platform refused with "retry after". */
  limited(address: Address, retryAfterMs: number): void;
  sent(address: Address): void;
}

const SLOW_FOR_MS = 60_000;
/** Telegram's advice for one chat; Slack's and Discord's limits are similar. */
const SLOW_GAP_MS = 1_050;
const MAX_CHATS = 5_000;

interface ChatPace {
  blockedUntil: number;
  slowUntil: number;
  lastAt: number;
}

/** Topics and threads share their chat's limit. */
export const chatOf = (address: Address): string => `${address.channel} ${address.account} ${address.chat}`;

/** Limits apply to a bot, however many processes send for it, so each process shares the limits it hits. */
export type SharedPace = Engine<unknown>;

const TOPIC = 'pace';
const toldShape = shape<{ chat: string; ms: number }>(objectOf({ chat: isText, ms: isCount }));

/** @param shared for several processes; a lost notice costs one more refusal */
export function createPace(now: () => number, shared?: SharedPace): Pace {
  const chats = createLru<ChatPace>(MAX_CHATS);

  function hold(key: string, ms: number): void {
    const before = chats.get(key);
    // A notice that arrives twice, or late, never shortens a wait.
    const until = Math.max(now() + ms, before?.blockedUntil ?? 0);
    chats.set(key, { blockedUntil: until, slowUntil: until + SLOW_FOR_MS, lastAt: before?.lastAt ?? 0 });
  }

  shared?.subscribe(TOPIC, (text) => {
    const { data } = toldShape.safeParse(JSON.parse(text));
    if (data) hold(data.chat, data.ms);
  });
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
      hold(chatOf(address), retryAfterMs);
      shared?.publish(TOPIC, JSON.stringify({ chat: chatOf(address), ms: retryAfterMs }));
    },
    sent(address) {
      const chat = chats.get(chatOf(address));
      if (chat) chat.lastAt = now();
    },
  };
}
