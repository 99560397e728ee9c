/**
 * Handles work that failed without an answer. A full disk and an unreachable platform pass: the messages stay accepted
 * and are retried for as long as it takes. Work that fails three times for any other reason is given up: its messages
 * are kept in `dead`, its people are told, and its tasks and runs of jobs count as failed.
 */
import type { Lease } from '../../engine/engine.ts';
import { DeliveryError, errorCode, errorMessage, isStorageFailure } from '../../errors.ts';
import { type Entry, traceOf } from '../contract/entry.ts';
import type { Item } from './batches.ts';
import type { Gateway } from './gateway.ts';

const RETRY_MS = 2_000;
const MAX_RETRY_MS = 300_000;
const MAX_TRIES = 3;
/**
 * About four minutes: the program is being replaced on disk, and this process continues as the new one once that is
 * complete.
 */
const MAX_TRIES_WITHOUT_PARTS = 8;

const passes = (error: unknown): boolean =>
  isStorageFailure(error) || errorCode(error) === 'EIO' || error instanceof DeliveryError;

const maxTries = (error: unknown): number =>
  errorCode(error) === 'ERR_MODULE_NOT_FOUND' ? MAX_TRIES_WITHOUT_PARTS : MAX_TRIES;

/**
 * Hands a lane back, to be retried later, or without the messages that are given up. Rejects if the engine doesn't
 * accept it.
 */
export async function handBack(lease: Lease<Entry>, error: unknown, gw: Gateway): Promise<void> {
  const { queue } = gw.engine;
  const { failures } = gw.tasks.lanes;
  const { lane, items } = lease;
  const tries = (failures.get(lane) ?? 0) + 1;
  failures.set(lane, tries);
  const isOver = tries >= maxTries(error) && !passes(error);
  if (isOver && (await isGivenUp(lease, errorMessage(error), gw))) {
    await finish(lease, items, gw);
    return queue.release(lease);
  }
  gw.log.error({ err: error, trace: traceOf(items[0]?.id ?? ''), tries }, 'work is tried again');
  await queue.release(lease, { retryAt: Date.now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (tries - 1)) });
}

/** Removes answered messages from the lane and resets its count of failures. */
export async function finish(lease: Lease<Entry>, items: readonly Item[], { engine, tasks }: Gateway): Promise<void> {
  tasks.lanes.failures.delete(lease.lane);
  await engine.queue.ack(
    lease,
    items.map(({ id }) => id),
  );
}

async function isGivenUp({ lane, items }: Lease<Entry>, reason: string, gw: Gateway): Promise<boolean> {
  try {
    for (const item of items) {
      await gw.engine.queue.giveUp(item, reason);
      await gw.people.owners.tellGivenUp(item, reason);
    }
    for (const { message } of items) await noteGivenUp(message, reason, gw);
    return true;
  } catch (error) {
    gw.log.error({ err: error, lane }, 'work that failed could not be given up');
    return false;
  }
}

/** Notes that a message was given up. Never rejects. */
export async function noteGivenUp(entry: Entry, reason: string, gw: Gateway): Promise<void> {
  await gw.tasks.records.fail(entry.taskId);
  for (const { gaveUp } of gw.features.on) gaveUp?.(entry, reason, gw);
}
