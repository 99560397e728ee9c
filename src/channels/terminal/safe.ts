/**
 * Makes outside text (a model's, a file's name, a title) safe for a terminal. Invariant: no result moves the cursor,
 * changes a colour, names a link or changes the writing direction; its only control characters are line ends and tabs.
 */
import { stripVTControlCharacters } from 'node:util';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g;

/**
 * Removes whole escape sequences, so that none leaves its letters behind, then every character they could be made of.
 * Tabs stay.
 */
export function safe(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
    .toWellFormed();
}

export const safeLine = (text: string): string =>
  safe(text)
    .replace(/\s*[\n\t]\s*/g, ' ')
    .trim();
