/**
 * Keeps an index open while it is in use, reopens it if it was deleted, damaged or replaced, and closes it after a
 * while without a search.
 */
import { DamagedIndex, type IndexDb, StaleIndex } from './db.ts';
import { moveAside } from './rebuild.ts';

export interface KeptIndex<Index> {
  /** Runs `work` on the open index. If the file was stale or damaged, repeats it on a new one. */
  use<T>(work: (index: Index) => Promise<T>): Promise<T>;
  close(): void;
}

const IDLE_MS = 5 * 60_000;
const TRIES = 4;

export function keepIndex<Index extends { db: IndexDb }>(
  file: string,
  { open, onDamage }: { open(): Promise<Index>; onDamage(error: DamagedIndex): void },
): KeptIndex<Index> {
  let opening: Promise<Index> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let users = 0;

  function close(): void {
    clearTimeout(idle);
    const closing = opening;
    opening = undefined;
    // If opening failed, there is nothing to close, and the caller got the error.
    closing?.then(
      ({ db }) => db.close(),
      () => undefined,
    );
  }

  async function current(): Promise<Index> {
    opening ??= open();
    const index = await opening;
    if (index.db.isCurrent()) return index;
    throw new StaleIndex(`${file} was replaced`);
  }

  async function attempt<T>(work: (index: Index) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const used = opening;
      try {
        return await work(await current());
      } catch (error) {
        const isDamaged = error instanceof DamagedIndex;
        // Another search may have reopened it already.
        if (opening === used || used === undefined) close();
        if (tries >= TRIES || !(isDamaged || error instanceof StaleIndex)) throw error;
        if (isDamaged) {
          onDamage(error);
          moveAside(file);
        }
      }
    }
  }

  return {
    async use(work) {
      clearTimeout(idle);
      users++;
      try {
        return await attempt(work);
      } finally {
        users--;
        clearTimeout(idle);
        if (users === 0 && opening) idle = setTimeout(close, IDLE_MS).unref();
      }
    },
    close,
  };
}
