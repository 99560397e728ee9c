/** Work by key: while some is under way for a key, whoever asks can wait for its end. */
export interface KeyedMutex {
  /** The work under way for a key, resolved at its end whatever that is; there may be other work after it. */
  pending(key: string): Promise<void> | undefined;
  /** Does `work` for a key. Rejects as it does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedMutex(): KeyedMutex {
  const underWay = new Map<string, Promise<void>>();
  return {
    pending: (key) => underWay.get(key),
    async run(key, work) {
      const { promise, resolve } = Promise.withResolvers<void>();
      underWay.set(key, promise);
      try {
        return await work();
      } finally {
        if (underWay.get(key) === promise) underWay.delete(key);
        resolve();
      }
    },
  };
}
