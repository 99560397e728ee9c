/** Refuses tools' arguments as real endpoints do: the refusals of OpenAI, Anthropic, Google and Moonshot together. */

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const TOP = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const WITHIN = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'enum', 'required', 'examples'];

/** Moonshot wants one of them in every schema of a value. */
const KINDS = ['type', 'anyOf', 'oneOf', 'allOf', '$ref'];

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the first problem; undefined if there is none. */
export function wrongSchema(schema: unknown): string | undefined {
  if (!isValues(schema) || schema.type !== 'object') return 'schema must be a JSON Schema of type "object"';
  const top = TOP.find((key) => key in schema);
  if (top !== undefined) return `schema does not support ${top} at the top level`;
  const odd = Object.keys(isValues(schema.properties) ? schema.properties : {}).find(
    (key) => !/^[\w.-]{1,64}$/.test(key),
  );
  if (odd !== undefined) return `property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$', got ${odd}`;
  return wrongIn(schema, schema, '#');
}

function wrongIn(schema: unknown, root: Values, at: string): string | undefined {
  if (!isValues(schema)) return `${at}: not a schema`;
  const { type, items, properties, required, pattern, $schema } = schema;
  if ('anyOf' in schema && type !== undefined)
    return `${at}: when using anyOf, type should be defined in anyOf items instead of the parent schema`;
  const types = type === undefined ? [] : [type].flat();
  if ($schema !== undefined && at !== '#') return `${at}: a dialect within`;
  if (types.some((one) => typeof one !== 'string' || !TYPES.has(one)))
    return `${at}: invalid type ${JSON.stringify(type)}`;
  if (types.includes('array') && items === undefined) return `${at}: array schema missing items`;
  if (items !== undefined && !isValues(items)) return `${at}: items must be a schema`;
  if (NUMBERS.some((key) => key in schema && typeof schema[key] !== 'number'))
    return `${at}: a limit that is no number`;
  if (COUNTS.some((key) => key in schema && !Number.isInteger(schema[key]))) return `${at}: a length that is none`;
  const list = LISTS.find((key) => key in schema && !Array.isArray(schema[key]));
  if (list !== undefined) return `${at}: ${list} is no list`;
  if (Array.isArray(required)) {
    if (new Set(required).size < required.length) return `${at}: required is not unique`;
    const unknown = required.find((key) => !isValues(properties) || !(key in properties));
    if (unknown !== undefined) return `${at}: required property ${unknown} is not defined`;
  }
  if ('$ref' in schema) {
    const wrong = wrongReference(schema, root);
    if (wrong !== undefined) return `${at}: ${wrong}`;
  }
  if (typeof pattern === 'string') new RegExp(pattern, 'u');
  const inner: [string, unknown][] = [];
  for (const key of ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
    if (key in schema) {
      if (!isValues(schema[key])) return `${at}: ${key} is none`;
      inner.push(...Object.entries(schema[key]).map(([name, one]): [string, unknown] => [`${key}/${name}`, one]));
    }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const some = schema[key];
    if (Array.isArray(some)) inner.push(...some.map((one, index): [string, unknown] => [`${key}/${index}`, one]));
  }
  for (const [key, one] of [...inner, ['items', items] as const])
    if (isValues(one) && !KINDS.some((kind) => kind in one)) return `${at}/${key}: type is not defined`;
  for (const key of WITHIN) if (isValues(schema[key])) inner.push([key, schema[key]]);
  for (const [key, one] of inner) {
    const wrong = wrongIn(one, root, `${at}/${key}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongReference(schema: Values, root: Values): string | undefined {
  const beside = Object.keys(schema).find((key) => key !== '$ref' && key !== 'description');
  if (beside !== undefined) return `when using $ref, ${beside} should be defined in the referenced schema`;
  const definitions = isValues(root.$defs) ? root.$defs : {};
  const seen = new Set<unknown>();
  for (let one: unknown = schema; isValues(one) && '$ref' in one; ) {
    const { $ref } = one;
    if (typeof $ref !== 'string') return '$ref must be a string';
    if (!$ref.startsWith('#/$defs/')) return `references must start with #/$defs/, got ${$ref}`;
    if (seen.has($ref)) return `${$ref} leads only to itself`;
    seen.add($ref);
    one = definitions[$ref.slice('#/$defs/'.length)];
    if (one === undefined) return `$defs not found for reference: ${$ref}`;
  }
  return undefined;
}
