/**
 * Extracts the words of a text, the same for the index and for direct reading: lower case without accents; scripts
 * without spaces give pairs of characters. The output has only letters and digits, so no query can contain syntax.
 */

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const MAX_WORD = 64;
const MAX_TERMS = 32;
const MAX_QUERY = 1000;

/** A word of a query; `isPrefix`: longer words that begin with it match too. */
export interface Term {
  text: string;
  isPrefix: boolean;
}

/** Returns all words of a text, with repetitions. */
export function indexWords(text: string): string[] {
  const found: string[] = [];
  for (const word of foldWord(text).match(WORD) ?? []) addWord(word, found, true);
  return found;
}

/**
 * Returns the distinct words of a query, at most 32. The last one may be unfinished, as may a single character of an
 * unspaced script.
 */
export function queryTerms(query: string): Term[] {
  const words: string[] = [];
  for (const word of foldWord(query.slice(0, MAX_QUERY).toWellFormed()).match(WORD) ?? []) addWord(word, words, false);
  const last = words.at(-1);
  return [...new Set(words)].slice(0, MAX_TERMS).map((text) => ({
    text,
    isPrefix: isUnspaced(text) || (text === last && text.length > 2),
  }));
}

const SINGLE = new RegExp(`^(?:${UNSPACED.source.slice(0, -1)})$`, 'u');
/** Returns whether a word of the index is one character of a script without spaces. */
export const isUnspaced = (word: string): boolean => word.length < 3 && SINGLE.test(word);

function foldWord(text: string): string {
  const lower = text.toLowerCase();
  if (!/[^\0-\x7f]/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

function addWord(word: string, to: string[], isIndex: boolean): void {
  let from = 0;
  const add = (part: string) =>
    part !== '' && to.push(part.length > MAX_WORD ? part.slice(0, MAX_WORD).toWellFormed() : part);
  if (/[^\0-\u0dff]/.test(word)) {
    for (const { 0: run, index } of word.matchAll(UNSPACED)) {
      add(word.slice(from, index));
      from = index + run.length;
      const characters = [...run];
      for (let i = 0; i + 1 < characters.length; i++) to.push(`${characters[i]}${characters[i + 1]}`);
      // Also the last character alone, so that every character starts something indexed.
      if (isIndex || characters.length === 1) to.push(characters.at(-1) ?? '');
    }
  }
  add(word.slice(from));
}
