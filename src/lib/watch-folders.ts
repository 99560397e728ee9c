/**
 * Watches folders whose files people edit while we run: the whole set is passed on once nothing in it has changed for a
 * while, and never a state that changed while it was read (promise 18). Half a file is often valid and means something
 * else.
 *
 * The limit: a writer that pauses for longer than the settle time looks like one that has finished. A reader that can
 * tell from the text that a file is incomplete must reject it and keep the last good one.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wording } from '../messages/messages.ts';
import { type Look, lookThrough, readFound } from './look-folders.ts';
import { watchRoots } from './watch-roots.ts';

export interface WatchedFile {
  path: string;
  /** Relative to its root, with `/` between folders. */
  name: string;
  /** '' when `problem` says why the file wasn't read. */
  text: string;
  size: number;
  mtimeMs: number;
  /** Why the file wasn't read: larger than `maxBytes`, or unreadable. Don't treat such a file as empty. */
  problem?: Wording;
}

export interface WatchOptions {
  /** Folders; they need not exist yet. */
  roots: readonly string[];
  /** How many levels of folders below a root are searched; 0 for its own files only. */
  depth: number;
  /**
   * Selects files by their name relative to the root. Editors' temporary files and hidden folders are always ignored.
   */
  match: (name: string) => boolean;
  settleMs?: number;
  maxBytes: number;
  /** Limit for all roots together; the rest, by name, is left out and reported. */
  maxFiles: number;
  /** If false, only `refresh` reads the folders. */
  watch?: boolean;
  /** Delay from the first set to watching, in ms; none when absent. Changes in between are noticed then. */
  watchAfterMs?: number;
  /** Also polls at this interval, in ms, since changes from another machine cause no event. */
  lookEveryMs?: number | undefined;
  /**
   * Receives the whole set, each root with its files by name. An unchanged file is the same object as before. The next
   * set waits for a returned promise.
   */
  onSettled(files: ReadonlyMap<string, WatchedFile[]>): void | Promise<void>;
  onError(error: unknown): void;
}

export interface FolderWatch {
  /** Resolves when the first set was passed on. Never rejects: errors go to `onError`. */
  ready: Promise<void>;
  /** Checks the folders now; resolves when settled changes were passed on. Never rejects. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

const SETTLE_MS = 250;
/** Number of checks after which constant change is reported. */
const RESTLESS_LOOKS = 120;

type Texts = Map<string, { stamp: string; file: WatchedFile }>;

/** Starts at once. Throws nothing: `onError` gets what can't be read or watched, and the known files stay in use. */
export function watchFiles(options: WatchOptions): FolderWatch {
  const { onError } = options;
  const stop = new AbortController();
  const told = new Set<string>();
  let handed: Look | undefined;
  let texts: Texts = new Map();
  let wakes = 0;
  let work: Promise<void> | undefined;
  let stopWatching: (() => Promise<void>) | undefined;
  let looking: NodeJS.Timeout | undefined;

  function wake(): Promise<void> {
    wakes++;
    work ??= serve();
    return work;
  }

  async function serve(): Promise<void> {
    for (let served = -1; served !== wakes && !stop.signal.aborted; ) {
      served = wakes;
      try {
        await settle();
      } catch (error) {
        if (!stop.signal.aborted) onError(error);
      }
    }
    work = undefined;
  }

  async function settle(): Promise<void> {
    const before = lookThrough(options, handed);
    if (before.stamp === handed?.stamp) return report(before);
    const { settled, read } = await comeToRest(before, options, { handed, texts, signal: stop.signal });
    await handOver(settled, read);
  }

  async function handOver(settled: Look, read: Texts): Promise<void> {
    if (stop.signal.aborted) return;
    report(settled);
    handed = settled;
    texts = read;
    await options.onSettled(byRoot(options.roots, settled, read));
  }

  /** Reports each kind of problem once, as long as it lasts. */
  function report({ left, unreadable }: Look): void {
    const troubles = unreadable.map(({ folder, code }) => `${folder} cannot be read (${code})`);
    if (left > 0) troubles.push(`there are more than ${options.maxFiles} files in ${options.roots.join(', ')}`);
    for (const trouble of troubles) if (!told.has(trouble)) onError(new Error(trouble));
    told.clear();
    for (const trouble of troubles) told.add(trouble);
  }

  async function start(): Promise<void> {
    await ready;
    if (stop.signal.aborted) return;
    if (options.lookEveryMs) looking = setInterval(() => void wake(), options.lookEveryMs).unref();
    if (options.watch === false) return;
    if (options.watchAfterMs) await sleep(options.watchAfterMs, undefined, { signal: stop.signal, ref: false });
    stopWatching = await watchRoots(options, () => void wake());
  }

  const ready = wake();
  const started = start().catch((error: unknown) => {
    if (!stop.signal.aborted) onError(error);
  });
  return {
    ready,
    refresh: wake,
    async close() {
      stop.abort();
      await started;
      clearInterval(looking);
      await stopWatching?.();
      await work;
    },
  };
}

function byRoot(roots: readonly string[], { found }: Look, read: Texts): Map<string, WatchedFile[]> {
  const files = new Map<string, WatchedFile[]>(roots.map((root) => [root, []]));
  for (const { root, name } of found) {
    const file = read.get(`${root}\0${name}`)?.file;
    if (file) files.get(root)?.push(file);
  }
  return files;
}

/** Repeats until nothing has changed for the settle time, nor while the files were read. */
async function comeToRest(
  first: Look,
  options: WatchOptions,
  { handed, texts, signal }: { handed: Look | undefined; texts: Texts; signal: AbortSignal },
): Promise<{ settled: Look; read: Texts }> {
  const { settleMs = SETTLE_MS } = options;
  let before = first;
  // No writer is known at the start: files older than the settle time have settled, and so has an empty set.
  const isOld = before.found.length + before.unreadable.length === 0 || Date.now() - before.newestMs >= settleMs;
  let isAtRest = handed === undefined && isOld;
  for (let looks = 1; ; looks++) {
    if (!isAtRest) await sleep(settleMs, undefined, { signal });
    isAtRest = false;
    const after = lookThrough(options, handed);
    if (after.stamp === before.stamp) {
      const read = readAll(after, texts, options.maxBytes);
      before = lookThrough(options, handed);
      if (before.stamp === after.stamp) return { settled: after, read };
    } else before = after;
    if (looks % RESTLESS_LOOKS === 0) {
      options.onError(new Error(`the files in ${options.roots.join(', ')} are being changed again and again`));
    }
  }
}

function readAll(settled: Look, known: Texts, maxBytes: number): Texts {
  const all: Texts = new Map();
  for (const found of settled.found) {
    const { root, name, size, mtimeMs, stamp } = found;
    const key = `${root}\0${name}`;
    const before = known.get(key);
    if (before?.stamp === stamp) all.set(key, before);
    else {
      const content = readFound(found, maxBytes);
      all.set(key, { stamp, file: { path: path.join(root, name), name, size, mtimeMs, ...content } });
    }
  }
  return all;
}
