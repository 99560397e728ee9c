/** Reads JSON that came from outside: a field of the wrong type counts as missing, and nothing here throws. */

import { isRecord } from '../../lib/json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns whether the value is an object, but not a list.
 * @example
 * const name = isFields(body) ? string(body, 'name') : undefined;
 */
export const isFields: (value: unknown) => value is Fields = isRecord;

/**
 * Returns an object; undefined for anything else.
 * @example
 * fields({ from: { id: 1 } }, 'from'); // { id: 1 }
 */
export function fields(from: Fields, key: string): Fields | undefined {
  const value = from[key];
  return isFields(value) ? value : undefined;
}

/**
 * Returns a text; undefined for anything else.
 * @example
 * string({ name: 'Ada' }, 'name'); // 'Ada'
 */
export function string(from: Fields, key: string): string | undefined {
  const value = from[key];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns integers only, within the range that JSON carries exactly.
 * @example
 * integer({ size: 1.5 }, 'size'); // undefined
 */
export function integer(from: Fields, key: string): number | undefined {
  const value = from[key];
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

export function decimal(from: Fields, key: string): number | undefined {
  const value = from[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * Returns the objects of a list; other members are left out.
 * @example
 * list({ files: [{ name: 'a.txt' }, 7] }, 'files').length; // 1
 */
export function fieldsList(from: Fields, key: string): Fields[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Returns a language tag as platforms write it. */
export function language(from: Fields, key: string): { language?: string } {
  const tag = string(from, key);
  return tag !== undefined && /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,4}$/i.test(tag) ? { language: tag } : {};
}

const UNTIDY = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Returns one line of at most `max` characters without control characters (also those that reverse the writing
 * direction).
 * @example
 * oneLine('two\nlines', 80); // 'two lines'
 */
export function tidyLine(text: string, max = 300): string {
  const line = UNTIDY.test(text) ? tidy(text.slice(0, max * 2)) : text.trim();
  if (line.length <= max) return line;
  return `${line
    .slice(0, max - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

function tidy(text: string): string {
  const spaced = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return spaced.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').trim();
}
