/** Finds places in a session file without reading all of it: a span from an offset on, and its last compaction. */
import fs from 'node:fs';
import { createLru } from '../../lib/lru.ts';
import type { SessionEntry } from '../types.ts';
import { NEWLINE, parseLines, readRange, type SessionLine, withoutStale } from './session-lines.ts';
import { isInStep, windows } from './session-window.ts';

type CompactionEntry = Extract<SessionEntry, { type: 'compaction' }>;

export interface SessionSpan {
  lines: SessionLine[];
  end: number;
  size: number;
}

const CHUNK = 256 * 1024;
/** How far back to search for a compaction that may not exist, in bytes. */
const COMPACTION_BYTES = 16 * 1024 * 1024;

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

export interface Compaction {
  offset: number;
  entry: CompactionEntry;
}

interface KnownCompaction {
  ino: number;
  size: number;
  found: Compaction | undefined;
}

const compactions = createLru<KnownCompaction>(1_000);
const MARK = '\n{"type":"compaction"';

export function findCompaction(file: string): Compaction | undefined {
  const before = compactions.get(file);
  const stat = before && fs.statSync(file, { throwIfNoEntry: false });
  const window = stat && windows.get(file);
  // What has been added since the last search is in memory.
  const isSame = before !== undefined && stat?.ino === before.ino && before.size <= stat.size;
  if (isSame && window && isInStep(window, stat) && window.start <= before.size) {
    const line = window.lines.findLast(({ offset, entry }) => offset < before.size || entry.type === 'compaction');
    const isNew = line?.entry.type === 'compaction' && line.offset >= before.size;
    const found = isNew ? { offset: line.offset, entry: line.entry as CompactionEntry } : before.found;
    compactions.set(file, { ino: stat.ino, size: stat.size, found });
    return found;
  }
  const result = withFile(file, (fd, { size, ino }) => {
    const isSame = before !== undefined && before.ino === ino && before.size <= size;
    const from = isSame ? Math.max(0, before.size - 1) : Math.max(0, size - COMPACTION_BYTES);
    let found = isSame ? before.found : undefined;
    for (let at = lastIndexOf(fd, MARK, from, size); at !== undefined; at = lastIndexOf(fd, MARK, from, at)) {
      const entry = readSpan(file, at + 1, 64 * 1024)?.lines[0]?.entry;
      if (entry?.type !== 'compaction') continue;
      found = { offset: at + 1, entry };
      break;
    }
    compactions.set(file, { ino, size, found });
    return { found };
  });
  return result?.found;
}

export function uncoveredFrom(file: string, { offset, entry }: Compaction): number {
  const { covers = -1 } = entry;
  if (Number.isInteger(covers) && covers > 0 && covers <= offset && readSpan(file, covers, 1)) return covers;
  const ends = ['run', 'id'].map((name) =>
    withFile(file, (fd) => {
      const text = `"${name}":${JSON.stringify(entry.through)}`;
      const at = lastIndexOf(fd, text, Math.max(0, offset - COMPACTION_BYTES), offset);
      if (at === undefined) return undefined;
      const rest = readRange(fd, at, offset);
      const end = rest.indexOf(NEWLINE);
      return end === -1 ? offset : at + end + 1;
    }),
  );
  return Math.max(0, ...ends.filter((end) => end !== undefined));
}

/** Searches [from, to) backwards. */
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
