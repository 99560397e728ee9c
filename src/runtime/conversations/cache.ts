/** What small files hold, kept in memory as long as nobody else writes them. */
import { createLru } from '../../lib/lru.ts';

export interface Cache<T> {
  /** `read` is asked where nothing is kept; what is not on disk is remembered too. */
  get(key: string, read: () => T | undefined): T | undefined;
  set(key: string, value: T | undefined): void;
  /** Settles as `written` does. Where others write too, the value is kept no longer than that. */
  until(written: Promise<void>, key: string, value: T): Promise<void>;
}

/** Of what is kept the oldest goes first. `isShared`: other processes write the files, so each look reads. */
export function createCache<T>(max: number, isShared: boolean): Cache<T> {
  const kept = createLru<T | undefined>(max);
  return {
    set: kept.set,
    get(key, read) {
      if (kept.has(key)) return kept.get(key);
      const value = read();
      if (!isShared) kept.set(key, value);
      return value;
    },
    until: (written, key, value) =>
      isShared ? written.finally(() => kept.get(key) === value && kept.delete(key)) : written,
  };
}
