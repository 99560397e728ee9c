/** Limits how long requests wait for a server that may be away. */

import { StorageError } from '../../errors.ts';
import { within } from '../../lib/within.ts';
import type { World } from './world.ts';

/**
 * Rejects after `ms` instead of waiting, so that the platform delivers the event again.
 * @throws StorageError after `ms`
 */
export function inTime<R>(work: Promise<R>, ms: number, address: string): Promise<R> {
  return within(work, ms, () => {
    throw new StorageError(`the engine at ${address} does not answer`);
  });
}

const STATS_MS = 1_000;

/** Returns the last known value when the server doesn't answer. */
export async function orLast<R>({ connections, address }: World, ask: () => Promise<R>, last: R): Promise<R> {
  if (connections.own.status !== 'ready') return last;
  try {
    return await inTime(ask(), STATS_MS, address);
  } catch (error) {
    if (error instanceof StorageError || connections.own.status !== 'ready') return last;
    throw error;
  }
}
