/**
 * Parses values as models write them if they don't write JSON: Python's words and quotes, unquoted keys, strings
 * between special marks. Parses a whole value or nothing. Pure, linear, and no deeper than any call needs.
 */
import type { Json } from '../../workspace/types.ts';
import { jsonLength } from './blocks.ts';

/** A position in a text that advances as the text is read. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Matches a sticky pattern here and moves past the match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at += found[0].length;
    return found ?? undefined;
  }

  /** Returns the text up to the next `end` and moves past `end`. */
  upTo(end: string): string | undefined {
    const to = this.text.indexOf(end, this.at);
    if (to < 0) return undefined;
    const found = this.text.slice(this.at, to);
    this.at = to + end.length;
    return found;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }
}

export type Values = { [key: string]: Json };

const MAX_DEPTH = 30;
const BLANK = /\s*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /(?:true|false|null|none)\b/iy;
const WORDS: Readonly<Record<string, Json>> = { true: true, false: false, null: null, none: null };
const KEY = /[A-Za-z_][\w.-]*/y;
const MARKED = /<escape>|<\|"\|>|"""|'''/y;
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** Reads JSON, or the same in Python's syntax. Returns undefined for anything else; the cursor may then be anywhere. */
export function readValue(cursor: Cursor, depth = 0): Json | undefined {
  if (depth > MAX_DEPTH) return undefined;
  cursor.take(BLANK);
  const begin = cursor.text[cursor.at];
  if (begin === '{' || begin === '[') {
    const from = cursor.at;
    const json = depth === 0 ? readJson(cursor) : undefined;
    if (json !== undefined) return json;
    cursor.at = from + 1;
    return begin === '{' ? readPairs(cursor, ':', '}', depth) : readList(cursor, depth);
  }
  const text = readString(cursor);
  if (text !== undefined) return text;
  const number = cursor.take(NUMBER);
  if (number) return Number(number[0]);
  const word = cursor.take(WORD);
  return word ? WORDS[word[0].toLowerCase()] : undefined;
}

/** Reads `key: value` or `key=value`, separated by commas, up to `end`. */
export function readPairs(cursor: Cursor, sign: ':' | '=', end: string, depth = 0): Values | undefined {
  const pairs: Values = {};
  for (;;) {
    cursor.take(BLANK);
    if (skip(cursor, end)) return pairs;
    const key = (sign === ':' ? readString(cursor) : undefined) ?? cursor.take(KEY)?.[0];
    cursor.take(BLANK);
    if (key === undefined || key === '__proto__' || !skip(cursor, sign)) return undefined;
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    pairs[key] = value;
    cursor.take(BLANK);
    if (!skip(cursor, ',') && cursor.text[cursor.at] !== end) return undefined;
  }
}

export function readJson(cursor: Cursor): Json | undefined {
  const rest = cursor.text.slice(cursor.at);
  const length = jsonLength(rest);
  const value = length > 0 ? parseSafeJson(rest.slice(0, length)) : undefined;
  if (value !== undefined) cursor.at += length;
  return value;
}

/** Returns undefined if the text isn't JSON, or would reach an object's prototype. */
export function parseSafeJson(text: string): Json | undefined {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw new SyntaxError("a prototype can't be an argument");
      return value;
    });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readList(cursor: Cursor, depth: number): Json[] | undefined {
  const list: Json[] = [];
  for (;;) {
    cursor.take(BLANK);
    if (skip(cursor, ']')) return list;
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    list.push(value);
    cursor.take(BLANK);
    if (!skip(cursor, ',') && cursor.text[cursor.at] !== ']') return undefined;
  }
}

function readString(cursor: Cursor): string | undefined {
  const mark = cursor.take(MARKED)?.[0];
  if (mark !== undefined) return cursor.upTo(mark);
  const quoted = cursor.take(QUOTED)?.[0];
  if (quoted === undefined) return undefined;
  const json = quoted.startsWith('"') ? parseSafeJson(quoted) : undefined;
  if (typeof json === 'string') return json;
  return quoted.slice(1, -1).replace(/\\([\s\S])/g, (_, sign: string) => ESCAPES[sign] ?? sign);
}

function skip(cursor: Cursor, sign: string): boolean {
  const isHere = cursor.text.startsWith(sign, cursor.at);
  if (isHere) cursor.at += sign.length;
  return isHere;
}
