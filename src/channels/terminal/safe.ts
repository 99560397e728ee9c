/**
 * What others wrote (a model, a file's name, a title), as a terminal may be given it. Invariant: nothing that leaves here moves the
 * cursor, changes a colour, names a link or turns the direction of writing; the only control characters are the end of a line and the tab.
 */
import { stripVTControlCharacters } from 'node:util';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g;

/** Whole escape sequences go, so that none leaves its letters behind; then every character they could be made of. Tabs stay. */
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
