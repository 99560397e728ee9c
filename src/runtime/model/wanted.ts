/**
 * Converts the arguments of a call to the form that the tool expects: models write a list or an object as text
 * (`"steps": "[…]"`), a number in quotes, or all arguments as one text. Only values that cannot be right unchanged are
 * converted. Pure.
 */
import { isRecord, parseJson } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import { Cursor, readValue } from '../reply/call-values.ts';

type Kind = 'string' | 'array' | 'object' | 'number' | 'boolean' | 'null';

const MAX_DEPTH = 8;

/** Returns a model's arguments in the form that `schema` expects; undefined if they aren't JSON. */
export function wantedText(input: string, schema: unknown): string | undefined {
  const given = parseJson(input);
  return given === undefined ? undefined : JSON.stringify(asWanted(given as Json, schema));
}

export function asWanted(input: Json, schema: unknown): Json {
  return coerceValue(input, schema, schema, 0);
}

function coerceValue(value: Json, given: unknown, root: unknown, depth: number): Json {
  const schema = resolved(given, root);
  if (depth > MAX_DEPTH || schema === undefined) return value;
  const kinds = kindsOf(schema, root, 0);
  if (kinds === undefined) return value;
  const meant = typeof value === 'string' && !kinds.has('string') ? (readSpelledValue(value, kinds) ?? value) : value;
  if (Array.isArray(meant)) {
    const items = schemaForKind(schema, 'array', root)?.items;
    return items === undefined ? meant : meant.map((item) => coerceValue(item, items, root, depth + 1));
  }
  if (!isRecord(meant)) return meant;
  const properties = schemaForKind(schema, 'object', root)?.properties;
  if (!isRecord(properties)) return meant;
  const entries = Object.entries(meant).map(([key, one]): [string, Json] => [
    key,
    Object.hasOwn(properties, key) ? coerceValue(one, properties[key], root, depth + 1) : one,
  ]);
  return Object.fromEntries(entries);
}

/** Returns the value that a text spells, if it has an expected kind. */
function readSpelledValue(text: string, kinds: ReadonlySet<Kind>): Json | undefined {
  if (text.includes('__proto__')) return undefined;
  const cursor = new Cursor(text.trim());
  const value = readValue(cursor);
  if (!cursor.isAtEnd || value === undefined) return undefined;
  return kinds.has(kindOfValue(value)) ? value : undefined;
}

function kindOfValue(value: Json): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

function resolved(schema: unknown, root: unknown): Record<string, unknown> | undefined {
  let current = schema;
  for (let n = 0; n < MAX_DEPTH && isRecord(current) && typeof current.$ref === 'string'; n += 1) {
    const [start, ...steps] = current.$ref.split('/');
    if (start !== '#') return undefined;
    current = steps.reduce<unknown>((one, step) => (isRecord(one) ? one[step] : undefined), root);
  }
  return isRecord(current) ? current : undefined;
}

const choicesOf = ({ anyOf, oneOf }: Record<string, unknown>): unknown[] | undefined => {
  const choices = anyOf ?? oneOf;
  return Array.isArray(choices) ? choices : undefined;
};

/** Returns the kinds that a schema accepts; undefined if it doesn't say. */
function kindsOf(schema: Record<string, unknown>, root: unknown, depth: number): Set<Kind> | undefined {
  const choices = choicesOf(schema);
  if (choices) {
    const kinds = choices.map((choice) => {
      const one = resolved(choice, root);
      return one && depth < MAX_DEPTH ? kindsOf(one, root, depth + 1) : undefined;
    });
    return kinds.includes(undefined) ? undefined : new Set(kinds.flatMap((one) => [...(one ?? [])]));
  }
  if ('const' in schema) return new Set([kindOfValue(schema.const as Json)]);
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map((one) => kindOfValue(one as Json)));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const known = types.map((type) => KINDS[String(type)]);
  return known.includes(undefined) ? undefined : new Set(known as Kind[]);
}

const KINDS: Readonly<Record<string, Kind>> = {
  string: 'string',
  array: 'array',
  object: 'object',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Returns the schema for a list or an object: the schema itself, or the only choice that fits. */
function schemaForKind(
  schema: Record<string, unknown>,
  kind: Kind,
  root: unknown,
): Record<string, unknown> | undefined {
  const choices = choicesOf(schema);
  if (!choices) return schema;
  const fitting = choices
    .map((choice) => resolved(choice, root))
    .filter((one) => one && kindsOf(one, root, 0)?.has(kind));
  return fitting.length === 1 ? fitting[0] : undefined;
}
