/**
 * The ends of sessions in memory, in step with their files: reading costs nothing while nobody else has written, and
 * appending costs one write. A window extends backwards as far as somebody asks.
 */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';
import { quarantine, reportOnce } from '../../lib/damage.ts';
import { createLru } from '../../lib/lru.ts';
import type { SessionEntry } from '../types.ts';
import { NEWLINE, type OnCorrupt, parseLines, readRange, type SessionLine, withoutStale } from './session-lines.ts';

/** How much of one session stays in memory, and of all together, in bytes of the files. */
const KEPT_BYTES = 512 * 1024;
const KEPT_ALL_BYTES = 8 * 1024 * 1024;

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = fs.constants;
/** Error codes when its folder was removed, or a pipe, a folder or another user's file took its place. */
const LOST = ['ENOENT', 'ENXIO', 'EISDIR', 'EACCES'];
/**
 * Keeps the ends of sessions in memory, in step with their files: reading costs nothing while nobody else has written,
 * and appending costs one write.
 */
export const windows = createLru<SessionWindow>(KEPT_ALL_BYTES, (window) => window.end - window.start + 1024);

/** The end of a session, read backwards, from the start of a line on. Offsets are bytes. */
export interface SessionWindow {
  start: number;
  end: number;
  ctimeMs: number;
  ino: number;
  /** Whether the file ends with a line break, so that the next line can be appended directly. */
  isWhole: boolean;
  lines: SessionLine[];
}

/**
 * Appends in the common case: the end of the file is in memory and nobody else has written. Returns false otherwise.
 */
export function appendInStep(file: string, entries: SessionEntry[]): boolean {
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

/**
 * Opens the file, creating a missing one empty, to be started like any new one; returns undefined when it can't be
 * opened as a file.
 */
function openToAppend(file: string): number | undefined {
  try {
    return fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  } catch (error) {
    if (!LOST.includes(errorCode(error) ?? '')) throw error;
    windows.delete(file);
    return undefined;
  }
}

/** Writes all of the text at the end of the file, or nothing when the disk is full. */
function writeAt(fd: number, text: string, end: number): void {
  const data = Buffer.from(text);
  try {
    for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at, data.length - at);
  } catch (error) {
    fs.ftruncateSync(fd, end);
    throw error;
  }
}

const ABOUT = { lost: 'what was said and done in a task', next: 'Its plan and artifacts are still there.', tell: true };

/** Returns the status of a file that can be read and appended to; quarantines anything else in its place. */
export function statOwn(file: string): fs.Stats | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  const window = windows.get(file);
  // A file that was read before and is unchanged, including its mode, can be read.
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
  if (!stat.isFile()) return 'is not a regular file';
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'EACCES') return 'cannot be read by this user';
    throw error;
  }
}

interface Tail {
  /** Returns the lines that begin in the last `bytes` of the file. */
  last(bytes: number): SessionLine[];
  /** Size of the whole file in bytes. */
  size: number;
  keep(): void;
}

export function openTail(file: string, onCorrupt?: OnCorrupt): Tail | undefined {
  const stat = statOwn(file);
  if (stat === undefined || stat.size === 0) return undefined;
  const cached = windows.get(file);
  const window = cached && isInStep(cached, stat) ? cached : emptyWindow(stat);
  return {
    last(bytes) {
      extendWindow(file, window, stat.size - bytes, onCorrupt);
      const from = stat.size - bytes;
      // Searched from the end, so earlier lines cost nothing. One line longer than `bytes` is better than none.
      const lines = withoutStale(window.lines);
      const first = lines.findLastIndex(({ offset }) => offset < from) + 1;
      return lines.slice(Math.min(first, Math.max(0, lines.length - 1)));
    },
    size: stat.size,
    keep: () => keep(file, window, stat),
  };
}

/** Caches the window in step with the file, without its oldest lines if it has grown too long. */
export function keep(file: string, window: SessionWindow, stat: fs.Stats): void {
  const oldest = stat.size - KEPT_BYTES;
  const first = window.start < oldest ? window.lines.findIndex(({ offset }) => offset >= oldest) : 0;
  const lines = first === 0 ? window.lines : first === -1 ? window.lines.slice(-1) : window.lines.slice(first);
  const start = first === 0 ? window.start : (lines[0]?.offset ?? stat.size);
  windows.set(file, { ...window, start, lines, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino });
}

export function emptyWindow(stat: fs.Stats): SessionWindow {
  return { start: stat.size, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino, isWhole: true, lines: [] };
}

/** Returns whether nobody else has written to the file since the window was made. */
export function isInStep(window: SessionWindow, stat: fs.Stats): boolean {
  return window.end === stat.size && window.ctimeMs === stat.ctimeMs && window.ino === stat.ino;
}

/** Extends the window backwards until it begins at or before `wanted`, or at the first whole line after it. */
function extendWindow(file: string, window: SessionWindow, wanted: number, onCorrupt?: OnCorrupt): void {
  if (window.start <= wanted || window.start === 0) return;
  const fd = fs.openSync(file, 'r');
  try {
    let from = Math.max(0, wanted);
    let data = readRange(fd, from, window.start);
    // A line may be longer than requested: continue until one begins.
    while (from > 0 && [-1, data.length - 1].includes(data.indexOf(NEWLINE))) {
      const earlier = Math.max(0, from - Math.max(data.length, 4096));
      data = Buffer.concat([readRange(fd, earlier, from), data]);
      from = earlier;
    }
    const skip = from === 0 ? 0 : data.indexOf(NEWLINE) + 1;
    if (window.lines.length === 0 && window.start === window.end)
      window.isWhole = data.length === 0 || data.at(-1) === NEWLINE;
    window.lines = [...parseLines(file, data, skip, from, onCorrupt), ...window.lines];
    window.start = from + skip;
  } finally {
    fs.closeSync(fd);
  }
}
