/**
 * Shows a call to a person before it runs: the tool and every argument in full, with every invisible or
 * direction-changing character spelled out. Pure.
 */
import { createHash } from 'node:crypto';
import type { Json } from '../../workspace/types.ts';

// Controls, format characters (bidirectional, zero width, tags), non-ASCII spaces, lone surrogates, private use and
// unassigned code points, default-ignorable characters and the Braille blank: everything that can hide or disguise
// text.
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Spells out each invisible character as `\u{200B}`; line breaks and tabs stay. */
export function spellInvisible(text: string): string {
  return text.replace(UNSEEN, (char) =>
    char === '\n' || char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/**
 * Formats the arguments as indented JSON with every character visible. Nothing in a value can pass for another
 * argument.
 */
export function shownInput(input: Json): string {
  return spellInvisible(JSON.stringify(input, null, 2));
}

/**
 * Returns a digest that is equal only for the same tool and arguments, whatever the order of their names.
 * @param shows what the question shows beside them
 */
export function digestOf(tool: string, input: Json, shows?: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, sorted(input), ...(shows === undefined ? [] : [shows])]))
    .digest('hex');
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

/** Returns a fenced block that nothing in the text can close. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${language}\n${text}\n${marks}`;
}
