/**
 * `memory/provenance.jsonl` of a viber: every change that the gateway made, one JSON object per line, append-only. It
 * records where a line of MEMORY.md came from, who accepted it and when, and what can be undone.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { quarantine, reportOnce } from '../../../lib/damage.ts';
import { appendLines, ensureDir } from '../../../lib/files.ts';
import { parseJson } from '../../../lib/json.ts';
import { type Is, isText, listOf, objectOf, optional, shape } from '../../../lib/shape.ts';
import type { Home } from '../../../workspace/home.ts';
import { isReversal, type Reversal } from './reversal.ts';

interface Common {
  /** ISO 8601. */
  at: string;
  /** The person who made the change, a principal as text; absent for an automatic change. */
  by?: string | undefined;
  name?: string | undefined;
  suggestion?: string | undefined;
}

/** An addition. Lines without an `op` are additions too. */
export interface AdditionRecord extends Common {
  op?: 'add';
  id?: string;
  section: string;
  bullets: string[];
  /** The lines as written. */
  lines?: string[];
  provenance: string;
  back?: Reversal | undefined;
}

export const FORGET = 'forget';

export interface RemovalRecord extends Common {
  op: typeof FORGET;
  id: string;
  section: string;
  lines: string[];
  after: string;
  back?: Reversal | undefined;
}

export interface UndoRecord extends Common {
  op: 'undo';
  id: string;
  of: string;
}

export interface RejectionRecord extends Common {
  op: 'reject';
  bullets: string[];
}

export type MemoryRecord = AdditionRecord | RemovalRecord | UndoRecord | RejectionRecord;

/** Only the newest changes can be undone, and only recent decisions are found. */
const TAIL_BYTES = 256 * 1024;
const ABOUT = {
  lost: 'where lines of MEMORY.md came from',
  next: "/memory undo can't undo the changes that it recorded.",
};
const provenanceFile = (home: Home, viber: string) => path.join(home.viberDir(viber), 'memory', 'provenance.jsonl');

export const newId = (): string => randomBytes(6).toString('hex');

export async function appendRecord(home: Home, viber: string, record: MemoryRecord): Promise<void> {
  const file = provenanceFile(home, viber);
  await ensureDir(path.dirname(file));
  await appendLines(file, [JSON.stringify(record)]);
}

/** Returns the last records, oldest first, at least one if there is any. Skips damaged lines. */
export function readRecords(home: Home, viber: string): MemoryRecord[] {
  const file = provenanceFile(home, viber);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) quarantine(file, 'is not a regular file', ABOUT);
  const size = stat?.isFile() ? stat.size : 0;
  for (let bytes = TAIL_BYTES; ; bytes *= 4) {
    const records = size === 0 ? [] : readFrom(file, Math.max(0, size - bytes), size);
    // A very long line, made by hand, may be longer than the part that is read.
    if (records.length > 0 || bytes >= size) return records;
  }
}

function readFrom(file: string, from: number, to: number): MemoryRecord[] {
  const bytes = Buffer.alloc(to - from);
  const fd = fs.openSync(file, 'r');
  try {
    const lines = bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, bytes.length, from)).split('\n');
    return (from === 0 ? lines : lines.slice(1)).flatMap((line) => parseRecords(file, line));
  } finally {
    fs.closeSync(fd);
  }
}

const isOptionalBack = optional(isReversal);
const KINDS: Record<string, Is<never>> = {
  add: objectOf({
    at: isText,
    section: isText,
    bullets: listOf(isText),
    lines: optional(listOf(isText)),
    back: isOptionalBack,
  }),
  [FORGET]: objectOf({
    at: isText,
    id: isText,
    section: isText,
    lines: listOf(isText),
    after: isText,
    back: isOptionalBack,
  }),
  undo: objectOf({ at: isText, id: isText, of: isText }),
  reject: objectOf({ at: isText, bullets: listOf(isText) }),
};
const recordShape = shape<MemoryRecord>((value) =>
  objectOf({ op: (op = 'add') => KINDS[String(op)]?.(value) === true })(value),
);

function parseRecords(file: string, line: string): MemoryRecord[] {
  if (line.trim() === '') return [];
  const { data } = recordShape.safeParse(parseJson(line));
  if (data === undefined) reportOnce(`${file} has a damaged line`, { ...ABOUT, file, why: 'has a damaged line' });
  return data === undefined ? [] : [data];
}

export const decisionOn = (home: Home, viber: string, suggestion: string): MemoryRecord | undefined =>
  readRecords(home, viber).findLast((record) => record.suggestion === suggestion);
