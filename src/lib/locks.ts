/** Changes by key: one at a time in the order of the calls, and work whose end others can wait for. A failed change does not stop the next one. */
const tails = new Map<string, Promise<unknown>>();

/** Runs `change` after every earlier change with the same key has ended, and gives its result. */
export function serialise<T>(key: string, change: () => Promise<T>): Promise<T> {
  const before = tails.get(key);
  const result = before === undefined ? change() : before.then(change, change);
  const tail: Promise<unknown> = result.then(release, release);
  tails.set(key, tail);
  return result;

  function release(): void {
    if (tails.get(key) === tail) tails.delete(key);
  }
}

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
