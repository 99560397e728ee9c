/**
 * Converts the arguments of a server's tool to a schema that every provider accepts. One refused schema costs the whole
 * request, so the parts that a provider refuses (alternatives at the top, lists without items, older and other
 * dialects, unusual names) are expressed differently, at worst more loosely: the server checks its input in any case.
 * Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../lib/json.ts';
import { CHOICES, explainedBy, merged, separated, textsOf } from './alternatives.ts';
import { withKind } from './kinds.ts';
import { ArgumentNames } from './names.ts';
import { cutNesting } from './nesting.ts';
import { References } from './references.ts';

type Schema = Record<string, unknown>;

export interface FittedSchema {
  schema: Schema;
  /** Returns the arguments with the server's own names. */
  original(given: Record<string, unknown>): Record<string, unknown>;
}

const MAX_DEPTH = 30;
const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
/** Names of types in other languages and dialects. */
const OTHER_TYPES = byWord({
  string: 'str text date datetime file',
  integer: 'int int32 int64 long',
  number: 'float double',
  boolean: 'bool',
  array: 'list tuple',
  object: 'dict map',
  null: 'none',
});
/** Keywords whose value has one type; a value of another type is dropped. */
const KINDS = byWord({
  text: 'description title format $comment',
  list: 'examples',
  number: 'minimum maximum multipleOf exclusiveMinimum exclusiveMaximum',
  boolean: 'uniqueItems deprecated',
  count: 'minLength maxLength minItems maxItems minProperties maxProperties',
  pattern: 'pattern',
});
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: isText,
  list: Array.isArray,
  number: isNumber,
  boolean: isBoolean,
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  pattern: isPattern,
};
/** Keywords that name the dialect or belong to other dialects; definitions are collected anew. */
const DROPPED = new Set(
  '$schema $id id $anchor $dynamicAnchor $dynamicRef $vocabulary $ref $defs definitions nullable dependentSchemas'.split(
    ' ',
  ),
);
/** Keywords that would refuse more than before once the schemas beside them, or within, are looser. */
const STRICTER = new Set(['unevaluatedProperties', 'unevaluatedItems', 'maxContains']);
/** Keywords whose schema refuses what follows it: they are left out unless it stays as it is. */
const REFUSING = new Set(['not', 'if']);
const OBJECTS = new Set(['properties', 'patternProperties']);
const INNER = new Set(['then', 'else', 'contains', 'propertyNames']);
/** Keywords whose value is data. Objects in unknown ones may be schemas, whose references wouldn't be moved. */
const DATA = new Set(['default', 'const', 'dependentRequired']);
/** Providers refuse these at the top. */
const NOT_AT_TOP = ['type', ...CHOICES, ...'not if then else enum const $ref'.split(' ')];

/** Returns undefined for a schema that doesn't describe named arguments. */
export function fitSchema(given: Schema): FittedSchema | undefined {
  const { type } = given;
  if (type !== undefined && type !== null && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    return undefined;
  const references = new References(cutNesting(given));
  const { whole, needed } = merged(references.root, references, true);
  for (const key of NOT_AT_TOP) delete whole[key];
  const names = new ArgumentNames(references.root);
  const fit: Fit = { references, names };
  const top: Schema = { type: 'object', properties: {}, ...fitPart(whole, fit, 0) };
  const schema: Schema = {
    ...top,
    ...explainedBy(top, needed, (key) => names.nameOf(key)),
    ...references.definitions((target) => fitTyped(target, fit, 1)),
  };
  return { schema, original: (input) => names.original(input, schema) };
}

interface Fit {
  references: References;
  names: ArgumentNames;
}

/** Fits a schema of a value, which must have a type. */
const fitTyped = (given: unknown, fit: Fit, depth: number): Schema => withKind(fitPart(given, fit, depth));

function fitPart(part: unknown, fit: Fit, depth: number): Schema {
  if (!isRecord(part) || depth > MAX_DEPTH) return {};
  const given = separated(part, fit.references);
  // Providers refuse other keywords beside a reference.
  if (isText(given.$ref)) return { ...fit.references.movedReference(given), ...describedBy(given) };
  const fitted: Schema = {};
  for (const [key, value] of Object.entries(oldWays(given))) {
    if (DROPPED.has(key) || STRICTER.has(key)) continue;
    if (OBJECTS.has(key)) {
      if (isRecord(value))
        fitted[key] = Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, fitTyped(one, fit, depth + 1)]),
        );
    } else if (key === 'items' || key === 'prefixItems') fitted.items = itemsOf(given, fit, depth);
    else if (INNER.has(key)) {
      if (isRecord(value)) fitted[key] = fitPart(value, fit, depth + 1);
    } else if (REFUSING.has(key)) {
      if (staysAsItIs(value, fit, depth + 1)) fitted[key] = value;
    } else if (isChoice(key)) {
      if (Array.isArray(value) && value.length > 0) fitted[key] = value.map((one) => fitTyped(one, fit, depth + 1));
    } else if (key === 'additionalProperties') {
      if (isBoolean(value)) fitted[key] = value;
      else if (isRecord(value)) fitted[key] = fitPart(value, fit, depth + 1);
    } else if (key === 'type') {
      const type = typeOf(value);
      if (type !== undefined) fitted.type = type;
    } else if (key === 'enum') {
      if (Array.isArray(value) && value.length > 0) fitted.enum = distinctValues(value);
    } else if (key !== 'additionalItems' && key !== 'required' && isFitting(key, value)) fitted[key] = value;
  }
  if (fitted.if === undefined) for (const key of ['then', 'else']) delete fitted[key];
  const required = requiredIn(given, fitted.properties);
  return fit.names.fitted(required.length > 0 ? { ...fitted, required } : fitted);
}

/** Converts keywords of drafts 3 and 4 and of OpenAPI. */
function oldWays(given: Schema): Schema {
  const schema = { ...given };
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[exclusive] === true && isNumber(schema[limit])) {
      schema[exclusive] = schema[limit];
      delete schema[limit];
    }
  }
  if (schema.nullable === true && isText(schema.type)) schema.type = [schema.type, 'null'];
  return schema;
}

/** Returns whether a schema keeps its meaning; what a reference leads to may not. */
const staysAsItIs = (given: unknown, fit: Fit, depth: number): boolean =>
  isRecord(given) && !JSON.stringify(given).includes('"$ref"') && isDeepStrictEqual(fitPart(given, fit, depth), given);

/** Converts a list with types by position to one of any of these types: not all providers support positions. */
function itemsOf({ items, prefixItems, additionalItems }: Schema, fit: Fit, depth: number): Schema {
  const places = [prefixItems, items].find(Array.isArray);
  if (places === undefined) return fittedItem(items, fit, depth);
  const rest = items === places ? additionalItems : items;
  if (items === true) return {};
  const kinds = distinctValues(
    [...places, ...(isRecord(rest) ? [rest] : [])].map((one) => fittedItem(one, fit, depth)),
  );
  if (kinds.length === 1) return kinds[0] ?? {};
  return kinds.length > 1 && kinds.every((kind) => Object.keys(kind).length > 0) ? { anyOf: kinds } : {};
}

/** Returns an empty schema for anything: a list of anything gets its items with its type. */
function fittedItem(value: unknown, fit: Fit, depth: number): Schema {
  const item = fitPart(value, fit, depth + 1);
  return Object.keys(item).length === 0 ? item : withKind(item);
}

/** Returns the required names that exist, once each; draft 3 marks them at the argument. */
function requiredIn({ required, properties }: Schema, fitted: unknown): string[] {
  const old = isRecord(properties)
    ? Object.entries(properties).flatMap(([key, one]) => (isRecord(one) && one.required === true ? [key] : []))
    : [];
  const there = isRecord(fitted) ? new Set(Object.keys(fitted)) : undefined;
  return [...new Set([...textsOf(required), ...old])].filter((key) => there?.has(key) === true);
}

function typeOf(value: unknown): string | string[] | undefined {
  const types = [value]
    .flat()
    .map((one) => (isText(one) ? (OTHER_TYPES.get(one.toLowerCase()) ?? one.toLowerCase()) : ''));
  // An unknown type, such as `any`, may be wider than those beside it.
  if (!types.every((type) => TYPES.has(type))) return undefined;
  const all = [...new Set(types)];
  return Array.isArray(value) && all.length > 1 ? all : all[0];
}

const describedBy = ({ description }: Schema): Schema => (isText(description) ? { description } : {});

const distinctValues = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

const isChoice = (key: string): boolean => CHOICES.some((choice) => choice === key);

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}
function isFitting(key: string, value: unknown): boolean {
  const kind = KINDS.get(key);
  if (kind !== undefined) return FITS[kind]?.(value) === true;
  return DATA.has(key) || !(isRecord(value) || (Array.isArray(value) && value.some(isRecord)));
}
function isPattern(value: unknown): boolean {
  if (!isText(value)) return false;
  try {
    return new RegExp(value, 'u') !== undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Inverts a table of words, separated by spaces. */
function byWord(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind])));
}
