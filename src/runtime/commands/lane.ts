/** Runs commands between claim and answer. Each is answered once, in the place where its conversation then is. */

import { conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import type { Lease } from '../../engine/engine.ts';
import { labelOf, say } from '../../messages/messages.ts';
import { arrivalOf, type Entry, isReply, taskLane, traceOf } from '../contract/entry.ts';
import { escapeMarkdown } from '../conversations/places.ts';
import { spellInvisible } from '../reply/show.ts';
import type { Item } from '../run/batches.ts';
import type { Gateway } from '../run/gateway.ts';
import { placeItem } from '../run/placing.ts';
import { type Answering, answerCommand } from './answer.ts';
import { PromisedAnswers } from './promised.ts';

const MAX_ASKED = 200;

/** Resolves when the answer is durable. */
export async function answerItem(claimed: Item, lease: Lease<Entry>, gw: Gateway): Promise<void> {
  const { delivery, consent, engine } = gw;
  const { isAgain } = lease;
  const promised = new PromisedAnswers(engine.state);
  // Only a command that has moved the conversation is answered in its new place.
  const item = claimed.message.moves ? await placeItem(claimed, gw) : claimed;
  if (!item) return;
  const { message } = item.message;
  const address = message.answerAt ?? message.address;
  const isThere = conversationKey(address) === conversationKey(claimed.message.message.address);
  // A message written after a stop isn't stopped by it, however long the stop has waited here.
  const stop = (taskId: string) => engine.queue.signal(taskLane(taskId), 'stop', arrivalOf(claimed));
  const added: Parameters<typeof engine.queue.enqueue>[] = [];
  const add: Answering['add'] = async (...one) => void added.push(one);
  const reply = await answerCommand(item.message, gw, { stop, add });
  const { text, files = [], buttons: rows = [], elsewhere = [], later, decided, plan } = reply;
  if (decided) await consent.questions.decided(decided.question, decided.outcome);
  const askedAt = Date.parse(item.acceptedAt);
  const outbound: OutboundMessage = { id: item.id, address, text, files, askedAt };
  if (plan !== undefined) outbound.plan = plan;
  if (reply.isUnknown) outbound.isUnknown = true;
  if (rows.length > 0) outbound.buttons = await consent.buttons.offer(address, rows);
  if (isThere && isReply(message)) outbound.replyTo = message.messageId;
  if (isThere && message.interaction !== undefined) outbound.interaction = message.interaction;
  const trace = traceOf(item.id);
  const owed = { id: `${item.id}-later`, trace, address, command: message.command };
  if (later) await promised.add(owed);
  // The later reply says everything.
  if (text !== '' || files.length > 0 || outbound.interaction !== undefined)
    await delivery.add(outbound, trace, isAgain, lease);
  // A quick answer to them must not overtake this reply.
  for (const one of added) await engine.queue.enqueue(...one);
  later
    ?.then(async ({ text: words, files: more = [], buttons: offered = [] }) => {
      const told: OutboundMessage = { id: owed.id, address, text: words, files: more };
      if (offered.length > 0) told.buttons = await consent.buttons.offer(address, offered);
      await delivery.add(told, trace, isAgain);
      await promised.remove(owed.id);
    })
    .catch((error: unknown) => gw.log.error({ err: error, trace }, 'what a command promised could not be sent'));
  for (const [index, note] of elsewhere.entries()) {
    await delivery.add({ id: `${item.id}-elsewhere-${index}`, files: [], ...note }, trace, isAgain, lease);
  }
}

/** Promises of the previous process won't be kept. Called before the first command of this process. */
export async function tellUnkept({ engine, delivery, consent, say: sayAt }: Gateway): Promise<void> {
  const promised = new PromisedAnswers(engine.state);
  for (const { id, trace, address, command } of await promised.left()) {
    const messages = sayAt(address);
    const again = { label: labelOf(messages.text('common.retry')) };
    const what = command
      ? escapeMarkdown(spellInvisible(`${messages.prefix}${command.name} ${command.args}`.trim().slice(0, MAX_ASKED)))
      : say('commands.lastOne');
    const text = messages.text('commands.unkept', { what });
    const told: OutboundMessage = { id, address, text, files: [] };
    if (command)
      told.buttons = await consent.buttons.offer(address, [[{ ...again, command: command.name, args: command.args }]]);
    // An answer that was ready in time is in the outbox under the same key.
    await delivery.add(told, trace, true);
    await promised.remove(id);
  }
}
