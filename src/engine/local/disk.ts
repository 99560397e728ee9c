/**
 * Where commits are made. A single file while nothing else goes on is committed right here: waking another thread costs
 * more than the sync. Everything else goes to a thread of its own, so that no message waits for the disk on behalf of
 * another; until that thread is up, or if it ever fails, the thread pool does the waiting.
 *
 * Making a new file can take the file system longer than syncing it: the thread keeps a few empty ones ready for what is
 * committed here.
 */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Batch, type Committed, commit } from './commit.ts';

export interface Disk {
  /** `alone` says that nobody waits but for this commit. */
  commit(batch: Batch, alone: boolean): Promise<Committed>;
  /** For the end of the process: nothing may be under way. */
  close(): Promise<void>;
}

/** What the thread is asked: to commit, or to make an empty file. */
export type DiskOrder = { id: number; batch: Batch } | { spare: string };
export type DiskAnswer = { id: number; committed: Committed } | { spare: string; isMade: boolean };

const SPARES = 4;

/** @param folder where new files are made; what is left there by an earlier process is gone already */
export function openDisk(folder: string, onError: (error: unknown) => void): Disk {
  const waiting = new Map<number, { batch: Batch; resolve: (committed: Committed) => void }>();
  const file = import.meta.url.endsWith('.ts') ? './disk-thread.ts' : './disk-thread.js';
  const worker = new Worker(new URL(file, import.meta.url), { stdout: false, stderr: false });
  const spares: string[] = [];
  let isUp = false;
  let count = 0;

  const order = (given: DiskOrder) => worker.postMessage(given);

  worker.unref();
  worker.once('online', () => {
    isUp = true;
    for (let n = 0; n < SPARES; n++) order({ spare: path.join(folder, `spare.${n}`) });
  });
  worker.on('message', (answer: DiskAnswer) => {
    if ('spare' in answer) {
      if (answer.isMade) spares.push(answer.spare);
      return;
    }
    waiting.get(answer.id)?.resolve(answer.committed);
    waiting.delete(answer.id);
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

  /** Opening a file that is there costs no more than opening one that is not; a spare that is gone is simply made. */
  function here(batch: Batch): Promise<Committed> {
    const spare = spares.pop();
    if (spare === undefined) return commit(batch, true);
    const done = commit({ ...batch, files: batch.files.map((one) => ({ ...one, temp: spare })) }, true);
    // It has its place already: the name is free again.
    if (isUp) order({ spare });
    return done;
  }

  return {
    commit(batch, alone) {
      const isSmall = batch.files.length === 1 && batch.sync.length === 0;
      if (alone && isSmall && waiting.size === 0) return here(batch);
      if (!isUp) return commit(batch);
      const id = ++count;
      const { promise, resolve } = Promise.withResolvers<Committed>();
      waiting.set(id, { batch, resolve });
      worker.ref();
      order({ id, batch });
      return promise;
    },
    async close() {
      isUp = false;
      await worker.terminate();
    },
  };
}
