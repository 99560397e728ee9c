/** Reading of JSON that came from outside: a field of the wrong type counts as missing, and nothing here throws. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fields(from: Fields, key: string): Fields | undefined {
  const value = from[key];
  return isFields(value) ? value : undefined;
}

export function string(from: Fields, key: string): string | undefined {
  const value = from[key];
  return typeof value === 'string' ? value : undefined;
}

/** Whole numbers only, as far as JSON carries them exactly. */
export function integer(from: Fields, key: string): number | undefined {
  const value = from[key];
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** A snowflake: Discord's ids are decimal numbers of 64 bits, written as texts. */
export function id(from: Fields, key: string): string | undefined {
  const value = from[key];
  return isId(value) ? value : undefined;
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}

/** The objects of a list; other members are left out. */
export function list(from: Fields, key: string): Fields[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Bits of a field such as `flags`. */
export function hasFlag(from: Fields, flag: number): boolean {
  return ((integer(from, 'flags') ?? 0) & flag) !== 0;
}

const UNTIDY = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** One line without control characters (also those that reverse the direction of writing), at most `max` characters. */
export function oneLine(text: string, max = 300): string {
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
