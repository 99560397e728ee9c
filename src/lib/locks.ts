/** One change at a time per key, in the order of the calls. A failed change does not stop the next one. */
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
