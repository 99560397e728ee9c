/**
 * Detects text that a model only repeats: what a person, a file or a tool wrote never counts as the model's own words,
 * however it is embedded in another text. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import type { Json, SessionEntry } from '../../workspace/types.ts';
import { perElements } from './reply.ts';

const named = perElements((names) => new RegExp(names, 'i'));
/** Returns a pattern for an answer with a block that must be the model's own. */
export const ownBlock = perElements((names) => new RegExp(`</(?:${names})\\b`, 'i'));

/** Removes the characters that change when a text is embedded in another one. */
export const squeeze = (text: string): string => text.replace(/[\s\\]+/g, '');

export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || depth > 10) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1));
}

/** Normalises a text further: also removes quotation marks of Markdown and decodes HTML entities. */
const unquoted = (text: string): string =>
  squeeze(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('>', '').toLowerCase();

/** Limit on lookups, far more than a genuine answer needs; any further text counts as repeated. */
const MAX_LOOKS = 100;

export function toldIn(told: readonly string[]): (text: string) => boolean {
  const all = told.map(unquoted);
  let looks = 0;
  return (text) => {
    if (++looks > MAX_LOOKS) return true;
    const sought = unquoted(text);
    return all.some((one) => one.includes(sought));
  };
}

/** Returns a function that checks whether people, files or tools said a text in these session entries. */
export const wasSaidIn = (entries: readonly SessionEntry[]): ((text: string) => boolean) =>
  toldIn(entries.flatMap(wordsIn).filter((text) => named().test(text)));

function wordsIn(entry: SessionEntry): string[] {
  if (entry.type === 'message') return [entry.text, ...(entry.before ?? []).map(({ text }) => text)];
  return entry.type === 'step' ? textsIn(entry.messages.flatMap(resultsOf)) : [];
}

/** Returns what tools returned; the model's own text doesn't count. */
function resultsOf(message: Json): Json[] {
  if (!isRecord(message) || !Array.isArray(message.content)) return [];
  return message.content.flatMap((part) =>
    isRecord(part) && part.type === 'tool-result' ? [part.output as Json] : [],
  );
}
