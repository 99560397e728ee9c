/**
 * Places in a session file: lines forward from an offset, and the last line that looks a certain way, sought from the end in raw
 * bytes. Cost follows the distance, never the length of the file. Offsets are bytes.
 */
import fs from 'node:fs';
import { createLru } from '../../lib/lru.ts';
import type { SessionEntry } from '../types.ts';
import { withoutStale } from './session-lines.ts';
import { parseLines, readRange, type SessionLine } from './session-window.ts';

export type CompactionEntry = Extract<SessionEntry, { type: 'compaction' }>;

export interface SessionSpan {
  lines: SessionLine[];
  /** Where the line after the last one of the span begins. */
  end: number;
  /** Of the whole file. */
  size: number;
}

const NEWLINE = 0x0a;
const CHUNK = 256 * 1024;
/** How far back something is looked for that may not be there at all. */
const SEARCH_BYTES = 16 * 1024 * 1024;

/**
 * The whole lines that begin at `from` and end within `maxBytes` of it, but at least one. Undefined when there is no such file, or
 * no line begins there.
 */
export function readSpan(file: string, from: number, maxBytes: number): SessionSpan | undefined {
  return withFile(file, (fd, { size }) => {
    if (from > size || (from > 0 && readRange(fd, from - 1, from)[0] !== NEWLINE)) return undefined;
    let data = readRange(fd, from, Math.min(size, from + maxBytes));
    while (from + data.length < size && !data.includes(NEWLINE)) {
      const end = from + data.length;
      data = Buffer.concat([data, readRange(fd, end, Math.min(size, end + maxBytes))]);
    }
    const whole = from + data.length < size ? data.subarray(0, data.lastIndexOf(NEWLINE) + 1) : data;
    return { lines: withoutStale(parseLines(file, whole, 0, from)), end: from + whole.length, size };
  });
}

interface Known {
  ino: number;
  /** Bytes that were looked at. */
  size: number;
  found: { offset: number; entry: CompactionEntry } | undefined;
}

const known = createLru<Known>(1_000);
const MARK = '\n{"type":"compaction"';

/** The last compaction of a session. What was looked at before is not looked at again. */
export function findCompaction(file: string): Known['found'] {
  const result = withFile(file, (fd, { size, ino }) => {
    const before = known.get(file);
    const isSame = before !== undefined && before.ino === ino && before.size <= size;
    const from = isSame ? Math.max(0, before.size - 1) : Math.max(0, size - SEARCH_BYTES);
    let found = isSame ? before.found : undefined;
    for (let at = lastIndexOf(fd, MARK, from, size); at !== undefined; at = lastIndexOf(fd, MARK, from, at)) {
      const entry = readSpan(file, at + 1, 64 * 1024)?.lines[0]?.entry;
      if (entry?.type !== 'compaction') continue;
      found = { offset: at + 1, entry };
      break;
    }
    known.set(file, { ino, size, found });
    return { found };
  });
  return result?.found;
}

/** Where what a compaction does not stand for begins; 0 when neither its `covers` nor the run it names leads there. */
export function uncoveredFrom(file: string, { offset, entry }: { offset: number; entry: CompactionEntry }): number {
  const { covers = -1 } = entry;
  if (Number.isInteger(covers) && covers > 0 && covers <= offset && readSpan(file, covers, 1)) return covers;
  const ends = ['run', 'id'].map((name) =>
    withFile(file, (fd) => {
      const text = `"${name}":${JSON.stringify(entry.through)}`;
      const at = lastIndexOf(fd, text, Math.max(0, offset - SEARCH_BYTES), offset);
      if (at === undefined) return undefined;
      const rest = readRange(fd, at, offset);
      const end = rest.indexOf(NEWLINE);
      return end === -1 ? offset : at + end + 1;
    }),
  );
  return Math.max(0, ...ends.filter((end) => end !== undefined));
}

/** The last place in [from, to) where the text begins, read backwards. */
function lastIndexOf(fd: number, text: string, from: number, to: number): number | undefined {
  const overlap = Buffer.byteLength(text) - 1;
  for (let end = to; end > from; end = Math.max(from, end - CHUNK)) {
    const start = Math.max(from, end - CHUNK);
    const at = readRange(fd, start, Math.min(to, end + overlap)).lastIndexOf(text);
    if (at !== -1) return start + at;
  }
  return undefined;
}

function withFile<T>(file: string, work: (fd: number, stat: fs.Stats) => T): T | undefined {
  if (!fs.existsSync(file)) return undefined;
  const fd = fs.openSync(file, 'r');
  try {
    return work(fd, fs.fstatSync(fd));
  } finally {
    fs.closeSync(fd);
  }
}
