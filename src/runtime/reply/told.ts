/**
 * Whether a model only repeats what it was told: what a person, a file or a tool has written is never taken for the model's own word,
 * however it is put into another text. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import type { Json, SessionEntry } from '../../workspace/types.ts';

const NAMED = /memory_suggestion|decision/i;
/** An answer with a block that must be the model's own. */
export const HAS_OWN_BLOCK = /<\/(?:memory_suggestion|decision)\b/i;

/** Without what changes when a text is put into another one. */
export const squeeze = (text: string): string => text.replace(/[\s\\]+/g, '');

export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || depth > 10) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1));
}

/** Also without the marks of quotations, and with the letters for which a page writes entities. */
const unquoted = (text: string): string =>
  squeeze(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('>', '').toLowerCase();

/** Far more than an answer that means them has; what comes after them is taken for repeated. */
const MAX_LOOKS = 100;

/** Whether some text stands in what was told. */
export function toldIn(told: readonly string[]): (text: string) => boolean {
  const all = told.map(unquoted);
  let looks = 0;
  return (text) => {
    if (++looks > MAX_LOOKS) return true;
    const sought = unquoted(text);
    return all.some((one) => one.includes(sought));
  };
}

/** Whether people, files or tools have said a text in these entries of a session. */
export const saidIn = (entries: readonly SessionEntry[]): ((text: string) => boolean) =>
  toldIn(entries.flatMap(wordsIn).filter((text) => NAMED.test(text)));

function wordsIn(entry: SessionEntry): string[] {
  if (entry.type === 'message') return [entry.text, ...(entry.before ?? []).map(({ text }) => text)];
  return entry.type === 'step' ? textsIn(entry.messages.flatMap(resultsOf)) : [];
}

/** What tools gave; what the model itself has said is its own. */
function resultsOf(message: Json): Json[] {
  if (!isRecord(message) || !Array.isArray(message.content)) return [];
  return message.content.flatMap((part) =>
    isRecord(part) && part.type === 'tool-result' ? [part.output as Json] : [],
  );
}
