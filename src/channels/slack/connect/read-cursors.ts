/**
 * Tracks how far each chat, and each thread that may hold a task, was read. Marks are Slack's times of messages (`ts`).
 */

import { createLru } from '../../../lib/lru.ts';
import type { InboundMessage, InboundOutcome, ReadCursors } from '../../channel.ts';

export interface Place {
  chat: string;
  thread?: string;
  /** The `ts` of the last accepted message. */
  mark: string;
}

export interface Progress {
  /** Notes a message; call it after the message was accepted. */
  note(message: InboundMessage, outcome: InboundOutcome): void;
  /** Notes a thread that the bot opened, to be read from its first message on. */
  opened(chat: string, thread: string): void;
  /** Freezes the marks of this chat until `settle`, whatever is accepted, because an earlier message may be missing. */
  pin(chat: string): void;
  settle(chat: string): void;
  /** Returns the places to read for missed messages, the most recently active first. */
  places(): Place[];
}

const MAX_PLACES = 2000;

export function createProgress(cursors: ReadCursors): Progress {
  const read = createLru<string>(MAX_PLACES);
  const kept = [...cursors.all()].filter(([, mark]) => /^\d+\.\d+$/.test(mark));
  for (const [place, mark] of kept.sort(([, a], [, b]) => Number(a) - Number(b))) read.set(place, mark);

  /** Marks that the places of pinned chats will get, by chat. */
  const pinned = new Map<string, Map<string, string>>();

  function advance(place: string, ts: string): void {
    const held = pinned.get(place.split(':', 1)[0] ?? '');
    if (Number((held?.get(place) ?? read.get(place)) || 0) >= Number(ts)) return;
    if (held && read.has(place)) return void held.set(place, ts);
    read.set(place, ts);
    cursors.set(place, ts);
  }

  return {
    note({ address, messageId, kind, isDirect }, outcome) {
      if (messageId === '' || kind === 'edit' || kind === 'button') return;
      const { chat, thread } = address;
      const isReply = thread !== undefined && thread !== messageId;
      const place = isReply ? `${chat}:${thread}` : chat;
      // A refused person leaves nothing behind; a chat that is already read is read past them.
      const isIn = outcome === 'accepted' || outcome === 'duplicate';
      if ((outcome === 'refused' && isDirect) || (!isIn && !read.has(place))) return;
      advance(place, messageId);
      if (thread === messageId && isIn) advance(`${chat}:${thread}`, messageId);
    },
    opened: (chat, thread) => advance(`${chat}:${thread}`, thread),
    pin(chat) {
      if (!pinned.has(chat)) pinned.set(chat, new Map());
    },
    settle(chat) {
      const held = pinned.get(chat) ?? [];
      pinned.delete(chat);
      for (const [place, ts] of held) advance(place, ts);
    },
    places: () =>
      [...read.entries()].reverse().map(([place, mark]) => {
        const [chat = '', thread] = place.split(':');
        return thread === undefined ? { chat, mark } : { chat, thread, mark };
      }),
  };
}
