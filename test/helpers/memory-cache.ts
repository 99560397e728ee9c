/** A cache that lasts as long as its process. */
import type { Cache } from '../../src/engine/cache.ts';

export function memoryCache(values = new Map<string, string>()): Cache {
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
    close: async () => undefined,
  };
}
