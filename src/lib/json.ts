/**
 * Reads the home's JSON. Every result has the requested shape; data without it is set aside and reported, record by
 * record where records are independent. A missing file isn't damage. Opening never blocks (on a pipe), and reading is
 * bounded.
 *
 * Writers rename whole files into place, or append whole lines: half a file is damage, except for a list that people
 * edit.
 */
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { errorCode } from '../errors.ts';
import { type About, quarantine, reportDamage, reportOnce, setAside } from './damage.ts';
import { statOf } from './files/cache.ts';
import type { Schema } from './shape.ts';
import { decodedText, markedUnicode } from './text.ts';

/** A file's contents, or why it can't be read; undefined when there is none. */
export interface FileContents {
  /** The text, as far as it is one. */
  text?: string;
  why?: string;
}

const WORDS = {
  lost: 'what is written there cannot be used',
  next: 'It was left as it is: fix or replace it.',
  tell: true,
};

/** `JSON.stringify` recurses for each level. */
const MAX_DEPTH = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Files that grow by lines hold a day or more. */
const MAX_LINES_BYTES = 400 * 1024 * 1024;
const { O_RDONLY, O_NONBLOCK } = fs.constants;
/** Errors caused by the file's own state; any other may pass and is thrown. */
const BLOCKED: Record<string, string> = {
  EACCES: 'cannot be read by this user',
  EPERM: 'cannot be read by this user',
  EISDIR: 'is a folder',
  ELOOP: 'is a link that leads to itself',
  ENXIO: 'is not a regular file',
};

/** Reads a text. Invalid UTF-8 and NUL are damage: no writer of ours makes them. */
export function readWhole(file: string, maxBytes = MAX_BYTES): FileContents | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error) ?? '';
    const why = BLOCKED[code];
    if (why !== undefined) return { why };
    if (code === 'ENOTDIR') return undefined;
    if (code !== 'ENOENT') throw error;
    return fs.lstatSync(file, { throwIfNoEntry: false }) ? { why: 'is a link that leads nowhere' } : undefined;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isDirectory()) return { why: 'is a folder' };
    if (!stat.isFile()) return { why: 'is not a regular file' };
    if (stat.size > maxBytes) return { why: `is larger than ${Math.round(maxBytes / 1024 / 1024)} MB` };
    return decodeFile(fs.readFileSync(fd));
  } finally {
    fs.closeSync(fd);
  }
}

function decodeFile(bytes: Buffer): FileContents {
  // Windows saves it like this; the file declares it.
  if (markedUnicode(bytes)) return { text: decodedText(bytes) };
  const text = bytes.toString('utf8');
  if (bytes.includes(0)) return { why: 'has bytes that are not text', text };
  return isUtf8(bytes) ? { text } : { why: 'is not UTF-8 text', text };
}

/**
 * Reads a file that people write, which is never moved. One that isn't text is reported once and read as far as
 * possible; anything but a file counts as missing.
 */
export function readPeoplesText(file: string): string | undefined {
  const read = readWhole(file);
  if (read?.why !== undefined) reportOnce(`${file} ${read.why}`, { ...WORDS, file, why: read.why });
  return read?.text;
}

/**
 * Reports once a file that stays in place but can't be read because of its own state.
 * @throws any other error
 */
export function reportBlocked(file: string, error: unknown, about: About = WORDS): void {
  const why = BLOCKED[errorCode(error) ?? ''];
  if (why === undefined) throw error;
  reportOnce(`${file} ${why}`, { ...about, file, why });
}

/**
 * Parses JSON; returns undefined if it is invalid, since JSON has no such value. Some editors begin a file with a byte
 * order mark. Text nested too deeply counts as invalid: it could be read, but never written again.
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Ignores brackets within strings. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Returns the end of the string that begins at `from`; the end of the text if it is unclosed. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function judge<T>(text: string, schema: Schema<T>): { data: T } | { why: string } {
  const value = parseJson(text);
  if (value === undefined) return { why: text.trim() === '' ? 'is empty' : 'is not JSON' };
  const { success, data } = schema.safeParse(value);
  return success ? { data: data as T } : { why: 'does not hold what it should' };
}

function readChecked<T>(file: string, schema: Schema<T>): { data: T } | { why: string } | undefined {
  const read = readWhole(file);
  if (read === undefined) return undefined;
  return read.why === undefined ? judge(read.text ?? '', schema) : { why: read.why };
}

/** Records that change often are written in place, so another process may be in the middle of a write. */
const LOOK_AGAIN_MS = 20;
const isFresh = (file: string): boolean => Math.abs(Date.now() - (statOf(file)?.mtimeMs ?? 0)) < 1_000;

/** Returns the file's value; undefined when there is none, or when it was damaged and has been set aside. */
export function readJson<T>(file: string, schema: Schema<T>, about: About): T | undefined {
  let judged = readChecked(file, schema);
  if (judged && 'why' in judged && isFresh(file)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    judged = readChecked(file, schema);
  }
  if (judged === undefined) return undefined;
  if ('data' in judged) return judged.data;
  quarantine(file, judged.why, about);
  return undefined;
}

/**
 * Like `readJson`, without changing anything: another process owns the file, or its name still counts. Damage is
 * reported once if `about` is given.
 */
export function peekJson<T>(file: string, schema: Schema<T>, about?: About): T | undefined {
  const judged = readChecked(file, schema);
  if (judged === undefined) return undefined;
  if ('data' in judged) return judged.data;
  if (about) reportOnce(`${file} ${judged.why}`, { ...about, file, why: judged.why });
  return undefined;
}

/**
 * Returns the records of a file with one per line, in order. A damaged line is skipped and reported once; it stays in
 * place.
 */
export function readJsonLines<T>(file: string, schema: Schema<T>, about: About): T[] {
  const read = readWhole(file, MAX_LINES_BYTES);
  if (read === undefined) return [];
  // Invalid bytes affect only some lines: the others count.
  const { why = '', text = '' } = read;
  if (read.text === undefined) quarantine(file, why, about);
  const records: T[] = [];
  // The first line is written when the file is created, so an empty one is damage.
  if (read.text === '') reportOnce(`${file} is empty`, { ...about, file, why: 'is empty' });
  let bad = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    // A million other lines must not cost a million errors.
    const judged = line.startsWith('{') ? judge(line, schema) : undefined;
    if (judged && 'data' in judged) records.push(judged.data);
    else bad++;
  }
  if (bad > 0) {
    const lost = `${bad === 1 ? 'one line' : `${bad} lines`} of ${records.length + bad} (${about.lost})`;
    reportOnce(`${file} ${bad}`, { ...about, file, why: bad === 1 ? 'has a damaged line' : 'has damaged lines', lost });
  }
  return records;
}

/**
 * Recovers the records of a list or map of objects. In invalid JSON, it finds records that are complete between lines
 * as `JSON.stringify` indents them. A record's own text can't look like one, since line breaks in strings are escaped.
 */
export function salvage<T>(text: string, schema: Schema<T>): { records: Map<string, T>; isWhole: boolean } {
  const value = parseJson(text);
  const isCollection = typeof value === 'object' && value !== null;
  const found: [string, unknown][] = isCollection ? Object.entries(value) : [];
  if (value === undefined) {
    for (const [, key, body = ''] of text.matchAll(/^ {2}(?:("(?:[^"\\\n]|\\.)*"): )?(\{$[\s\S]*?^ {2}\})(?=,?$)/gm)) {
      const name = key === undefined ? String(found.length) : parseJson(key);
      if (typeof name === 'string') found.push([name, parseJson(body)]);
    }
  }
  const records = new Map<string, T>();
  for (const [key, each] of found) {
    const { success, data } = schema.safeParse(each);
    if (success) records.set(key, data as T);
  }
  return { records, isWhole: isCollection && records.size === found.length };
}

/**
 * Returns the records of a file with a list (or, with `asMap`, a map by name). A damaged one is set aside, and `write`
 * gets the remaining records to replace it.
 */
export function readRecords<T>(
  file: string,
  schema: Schema<T>,
  about: About & { asMap?: true },
  write: (left: Map<string, T>) => void,
): Map<string, T> {
  const read = readWhole(file);
  if (read === undefined) return new Map();
  const { records, isWhole } = salvage(read.text ?? '', schema);
  const value = parseJson(read.text ?? '');
  if (read.why === undefined && isWhole && Array.isArray(value) !== (about.asMap === true)) return records;
  const { asMap, ...told } = about;
  const why = read.why ?? (value === undefined ? 'is damaged' : 'does not hold what it should');
  const movedTo = setAside(file);
  write(records);
  if (movedTo !== undefined) {
    const lost =
      records.size > 0 ? `a part of it (${about.lost}); ${records.size} of its entries are kept` : about.lost;
    reportDamage({ ...told, file, why, movedTo, lost });
  }
  return records;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Returns whether a value is an object with keys: not an array, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Like `isRecord`, for parsed JSON. */
export function isJsonRecord(value: Json | undefined): value is { [key: string]: Json } {
  return isRecord(value);
}

export const isJson = (text: string): boolean => parseJson(text) !== undefined;
