/** Sends the outcome of a turn to people: one answer to each conversation whose messages the turn handled. */

import { conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import type { EndedRun } from '../../channels/programs.ts';
import type { Fence, QueueItem } from '../../engine/engine.ts';
import { type Messages, messagesFor, type Text } from '../../messages/messages.ts';
import { type Entry, isReply } from '../contract/entry.ts';
import type { Answer } from '../contract/outcome.ts';
import { escaped } from '../conversations/places.ts';
import { viberAt } from '../conversations/vibers.ts';
import { renderAnswer } from '../reply/render-answer.ts';
import type { Gateway } from './gateway.ts';

export interface Answered {
  run: string;
  items: readonly QueueItem<Entry>[];
  /** The answers may already have been added, and even sent. */
  isAgain: boolean;
  /** The lane's fence: a process that has lost the lane sends no answers. */
  fence?: Fence;
}

/** Resolves when the answers are durable in the outbox; repeating the same items changes nothing. */
export async function sendAnswers(
  { run, items, isAgain, fence }: Answered,
  outcome: Answer,
  gw: Gateway,
): Promise<void> {
  const { places, consent, features } = gw;
  const elsewhere = new Set<QueueItem<Entry>>();
  for (const item of items) {
    for (const { delivers } of features.on) {
      if (elsewhere.has(item) || !delivers?.when(item.message)) continue;
      elsewhere.add(item);
      await delivers.send(outcome, item, { run, items, isAgain }, gw);
    }
  }
  const addresses = items.map((item) => item.message.message.address);
  const placeholders = await places.live.end(run, addresses);
  // The answer refers to the newest message of a conversation.
  const people = items.filter((item) => !elsewhere.has(item));
  const newest = new Map(people.map((item) => [conversationKey(item.message.message.address), item]));
  for (const [key, { id, acceptedAt, message: entry }] of newest) {
    const { address, messageId } = entry.message;
    const messages = messagesFor(entry.message);
    const shown = await renderAnswer(outcome, entry.taskId, address, messages, { home: gw.home, ...places });
    const below = features.on.flatMap((feature) => feature.below?.(entry, outcome, messages) ?? []);
    const text = [speakerOf(entry, messages, gw), shown.text, ...below.map((part) => part.text)]
      .filter(Boolean)
      .join('\n\n');
    const outbound: OutboundMessage = { id, address, text, files: shown.files, language: messages.language };
    const rows = [...below.flatMap(({ buttons }) => buttons), ...shown.buttons];
    if (rows.length > 0) outbound.buttons = await consent.buttons.offer(address, rows);
    if (outcome.state === 'error' || outcome.state === 'waiting') outbound.ended = outcome.state;
    outbound.askedAt = Date.parse(acceptedAt);
    if (places.channelOf(address)?.takesResults) Object.assign(outbound, endOf(entry.taskId, run, outcome));
    if (isReply(entry.message)) outbound.replyTo = messageId;
    const placeholder = placeholders.get(key);
    if (placeholder !== undefined) outbound.placeholder = placeholder;
    await gw.delivery.add(outbound, run, isAgain, fence);
  }
}

/** Returns what a program gets in addition to the text: nothing while the run continues. */
function endOf(taskId: string, runId: string, outcome: Answer): { result?: EndedRun } {
  const { state, text, summary, artifactRefs } = outcome;
  return state === 'waiting' ? {} : { result: { taskId, runId, state, text, summary, artifactRefs } };
}

/** Names the viber that speaks, if the conversation is now with another one. */
function speakerOf({ principal, viber, message }: Entry, messages: Messages, { places, tasks }: Gateway): Text | '' {
  const { address, isDirect } = message;
  const now = viberAt({ principal, address, isDirect }, places.vibers, tasks.conversations, message.viber);
  return now === viber ? '' : messages.text('vibers.says', { name: escaped(viber) });
}
