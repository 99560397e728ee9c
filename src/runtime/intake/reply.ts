/** Sends short replies to messages outside any task. */
import type { InboundMessage, PartLedger } from '../../channels/channel.ts';
import { spoolKey } from '../../engine/engine.ts';
import type { Text } from '../../messages/messages.ts';
import { dedupeId, traceOf } from '../contract/entry.ts';
import type { Gateway } from '../run/gateway.ts';

/** Resolves when the reply is durable. */
export function reply(message: InboundMessage, text: Text, { delivery }: Gateway): Promise<void> {
  const trace = traceOf(spoolKey(dedupeId(message)));
  return delivery.add({ id: `${trace}-notice`, ...answerTo(message, text) }, trace);
}

/** Stores nothing, for people without access. */
export function replyOnce(message: InboundMessage, text: Text, { places, log }: Gateway): void {
  const id = `sendOnce-${message.id}-${Date.now()}`;
  const once: PartLedger = { part: (index, post) => post({ key: `${id}:${index}` }) };
  places
    .channelOf(message.address)
    ?.send({ id, ...answerTo(message, text) }, once)
    .catch((error: unknown) => log.warn({ err: error }, 'a stranger could not be answered'));
}

const answerTo = ({ address, messageId, interaction }: InboundMessage, text: Text) => ({
  address,
  text,
  files: [],
  ...(interaction === undefined ? { replyTo: messageId } : { interaction }),
});
