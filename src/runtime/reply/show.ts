/**
 * What a person sees of a call before it runs: the tool and every argument, whole, with no character that shows as nothing
 * or turns the text around. Pure.
 */
import { createHash } from 'node:crypto';
import type { Json } from '../../workspace/types.ts';

// Controls, format characters (bidirectional, zero width, tags), spaces that are none, lone surrogates, private use and
// unassigned code points, whatever is ignored for showing, and the blank of Braille: everything that can hide or disguise.
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text with each character that would not be seen as `\u{200B}`; line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (char) =>
    char === '\n' || char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** The arguments as JSON, indented, every character visible. Nothing in a value can pass for another argument. */
export function shownInput(input: Json): string {
  return visible(JSON.stringify(input, null, 2));
}

/**
 * The same for the same tool and arguments, whatever the order of their names; for no other.
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

/** A fenced block that nothing in the text can close. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${language}\n${text}\n${marks}`;
}
