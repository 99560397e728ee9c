/** Caches the contents of small files in memory as long as no other process writes them. */
import { isShared } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';

export interface Cache<T> {
  /** Calls `read` if nothing is cached; also remembers that a file doesn't exist. */
  get(key: string, read: () => T | undefined): T | undefined;
  set(key: string, value: T | undefined): void;
  /** Settles like `written`. If other processes write too, the value is cached only until then. */
  until(written: Promise<void>, key: string, value: T): Promise<void>;
}

/**
 * Creates a cache for files in a folder. The oldest entry is evicted first; if other processes write to the folder,
 * every lookup reads.
 */
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
