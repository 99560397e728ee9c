/**
 * Counts refused messages of somebody who writes too fast, and reports them in one message once they pause, with the
 * last accepted one. The first refusal is reported at once and durably; this report may be lost in a crash.
 */
import { identityText, type Principal } from '../../access/principal.ts';
import { conversationKey, type InboundMessage } from '../../channels/channel.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { messagesFor } from '../../messages/messages.ts';
import { escaped } from '../conversations/places.ts';
import type { Gateway } from '../run/gateway.ts';
import { replyOnce } from './reply.ts';

/** After this time without another refusal, in ms, they have paused. */
const PAUSE_MS = 3_000;
const SHOWN = 80;

const keyOf = ({ address }: InboundMessage, principal: Principal) =>
  `${identityText(principal)} ${conversationKey(address)}`;

export function noteTaken(message: InboundMessage, principal: Principal, { tasks }: Gateway): void {
  const { writers } = tasks.arrivals;
  const key = keyOf(message, principal);
  const writer = writers.get(key) ?? { refused: 0 };
  writer.last = cutText(plainLine(message.text), SHOWN);
  writers.set(key, writer);
}

export function noteRefused(message: InboundMessage, principal: Principal, gw: Gateway): void {
  const { writers } = gw.tasks.arrivals;
  const key = keyOf(message, principal);
  const writer = writers.get(key) ?? { refused: 0 };
  clearTimeout(writer.timer);
  writer.refused += 1;
  writer.timer = setTimeout(() => {
    const { refused: n, last } = writer;
    writer.refused = 0;
    // The first notice, which is a reply to it, reported this one.
    if (n < 2) return;
    const messages = messagesFor(message);
    const said = last
      ? messages.text('failures.tooFastAfter', { n, text: escaped(last) })
      : messages.text('failures.tooFast', { n });
    replyOnce(message, said, gw);
  }, PAUSE_MS).unref();
  writers.set(key, writer);
}
