/**
 * Where commits are made. A single file while nothing else goes on is committed right here: waking another thread costs
 * more than the sync. Everything else goes to a thread of its own, so that no message waits for the disk on behalf of
 * another; until that thread is up, or if it ever fails, the thread pool does the waiting.
 */
import { Worker } from 'node:worker_threads';
import { type Batch, type Committed, commit } from './commit.ts';

export interface Disk {
  /** `alone` says that nobody waits but for this commit. */
  commit(batch: Batch, alone: boolean): Promise<Committed>;
  /** For the end of the process: nothing may be under way. */
  close(): Promise<void>;
}

export function openDisk(onError: (error: unknown) => void): Disk {
  const waiting = new Map<number, { batch: Batch; resolve: (committed: Committed) => void }>();
  const file = import.meta.url.endsWith('.ts') ? './disk-thread.ts' : './disk-thread.js';
  const worker = new Worker(new URL(file, import.meta.url), { stdout: false, stderr: false });
  let isUp = false;
  let count = 0;
  worker.unref();
  worker.once('online', () => {
    isUp = true;
  });
  worker.on('message', ({ id, committed }: { id: number; committed: Committed }) => {
    waiting.get(id)?.resolve(committed);
    waiting.delete(id);
    // One that is being ended keeps the process until it is: with nothing else left, Node ends with code 13.
    if (waiting.size === 0 && isUp) worker.unref();
  });
  worker.on('error', (error) => {
    onError(error);
    isUp = false;
    // Writing a file a second time does no harm: it is the same file.
    for (const { batch, resolve } of waiting.values()) void commit(batch).then(resolve);
    waiting.clear();
  });
  return {
    commit(batch, alone) {
      const isSmall = batch.files.length === 1 && batch.sync.length === 0;
      if (alone && isSmall && waiting.size === 0) return commit(batch, true);
      if (!isUp) return commit(batch);
      const id = ++count;
      const { promise, resolve } = Promise.withResolvers<Committed>();
      waiting.set(id, { batch, resolve });
      worker.ref();
      worker.postMessage({ id, batch });
      return promise;
    },
    async close() {
      isUp = false;
      await worker.terminate();
    },
  };
}
