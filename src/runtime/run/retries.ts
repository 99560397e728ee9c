/**
 * Work that failed without an answer. A full disk and a platform that is away pass: its messages stay accepted and are tried
 * again for as long as it takes. What goes wrong three times for any other reason is given up, and its people are told.
 */

import type { Lease, Queue, QueueItem } from '../../engine/engine.ts';
import { DeliveryError, errorCode, errorMessage, isStorageFailure } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { type Entry, traceOf } from '../contract/entry.ts';

/** Durable in `dead`, and said, when it resolves. Rejects when it could not be stored. */
export type GiveUp = (items: readonly QueueItem<Entry>[], reason: string) => Promise<void>;

export interface Retries {
  /** Hands the lane back, to be tried again later, or without what is given up. Rejects when the engine does not take it. */
  failed(lease: Lease<Entry>, error: unknown): Promise<void>;
  /** Whether the last try in this lane failed. */
  has(lane: string): boolean;
  /** Its work went well. */
  over(lane: string): void;
}

const RETRY_MS = 2_000;
const MAX_RETRY_MS = 300_000;
const MAX_TRIES = 3;
/** About four minutes: another program is being put in the place of this one, which goes on as that when it is whole. */
const MAX_TRIES_WITHOUT_PARTS = 8;

const passes = (error: unknown): boolean =>
  isStorageFailure(error) || errorCode(error) === 'EIO' || error instanceof DeliveryError;

const maxTries = (error: unknown): number =>
  errorCode(error) === 'ERR_MODULE_NOT_FOUND' ? MAX_TRIES_WITHOUT_PARTS : MAX_TRIES;

export function createRetries(options: {
  queue: Pick<Queue<Entry>, 'ack' | 'release'>;
  /** Without it nothing is ever given up. */
  giveUp: GiveUp | undefined;
  log: Logger;
}): Retries {
  const { queue, giveUp, log } = options;
  /** By lane, how often its work has failed in a row. */
  const counts = new Map<string, number>();

  async function buried({ lane, items }: Lease<Entry>, reason: string): Promise<boolean> {
    if (!giveUp) return false;
    try {
      await giveUp(items, reason);
      return true;
    } catch (error) {
      log.error({ err: error, lane }, 'work that failed could not be given up');
      return false;
    }
  }

  return {
    async failed(lease, error) {
      const tries = (counts.get(lease.lane) ?? 0) + 1;
      counts.set(lease.lane, tries);
      const about = { err: error, trace: traceOf(lease.items[0]?.id ?? ''), tries };
      if (tries >= maxTries(error) && !passes(error) && (await buried(lease, errorMessage(error)))) {
        counts.delete(lease.lane);
        const ids = lease.items.map((item) => item.id);
        await queue.ack(lease, ids);
        return queue.release(lease);
      }
      log.error(about, 'work is tried again');
      await queue.release(lease, { retryAt: Date.now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (tries - 1)) });
    },
    has: (lane) => counts.has(lane),
    over: (lane) => void counts.delete(lane),
  };
}
