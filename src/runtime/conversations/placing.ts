/**
 * Where the conversation of a message takes place. Invariant: nothing is begun where nobody could read the answer; whoever asked
 * is told why, where only they see it if that can be.
 */

import type { QueueItem } from '../../engine/engine.ts';
import { UserError } from '../../errors.ts';
import { type Entry, traceOf } from '../contract/entry.ts';
import type { Delivery } from '../delivery.ts';
import type { Reach } from './reach.ts';
import type { Threads } from './threads.ts';

/** Undefined when its person was told instead, durably. Throws DeliveryError while the platform is away. */
export type Place = (item: QueueItem<Entry>) => Promise<QueueItem<Entry> | undefined>;

export function createPlace(threads: Pick<Threads, 'place'>, delivery: Pick<Delivery, 'add'>, reach?: Reach): Place {
  return async (item) => {
    const { message, job } = item.message;
    const why = job ? undefined : await reach?.barred(message);
    if (why && message.interaction === undefined) await reach?.tell(message, why, item.id);
    if (why && message.interaction === undefined) return undefined;
    try {
      if (why) throw new UserError(why);
      const placed = await threads.place(item);
      if (!job) reach?.begun(placed.message.message);
      return placed;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { address, interaction } = item.message.message;
      const privately = interaction === undefined ? {} : { interaction };
      const answer = { id: item.id, address, text: error.message, files: [], ...privately };
      await delivery.add(answer, traceOf(item.id), item.attempts > 0);
      return undefined;
    }
  };
}

/** Those that have their place; the others are done with. */
export async function placeAll<T extends QueueItem<Entry>>(
  items: readonly T[],
  place: (item: T) => Promise<T | undefined>,
  ack: (items: readonly T[]) => Promise<void>,
): Promise<T[]> {
  const placed: T[] = [];
  for (const item of items) {
    const there = await place(item);
    if (there) placed.push(there);
    else await ack([item]);
  }
  return placed;
}
