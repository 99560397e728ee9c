/** What small files hold, kept in memory as long as nobody else writes them. */
import { isShared } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';

export interface Cache<T> {
  /** `read` is asked where nothing is kept; what is not on disk is remembered too. */
  get(key: string, read: () => T | undefined): T | undefined;
  set(key: string, value: T | undefined): void;
  /** Settles as `written` does. Where others write too, the value is kept no longer than that. */
  until(written: Promise<void>, key: string, value: T): Promise<void>;
}

/** Of files in a folder. The oldest that is kept goes first; where other processes write there too, each look reads. */
export function createCache<T>(max: number, folder: string): Cache<T> {
  const kept = createLru<T | undefined>(max);
  const isOurs = !isShared(folder);
  return {
    set: kept.set,
    get(key, read) {
      if (kept.has(key)) return kept.get(key);
      const value = read();
      if (isOurs) kept.set(key, value);
      return value;
    },
    until: (written, key, value) =>
      isOurs ? written : written.finally(() => kept.get(key) === value && kept.delete(key)),
  };
}
