/**
 * The ends of sessions in memory, in step with their files: reading costs nothing while nobody else has written, and
 * appending costs one write. A window extends backwards as far as somebody asks.
 */
import fs from 'node:fs';
import { promisify } from 'node:util';
import { errorCode } from '../../errors.ts';
import { quarantine, reportOnce } from '../../lib/damage.ts';
import { isInPlace } from '../../lib/files.ts';
import { createLru } from '../../lib/lru.ts';
import type { SessionEntry } from '../types.ts';
import { NEWLINE, type OnCorrupt, parseLines, readRange, type SessionLine, withoutStale } from './session-lines.ts';

/** Bytes of the files: of one session, and of all. */
const KEPT_BYTES = 512 * 1024;
const SPARE_BYTES = 128 * 1024;
const KEPT_ALL_BYTES = 8 * 1024 * 1024;

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = fs.constants;
/** Its folder was removed, or a pipe, a folder or another user's file took its place. */
const LOST = ['ENOENT', 'ENXIO', 'EISDIR', 'EACCES'];
export const windows = createLru<SessionWindow>(KEPT_ALL_BYTES, (window) => window.end - window.start + 1024);

/** Returns the files of the sessions that this process has read or written lately. */
export const recentSessions = (): string[] => [...windows.entries()].map(([file]) => file);

/** Read backwards, from the start of a line on. Offsets are bytes. */
export interface SessionWindow {
  start: number;
  end: number;
  ctimeMs: number;
  ino: number;
  /** The file ends with a line break. */
  isWhole: boolean;
  lines: SessionLine[];
  /** The first lines, up to this epoch, of which none is void. Every message asks, and only new lines are looked at. */
  checked?: { count: number; epoch: number } | undefined;
}

/** Handles of sessions whose runs go on, the oldest first: from its message to its result a run opens its session once. */
const handles = new Map<string, number>();
const MAX_HANDLES = 16;
const fdatasync = promisify(fs.fdatasync);

/** Returns false unless the end of the file is in memory and nobody else has written. */
export async function appendInStep(file: string, entries: SessionEntry[], isSynced = false): Promise<boolean> {
  const window = windows.get(file);
  if (!window?.isWhole || window.end === 0) return false;
  const fd = takeHandle(file);
  if (fd === undefined) return false;
  let goesOn = false;
  try {
    if (!isInStep(window, fs.fstatSync(fd))) return false;
    const texts = entries.map((entry) => JSON.stringify(entry));
    windows.delete(file);
    writeAt(fd, `${texts.join('\n')}\n`, window.end);
    addLines(window, entries, texts, window.end);
    keep(file, window, fs.fstatSync(fd));
    if (isSynced) await fdatasync(fd);
    goesOn = ['message', 'call', 'step'].includes(entries.at(-1)?.type ?? '');
    return true;
  } finally {
    if (goesOn) keepHandle(file, fd);
    else fs.closeSync(fd);
  }
}

/** @param texts the entries as lines in the file, which begin at this offset */
export function addLines(window: SessionWindow, entries: SessionEntry[], texts: string[], offset: number): void {
  let at = offset;
  for (const [index, entry] of entries.entries()) {
    window.lines.push({ offset: at, entry });
    at += Buffer.byteLength(texts[index] ?? '') + 1;
  }
}

/** Returns the kept handle, which is the caller's until it is kept again; opens the file if another is in its place. */
function takeHandle(file: string): number | undefined {
  const fd = handles.get(file);
  handles.delete(file);
  if (fd === undefined) return openToAppend(file);
  if (isInPlace(fs.fstatSync(fd), file)) return fd;
  fs.closeSync(fd);
  return openToAppend(file);
}

function keepHandle(file: string, fd: number): void {
  closeHandle(file);
  const [oldest] = handles.keys();
  if (oldest !== undefined && handles.size >= MAX_HANDLES) closeHandle(oldest);
  handles.set(file, fd);
}

function closeHandle(file: string): void {
  const fd = handles.get(file);
  handles.delete(file);
  if (fd !== undefined) fs.closeSync(fd);
}

/** Creates a missing file empty, to be started like any new one. */
function openToAppend(file: string): number | undefined {
  try {
    return fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  } catch (error) {
    if (!LOST.includes(errorCode(error) ?? '')) throw error;
    windows.delete(file);
    return undefined;
  }
}

/** Writes all, or nothing when the disk is full. */
function writeAt(fd: number, text: string, end: number): void {
  const data = Buffer.from(text);
  try {
    for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at, data.length - at);
  } catch (error) {
    fs.ftruncateSync(fd, end);
    throw error;
  }
}

const ABOUT = { lost: 'the conversation of a task', next: 'Its plan and artifacts are still there.', tell: true };

/** Quarantines anything that can't be read and appended to. */
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
  last(bytes: number): SessionLine[];
  /** Whether that many bytes are in memory. */
  covers(bytes: number): boolean;
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
      const lines = validLines(window);
      const first = lines.findLastIndex(({ offset }) => offset < from) + 1;
      return lines.slice(Math.min(first, Math.max(0, lines.length - 1)));
    },
    covers: (bytes) => window.start <= Math.max(0, stat.size - bytes),
    size: stat.size,
    keep: () => keep(file, window, stat),
  };
}

function validLines(window: SessionWindow): SessionLine[] {
  const { lines, checked } = window;
  let epoch = checked?.epoch ?? 0;
  for (let at = checked?.count ?? 0; at < lines.length; at++) {
    const next = lines[at]?.entry.epoch;
    if (typeof next !== 'number') continue;
    if (next < epoch) return withoutStale(lines);
    epoch = next;
  }
  window.checked = { count: lines.length, epoch };
  return lines;
}

/** Drops the oldest lines if it has grown too long: many at a time, as that costs a look at all others. */
export function keep(file: string, window: SessionWindow, stat: fs.Stats): void {
  const isLong = stat.size - window.start > KEPT_BYTES + SPARE_BYTES;
  const first = isLong ? window.lines.findIndex(({ offset }) => offset >= stat.size - KEPT_BYTES) : 0;
  const lines = first === 0 ? window.lines : first === -1 ? window.lines.slice(-1) : window.lines.slice(first);
  const start = first === 0 ? window.start : (lines[0]?.offset ?? stat.size);
  const checked = first === 0 ? window.checked : undefined;
  const { isWhole } = window;
  windows.set(file, { start, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino, isWhole, lines, checked });
}

export function emptyWindow(stat: fs.Stats): SessionWindow {
  return { start: stat.size, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino, isWhole: true, lines: [] };
}

/** Nobody else has written since the window was made. */
export function isInStep(window: SessionWindow, stat: fs.Stats): boolean {
  return window.end === stat.size && window.ctimeMs === stat.ctimeMs && window.ino === stat.ino;
}

/** It then begins at or before `wanted`, or at the first whole line after it. */
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
    window.checked = undefined;
    window.lines = [...parseLines(file, data, skip, from, onCorrupt), ...window.lines];
    window.start = from + skip;
  } finally {
    fs.closeSync(fd);
  }
}
