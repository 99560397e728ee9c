/**
 * Whatever a server's schema is: what a model fills in after the fitted schema, the server accepts under its own names;
 * and what the server accepts, the fitted schema accepts too.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitSchema } from '../../../src/features/mcp/schema.ts';
import { wrongSchema } from '../../emulators/llm/schemas.ts';

type Schema = Record<string, unknown>;

/** Several of them would get the same name. */
const NAMES = ['a b', 'a_b', 'a-b', 'a b ', '@type', '$type', '_type', '$ref', '@id', '_id', 'properties', ''];
const DEFINITIONS = ['D', 'd e'];

const leaf: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  { type: 'string' },
  { type: 'integer' },
  { type: 'boolean' },
  { const: 'x' },
  { enum: ['y', 3] },
);

function objectOf(inner: fc.Arbitrary<Schema>, names: readonly string[] = NAMES): fc.Arbitrary<Schema> {
  return fc
    .tuple(fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: 3 }), fc.boolean())
    .map(([properties, needsAll]) => ({
      type: 'object',
      properties,
      ...(needsAll && { required: Object.keys(properties) }),
    }));
}

/** The branches of what inherits name different things, so that a value can follow both. */
function inheriting(inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const half = (rest: number) =>
    objectOf(
      inner,
      NAMES.filter((_name, index) => index % 2 === rest),
    );
  return fc.tuple(half(0), half(1)).map((allOf) => ({ allOf }));
}

/** An alternative that an argument names, as a library writes it for a union. */
function discriminated(one: Schema, index: number): Schema {
  const { properties, required = [] } = one;
  return {
    ...one,
    properties: { ...(properties as Schema), action: { type: 'string', const: `action ${index}` } },
    required: [...(required as string[]), 'action'],
  };
}

function schemaOf(depth: number): fc.Arbitrary<Schema> {
  if (depth === 0) return leaf;
  const inner = schemaOf(depth - 1);
  return fc.oneof(
    leaf,
    objectOf(inner),
    fc.tuple(objectOf(inner), fc.oneof(fc.constant(false), inner)).map(([one, more]) => ({
      ...one,
      additionalProperties: more,
    })),
    inner.map((one) => ({ type: 'object', patternProperties: { '^k': one } })),
    inner.map((items) => ({ type: 'array', items })),
    inheriting(inner),
    fc.tuple(objectOf(inner), objectOf(inner)).map((some) => ({ type: 'object', oneOf: some.map(discriminated) })),
    fc.array(inner, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.constantFrom(...DEFINITIONS).map((name) => ({ $ref: `#/$defs/${name}` })),
  );
}

const whole = fc
  .tuple(fc.oneof(objectOf(schemaOf(3)), inheriting(schemaOf(3))), fc.tuple(schemaOf(2), objectOf(leaf)))
  .map(([one, [first, second]]): Schema => {
    // The first definition may lead to the second one, not to itself.
    const text = JSON.stringify(first).replaceAll('$defs/D', '$defs/d e');
    return { ...one, $defs: { D: JSON.parse(text), 'd e': second } };
  });

/** Fills in a schema as a model would. */
class Model {
  readonly #root: Schema;
  readonly #choices: readonly number[];
  #at = 0;

  constructor(root: Schema, choices: readonly number[]) {
    this.#root = root;
    this.#choices = choices;
  }

  fill(schema: Schema): unknown {
    const { $ref, anyOf, allOf, type, items } = schema;
    const definitions = (this.#root.$defs ?? {}) as Record<string, Schema>;
    if (typeof $ref === 'string') return this.fill(definitions[$ref.slice('#/$defs/'.length)] ?? {});
    if (Array.isArray(anyOf)) return this.fill(this.#one(anyOf));
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return this.#one(schema.enum);
    if (type === 'array') return [this.fill(items as Schema), this.fill(items as Schema)];
    if (type !== 'object') return type === 'string' ? 'text' : type === 'integer' ? 7 : true;
    const { properties = {}, required = [], additionalProperties, patternProperties = {} } = schema;
    const own = Object.entries(properties as Record<string, Schema>)
      .filter(([name]) => (required as string[]).includes(name) || this.#one([true, true, false]))
      .map(([name, one]): [string, unknown] => [name, this.fill(one)]);
    const named = Object.values(patternProperties as Record<string, Schema>).map((one): [string, unknown] => [
      'k1',
      this.fill(one),
    ]);
    const more = typeof additionalProperties === 'object' ? [['more', this.fill(additionalProperties as Schema)]] : [];
    const inherited = Array.isArray(allOf) ? allOf.map((one) => this.fill(one) as object) : [];
    return Object.assign({}, ...inherited, Object.fromEntries([...own, ...named, ...more]));
  }

  #one<T>(some: readonly T[]): T {
    const choice = this.#choices[this.#at++ % this.#choices.length] ?? 0;
    return some[choice % some.length] as T;
  }
}

test('a server gets arguments that it accepts', () => {
  fc.assert(
    fc.property(whole, fc.array(fc.nat(11), { minLength: 7, maxLength: 20 }), (given, choices) => {
      const fitted = fitSchema(given);
      expect(fitted).toBeDefined();
      if (!fitted) return;
      expect(wrongSchema(fitted.schema)).toBeUndefined();
      const filled = new Model(fitted.schema, choices).fill(fitted.schema) as Schema;
      const sent = fitted.original(filled);
      const accepts = new Ajv2020({ strict: false, allErrors: true }).compile(given);
      expect(accepts(sent) ? [] : [accepts.errors, filled, sent, fitted.schema]).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

/** Schemas whose refusals and conditions no provider takes as they are. */
function refusing(depth: number): fc.Arbitrary<Schema> {
  if (depth === 0) return fc.constantFrom<Schema>({ type: 'string' }, { type: 'integer' }, { type: 'boolean' });
  const inner = refusing(depth - 1);
  const properties = fc.dictionary(fc.constantFrom('a', 'b'), inner, { maxKeys: 2 });
  const required = fc.subarray(['a', 'b']);
  const partly = fc.oneof(
    inner,
    fc.record({ required }),
    fc.record({ properties }),
    fc.record({ properties, required }),
    fc.boolean(),
  );
  const object = fc.record(
    {
      properties,
      required,
      not: partly,
      if: partly,
      else: partly,
      additionalProperties: fc.oneof(fc.boolean(), inner),
      unevaluatedProperties: fc.boolean(),
      dependentSchemas: fc.record({ a: inner }),
      allOf: fc.array(fc.record({ properties, required }), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  const list = fc.record(
    {
      prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
      items: fc.oneof(fc.boolean(), inner),
      unevaluatedItems: fc.boolean(),
    },
    // Without items, the types by position count for all of them: stricter than the server, and closer to what it means.
    { requiredKeys: ['items'] },
  );
  return fc.oneof(
    refusing(0),
    object.map((one) => ({ ...one, type: 'object' })),
    list.map((one) => ({ ...one, type: 'array' })),
  );
}

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>('x', 1, true),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 2 }),
    fc.array(fc.oneof(fc.constantFrom<unknown>('x', 1, true)), { maxLength: 3 }),
  ),
})).value;

const isObject = (value: unknown): boolean => typeof value === 'object';

test('a fitted schema refuses nothing that the server accepts', () => {
  fc.assert(
    fc.property(refusing(2), fc.array(values.filter(isObject), { minLength: 20, maxLength: 20 }), (inner, given) => {
      const whole = { type: 'object', properties: { x: inner } };
      const fitted = fitSchema(whole)?.schema ?? {};
      const ajv = new Ajv2020({ strict: false });
      const [accepts, isFilled] = [ajv.compile(whole), ajv.compile(fitted)];
      expect(given.filter((x) => accepts({ x }) && !isFilled({ x })).map((x) => [x, fitted])).toEqual([]);
    }),
    { numRuns: 250 },
  );
});
