/**
 * Converts the arguments of a server's tool to a schema that every provider accepts. One refused schema costs the whole
 * request, so the parts that a provider refuses (alternatives at the top, lists without items, older and other
 * dialects, unusual names) are expressed differently, at worst more loosely: the server checks its input in any case.
 * Pure.
 */
import { isRecord } from '../../lib/json.ts';
import { cutNesting } from './nesting.ts';
import { ACCEPTED_NAME, References, unusedName } from './references.ts';

type Schema = Record<string, unknown>;

export interface FittedSchema {
  schema: Schema;
  /** Returns the arguments with the server's own names. */
  original(given: Record<string, unknown>): Record<string, unknown>;
}

const MAX_DEPTH = 30;
/** The most alternatives at the top that are followed: they may reference each other in circles. */
const MAX_BRANCHES = 100;
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
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;
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
  '$schema $id id $anchor $dynamicAnchor $dynamicRef $vocabulary $ref $defs definitions nullable'.split(' '),
);
const OBJECTS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const INNER = new Set(['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems']);
/** Keywords whose value is data. Objects in unknown ones may be schemas, whose references wouldn't be moved. */
const DATA = new Set(['default', 'const', 'dependentRequired']);
/** Providers refuse these at the top. */
const NOT_AT_TOP = ['type', ...CHOICES, ...'not if then else enum const dependentSchemas $ref'.split(' ')];

/** Returns undefined for a schema that doesn't describe named arguments. */
export function fitSchema(given: Schema): FittedSchema | undefined {
  const { type } = given;
  if (type !== undefined && type !== null && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    return undefined;
  const references = new References(cutNesting(given));
  const { whole, needed } = merged(references.root, references, { left: MAX_BRANCHES });
  for (const key of NOT_AT_TOP) delete whole[key];
  const top: Schema = { type: 'object', ...fitPart(whole, references, 0) };
  const properties = isRecord(top.properties) ? top.properties : {};
  const names = argumentNames(Object.keys(properties));
  const nameOf = (key: string) => names.get(key) ?? key;
  const schema: Schema = {
    ...top,
    properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [nameOf(key), value])),
    ...(Array.isArray(top.required) && { required: top.required.map(nameOf) }),
    ...explainedBy(top, needed, nameOf),
    ...references.definitions((target) => fitPart(target, references, 1)),
  };
  const byName = new Map([...names].map(([key, name]) => [name, key]));
  const isRenamed = [...names].some(([key, name]) => key !== name);
  const original = (input: Record<string, unknown>) =>
    isRenamed
      ? Object.fromEntries(Object.entries(input).map(([name, value]) => [byName.get(name) ?? name, value]))
      : input;
  return { schema, original };
}

/** Adds to the description which sets of arguments the alternatives at the top need. */
function explainedBy({ description }: Schema, needed: readonly string[][][], nameOf: (key: string) => string): Schema {
  const hints = needed.map((sets) => `Needed: ${sets.map((keys) => keys.map(nameOf).join(' and ')).join(', or ')}.`);
  if (hints.length === 0) return {};
  const texts = [description, ...hints].filter((text) => isText(text) && text !== '');
  return { description: texts.join(' ').slice(0, 1_000) };
}

interface MergedArguments {
  whole: Schema;
  /** The sets of arguments of which one is needed, for each kind of alternatives. */
  needed: string[][][];
}

/** Merges alternatives at the top into one set of arguments: an argument that all of them require is required. */
function merged(top: Schema, references: References, branches: { left: number }): MergedArguments {
  const { $ref: _ref, ...own } = top;
  let whole: Schema = { ...references.target(top), ...own };
  const needed: string[][][] = [];
  for (const choice of CHOICES) {
    const { [choice]: given, ...rest } = whole;
    if (!Array.isArray(given)) continue;
    const within = given
      .filter((one): one is Schema => isRecord(one) && branches.left-- > 0)
      .map((one) => merged(one, references, branches).whole);
    const properties = Object.assign({}, ...within.map((one) => one.properties).filter(isRecord));
    const required = within.map((one) => textsOf(one.required));
    const inAll =
      choice === 'allOf'
        ? required.flat()
        : (required[0] ?? []).filter((key) => required.every((keys) => keys.includes(key)));
    const sets = choice === 'allOf' ? [] : required.filter((keys) => keys.length > inAll.length);
    if (sets.length > 1) needed.push(sets);
    whole = {
      ...rest,
      properties: { ...properties, ...(isRecord(rest.properties) ? rest.properties : {}) },
      required: [...textsOf(rest.required), ...inAll],
    };
  }
  return { whole, needed };
}

function fitPart(given: unknown, references: References, depth: number): Schema {
  if (!isRecord(given) || depth > MAX_DEPTH) return {};
  // Providers refuse other keywords beside a reference.
  if (isText(given.$ref)) return { ...references.movedReference(given), ...describedBy(given) };
  const fitted: Schema = {};
  for (const [key, value] of Object.entries(oldWays(given))) {
    if (DROPPED.has(key)) continue;
    if (OBJECTS.has(key)) {
      if (isRecord(value))
        fitted[key] = Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, fitPart(one, references, depth + 1)]),
        );
    } else if (key === 'items') fitted.items = itemsOf(value, references, depth);
    else if (INNER.has(key)) fitted[key] = fitPart(value, references, depth + 1);
    else if (isChoice(key)) {
      if (Array.isArray(value) && value.length > 0)
        fitted[key] = value.map((one) => fitPart(one, references, depth + 1));
    } else if (key === 'additionalProperties' || key === 'additionalItems' || key === 'unevaluatedProperties') {
      if (key !== 'additionalItems' && isBoolean(value)) fitted[key] = value;
      else if (key === 'additionalProperties' && isRecord(value)) fitted[key] = fitPart(value, references, depth + 1);
    } else if (key === 'type') {
      const type = typeOf(value);
      if (type !== undefined) fitted.type = type;
    } else if (key === 'enum') {
      if (Array.isArray(value) && value.length > 0) fitted.enum = distinctValues(value);
    } else if (key !== 'prefixItems' && key !== 'required' && isFitting(key, value)) fitted[key] = value;
  }
  if (Array.isArray(given.prefixItems) && fitted.items === undefined)
    fitted.items = itemsOf(given.prefixItems, references, depth);
  // Applies also if a list is one of several types.
  if ([fitted.type].flat().includes('array')) fitted.items ??= {};
  const required = requiredIn(given, fitted.properties);
  return required.length > 0 ? { ...fitted, required } : fitted;
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

/** Converts a list with types by position to one of any of these types: not all providers support positions. */
function itemsOf(value: unknown, references: References, depth: number): Schema {
  if (!Array.isArray(value)) return fitPart(value, references, depth + 1);
  const kinds = distinctValues(value.map((one) => fitPart(one, references, depth + 1)));
  if (kinds.length === 1) return kinds[0] ?? {};
  return kinds.length > 1 && kinds.every((kind) => Object.keys(kind).length > 0) ? { anyOf: kinds } : {};
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
  const types = [value].flat().flatMap((one) => {
    const known = isText(one) ? (OTHER_TYPES.get(one.toLowerCase()) ?? one.toLowerCase()) : '';
    return TYPES.has(known) ? [known] : [];
  });
  const all = [...new Set(types)];
  return Array.isArray(value) && all.length > 1 ? all : all[0];
}

const describedBy = ({ description }: Schema): Schema => (isText(description) ? { description } : {});

/** Gives each argument a name that providers accept. */
function argumentNames(keys: readonly string[]): Map<string, string> {
  const taken = new Set(keys.filter((key) => ACCEPTED_NAME.test(key)));
  return new Map(keys.map((key) => [key, ACCEPTED_NAME.test(key) ? key : unusedName(key, taken)]));
}

const distinctValues = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isText) : []);
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
