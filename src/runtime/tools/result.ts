/**
 * Limits what a model gets of tools' results: no bytes as text, and no more than fits, in one result and in all of a
 * run. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import { clip } from '../context/turn.ts';
import type { ResultCount } from '../contract/order.ts';

/** A page of a file always fits. */
const MAX_RESULT = 100_000;
/**
 * All results of a run: more than any model reads at once (the oldest are shortened first,
 * `src/runtime/model/results.ts`), and small enough for a session's file.
 */
const MAX_RUN = 10_000_000;
/** Enough to continue or to finish, once a run has used up its room. */
const MIN_RESULT = 2_000;
/** Shorter base64 is a key, a token or a hash and may matter. */
const LONG = 512;
const LONG_IN_ADDRESS = 4_096;

const CUT = 'Cut, because it is too long: ask for a part of it.';
const FULL = 'Cut, because the tools of this run have returned as much as fits: finish with what you have.';

// Patterns for the beginning of each kind: the rest is scanned by hand, since a pattern overflows its stack on some
// megabytes.
const DATA_URL = /data:(?:[\w.+-]{1,64}\/[\w.+-]{1,64})?(?:;[\w=.+-]{1,64}){0,4};base64,[A-Za-z0-9+/_-]{64}/gi;
/** Lines as in mail and keys; within JSON, line ends are written as two characters. */
const IN_LINES = /(?<=^|[^A-Za-z0-9+/]|\\[rn])(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|\\r\\n|\\n)){7}/g;
const ONE_LINE = /[A-Za-z0-9+/]{60,76}(?:\r?\n|\\r\\n|\\n)/y;
const LAST_LINE = /[A-Za-z0-9+/]{0,76}={0,2}/y;
const IN_ONE = new RegExp(`[A-Za-z0-9+/_-]{${LONG}}`, 'g');
/** The first bytes of PNG, JPEG, GIF, RIFF, PDF, ZIP and gzip files: even a small file isn't text. */
const OF_A_FILE = /(?<![A-Za-z0-9+/_-])(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0|UEsDB|H4sI)[A-Za-z0-9+/_-]{50}/g;
const DIGITS = /[A-Za-z0-9+/_-]*/y;

type Extend = (text: string, end: number) => number;

/** Includes padding. */
const alongDigits: Extend = (text, end) => {
  DIGITS.lastIndex = end;
  const after = end + (DIGITS.exec(text)?.[0].length ?? 0);
  return after + (/^={1,2}/.exec(text.slice(after, after + 2))?.[0].length ?? 0);
};

const alongLines: Extend = (text, end) => {
  let after = end;
  ONE_LINE.lastIndex = after;
  while (ONE_LINE.test(text)) {
    after = ONE_LINE.lastIndex;
  }
  LAST_LINE.lastIndex = after;
  return after + (LAST_LINE.exec(text)?.[0].length ?? 0);
};

function replaceEach(text: string, begins: RegExp, extend: Extend, put: (found: string, at: number) => string): string {
  const parts: string[] = [];
  let done = 0;
  begins.lastIndex = 0;
  for (let found = begins.exec(text); found; found = begins.exec(text)) {
    const end = extend(text, begins.lastIndex);
    parts.push(text.slice(done, found.index), put(text.slice(found.index, end), found.index));
    done = end;
    begins.lastIndex = end;
  }
  return done === 0 ? text : parts.join('') + text.slice(done);
}

const ADDRESS_BEFORE = /https?:\/\/[^\s"'<>()[\]]*$/;

const leftOut = (encoded: string): string => {
  const digits = encoded.replace(/\\[rn]|[^A-Za-z0-9+/_-]/g, '').length;
  return `[${Math.floor((digits * 3) / 4)} bytes of base64 left out]`;
};

/** Words, paths, hexadecimal hashes and gene sequences don't mix all three. */
const isMixed = (text: string): boolean => /[a-z]/.test(text) && /[A-Z]/.test(text) && /[0-9]/.test(text);

export function withoutBase64(text: string): string {
  if (text.length < 64) return text;
  const change = (whole: string, begins: RegExp, extend: Extend): string =>
    replaceEach(whole, begins, extend, (found, at) => {
      const isAddress = found.length < LONG_IN_ADDRESS && ADDRESS_BEFORE.test(whole.slice(Math.max(0, at - 2_000), at));
      return isAddress || !isMixed(found) ? found : leftOut(found);
    });
  const bare = replaceEach(text, DATA_URL, alongDigits, (found) => leftOut(found.slice(found.indexOf(',') + 1)));
  return change(change(change(bare, IN_LINES, alongLines), IN_ONE, alongDigits), OF_A_FILE, alongDigits);
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}

function measure(value: Json): { texts: number[]; rest: number } {
  const texts: number[] = [];
  const bare = mapTexts(value, (text) => {
    texts.push(text.length);
    return '';
  });
  return { texts, rest: JSON.stringify(bare).length };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Short texts stay whole. */
function shareOf(texts: readonly number[], room: number): number {
  let left = room;
  const sorted = [...texts].sort((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (length > share) return Math.max(0, Math.floor(share));
    left -= length;
  }
  return room;
}

function fitted(value: Json, room: number, note: string): Json {
  const { texts, rest } = measure(value);
  if (rest + sum(texts) <= room) return value;
  if (rest > room / 2) return `${clip(JSON.stringify(value), room)}\n[${note}]`;
  const share = shareOf(texts, room - rest);
  const cut = mapTexts(value, (text) => clip(text, share));
  if (typeof cut === 'string') return `${cut}\n[${note}]`;
  return typeof cut === 'object' && cut !== null && !Array.isArray(cut) ? { ...cut, cut: note } : cut;
}

/** @param told the count so far, which is increased */
export function createTelling(told: ResultCount): (value: Json) => Json {
  return (value) => {
    const room = Math.max(MIN_RESULT, Math.min(MAX_RESULT, MAX_RUN - (told.characters ?? 0)));
    const result = fitted(mapTexts(value, withoutBase64), room, room < MAX_RESULT ? FULL : CUT);
    const { texts, rest } = measure(result);
    told.characters = (told.characters ?? 0) + rest + sum(texts);
    return result;
  };
}

export const tellFailure = (words: string): string => withoutBase64(clip(words, MAX_RESULT));

export function toldIn(messages: readonly Json[]): number {
  const isResult = (message: Json) => isRecord(message) && message.role === 'tool';
  return sum(messages.filter(isResult).map((message) => JSON.stringify(message).length));
}
