/** A map that forgets what was used longest ago: everything keyed by what comes from outside is bounded (R22). */

export interface Lru<V> {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
  delete(key: string): void;
  /** Longest unused first. */
  entries(): IterableIterator<[string, V]>;
}

export function createLru<V>(max: number): Lru<V> {
  const kept = new Map<string, V>();
  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    has: (key) => kept.has(key),
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      const oldest = kept.size > max ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
    },
    delete: (key) => void kept.delete(key),
    entries: () => kept.entries(),
  };
}
