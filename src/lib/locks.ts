/**
 * Changes by key: one at a time in the order of the calls, and work whose end others can wait for. A failed change does not stop the next one.
 * Of files that several processes change, also on other machines, a lock of all of them is taken as well. No lock is taken within
 * work under the same one; where one is taken within another, it is the daily log or a record within a memory, or a plan within the link that shows it, never the reverse.
 */
import path from 'node:path';

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

type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** By folder, how processes take turns in it. */
const shared = new Map<string, Lock>();

/** From now on changes of files in this folder are made under this lock as well; what it gives back ends that. */
export function shareLocks(folder: string, lock: Lock): () => void {
  shared.set(folder, lock);
  return () => void shared.delete(folder);
}

/** Whether other processes change this file, or files of this folder, too. */
export const isShared = (place: string): boolean =>
  [...shared.keys()].some((folder) => place === folder || place.startsWith(folder + path.sep));

/** As `serialise` by the file's path; where other processes change it too, none of them does meanwhile. */
export function exclusively<T>(file: string, change: () => Promise<T>): Promise<T> {
  for (const [folder, lock] of shared)
    if (file.startsWith(folder + path.sep)) return lock(`file ${path.relative(folder, file)}`, change);
  return serialise(file, change);
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

/** Folders in which somebody works, and until when. */
const turns = new Set<{ folder: string; over: Promise<void> }>();

/**
 * Works in a folder while nobody who asked earlier works in it, in one above it or in one within it.
 * @param folder its real path
 * @throws the signal's reason where it was given up while waiting
 */
export async function inFolder<T>(folder: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const before = [...turns].filter((turn) => isWithin(turn.folder, folder) || isWithin(folder, turn.folder));
  const turn = { folder, over };
  turns.add(turn);
  try {
    if (before.length > 0) await unlessAborted(Promise.all(before.map((one) => one.over)), signal);
    return await work();
  } finally {
    turns.delete(turn);
    resolve();
  }
}

const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(outer + path.sep);

async function unlessAborted(waiting: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([waiting, promise]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
