/**
 * Sessions: `agents/{viber}/sessions/{taskId}.jsonl`, one JSON object a line, the first line a header, never rewritten. One
 * writer per file. Reading costs what is read of the end, and nothing when the end is still in memory.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { quarantine, reportOnce } from '../../lib/damage.ts';
import { appendLinesSync, ensureDir, syncFile, syncFolder } from '../../lib/files.ts';
import { createLru } from '../../lib/lru.ts';
import type { Home } from '../home.ts';
import type { SessionEntry } from '../types.ts';
import { withoutStale } from './session-lines.ts';
import {
  emptyWindow,
  extendWindow,
  isInStep,
  type OnCorrupt,
  quarantineTail,
  type SessionLine,
  type SessionWindow,
} from './session-window.ts';

const FIRST_BYTES = 32 * 1024;
const DEFAULT_BYTES = 256 * 1024;
/** What stays in memory of one session, and of all together (bytes of the files). */
const KEPT_BYTES = 512 * 1024;
const KEPT_ALL_BYTES = 8 * 1024 * 1024;
/** How far back a run is looked for that may not be there at all. */
const SEARCH_BYTES = 8 * 1024 * 1024;

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = fs.constants;
/** Its folder was removed, or a pipe, a folder or another user's file has its place. */
const LOST = ['ENOENT', 'ENXIO', 'EISDIR', 'EACCES'];
const windows = createLru<SessionWindow>(KEPT_ALL_BYTES, (window) => window.end - window.start + 1024);

/**
 * Adds entries in one write, the header first when the file is new. A line torn by a crash is moved to `<file>.bad` before.
 * The entries stay in memory: do not change them afterwards.
 * @param options.sync whether they must survive a power cut when it resolves
 */
export async function appendSession(
  home: Home,
  viber: string,
  taskId: string,
  entries: SessionEntry[],
  options: { sync?: boolean; onCorrupt?: OnCorrupt } = {},
): Promise<void> {
  if (entries.length === 0) return;
  const file = home.sessionPath(viber, taskId);
  if (appendInStep(file, entries)) {
    if (options.sync) await syncFile(file);
    return;
  }
  const before = statOwn(file);
  let window = before && windows.get(file);
  if (window && before && !isInStep(window, before)) window = undefined;
  if (!before) await ensureDir(path.dirname(file));
  else if (!window?.isWhole) {
    quarantineTail(file, options.onCorrupt);
    window = undefined;
  }
  const isNew = (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const header: SessionEntry = { type: 'session', version: 1, taskId, viber, createdAt: new Date().toISOString() };
  const all = isNew ? [header, ...entries] : entries;
  const texts = all.map((entry) => JSON.stringify(entry));
  windows.delete(file);
  const { offset } = appendLinesSync(file, texts);
  const after = fs.statSync(file);
  const kept = window ?? { ...emptyWindow(after), start: offset };
  let at = offset;
  for (const [index, entry] of all.entries()) {
    kept.lines.push({ offset: at, entry });
    at += Buffer.byteLength(texts[index] ?? '') + 1;
  }
  keep(file, kept, after);
  if (!options.sync) return;
  await syncFile(file);
  if (isNew) await syncFolder(path.dirname(file));
}

/** The common case: the end of the file is in memory and nobody else has written. False when it is not so. */
function appendInStep(file: string, entries: SessionEntry[]): boolean {
  const window = windows.get(file);
  if (!window?.isWhole || window.end === 0) return false;
  const fd = openToAppend(file);
  if (fd === undefined) return false;
  try {
    if (!isInStep(window, fs.fstatSync(fd))) return false;
    const texts = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    windows.delete(file);
    writeAt(fd, texts.join(''), window.end);
    let at = window.end;
    for (const [index, entry] of entries.entries()) {
      window.lines.push({ offset: at, entry });
      at += Buffer.byteLength(texts[index] ?? '');
    }
    keep(file, window, fs.fstatSync(fd));
    return true;
  } finally {
    fs.closeSync(fd);
  }
}

/** A file that is gone comes back empty here, and is begun anew like any other; undefined where it cannot, or is no file any more. */
function openToAppend(file: string): number | undefined {
  try {
    return fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  } catch (error) {
    if (!LOST.includes(errorCode(error) ?? '')) throw error;
    windows.delete(file);
    return undefined;
  }
}

/** At the end of the file, all of it or, when the disk is full, nothing. */
function writeAt(fd: number, text: string, end: number): void {
  const data = Buffer.from(text);
  try {
    for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at, data.length - at);
  } catch (error) {
    fs.ftruncateSync(fd, end);
    throw error;
  }
}

/**
 * The last entries in the order they were written, without the header: of the last `maxBytes` (but at least one line), at
 * most `maxEntries`. Damaged lines are passed over and named to `onCorrupt`. The entries are shared: do not change them.
 */
export async function readSessionTail(
  home: Home,
  viber: string,
  taskId: string,
  options: { maxBytes?: number; maxEntries?: number; onCorrupt?: OnCorrupt } = {},
): Promise<SessionEntry[]> {
  return (await readSessionEnd(home, viber, taskId, options)).entries;
}

/** `readSessionTail` with the bytes of the whole file. */
export async function readSessionEnd(
  home: Home,
  viber: string,
  taskId: string,
  options: { maxBytes?: number; maxEntries?: number; onCorrupt?: OnCorrupt } = {},
): Promise<{ entries: SessionEntry[]; size: number }> {
  const { maxBytes = DEFAULT_BYTES, maxEntries = Number.POSITIVE_INFINITY } = options;
  const tail = openTail(home.sessionPath(viber, taskId), options.onCorrupt);
  if (tail === undefined) return { entries: [], size: 0 };
  const isCounted = maxEntries !== Number.POSITIVE_INFINITY;
  for (let bytes = isCounted ? Math.min(FIRST_BYTES, maxBytes) : maxBytes; ; bytes = Math.min(bytes * 2, maxBytes)) {
    const lines = tail.last(bytes).filter(({ entry }) => entry.type !== 'session');
    if (lines.length >= maxEntries || bytes >= maxBytes || bytes >= tail.size) {
      tail.keep();
      const entries = lines.slice(Math.max(0, lines.length - maxEntries)).map(({ entry }) => entry);
      return { entries, size: tail.size };
    }
  }
}

/**
 * The entries of one run, in order. A run is found at the end of its session; one that is not in the last 8 MB counts as not
 * there. A run that is found is read from its very first entry, however long it is.
 */
export async function findRun(home: Home, viber: string, taskId: string, run: string): Promise<SessionEntry[]> {
  const tail = openTail(home.sessionPath(viber, taskId));
  if (tail === undefined) return [];
  for (let bytes = FIRST_BYTES; ; bytes *= 4) {
    const lines: SessionLine[] = tail.last(bytes);
    const first = lines.findIndex(({ entry }) => 'run' in entry && entry.run === run);
    // A run begins with a message. One that waits for a person may have others between its entries, so an entry of another run
    // before the first one is not enough.
    const begins = lines[first]?.entry.type === 'message';
    const hasStart = begins && lines.slice(0, first).some(({ entry }) => 'run' in entry);
    if (hasStart || bytes >= tail.size || (first === -1 && bytes >= SEARCH_BYTES)) {
      tail.keep();
      return lines.flatMap(({ entry }) => ('run' in entry && entry.run === run ? [entry] : []));
    }
  }
}

const ABOUT = { lost: 'what was said and done in a task', next: 'Its plan and artifacts are still there.', tell: true };

/** The state of a file that can be read and grow; anything else that stands there is set aside first. */
function statOwn(file: string): fs.Stats | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  const window = windows.get(file);
  // What was read before and has not changed since, its mode included, can be read.
  if (stat && window && stat.size > 0 && isInStep(window, stat)) return stat;
  const why = stat
    ? whyUnusable(file, stat)
    : fs.lstatSync(file, { throwIfNoEntry: false }) && 'is a link that leads nowhere';
  if (stat?.size === 0) reportOnce(`${file} is empty`, { ...ABOUT, file, why: 'is empty' });
  if (why === undefined) return stat;
  quarantine(file, why, ABOUT);
  return undefined;
}

function whyUnusable(file: string, stat: fs.Stats): string | undefined {
  if (!stat.isFile()) return 'is no regular file';
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'EACCES') return 'may not be read by this user';
    throw error;
  }
}

interface Tail {
  /** The lines that begin in the last `bytes` of the file. */
  last(bytes: number): SessionLine[];
  /** Of the whole file, in bytes. */
  size: number;
  keep(): void;
}

function openTail(file: string, onCorrupt?: OnCorrupt): Tail | undefined {
  const stat = statOwn(file);
  if (stat === undefined || stat.size === 0) return undefined;
  const cached = windows.get(file);
  const window = cached && isInStep(cached, stat) ? cached : emptyWindow(stat);
  return {
    last(bytes) {
      extendWindow(file, window, stat.size - bytes, onCorrupt);
      const from = stat.size - bytes;
      // Sought from the end: what lies before costs nothing. One line longer than `bytes` is better than none.
      const lines = withoutStale(window.lines);
      const first = lines.findLastIndex(({ offset }) => offset < from) + 1;
      return lines.slice(Math.min(first, Math.max(0, lines.length - 1)));
    },
    size: stat.size,
    keep: () => keep(file, window, stat),
  };
}

/** Puts the window into the cache in step with the file, its oldest lines dropped when it has grown too long. */
function keep(file: string, window: SessionWindow, stat: fs.Stats): void {
  const oldest = stat.size - KEPT_BYTES;
  const first = window.start < oldest ? window.lines.findIndex(({ offset }) => offset >= oldest) : 0;
  const lines = first === 0 ? window.lines : first === -1 ? window.lines.slice(-1) : window.lines.slice(first);
  const start = first === 0 ? window.start : (lines[0]?.offset ?? stat.size);
  windows.set(file, { ...window, start, lines, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino });
}
