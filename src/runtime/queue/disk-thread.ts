/** The disk thread: creating a file waits for the file system's journal whenever it commits, and the main thread must not. */
import { parentPort } from 'node:worker_threads';
import { type Batch, commit } from './commit.ts';

parentPort?.on('message', ({ id, batch }: { id: number; batch: Batch }) => {
  // A few are quicker one after the other; many share commits of the journal when they are synced side by side.
  const isSmall = batch.files.length + batch.sync.length <= 2;
  void commit(batch, isSmall).then((committed) => parentPort?.postMessage({ id, committed }));
});
