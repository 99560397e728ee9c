/**
 * Determines where the conversation of a message takes place. Invariant: nothing begins where nobody could read the
 * answer; the sender is told why, visible only to them if possible.
 */
import { UserError } from '../../errors.ts';
import { traceOf } from '../contract/entry.ts';
import type { Item } from './batches.ts';
import type { Gateway } from './gateway.ts';

/**
 * Returns undefined if the person was told instead, durably.
 * @throws DeliveryError while the platform is unreachable
 */
export async function placeItem(item: Item, { places, tasks, delivery }: Gateway): Promise<Item | undefined> {
  const { message, job } = item.message;
  const { reach } = places;
  const why = job ? undefined : await reach.barred(message);
  if (why && message.interaction === undefined) {
    await reach.tell(message, why, item.id);
    return undefined;
  }
  try {
    if (why) throw new UserError(why);
    const placed = await tasks.threads.place(item);
    if (!job) reach.begun(placed.message.message);
    return placed;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { address, interaction } = message;
    const answer = { id: item.id, address, text: error.message, files: [], ...(interaction && { interaction }) };
    await delivery.add(answer, traceOf(item.id), item.attempts > 0);
    return undefined;
  }
}
