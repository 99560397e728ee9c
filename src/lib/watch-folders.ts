/**
 * Folders whose files people edit while we run: the whole set is handed over once nothing in it has changed for a while, and
 * never a state that changed while it was read (promise 18). Half a file is often valid and means something else.
 *
 * The limit: a writer that pauses for longer than the settle time cannot be told from one that has finished. Whoever can see
 * from the text that a file is incomplete must refuse it and keep the last good one.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { isSkippedFolder, isTemporary, type Look, look, readFound } from './look-folders.ts';

export interface WatchedFile {
  path: string;
  /** Relative to its root, with `/` between folders. */
  name: string;
  /** '' when `problem` says why the text could not be had. */
  text: string;
  size: number;
  mtimeMs: number;
  /** Why the file was not read: larger than `maxBytes`, not readable. Such a file must not be taken for an empty one. */
  problem?: string;
}

export interface WatchOptions {
  /** Folders; they need not exist yet. */
  roots: readonly string[];
  /** How many levels of folders below a root are looked into; 0 for its own files only. */
  depth: number;
  /** Which files count, by the name relative to the root. Temporary files of editors and hidden folders never do. */
  match: (name: string) => boolean;
  settleMs?: number;
  maxBytes: number;
  /** In all roots together; the rest, by name, is left out and reported. */
  maxFiles: number;
  /** false: no watching, only `refresh`. */
  watch?: boolean;
  /** How long after the first set the watching begins, at once when absent. What changed meanwhile is seen then. */
  watchAfterMs?: number;
  /** Looks this often besides: nothing that is watched tells of what another machine does. */
  lookEveryMs?: number | undefined;
  /**
   * The whole set, each root with its files by name. A file that has not changed is the same object as before. The next set
   * waits until a returned promise is settled.
   */
  onSettled(files: ReadonlyMap<string, WatchedFile[]>): void | Promise<void>;
  onError(error: unknown): void;
}

export interface FolderWatch {
  /** The first set was handed over. Never rejects: what goes wrong is told to `onError`. */
  ready: Promise<void>;
  /** Looks at the folders now; what has changed was handed over, settled, when it resolves. Never rejects. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

const SETTLE_MS = 250;
/** Looks after which somebody is told that the files do not come to rest. */
const RESTLESS_LOOKS = 120;

type Texts = Map<string, { stamp: string; file: WatchedFile }>;

/** Starts at once. Nothing is thrown: `onError` hears of what cannot be read or watched; the files known before stay in force. */
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
    const before = look(options, handed);
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

  /** Each kind of trouble once, as long as it lasts. */
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
    stopWatching = await watchFolders(options, stop.signal, () => void wake());
    // What changed before the watching began caused no event.
    void wake();
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

/** Looks until nothing has changed for the settle time, nor while the files were read. */
async function comeToRest(
  first: Look,
  options: WatchOptions,
  { handed, texts, signal }: { handed: Look | undefined; texts: Texts; signal: AbortSignal },
): Promise<{ settled: Look; read: Texts }> {
  const { settleMs = SETTLE_MS } = options;
  let before = first;
  // At the start nobody is known to be writing: what is older than the settle time is at rest, and so is what is empty.
  const isOld = before.found.length + before.unreadable.length === 0 || Date.now() - before.newestMs >= settleMs;
  let isAtRest = handed === undefined && isOld;
  for (let looks = 1; ; looks++) {
    if (!isAtRest) await sleep(settleMs, undefined, { signal });
    isAtRest = false;
    const after = look(options, handed);
    if (after.stamp === before.stamp) {
      const read = readAll(after, texts, options.maxBytes);
      before = look(options, handed);
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

/** Calls `onEvent` for anything that may matter, often more than once. Resolves, once it watches, to what ends it. */
async function watchFolders(
  options: WatchOptions,
  signal: AbortSignal,
  onEvent: () => void,
): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar');
  const roots = await Promise.all(options.roots.map(realOf));
  const watcher = watch(roots, {
    // Without `depth`: with it a root that is made later, folder by folder, is never found (chokidar 6.0.0).
    ignoreInitial: true,
    // Links are judged by `look`; what they point to is not watched.
    followSymlinks: false,
    // Both would hold back the events of single files; here the whole set has to come to rest.
    atomic: false,
    awaitWriteFinish: false,
    ignored: (file, stats) => {
      const root = roots.find((folder) => file.startsWith(folder + path.sep));
      // The library itself keeps the folders above a root that is not there yet.
      if (root === undefined) return !roots.includes(file);
      const parts = path.relative(root, file).split(path.sep);
      if (parts.some(isTemporary) || parts.length > options.depth + 1) return true;
      if (stats?.isDirectory()) return parts.length > options.depth || parts.some(isSkippedFolder);
      return stats?.isFile() === true && !options.match(parts.join('/'));
    },
  });
  watcher.on('all', onEvent);
  watcher.on('error', options.onError);
  await new Promise<void>((resolve) => {
    watcher.once('ready', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return () => watcher.close();
}

async function realOf(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return path.resolve(folder);
    throw error;
  }
}
