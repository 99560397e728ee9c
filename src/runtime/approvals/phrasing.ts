/**
 * Inserts values from outside into our sentences. Invariants: a value is on one bounded line, Markdown in it has no
 * effect, each invisible character is spelled out, and more than plain words is in quotation marks that it can't close.
 * Nothing in it can pass for the rest of the sentence, for another sentence or for a button.
 */
import type { Messages } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import type { Phrasing } from '../contract/sentence.ts';
import { escapeMarkdown } from '../conversations/places.ts';
import { spellInvisible } from '../reply/show.ts';

const MAX_PLAIN = 160;
const MAX_CODE = 400;
const MAX_NAME = 60;
const MAX_FIELDS = 24;
/** Words and file names, without punctuation that ends a sentence and without the scheme of an address. */
const SIMPLE = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M} ,'’_/+&%-]|\.(?=[\p{L}\p{N}])){0,99}$/u;
const QUOTES = /["“”„‟«»‹›❝❞]/g;

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : String(JSON.stringify(value));

function cut(text: string, max: number): string {
  const chars = [...text];
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}

const valueLine = (value: unknown, max: number): string =>
  cut(
    spellInvisible(
      valueText(value)
        .slice(0, max * 8)
        .toWellFormed()
        .trim()
        .replace(/[\t\n ]+/g, ' '),
    ),
    max,
  );

export const isSimple = (value: string): boolean => SIMPLE.test(value);

export function plainValue(value: unknown, max = MAX_PLAIN): string {
  const line = valueLine(value, max);
  // Platforms turn text that looks like an address into a link.
  if (line.includes('://')) return `“${code(line.replace(QUOTES, "'"), max)}”`;
  return SIMPLE.test(line) ? escapeMarkdown(line) : `“${escapeMarkdown(line.replace(QUOTES, "'"))}”`;
}

/** Nothing in the value closes the code span, and no platform finds a link, a mention or formatting in it. */
function code(value: unknown, max = MAX_CODE): string {
  return `\`${valueLine(value, max).replaceAll('`', "'")}\``;
}

export const phrasingIn = (messages: Messages): Phrasing => ({ messages, plain: plainValue, code });

/** Nested fields are `outer.inner`. */
export function argumentFields(input: Json): [name: string, value: string][] {
  const found: [string, string][] = [];
  const walk = (name: string, value: Json, depth: number): void => {
    if (found.length > MAX_FIELDS) return;
    const isList = Array.isArray(value);
    const isFlat = isList && value.every((item) => typeof item !== 'object' || item === null);
    if (typeof value !== 'object' || value === null || isFlat || depth > 4)
      found.push([name, isFlat ? value.map(valueText).join(', ') : valueText(value)]);
    else if (isList) for (const [index, item] of value.entries()) walk(`${name}.${index + 1}`, item, depth + 1);
    else for (const [key, item] of Object.entries(value)) walk(name === '' ? key : `${name}.${key}`, item, depth + 1);
  };
  walk('', input, 0);
  return found.filter(([name]) => name !== '');
}

export function fieldList(input: Json, max = MAX_PLAIN): string {
  const fields = argumentFields(input);
  const lines = fields
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => `- ${escapeMarkdown(valueLine(name, MAX_NAME))}: ${plainValue(value, max)}`);
  return [...lines, ...(fields.length > MAX_FIELDS ? ['- …'] : [])].join('\n');
}
