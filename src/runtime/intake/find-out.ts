/** Finds out a fact of an event that is missing, and keeps it with the event. What may have changed meanwhile is asked again. */
import { principalText } from '../../access/principal.ts';
import type { InboundMessage, InboundOutcome } from '../../channels/channel.ts';
import { spoolKey } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { dedupeId, taskLane } from '../contract/entry.ts';
import type { Step } from './decide.ts';
import type { Arrival, Gathered, IntakeState } from './gather.ts';
import type { IntakeServices } from './services.ts';

export async function findOut(
  step: Step,
  arrival: Arrival,
  { principal, key }: Gathered,
  { gw, access, lookups }: IntakeServices,
  { changes, edits }: Pick<IntakeState, 'changes' | 'edits'>,
): Promise<void> {
  const { message, visit } = arrival;
  switch (step.kind) {
    case 'count':
      visit.rate = await access.take(principalText(principal), Math.min(message.sentAt, Date.now()), message.group);
      return;
    case 'seen':
      arrival.isSeen = await gw.engine.queue.seen(dedupeId(message));
      return;
    case 'compare': {
      const key = spoolKey(dedupeId(message, step.editOf));
      const newest = edits.get(key);
      arrival.isUnchanged =
        newest === undefined ? (await lookups.textOf(key)) === message.text : newest === hashText(message.text);
      return;
    }
    case 'press':
      arrival.pressed = (await lookups.press(step.id, message.address)) ?? 'gone';
      return;
    case 'replied':
      arrival.replied = (await lookups.standsFor({ ...message, repliesTo: step.repliesTo })) ?? 'nothing';
      return;
    case 'typed':
      arrival.typed = (await lookups.typed(message, principal, step.means)) ?? 'nothing';
      return;
    case 'look': {
      const { busy, depth, stopped = 0 } = await gw.engine.queue.look(taskLane(step.taskId));
      const isBusy = busy || depth + stopped > 0 || lookups.asks(step.taskId);
      arrival.looked = { taskId: step.taskId, isBusy };
      return;
    }
    case 'wait':
      await changes.pending(key);
      delete arrival.isSeen;
      delete arrival.looked;
  }
}

/**
 * The next edit is compared with the words of this one: who goes back to the first wording means it. That is known at once, and no
 * longer when they were not taken in. After a restart the first words count until the next edit.
 */
export function noteEdit(
  message: InboundMessage,
  outcome: Promise<InboundOutcome>,
  { edits }: Pick<IntakeState, 'edits'>,
): Promise<InboundOutcome> {
  if (message.editOf === undefined) return outcome;
  const key = spoolKey(dedupeId(message, message.editOf));
  const [before, words] = [edits.get(key), hashText(message.text)];
  edits.set(key, words);
  const takeBack = () => {
    if (edits.get(key) !== words) return;
    if (before === undefined) edits.delete(key);
    else edits.set(key, before);
  };
  outcome.then((end) => end !== 'accepted' && takeBack(), takeBack);
  return outcome;
}
