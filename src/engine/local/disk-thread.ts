/** The disk thread: creating a file waits for the file system's journal whenever it commits, and the main thread must not. */
import fs from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { commit } from './commit.ts';
import type { DiskAnswer, DiskOrder } from './disk.ts';

const answer = (given: DiskAnswer) => parentPort?.postMessage(given);

/** Whoever finds no empty file makes a new one, and learns there what is wrong. */
function makeEmpty(spare: string): boolean {
  try {
    fs.closeSync(fs.openSync(spare, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

parentPort?.on('message', (order: DiskOrder) => {
  if ('spare' in order) {
    answer({ spare: order.spare, isMade: makeEmpty(order.spare) });
    return;
  }
  const { id, batch } = order;
  // A few are quicker one after the other; many share commits of the journal when they are synced side by side.
  const isSmall = batch.files.length + batch.sync.length <= 2;
  void commit(batch, isSmall).then((committed) => answer({ id, committed }));
});
