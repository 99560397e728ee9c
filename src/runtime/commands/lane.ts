/** Commands between claim and answer: each is answered once, where the conversation is after it. */

import { conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import type { Lease, QueueItem } from '../../engine/engine.ts';
import type { Logger } from '../../log.ts';
import { type Entry, traceOf } from '../contract/entry.ts';
import { isReply } from '../conversations/asked-places.ts';
import type { Place } from '../conversations/placing.ts';
import type { Delivery } from '../delivery.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Questions } from '../reply/questions.ts';
import { answerCommand, type CommandServices } from './answer.ts';

export interface CommandLaneOptions {
  service: CommandServices;
  delivery: Delivery;
  buttons: Buttons;
  questions: Pick<Questions, 'decided'>;
  place: Place;
  log: Logger;
}

/** Resolves when the answer is durable in the outbox. */
export function createCommandLane(
  options: CommandLaneOptions,
): (item: QueueItem<Entry>, lease: Lease<Entry>) => Promise<void> {
  const { service, delivery, buttons, questions, place } = options;
  return async (claimed, lease) => {
    const { isAgain } = lease;
    // Only a command that has moved the conversation is answered where that goes on.
    const item = claimed.message.moves ? await place(claimed) : claimed;
    if (!item) return;
    const { message } = item.message;
    const { address } = message;
    const isThere = conversationKey(address) === conversationKey(claimed.message.message.address);
    const reply = await answerCommand(item.message, service);
    const { text, files = [], buttons: rows = [], elsewhere = [], later, decided } = reply;
    if (decided) await questions.decided(decided.question, decided.outcome);
    const askedAt = Date.parse(item.acceptedAt);
    const outbound: OutboundMessage = { id: item.id, address, text, files, askedAt };
    if (rows.length > 0) outbound.buttons = await buttons.offer(address, rows);
    if (isThere && isReply(message)) outbound.replyTo = message.messageId;
    if (isThere && message.interaction !== undefined) outbound.interaction = message.interaction;
    const trace = traceOf(item.id);
    await delivery.add(outbound, trace, isAgain, lease);
    later
      ?.then(async ({ text: words, files: more = [], buttons: offered = [] }) => {
        const told: OutboundMessage = { id: `${item.id}-later`, address, text: words, files: more };
        if (offered.length > 0) told.buttons = await buttons.offer(address, offered);
        await delivery.add(told, trace, isAgain);
      })
      .catch((error: unknown) => options.log.error({ err: error, trace }, 'what a command promised could not be told'));
    for (const [index, note] of elsewhere.entries()) {
      await delivery.add({ id: `${item.id}-elsewhere-${index}`, files: [], ...note }, trace, isAgain, lease);
    }
  };
}
