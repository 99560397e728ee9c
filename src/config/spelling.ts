/**
 * Understands keys in another style: `max_tokens`, `max-tokens` and `MaxTokens` are `maxTokens`. Only keys that the
 * schema defines are renamed, never names that people choose.
 */
import { z } from 'zod';
import { isRecord } from '../lib/json.ts';
import { say, type Wording } from '../messages/messages.ts';
import { innermost, innerOf } from './describe.ts';
import type { Data } from './parse.ts';

export interface OldSpelling {
  path: string;
  /** Its last key as it is spelled now. */
  now: string;
}

type Section = { [key: string]: Data };

/** Returns what two spellings of a key have in common. */
export const plainKey = (key: string): string => key.replace(/[_-]/g, '').toLowerCase();

/** Returns whether two keys differ in their style at most; names with spaces or dots have none. */
export const isSameKey = (a: string, b: string): boolean => plainKey(a) === plainKey(b) && !/[ .:/]/.test(a + b);

/** Returns the known key that is the same but for its style; undefined if the key is known itself, or none is. */
function currentKey(key: string, known: readonly string[]): string | undefined {
  if (known.includes(key) || /[ .]/.test(key)) return undefined;
  const same = known.filter((each) => plainKey(each) === plainKey(key));
  return same.length === 1 ? same[0] : undefined;
}

/** Returns the data with the keys of the schema. Where both spellings are set, the old one stays and is unknown. */
export function respell(schema: z.core.$ZodType, data: Section): { data: Section; old: OldSpelling[] } {
  const old: OldSpelling[] = [];
  const renamed = respelled(schema, data, [], old);
  return { data: isRecord(renamed) ? (renamed as Section) : data, old };
}

function respelled(schema: z.core.$ZodType, data: Data, path: readonly string[], old: OldSpelling[]): Data {
  const below = innerOf(schema);
  if (below !== undefined) return respelled(below, data, path, old);
  if (Array.isArray(data)) {
    if (!(schema instanceof z.ZodArray)) return data;
    return data.map((item, index) => respelled(schema.element, item, [...path, `${index}`], old));
  }
  if (typeof data !== 'object' || data === null) return data;
  if (schema instanceof z.ZodRecord)
    return mapEntries(data, ([name, item]) => [name, respelled(schema.valueType, item, [...path, name], old)]);
  if (schema instanceof z.ZodUnion) {
    const section = schema.options.find((option) => innermost(option) instanceof z.ZodObject);
    return section === undefined ? data : respelled(section, data, path, old);
  }
  if (!(schema instanceof z.ZodObject)) return data;
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const known = Object.keys(shape);
  return mapEntries(data, ([key, item]) => {
    const now = currentKey(key, known);
    const isFree = now !== undefined && !Object.hasOwn(data, now);
    if (isFree) old.push({ path: [...path, key].join('.'), now });
    const name = isFree ? now : key;
    const part = shape[name];
    return [name, part === undefined ? item : respelled(part, item, [...path, key], old)];
  });
}

const mapEntries = (data: Section, change: (entry: [string, Data]) => [string, Data]): Section =>
  Object.fromEntries(Object.entries(data).map(change));

/** Names all of them in one sentence; none for []. */
export function oldSpellings(old: readonly OldSpelling[]): Wording[] {
  if (old.length === 0) return [];
  const keys = old.map(({ path, now }) => `${path} (${now})`).join(', ');
  return [say('config.oldSpelling', { n: old.length, keys })];
}
