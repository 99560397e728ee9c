/** Parses a query: words, which also match longer ones, and "phrases" of exactly these words. Pure. */
import { indexWords, isUnspaced } from '../../../lib/words.ts';
import { clipLine } from '../../../runtime/context/turn.ts';

export interface SearchTerm {
  /** As typed. */
  text: string;
  /** Consecutive words, as in the index. */
  words: readonly string[];
  /** True if the last word also matches longer ones. */
  isPrefix: boolean;
}

const MAX_QUERY = 1_000;
const MAX_SOUGHT = 16;
/** Shorter words match only themselves, because too many others begin with them. */
const MIN_PREFIX = 4;
const PARTS = /["“”„«»]([^"“”„«»]+)["“”„«»]|([^\s"“”„«»]+)/gu;
const [SNIPPET, BEFORE] = [400, 120];

export function readQuery(query: string): SearchTerm[] {
  const found = new Map<string, SearchTerm>();
  for (const [, phrase, word = ''] of query.slice(0, MAX_QUERY).toWellFormed().matchAll(PARTS)) {
    const text = phrase ?? word;
    const words = indexWords(text);
    const last = words.at(-1);
    if (last === undefined || found.size >= MAX_SOUGHT) continue;
    // For a script without spaces, the index contains pairs of characters, so the last character begins one.
    const isPrefix = isUnspaced(last) || (phrase === undefined && last.length >= MIN_PREFIX);
    found.set(words.join(' '), { text, words, isPrefix });
  }
  return [...found.values()];
}

/** Writes the query in FTS5's syntax. Words of letters and digits can't break it. */
export const matchOf = ({ words, isPrefix }: SearchTerm): string => `"${words.join(' ')}"${isPrefix ? '*' : ''}`;

/** Returns how many of the terms a text contains. */
export function countFound(sought: readonly SearchTerm[], text: string): number {
  const words = indexWords(text);
  return sought.filter((each) => words.some((_word, at) => occursAt(each, words, at))).length;
}

function occursAt({ words, isPrefix }: SearchTerm, text: readonly string[], at: number): boolean {
  return words.every((word, index) => {
    const other = text[at + index];
    return other === word || (isPrefix && index === words.length - 1 && other?.startsWith(word) === true);
  });
}

/** Returns the part of a text around the first match. */
export function snippetOf(text: string, sought: readonly SearchTerm[]): string {
  const lower = text.toLowerCase();
  const places = sought.map((each) => lower.indexOf(each.text.toLowerCase())).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const from = at <= BEFORE ? 0 : at - BEFORE;
  const part = clipLine(text.slice(from, from + SNIPPET).toWellFormed(), SNIPPET);
  return `${from > 0 ? '… ' : ''}${part}${from + SNIPPET < text.length ? ' …' : ''}`;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns where the words stand in a text, as offset and length, in order. */
export function marksIn(text: string, sought: readonly SearchTerm[]): [number, number][] {
  const isFound = (word: string) =>
    sought.some(({ words, isPrefix }) =>
      words.some((one, at) => one === word || (isPrefix && at === words.length - 1 && word.startsWith(one))),
    );
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }): [number, number][] => {
    const [first = '', ...more] = indexWords(word);
    if (more.length === 0 && !isUnspaced(first)) return isFound(first) ? [[index, word.length]] : [];
    // A script without spaces: the word is a sentence.
    return sought.flatMap((term): [number, number][] => {
      const at = word.toLowerCase().indexOf(term.text.toLowerCase());
      return at < 0 ? [] : [[index + at, term.text.length]];
    });
  });
}
