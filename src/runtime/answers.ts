/** What became of a turn, on its way to people: one answer to every conversation whose message the turn took in. */
import { type Address, type Channel, conversationKey, type OutboundMessage } from '../channels/channel.ts';
import { isReply } from './command-lane.ts';
import type { Delivery } from './delivery.ts';
import type { Entry } from './entry.ts';
import type { Live } from './live.ts';
import type { QueueItem } from './queue/queue.ts';
import type { Buttons } from './reply/buttons.ts';
import type { Runner, RunOutcome } from './runner.ts';

export interface AnswersOptions {
  live: Live;
  runner: Runner;
  buttons: Buttons;
  delivery: Delivery;
  channelOf: (address: Address) => Channel | undefined;
}

/**
 * Resolves when the answers are durable in the outbox; the same items again change nothing. `isAgain`: they may have been
 * added, and even sent, before.
 */
export type Answers = (
  items: readonly QueueItem<Entry>[],
  run: string,
  outcome: RunOutcome,
  isAgain: boolean,
) => Promise<void>;

export function createAnswers({ live, runner, buttons, delivery, channelOf }: AnswersOptions): Answers {
  return async (items, run, outcome, isAgain) => {
    const addresses = items.map((item) => item.message.message.address);
    const placeholders = await live.end(run, addresses);
    // The newest message of a conversation is the one that is answered.
    const newest = new Map(items.map((item) => [conversationKey(item.message.message.address), item]));
    for (const [key, { id, message: entry }] of newest) {
      const { address, messageId } = entry.message;
      const shown = await runner.present(entry.taskId, outcome, channelOf(address), address.channel);
      const outbound: OutboundMessage = { id, address, text: shown.text, files: shown.files };
      if (shown.buttons.length > 0) outbound.buttons = await buttons.offer(address, shown.buttons);
      if (isReply(entry.message)) outbound.replyTo = messageId;
      const placeholder = placeholders.get(key);
      if (placeholder !== undefined) outbound.placeholder = placeholder;
      await delivery.add(outbound, run, isAgain);
    }
  };
}
