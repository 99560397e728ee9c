/**
 * Serialises changes by key in the order of the calls; a failed change doesn't stop the next one. Files that several
 * processes change, also on other machines, take a shared lock as well. No lock is taken within work under the same
 * one. Where locks nest, it is the daily log or a record within a memory, or a plan within the link that shows it,
 * never the reverse.
 */
import path from 'node:path';

const tails = new Map<string, Promise<unknown>>();

/** Runs `change` after every earlier change with the same key has ended, and returns its result. */
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

/** The shared lock by folder. */
const shared = new Map<string, Lock>();

/** Makes changes of files in this folder take this lock as well; returns a function that ends it. */
export function shareLocks(folder: string, lock: Lock): () => void {
  shared.set(folder, lock);
  return () => void shared.delete(folder);
}

/** Returns whether other processes change this file, or files of this folder, too. */
export const isShared = (place: string): boolean =>
  [...shared.keys()].some((folder) => place === folder || place.startsWith(folder + path.sep));

/** Like `serialise` by the file's path; if other processes change it too, also excludes them. */
export function exclusively<T>(file: string, change: () => Promise<T>): Promise<T> {
  for (const [folder, lock] of shared)
    if (file.startsWith(folder + path.sep)) return lock(`file ${path.relative(folder, file)}`, change);
  return serialise(file, change);
}

/** Work by key: others can wait for its end. */
export interface KeyedMutex {
  /** Resolves when the current work for a key ends, even if it failed; more work may follow. */
  pending(key: string): Promise<void> | undefined;
  /** Runs `work` for a key. Rejects as it does. */
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

/** Grants turns at keys in the order of the requests. */
export interface Turns {
  /** Resolves once all earlier turns at any of these keys have ended. `leave` ends the turn. */
  take(keys: ReadonlySet<string>): Promise<{ leave: () => void; hasWaited: boolean }>;
}

/** A turn waits only for earlier ones, so no two wait for each other. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    async take(keys) {
      const { promise: over, resolve } = Promise.withResolvers<void>();
      const earlier = [...keys].map((key) => last.get(key)).filter((turn) => turn !== undefined);
      for (const key of keys) last.set(key, over);
      if (earlier.length > 0) await Promise.all(earlier);
      const leave = () => {
        for (const key of keys) if (last.get(key) === over) last.delete(key);
        resolve();
      };
      return { leave, hasWaited: earlier.length > 0 };
    },
  };
}

/** Folders in use, and when each is free again. */
const turns = new Set<{ folder: string; over: Promise<void> }>();

/**
 * Works in a folder once no earlier caller works in it, above it or within it.
 * @param folder its real path
 * @throws the signal's reason when aborted while waiting
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
