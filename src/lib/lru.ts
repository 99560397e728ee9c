/** A map that drops the least recently used entries: everything keyed by outside input is bounded. */

export interface Lru<V> {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
  delete(key: string): void;
  /** Least recently used first. */
  entries(): IterableIterator<[string, V]>;
}

/** Keeps the most recently used values whose weights (1 each by default) add up to at most `max`. */
export function createLru<V>(max: number, weigh: (value: V) => number = () => 1): Lru<V> {
  const kept = new Map<string, { value: V; weight: number }>();
  let total = 0;
  /** The key used last: the same one is often asked for many times in a row, and needs no moving then. */
  let newest: string | undefined;

  function remove(key: string): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
    if (key === newest) newest = undefined;
  }

  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      if (key !== newest) {
        kept.delete(key);
        kept.set(key, entry);
        newest = key;
      }
      return entry.value;
    },
    has: (key) => kept.has(key),
    set(key, value) {
      const weight = weigh(value);
      const entry = key === newest ? kept.get(key) : undefined;
      if (entry) {
        total -= entry.weight;
        Object.assign(entry, { value, weight });
      } else {
        remove(key);
        kept.set(key, { value, weight });
        newest = key;
      }
      total += weight;
      if (total <= max) return;
      for (const oldest of kept.keys()) {
        if (total <= max) break;
        remove(oldest);
      }
    },
    delete: remove,
    *entries() {
      for (const [key, { value }] of kept) yield [key, value];
    },
  };
}
