/** Changes of what a conversation is about: while one is under way, whatever follows in the conversation waits for it. */
export interface Changes {
  /** The change under way of a conversation, by its binding's key; there may be another after it. */
  of(key: string): Promise<void> | undefined;
  /** Does `work` as a change. Rejects as it does. */
  make<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createChanges(): Changes {
  const underWay = new Map<string, Promise<void>>();
  return {
    of: (key) => underWay.get(key),
    async make(key, work) {
      const change = Promise.withResolvers<void>();
      underWay.set(key, change.promise);
      try {
        return await work();
      } finally {
        if (underWay.get(key) === change.promise) underWay.delete(key);
        change.resolve();
      }
    },
  };
}
