/** What is asked of a server that may be away. */

import { StorageError } from '../../errors.ts';
import { within } from '../../lib/within.ts';
import type { World } from './world.ts';

/** Whoever takes something in is told that it was not, rather than kept waiting: the platform brings it again. */
export function inTime<R>(work: Promise<R>, ms: number, address: string): Promise<R> {
  return within(work, ms, () => {
    throw new StorageError(`the engine at ${address} does not answer`);
  });
}

const STATS_MS = 1_000;

/** What was known last, where the server does not say. */
export async function orLast<R>({ connections, address }: World, ask: () => Promise<R>, last: R): Promise<R> {
  if (connections.own.status !== 'ready') return last;
  try {
    return await inTime(ask(), STATS_MS, address);
  } catch (error) {
    if (error instanceof StorageError || connections.own.status !== 'ready') return last;
    throw error;
  }
}
