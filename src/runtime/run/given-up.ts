/** Messages that cannot be worked on are kept, and their people are told: their tasks have failed, and so have the runs of their jobs. */
import type { QueueItem } from '../../engine/engine.ts';
import type { Entry } from '../contract/entry.ts';
import type { Gateway } from './gateway.ts';

/** Rejects when they could not be stored. */
export async function giveUp(items: readonly QueueItem<Entry>[], reason: string, gw: Gateway): Promise<void> {
  for (const item of items) {
    await gw.engine.queue.giveUp(item, reason);
    await gw.people.owners.tellGivenUp(item, reason);
  }
  for (const { message } of items) await noteGivenUp(message, reason, gw);
}

/** Never rejects. */
export async function noteGivenUp(entry: Entry, reason: string, gw: Gateway): Promise<void> {
  await gw.tasks.records.fail(entry.taskId);
  for (const { gaveUp } of gw.features.on) gaveUp?.(entry, reason, gw);
}
