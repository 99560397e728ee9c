/** Finds out a fact of an event that is missing, and keeps it with the event. What may have changed meanwhile is asked again. */
import { principalText } from '../../access/principal.ts';
import { spoolKey } from '../../engine/engine.ts';
import { dedupeId, taskLane } from '../contract/entry.ts';
import type { Step } from './decide.ts';
import type { Arrival, Gathered, IntakeState } from './gather.ts';
import type { GatewayServices } from './services.ts';

export async function findOut(
  step: Step,
  arrival: Arrival,
  { principal, key }: Gathered,
  { queue, access, lookups }: Pick<GatewayServices, 'queue' | 'access' | 'lookups'>,
  { changes }: Pick<IntakeState, 'changes'>,
): Promise<void> {
  const { message, visit } = arrival;
  switch (step.kind) {
    case 'count':
      visit.rate = await access.take(principalText(principal), Math.min(message.sentAt, Date.now()), message.group);
      return;
    case 'seen':
      arrival.isSeen = await queue.seen(dedupeId(message));
      return;
    case 'compare':
      arrival.isUnchanged = (await lookups.textOf(spoolKey(dedupeId(message, step.editOf)))) === message.text;
      return;
    case 'press':
      arrival.pressed = (await lookups.press(step.id, message.address)) ?? 'gone';
      return;
    case 'replied':
      arrival.replied = (await lookups.rewordedBy({ ...message, repliesTo: step.repliesTo })) ?? 'nothing';
      return;
    case 'look': {
      const { busy, depth, stopped = 0 } = await queue.look(taskLane(step.taskId));
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
