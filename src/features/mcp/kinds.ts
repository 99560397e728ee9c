/**
 * Gives every schema a type: Moonshot refuses an argument without one, also beside an enumeration
 * (https://github.com/MoonshotAI/walle/blob/main/docs/mfjs-walle-vs-draft-2020-12.md). Pure.
 */

type Schema = Record<string, unknown>;

const NO_LIST: Schema = { type: ['string', 'number', 'boolean', 'object', 'null'] };
/** Lists end somewhere, since each of them needs items with a type. */
const ANY_ITEM: Schema = { type: ['string', 'number', 'boolean', 'object', 'array', 'null'], items: NO_LIST };
const ANY: Schema = { ...ANY_ITEM, items: ANY_ITEM };

/** Keywords that only one type has. */
const KEYWORDS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** Returns the schema with the type that its values or its other keywords mean; else it accepts anything. */
export function withKind(schema: Schema): Schema {
  const named = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => key in schema)
    ? schema
    : { ...schema, ...impliedType(schema) };
  // Applies also if a list is one of several types.
  if (![named.type].flat().includes('array')) return named;
  const { items } = named;
  const isEmpty = typeof items !== 'object' || items === null || Object.keys(items).length === 0;
  return isEmpty ? { ...named, items: ANY_ITEM } : named;
}

function impliedType(schema: Schema): Schema {
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  const types = [...new Set(values.map(typeOfValue))];
  if (types.length > 0) return { type: types.length === 1 ? types[0] : types };
  const [type] = KEYWORDS.find(([, keywords]) => keywords.some((key) => key in schema)) ?? [];
  return type === undefined ? ANY : { type };
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
