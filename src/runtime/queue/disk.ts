/**
 * Where commits are made. A single file while nothing else goes on is committed right here: waking another thread costs
 * more than the sync. Everything else goes to a thread of its own, so that the main one never waits for the disk; until
 * that thread is up, or if it ever fails, the thread pool does the waiting.
 */
import { Worker } from 'node:worker_threads';
import { type Batch, type Committed, commit } from './commit.ts';

export interface Disk {
  commit(batch: Batch): Promise<Committed>;
  /** For the end of the process: nothing may be under way. */
  close(): Promise<void>;
}

/** Milliseconds without a commit after which one more is taken to be alone. */
const QUIET_MS = 1.5;

export function openDisk(onError: (error: unknown) => void): Disk {
  let lastAt = 0;
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
    if (committed.files.length > 0) touch();
    if (waiting.size === 0) worker.unref();
  });
  worker.on('error', (error) => {
    onError(error);
    isUp = false;
    // Writing a file a second time does no harm: it is the same file.
    for (const { batch, resolve } of waiting.values()) void commit(batch).then(resolve);
    waiting.clear();
  });
  const touch = () => {
    lastAt = performance.now();
  };
  return {
    commit(batch) {
      const isQuiet = waiting.size === 0 && performance.now() - lastAt > QUIET_MS;
      if (isQuiet && batch.files.length === 1 && batch.sync.length === 0) return commit(batch, true).finally(touch);
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
