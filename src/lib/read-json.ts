/**
 * The one reader of the home's JSON. What it gives has the shape that was asked for; what has not is set aside and told of, record
 * by record where records are independent. A file that is missing is no damage. Opening never waits (a pipe), reading is bounded.
 *
 * Writers put whole files in place by a rename, or add whole lines: half a file is damage, but for a list that people edit.
 */
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { errorCode } from '../errors.ts';
import { type About, quarantine, reportDamage, reportOnce, setAside } from './damage.ts';
import type { Schema } from './shape.ts';
import { decodedText, isMarkedUtf16 } from './text.ts';

/** What a file holds, or why it cannot be had; undefined when there is none. */
export interface Read {
  /** As far as it is a text. */
  text?: string;
  /** What is wrong with it. */
  why?: string;
}

const WORDS = {
  lost: 'what is written there cannot be used',
  next: 'It was left as it is: mend or replace it.',
  tell: true,
};

/** `JSON.stringify` calls itself for each level. */
const MAX_DEPTH = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Files that grow by lines hold a day or more of them. */
const MAX_LINES_BYTES = 400 * 1024 * 1024;
const { O_RDONLY, O_NONBLOCK } = fs.constants;
/** What the file's own state is to blame for; anything else may pass and is thrown. */
const BLOCKED: Record<string, string> = {
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a folder',
  ELOOP: 'is a link that leads to itself',
  ENXIO: 'is no regular file',
};

/** Reads a text. Invalid UTF-8 and NUL are damage: no writer of ours makes them. */
export function readWhole(file: string, maxBytes = MAX_BYTES): Read | undefined {
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
    if (!stat.isFile()) return { why: 'is no regular file' };
    if (stat.size > maxBytes) return { why: `is larger than ${Math.round(maxBytes / 1024 / 1024)} MB` };
    return textOf(fs.readFileSync(fd));
  } finally {
    fs.closeSync(fd);
  }
}

function textOf(bytes: Buffer): Read {
  // As Windows saves it, where the file says so.
  if (isMarkedUtf16(bytes)) return { text: decodedText(bytes) };
  const text = bytes.toString('utf8');
  if (bytes.includes(0)) return { why: 'has bytes that are no text', text };
  return isUtf8(bytes) ? { text } : { why: 'is no UTF-8 text', text };
}

/**
 * The text of a file that people write: it is never moved. What is no text is told of once and read as far as it can be; what is
 * no file counts as missing.
 */
export function readWords(file: string): string | undefined {
  const read = readWhole(file);
  if (read?.why !== undefined) reportOnce(`${file} ${read.why}`, { ...WORDS, file, why: read.why });
  return read?.text;
}

/** Tells once of a file that stays where it is and that its own state keeps from being read; any other error is thrown. */
export function reportBlocked(file: string, error: unknown, about: About = WORDS): void {
  const why = BLOCKED[errorCode(error) ?? ''];
  if (why === undefined) throw error;
  reportOnce(`${file} ${why}`, { ...about, file, why });
}

/**
 * Undefined for a text that is no JSON; JSON itself has no such value. Some editors begin a file with a mark. What is nested too
 * deeply counts as none: it could be read, and never be written again.
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

/** Brackets within strings do not count. */
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

/** Where the string that begins at `from` ends; at the end of a text that does not close it. */
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
  if (value === undefined) return { why: text.trim() === '' ? 'is empty' : 'is no JSON' };
  const { success, data } = schema.safeParse(value);
  return success ? { data: data as T } : { why: 'does not hold what it should' };
}

function look<T>(file: string, schema: Schema<T>): { data: T } | { why: string } | undefined {
  const read = readWhole(file);
  if (read === undefined) return undefined;
  return read.why === undefined ? judge(read.text ?? '', schema) : { why: read.why };
}

/** Records that change often are written in place: another process may be in the middle of that. */
const LOOK_AGAIN_MS = 20;
const isFresh = (file: string): boolean =>
  Math.abs(Date.now() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)) < 1_000;

/** The value a file holds; undefined when there is none, or when it was damaged and has been set aside. */
export function readJson<T>(file: string, schema: Schema<T>, about: About): T | undefined {
  let judged = look(file, schema);
  if (judged && 'why' in judged && isFresh(file)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    judged = look(file, schema);
  }
  if (judged === undefined) return undefined;
  if ('data' in judged) return judged.data;
  quarantine(file, judged.why, about);
  return undefined;
}

/** As `readJson`, changing nothing: another process owns the file, or its name still counts. Told of once with `about`. */
export function peekJson<T>(file: string, schema: Schema<T>, about?: About): T | undefined {
  const judged = look(file, schema);
  if (judged === undefined) return undefined;
  if ('data' in judged) return judged.data;
  if (about) reportOnce(`${file} ${judged.why}`, { ...about, file, why: judged.why });
  return undefined;
}

/** The records of a file with one a line, in order. A damaged line costs itself and is told of once; it stays where it is. */
export function readJsonLines<T>(file: string, schema: Schema<T>, about: About): T[] {
  const read = readWhole(file, MAX_LINES_BYTES);
  if (read === undefined) return [];
  // Bytes that are no text are in some of the lines: the others count.
  const { why = '', text = '' } = read;
  if (read.text === undefined) quarantine(file, why, about);
  const records: T[] = [];
  // Its first line is written when it is made.
  if (read.text === '') reportOnce(`${file} is empty`, { ...about, file, why: 'is empty' });
  let bad = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    // A million lines of something else must not cost a million errors.
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
 * What is left of a list or map of objects. Of a text that is no JSON, the records that stand whole between lines as `JSON.stringify`
 * indents them: no record's own words can look like one, for a line break inside a text is escaped.
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
 * The records of a file that holds a list (or, `asMap`, a map by name). Of a damaged one a copy is set aside, and `write` gets what is left
 * to put in its place.
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
