/**
 * A phrase in the English words that the reader knows, whichever of the languages it is in. A table of words, not a parser of dates:
 * chrono-node leaves out what it does not know ("on friday at 25:00" becomes Friday noon, "day after tomorrow" tomorrow, and a second
 * day is dropped), while here every word has to be understood, or the phrase is refused.
 */
import { ENGLISH } from './languages/english.ts';
import { FRENCH } from './languages/french.ts';
import { GERMAN } from './languages/german.ts';
import type { Language } from './languages/language.ts';
import { SPANISH } from './languages/spanish.ts';
import { isReadersWord } from './words.ts';

const OTHERS = [GERMAN, FRENCH, SPANISH];
/** Single letters say nothing about the language. */
const WORD = /[\p{L}']{2,}/gu;

/** Lower case without accents, with one kind of hyphen, apostrophe and space. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('’', "'")
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/[.!]$/, '')
    // "in 1,5 Stunden"
    .replace(
      /(?<=\b(?:in|dans|en|de|alle|les|cada) )(\d{1,2}),(\d) ?(?:h|std|stunden|heures?|horas?)\b/g,
      (_, hours, tenths) => `${Number(hours) * 60 + Number(tenths) * 6} min`,
    )
    .trim();

/** @param text folded */
export function translate(text: string): string {
  const words = text.match(WORD) ?? [];
  const english = words.filter((word) => isReadersWord(word) || ENGLISH.numbers.has(word)).length;
  let best = { known: english, text };
  for (const language of OTHERS) {
    const known = knownBy(language, text);
    if (known > best.known) best = { known, text: inEnglish(language, text) };
  }
  return inEnglish(ENGLISH, best.text).replace(/\s+/g, ' ').trim();
}

/** So many words of the text are in its tables. */
function knownBy(language: Language, text: string): number {
  const count = (tables: Language['words']) =>
    [...text.matchAll(finder(tables))].reduce((sum, [found]) => sum + (found.match(WORD)?.length ?? 0), 0);
  return count(language.words) + count(language.numbers);
}

function inEnglish({ numbers, rules, words }: Language, text: string): string {
  const figures = replaceWords(text, numbers);
  const ruled = rules.reduce(
    (now, [pattern, by]) => (typeof by === 'string' ? now.replace(pattern, by) : now.replace(pattern, by)),
    figures,
  );
  return replaceWords(ruled, words);
}

const replaceWords = (text: string, table: Language['words']): string =>
  table.size === 0 ? text : text.replace(finder(table), (found) => table.get(found) ?? found);

const finders = new WeakMap<Language['words'], RegExp>();

/** Finds any of the words, the longest first. */
function finder(table: Language['words']): RegExp {
  const known = finders.get(table);
  if (known) return known;
  const words = [...table.keys()].sort((a, b) => b.length - a.length);
  const found = new RegExp(`(?<![\\p{L}'])(?:${words.join('|')})(?![\\p{L}'])`, 'gu');
  finders.set(table, found);
  return found;
}
