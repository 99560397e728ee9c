/** Joins what several schemas say about one argument. Pure. */
import { isRecord } from '../../lib/json.ts';

type Schema = Record<string, unknown>;

/** These limit nothing. */
export const NOTES = new Set(['description', 'title', 'default', 'examples', 'deprecated', '$comment']);
/** Keywords of a schema that only lists values. */
const OF_VALUES = new Set(['type', 'const', 'enum']);

/** @param join gets the different schemas of one argument, in their order */
export function joinedArguments(lists: readonly unknown[], join: (several: readonly Schema[]) => Schema): Schema {
  const found = new Map<string, Map<string, Schema>>();
  for (const list of lists) {
    for (const [name, given] of Object.entries(isRecord(list) ? list : {})) {
      const several = found.get(name) ?? new Map<string, Schema>();
      const schema = isRecord(given) ? given : {};
      found.set(name, several.set(JSON.stringify(schema), schema));
    }
  }
  return Object.fromEntries(
    [...found].map(([name, several]) => {
      const [only, ...others] = several.values();
      return [name, only && others.length === 0 ? only : join([...several.values()])];
    }),
  );
}

/** Returns a schema of values that follow one of them: one list of values if they only list values. */
export function joinAny(several: readonly Schema[]): Schema {
  if (several.some(limitsNothing)) return sharedNotes(several);
  const values = several.map(listedValues);
  if (!values.every((some) => some !== undefined)) return { anyOf: several };
  const types = new Set(several.map(({ type }) => JSON.stringify(type)));
  const [type] = types.size === 1 ? several.map((one) => one.type) : [];
  return { ...sharedNotes(several), ...(type !== undefined && { type }), enum: values.flat() };
}

/** Returns a schema of values that follow all of them; the later ones are nearer to the argument. */
export function joinAll(several: readonly Schema[]): Schema {
  const limiting = several.filter((one) => !limitsNothing(one));
  const notes = Object.assign({}, ...several.map(notesBeside));
  const keys = limiting.flatMap((one) => Object.keys(one).filter((key) => !NOTES.has(key)));
  const types = new Set(limiting.flatMap(({ type }) => (type === undefined ? [] : [JSON.stringify(type)])));
  const isApart = keys.every((key, at) => (key === 'type' ? types.size === 1 : keys.indexOf(key) === at));
  if (isApart && !keys.includes('$ref')) return Object.assign({}, ...limiting, notes);
  const [only, ...others] = limiting;
  return only && others.length === 0 ? { ...only, ...notes } : { ...notes, allOf: limiting.map(withoutNotes) };
}

const limitsNothing = (schema: Schema): boolean => Object.keys(schema).every((key) => NOTES.has(key));

const notesBeside = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => NOTES.has(key)));

const withoutNotes = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !NOTES.has(key)));

/** Returns the notes that all of them have. */
function sharedNotes(several: readonly Schema[]): Schema {
  const [first = {}] = several;
  const shared = Object.entries(notesBeside(first)).filter(([key, note]) =>
    several.every((one) => JSON.stringify(one[key]) === JSON.stringify(note)),
  );
  return Object.fromEntries(shared);
}

/** Returns the values of a schema that only lists values. */
function listedValues(schema: Schema): unknown[] | undefined {
  if (!Object.keys(schema).every((key) => OF_VALUES.has(key) || NOTES.has(key))) return undefined;
  if (Array.isArray(schema.enum)) return schema.enum;
  return 'const' in schema ? [schema.const] : undefined;
}
