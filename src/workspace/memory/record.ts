/**
 * `memory/provenance.jsonl` of a viber: every change made through us, one JSON object a line, never rewritten. It tells where a
 * line of MEMORY.md came from, who let it in and when, and what can be taken back.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { appendLines, ensureDir } from '../files.ts';
import type { Home } from '../home.ts';
import { isReversal, type Reversal } from './reversal.ts';

interface Common {
  /** ISO 8601. */
  at: string;
  /** Who did it, a principal as text; absent when nobody did. */
  by?: string | undefined;
  /** As they are shown. */
  name?: string | undefined;
  /** The suggestion it decided. */
  suggestion?: string | undefined;
}

/** Something was added; lines without an `op` are additions too. */
export interface Added extends Common {
  op?: 'add';
  id?: string;
  section: string;
  bullets: string[];
  /** The lines as they were written. */
  lines?: string[];
  /** Who said it, in which task. */
  provenance: string;
  back?: Reversal | undefined;
}

export interface Forgotten extends Common {
  op: 'forget';
  id: string;
  section: string;
  lines: string[];
  after: string;
  back?: Reversal | undefined;
}

export interface Undone extends Common {
  op: 'undo';
  id: string;
  /** The change that was taken back. */
  of: string;
}

export interface Rejected extends Common {
  op: 'reject';
  bullets: string[];
}

export type MemoryRecord = Added | Forgotten | Undone | Rejected;

/** Only the newest changes can be taken back, and only recent decisions be told apart. */
const TAIL_BYTES = 256 * 1024;
const fileOf = (home: Home, viber: string) => path.join(home.viberDir(viber), 'memory', 'provenance.jsonl');

export const newId = (): string => randomBytes(6).toString('hex');

export async function appendRecord(home: Home, viber: string, record: MemoryRecord): Promise<void> {
  const file = fileOf(home, viber);
  await ensureDir(path.dirname(file));
  await appendLines(file, [JSON.stringify(record)]);
}

/** The last records, oldest first, at least one where there is any; damaged lines are passed over. */
export function readRecords(home: Home, viber: string): MemoryRecord[] {
  const file = fileOf(home, viber);
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  for (let bytes = TAIL_BYTES; ; bytes *= 4) {
    const records = size === 0 ? [] : readFrom(file, Math.max(0, size - bytes), size);
    // A line that somebody made very long by hand is longer than the tail.
    if (records.length > 0 || bytes >= size) return records;
  }
}

function readFrom(file: string, from: number, to: number): MemoryRecord[] {
  const bytes = Buffer.alloc(to - from);
  const fd = fs.openSync(file, 'r');
  try {
    const lines = bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, bytes.length, from)).split('\n');
    return (from === 0 ? lines : lines.slice(1)).flatMap(parse);
  } finally {
    fs.closeSync(fd);
  }
}

function parse(line: string): MemoryRecord[] {
  if (line.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? [value] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isRecord(value: unknown): value is MemoryRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { op = 'add', ...fields } = Object.fromEntries(Object.entries(value));
  const isText = (name: string) => typeof fields[name] === 'string';
  const isList = (name: string) =>
    Array.isArray(fields[name]) && fields[name].every((each: unknown) => typeof each === 'string');
  if (!isText('at') || (fields.back !== undefined && !isReversal(fields.back))) return false;
  if (op === 'add') return isText('section') && isList('bullets') && (fields.lines === undefined || isList('lines'));
  if (op === 'forget') return isText('id') && isText('section') && isList('lines') && isText('after');
  if (op === 'undo') return isText('id') && isText('of');
  return op === 'reject' && isList('bullets');
}

/** The decision about a suggestion, if one is known. */
export const decisionOn = (home: Home, viber: string, suggestion: string): MemoryRecord | undefined =>
  readRecords(home, viber).findLast((record) => record.suggestion === suggestion);
