/**
 * Bounded caches over files. Entries may be dropped at any time: the files are the source of truth, and people edit
 * them, so every read checks the file's size, time and inode first (about 4 µs).
 */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';
import { createLru } from '../lru.ts';

/**
 * A file written twice within one tick of the kernel's clock keeps its timestamp, so a value read this soon after the
 * last change is read again the next time.
 */
const SETTLED_MS = 50;

interface StampedValue<T> {
  size: number;
  ctimeMs: number;
  ino: number;
  settled: boolean;
  value: T;
}

export interface StatCache<T> {
  /**
   * Returns the loaded value, from the cache while the file is unchanged; undefined when there is no such file.
   * @param stat what the path leads to, if the caller has just asked
   */
  get(file: string, stat?: fs.Stats): T | undefined;
  /** Caches what the file's only writer just wrote; `stat` was taken after that, from the same handle. */
  keep(file: string, stat: fs.Stats, value: T): void;
}

/** Caches values that `load` derives from files or folders, at most `max`. The values are shared: don't change them. */
export function createStatCache<T>(max: number, load: (file: string, stat: fs.Stats) => T): StatCache<T> {
  const lru = createLru<StampedValue<T>>(max);
  return {
    get(file, stat = statOf(file)) {
      if (stat === undefined) {
        lru.delete(file);
        return undefined;
      }
      const { size, ctimeMs, ino } = stat;
      const cached = lru.get(file);
      if (cached?.settled && cached.size === size && cached.ctimeMs === ctimeMs && cached.ino === ino)
        return cached.value;
      const settled = Math.abs(Date.now() - ctimeMs) > SETTLED_MS;
      const value = load(file, stat);
      lru.set(file, { size, ctimeMs, ino, settled, value });
      return value;
    },
    keep(file, { size, ctimeMs, ino }, value) {
      lru.set(file, { size, ctimeMs, ino, settled: true, value });
    },
  };
}

/** Returns what a path leads to; undefined for nothing, and for a link that itself leads in a circle. */
export function statOf(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) !== 'ELOOP') throw error;
    // A folder on the way that leads to itself is a fault that may pass: this throws for it.
    fs.lstatSync(file);
    return undefined;
  }
}
