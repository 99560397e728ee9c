/**
 * What was not taken of somebody who writes too fast: counted until they pause, then told in one message, with the last that was taken.
 * The first refusal is told at once, durably; this is the rest of it and may be lost in a crash.
 */
import { identityText, type Principal } from '../../access/principal.ts';
import { conversationKey, type InboundMessage } from '../../channels/channel.ts';
import { createLru } from '../../lib/lru.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import type { Messages } from '../../messages/messages.ts';
import { escaped } from '../conversations/places.ts';
import type { Replies } from './services.ts';

const MAX_WRITERS = 10_000;
/** Without another refusal, they have paused. */
const PAUSE_MS = 3_000;
const SHOWN = 80;

interface Writer {
  /** The words of the last message that was taken in this conversation. */
  last?: string;
  refused: number;
  timer?: NodeJS.Timeout;
}

export interface TooFast {
  took(message: InboundMessage, principal: Principal): void;
  refused(message: InboundMessage, principal: Principal, messages: Messages, replies: Pick<Replies, 'sendOnce'>): void;
}

export function createTooFast(): TooFast {
  const writers = createLru<Writer>(MAX_WRITERS);
  const keyOf = ({ address }: InboundMessage, principal: Principal) =>
    `${identityText(principal)} ${conversationKey(address)}`;
  return {
    took(message, principal) {
      const key = keyOf(message, principal);
      const words = cutText(plainLine(message.text), SHOWN);
      writers.set(key, { ...(writers.get(key) ?? { refused: 0 }), last: words });
    },
    refused(message, principal, messages, replies) {
      const key = keyOf(message, principal);
      const writer = writers.get(key) ?? { refused: 0 };
      clearTimeout(writer.timer);
      writer.refused += 1;
      writer.timer = setTimeout(() => {
        const { refused: n, last } = writer;
        writer.refused = 0;
        // One was told by the first notice, which answers it.
        if (n < 2) return;
        const said = last
          ? messages.text('failures.tooFastAfter', { n, text: escaped(last) })
          : messages.text('failures.tooFast', { n });
        replies.sendOnce(message, said);
      }, PAUSE_MS).unref();
      writers.set(key, writer);
    },
  };
}
