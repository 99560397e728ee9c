/** The disk thread: creating a file waits for the file system's journal whenever it commits, and the main thread must not. */
import { parentPort } from 'node:worker_threads';
import { type Batch, commit } from './commit.ts';

parentPort?.on('message', ({ id, batch }: { id: number; batch: Batch }) => {
  void commit(batch, true).then((committed) => parentPort?.postMessage({ id, committed }));
});
