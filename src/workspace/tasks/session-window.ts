/**
 * The end of a session file, read backwards: cost follows what is asked for, never the length of the file. A window always
 * begins at the beginning of a line. Offsets are bytes.
 */
import fs from 'node:fs';
import { reportOnce } from '../../lib/damage.ts';
import type { SessionEntry } from '../types.ts';
import { parseEntry, salvage } from './session-lines.ts';

/** Told of each damaged line once: the file and the beginning of the line. */
export type OnCorrupt = (file: string, line: string) => void;

export interface SessionLine {
  offset: number;
  entry: SessionEntry;
}

export interface SessionWindow {
  start: number;
  end: number;
  ctimeMs: number;
  ino: number;
  /** Whether the file ends with a line break, so that the next line may simply follow. */
  isWhole: boolean;
  lines: SessionLine[];
}

const NEWLINE = 0x0a;
const BRACE = 0x7b;
const SHOWN = 120;

export function emptyWindow(stat: fs.Stats): SessionWindow {
  return { start: stat.size, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino, isWhole: true, lines: [] };
}

/** Whether nobody else has written to the file since the window was made. */
export function isInStep(window: SessionWindow, stat: fs.Stats): boolean {
  return window.end === stat.size && window.ctimeMs === stat.ctimeMs && window.ino === stat.ino;
}

/** Extends the window backwards until it begins at or before `wanted`, or at the first whole line after it. */
export function extendWindow(file: string, window: SessionWindow, wanted: number, onCorrupt?: OnCorrupt): void {
  if (window.start <= wanted || window.start === 0) return;
  const fd = fs.openSync(file, 'r');
  try {
    let from = Math.max(0, wanted);
    let data = readRange(fd, from, window.start);
    // A line may be longer than what was asked for: go on until one begins.
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

export function readRange(fd: number, from: number, to: number): Buffer {
  const data = Buffer.allocUnsafe(to - from);
  let read = 0;
  while (read < data.length) {
    const count = fs.readSync(fd, data, read, data.length - read, from + read);
    if (count === 0) break;
    read += count;
  }
  return data.subarray(0, read);
}

export function parseLines(
  file: string,
  data: Buffer,
  skip: number,
  base: number,
  onCorrupt?: OnCorrupt,
): SessionLine[] {
  const lines: SessionLine[] = [];
  let brace = data.indexOf(BRACE, skip);
  for (let at = skip; at < data.length; ) {
    const newline = data.indexOf(NEWLINE, at);
    const end = newline === -1 ? data.length : newline;
    if (brace !== -1 && brace < at) brace = data.indexOf(BRACE, at);
    // A million lines without a record must not cost a million texts.
    if (end > at && (brace === -1 || brace >= end))
      tellOnce(file, onCorrupt ? data.toString('utf8', at, end) : '', onCorrupt);
    else if (end > at) {
      const text = data.toString('utf8', at, end);
      const entry = parseEntry(text);
      const entries = entry ? [entry] : salvage(text);
      if (!entry) tellOnce(file, text, onCorrupt);
      for (const found of entries) lines.push({ offset: base + at, entry: found });
    }
    at = end + 1;
  }
  return lines;
}

const ABOUT = {
  lost: 'a line of what was said and done in a task',
  next: 'The rest of the conversation is still known.',
};

function tellOnce(file: string, line: string, onCorrupt?: OnCorrupt): void {
  onCorrupt?.(file, line.slice(0, SHOWN));
  reportOnce(`${file} has a damaged line`, { ...ABOUT, file, why: 'has a damaged line' });
}

/**
 * Makes a file whose last line is torn fit for appending: the torn line moves to `<file>.bad`. A last line that only lacks its
 * line break is left for the append to close.
 */
export function quarantineTail(file: string, onCorrupt?: OnCorrupt): void {
  const fd = fs.openSync(file, 'r+');
  try {
    const { size } = fs.fstatSync(fd);
    let from = size;
    let tail: Buffer = Buffer.alloc(0);
    while (from > 0 && tail.indexOf(NEWLINE) === -1) {
      const earlier = Math.max(0, from - Math.max(tail.length, 4096));
      tail = Buffer.concat([readRange(fd, earlier, from), tail]);
      from = earlier;
    }
    const torn = tail.subarray(tail.lastIndexOf(NEWLINE) + 1);
    const text = torn.toString('utf8');
    if (torn.length === 0 || parseEntry(text)) return;
    fs.appendFileSync(`${file}.bad`, Buffer.concat([torn, Buffer.of(NEWLINE)]), { mode: 0o600, flush: true });
    fs.ftruncateSync(fd, size - torn.length);
    tellOnce(file, text, onCorrupt);
  } finally {
    fs.closeSync(fd);
  }
}
