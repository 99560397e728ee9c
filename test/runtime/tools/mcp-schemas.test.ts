/** The arguments of servers' tools, in the shapes that real ones have and a provider or another refuses: one of them must not cost a request. */
import { describe, expect, it } from 'vitest';
import { fitSchema } from '../../../src/features/mcp/schema.ts';
import { wrongSchema } from '../../emulators/llm/schemas.ts';

type Schema = Record<string, unknown>;
const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const A = object({ a: text }, { required: ['a'] });
const B = object({ b: text, c: { type: 'number' } }, { required: ['b', 'c'] });

const NO_LIST = { type: ['string', 'number', 'boolean', 'object', 'null'] };
const ITEMS = { type: ['string', 'number', 'boolean', 'object', 'array', 'null'], items: NO_LIST };
const ANY = { ...ITEMS, items: ITEMS };
const NOTED = { description: 'One' };

/** What it is, as the server says it, as it is offered. */
// biome-ignore format: a row is a line
const SHAPES: [string, Schema, Schema][] = [
  ['what all take', object({ a: text }, { required: ['a'], additionalProperties: false }), object({ a: text }, { required: ['a'], additionalProperties: false })],
  ['no arguments', { type: 'object' }, object({})],
  ['nothing at all', {}, object({})],
  ['no properties but null', { type: 'object', properties: null, required: null }, object({})],
  ['a type with null', { type: ['object', 'null'], properties: { a: text } }, object({ a: text })],
  ['its dialect', object({ a: text }, { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x' }), object({ a: text })],
  ['anyOf at the top', { type: 'object', anyOf: [A, B] }, { type: 'object', properties: { a: text, b: text, c: { type: 'number' } }, description: 'Needed: a, or b and c.' }],
  ['oneOf beside properties', object({ x: text }, { required: ['x'], oneOf: [{ required: ['a'] }, A] }), object({ a: text, x: text }, { required: ['x', 'a'] })],
  [
    'a discriminated union at the top',
    { type: 'object', oneOf: [object({ action: { type: 'string', const: 'create' }, name: text }, { required: ['action', 'name'], additionalProperties: false }), object({ action: { type: 'string', const: 'delete' }, id: text }, { required: ['action', 'id'] })] },
    object({ action: { ...text, enum: ['create', 'delete'] }, name: text, id: text }, { required: ['action'], description: 'Needed: action and name, or action and id.' }),
  ],
  [
    'an argument of several kinds in alternatives, and in all of them',
    { anyOf: [object({ a: { const: 1 }, b: text, c: text }), object({ a: text, b: true })], allOf: [object({ d: { minimum: 1 } }), object({ d: { maximum: 2, ...NOTED } }), object({ d: { maximum: 3 } })], properties: { c: { minLength: 1 } } },
    object({ a: { anyOf: [{ const: 1, type: 'integer' }, text] }, b: ANY, c: { ...text, minLength: 1 }, d: { ...NOTED, allOf: [{ type: 'number', minimum: 1 }, { type: 'number', maximum: 2 }, { type: 'number', maximum: 3 }] } }),
  ],
  [
    'a discriminated union within',
    object({ x: { type: 'object', oneOf: [object({ a: { const: 1 } }), { properties: { a: { const: 2 } } }], ...NOTED } }),
    object({ x: { ...NOTED, anyOf: [object({ a: { const: 1, type: 'integer' } }), object({ a: { const: 2, type: 'integer' } })] } }),
  ],
  [
    'a discriminated union within, beside arguments of all',
    object({ x: object({ a: text, b: text }, { required: ['b'], oneOf: [{ properties: { a: { const: 'p' } } }, { properties: { a: { const: 'q' } } }] }) }),
    object({ x: object({ a: { ...text, enum: ['p', 'q'] }, b: text }, { required: ['b'] }) }),
  ],
  ['a discriminated union by reference, within', object({ x: { type: 'object', oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] } }, { $defs: { A, B } }), object({ x: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] } }, { $defs: { A, B } })],
  ['allOf at the top', { allOf: [A, B] }, { type: 'object', properties: { a: text, b: text, c: { type: 'number' } }, required: ['a', 'b', 'c'] }],
  [
    'alternatives by reference',
    { type: 'object', anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }], $defs: { A } },
    { type: 'object', properties: { a: text }, required: ['a'] },
  ],
  ['a reference at the top', { $ref: '#/definitions/A', definitions: { A } }, { type: 'object', properties: { a: text }, required: ['a'] }],
  ['conditions', object({ a: text }, { if: A, else: B, not: B, enum: [1] }), object({ a: text })],
  ['a list without items', object({ a: { type: 'array', description: 'Names' } }), object({ a: { type: 'array', description: 'Names', items: ITEMS } })],
  ['a list among other types', object({ a: { type: ['string', 'array'] } }), object({ a: { type: ['string', 'array'], items: ITEMS } })],
  [
    'a list by places',
    object({ a: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], additionalItems: false } }),
    object({ a: { type: 'array', items: { type: 'number' } } }),
  ],
  [
    'a list by places of today',
    object({ a: { type: 'array', prefixItems: [text, { type: 'number' }] } }),
    object({ a: { type: 'array', items: { anyOf: [text, { type: 'number' }] } } }),
  ],
  ['a list by places that ends with them', object({ a: { type: 'array', prefixItems: [text, { type: 'number' }], items: false } }), object({ a: { type: 'array', items: { anyOf: [text, { type: 'number' }] } } })],
  ['a list by places that goes on', object({ a: { prefixItems: [text], items: A }, b: { type: 'array', items: [text], additionalItems: A }, c: { prefixItems: [text], items: true } }), object({ a: { type: 'array', items: { anyOf: [text, A] } }, b: { type: 'array', items: { anyOf: [text, A] } }, c: { type: 'array', items: ITEMS } })],
  [
    'what is refused, as far as it can be said',
    object({ a: { type: 'object', not: { required: ['a', 'b'] } }, b: { ...text, not: { const: 'x' } }, c: { ...text, not: false }, d: { ...text, not: { $ref: '#/$defs/A' } }, e: object({ 'e e': text }, { not: { properties: { 'e e': { ...text, minLength: 2 } } } }) }, { $defs: { A } }),
    object({ a: { type: 'object' }, b: { ...text, not: { const: 'x' } }, c: text, d: text, e: object({ e_e: text }) }),
  ],
  [
    'conditions within',
    object({ a: object({ a: text }, { if: { required: ['a'] }, else: false }), b: { ...text, if: { minLength: 2 }, else: { pattern: 'x' } } }),
    object({ a: object({ a: text }), b: { ...text, if: { minLength: 2 }, else: { pattern: 'x' } } }),
  ],
  ['what nothing else allows', object({ a: { type: 'object', dependentSchemas: { b: B }, unevaluatedProperties: false }, b: { type: 'array', prefixItems: [text], unevaluatedItems: false } }), object({ a: { type: 'object' }, b: { type: 'array', items: text } })],
  ['a type of any value among others', object({ a: { type: ['string', 'any'] } }), object({ a: ANY })],
  ['items of any kind', object({ a: { type: 'array', items: true } }), object({ a: { type: 'array', items: ITEMS } })],
  [
    'limits of draft 4',
    object({ a: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } }),
    object({ a: { type: 'number', exclusiveMinimum: 0, maximum: 9 } }),
  ],
  ['needs of draft 3', object({ a: { ...text, required: true }, b: { ...text, required: false } }), object({ a: text, b: text }, { required: ['a'] })],
  ['needs that are not there, or twice', object({ a: text }, { required: ['a', 'a', 'gone'] }), object({ a: text }, { required: ['a'] })],
  [
    'types of Python',
    object({ a: { type: 'str' }, b: { type: 'dict' }, c: { type: 'list' }, d: { type: 'any' }, e: { type: 'INTEGER' } }),
    object({ a: text, b: { type: 'object' }, c: { type: 'array', items: ITEMS }, d: ANY, e: { type: 'integer' } }),
  ],
  ['what may be null in OpenAPI', object({ a: { ...text, nullable: true } }), object({ a: { type: ['string', 'null'] } })],
  [
    'what may be null in Python',
    object({ a: { anyOf: [text, { type: 'null' }], default: null, title: 'A' } }),
    object({ a: { anyOf: [text, { type: 'null' }], default: null, title: 'A' } }),
  ],
  ['a reference to nowhere', object({ a: { $ref: 'https://x.example/s.json', description: 'One' }, b: { $ref: '#/$defs/Gone' } }), object({ a: { ...NOTED, ...ANY }, b: ANY })],
  [
    'a reference to itself',
    object({ a: { $ref: '#/$defs/Node' } }, { $defs: { Node: object({ next: { $ref: '#/$defs/Node' } }) } }),
    object({ a: { $ref: '#/$defs/Node' } }, { $defs: { Node: object({ next: { $ref: '#/$defs/Node' } }) } }),
  ],
  [
    'a reference to an argument whose name changes',
    object({ 'from date': text, 'to date': { $ref: '#/properties/from%20date' } }),
    object({ from_date: text, to_date: { $ref: '#/$defs/from_20date' } }, { $defs: { from_20date: text } }),
  ],
  [
    'a reference to an older place of definitions',
    object({ a: { $ref: '#/definitions/A' } }, { definitions: { A, unused: B } }),
    object({ a: { $ref: '#/$defs/A' } }, { $defs: { A } }),
  ],
  [
    'references to definitions of OpenAPI, one of which needs the other',
    object({ a: { $ref: '#/components/schemas/L' } }, { components: { schemas: { A, L: { type: 'array', items: { $ref: '#/components/schemas/A' } } } } }),
    object({ a: { $ref: '#/$defs/L' } }, { $defs: { L: { type: 'array', items: { $ref: '#/$defs/A' } }, A } }),
  ],
  [
    'a reference into alternatives, written in two ways',
    object({ a: { anyOf: [text, A] }, b: { $ref: '#/properties/a/anyOf/1' }, c: { $ref: '#/properties/%61/anyOf/1' } }),
    object({ a: { anyOf: [text, A] }, b: { $ref: '#/$defs/1' }, c: { $ref: '#/$defs/1' } }, { $defs: { 1: A } }),
  ],
  [
    'keywords beside a reference',
    object({ a: { $ref: '#/$defs/s', type: 'string', minLength: 1, description: 'One', default: 'x' } }, { $defs: { s: text } }),
    object({ a: { $ref: '#/$defs/s', description: 'One' } }, { $defs: { s: text } }),
  ],
  [
    'references with the same last step, and odd letters',
    object({ a: { $ref: '#/$defs/x~1y' }, b: { $ref: '#/$defs/x/y' }, c: { $ref: '#/$defs/100%' } }, { $defs: { 'x/y': text, x: { y: A }, '100%': B } }),
    object({ a: { $ref: '#/$defs/x_1y' }, b: { $ref: '#/$defs/y' }, c: { $ref: '#/$defs/100_' } }, { $defs: { x_1y: text, y: A, '100_': B } }),
  ],
  [
    'a reference to a reference',
    object({ a: { $ref: '#/$defs/p' }, b: { $ref: '#/$defs/self' } }, { $defs: { p: { $ref: '#/$defs/q' }, q: text, self: { $ref: '#/$defs/self' } } }),
    object({ a: { $ref: '#/$defs/p' }, b: ANY }, { $defs: { p: text } }),
  ],
  [
    'a reference to the whole',
    object({ 'a b': text, more: { type: 'array', items: { $ref: '#' } } }, { additionalProperties: false }),
    object(
      { a_b: text, more: { type: 'array', items: { $ref: '#/$defs/_' } } },
      { additionalProperties: false, $defs: { _: object({ a_b: text, more: { type: 'array', items: { $ref: '#/$defs/_' } } }, { additionalProperties: false }) } },
    ),
  ],
  ['steps that no text encodes', object({ a: { $ref: '#/$defs/%ff' }, b: { $ref: '#/__proto__' }, c: { $ref: 3 } }), object({ a: ANY, b: ANY, c: ANY })],
  [
    'references in other dialects’ keywords',
    object({ a: { type: 'object', dependencies: { b: { $ref: '#/x' } }, 'x-order': [1, 2] } }),
    object({ a: { type: 'object', 'x-order': [1, 2] } }),
  ],
  ['an argument without a name', object({ '': text, b: text }, { description: 'Some words.', required: [''] }), object({ _: text, b: text }, { description: 'Some words.', required: ['_'] })],
  ['alternatives of arguments whose names change', { anyOf: [{ required: ['$a'] }, { required: [' '] }], properties: { $a: text, ' ': text }, description: 'To do.' }, object({ _a: text, _: text }, { description: 'To do. Needed: _a, or _.' })],
  ['a property that is no schema', object({ a: true, b: null, c: 'string' }), object({ a: ANY, b: ANY, c: ANY })],
  ['a pattern of another language', object({ a: { ...text, pattern: '(?i)^[a-z]+$' } }), object({ a: text })],
  ['words that are none', object({ a: { ...text, description: null, title: 3, examples: 'x', enum: [] } }), object({ a: text })],
  ['values of one type, and of several', object({ a: { enum: [1, 2] }, b: { enum: [1, 'x', null] }, c: { const: 'x' } }), object({ a: { enum: [1, 2], type: 'integer' }, b: { enum: [1, 'x', null], type: ['integer', 'string', 'null'] }, c: { const: 'x', type: 'string' } })],
  ['types that only keywords name', object({ a: { properties: { x: text } }, b: { items: text }, c: { minLength: 1 }, d: { maximum: 3 } }), object({ a: object({ x: text }), b: { type: 'array', items: text }, c: { ...text, minLength: 1 }, d: { type: 'number', maximum: 3 } })],
  ['a type beside alternatives', object({ a: { type: 'string', anyOf: [{ minLength: 1 }, { pattern: 'x' }], ...NOTED } }), object({ a: { anyOf: [{ ...text, minLength: 1 }, { ...text, pattern: 'x' }], ...NOTED } })],
  ['types beside alternatives that have them', object({ a: { type: ['string', 'boolean'], oneOf: [text, { type: 'boolean' }] } }), object({ a: { anyOf: [text, { type: 'boolean' }] } })],
  [
    'alternatives of what is needed, within',
    object({ a: { type: 'array', items: { type: 'object', properties: { b: text, c: text }, anyOf: [{ required: ['b'] }, { required: ['c'] }] } } }),
    object({ a: { type: 'array', items: object({ b: text, c: text }, { description: 'Needed: b, or c.' }) } }),
  ],
  ['alternatives by reference beside properties', object({ a: { type: 'object', properties: { b: text }, additionalProperties: false, anyOf: [{ $ref: '#/$defs/A' }, A] } }, { $defs: { A } }), object({ a: object({ a: text, b: text }) })],
  ['one alternative, as Python writes a reference', object({ a: { allOf: [{ $ref: '#/$defs/A' }], default: {}, ...NOTED } }, { $defs: { A } }), object({ a: { $ref: '#/$defs/A', ...NOTED } }, { $defs: { A } })],
  [
    'what inherits from one, and adds to it',
    object({ x: { type: 'object', allOf: [{ $ref: '#/$defs/A' }], properties: { b: text }, required: ['b'], ...NOTED }, y: { allOf: [A], properties: { b: text }, required: ['b'] } }, { $defs: { A } }),
    object({ x: { ...NOTED, type: 'object', allOf: [{ $ref: '#/$defs/A' }, object({ b: text }, { required: ['b'] })] }, y: { type: 'object', allOf: [A, object({ b: text }, { required: ['b'] })] } }, { $defs: { A } }),
  ],
  ['what inherits, beside alternatives', object({ x: { properties: { b: text }, allOf: [{ $ref: '#/$defs/A' }], anyOf: [{ required: ['b'] }, {}] } }, { $defs: { A } }), object({ x: object({ b: text }, { allOf: [{ $ref: '#/$defs/A' }] }) }, { $defs: { A } })],
  ['alternatives that inherit', object({ x: { allOf: [{ $ref: '#/$defs/A' }], anyOf: [{ $ref: '#/$defs/B' }, B] } }, { $defs: { A, B } }), object({ x: { anyOf: [{ type: 'object', allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] }, { type: 'object', allOf: [{ $ref: '#/$defs/A' }, B] }] } }, { $defs: { A, B } })],
  ['what inherits', object({ a: { allOf: [{ $ref: '#/$defs/A' }, B] } }, { $defs: { A } }), object({ a: { type: 'object', allOf: [{ $ref: '#/$defs/A' }, B] } }, { $defs: { A } })],
  ['an argument within that is named like a reference', object({ a: object({ $ref: text, 'b c': text }, { required: ['$ref'] }) }), object({ a: object({ _ref: text, b_c: text }, { required: ['_ref'] }) })],
  ['names that depend on each other', object({ $a: text, b: text }, { dependentRequired: { $a: ['b', '$a'] }, dependentSchemas: { $a: { required: ['b'] } } }), object({ _a: text, b: text }, { dependentRequired: { _a: ['b', '_a'] } })],
  ['a choice given twice', object({ a: { enum: ['x', 'y', 'x'] } }), object({ a: { ...text, enum: ['x', 'y'] } })],
];

describe('the arguments of a tool', () => {
  it.each(SHAPES)('with %s are as all providers take them', (_what, given, expected) => {
    const fitted = fitSchema(given)?.schema;
    expect(fitted).toEqual(expected);
    expect(wrongSchema(fitted)).toBeUndefined();
  });

  it('are given to the server by its own names', () => {
    const fitted = fitSchema(
      object({ $filter: text, 'filter[name]': text, filter: text, _filter: text }, { required: ['$filter'] }),
    );
    expect(Object.keys((fitted?.schema.properties ?? {}) as Schema)).toEqual([
      '_filter_2',
      'filter_name_',
      'filter',
      '_filter',
    ]);
    expect(fitted?.schema.required).toEqual(['_filter_2']);
    expect(wrongSchema(fitted?.schema)).toBeUndefined();
    expect(fitted?.original({ _filter_2: 1, filter_name_: 2, _filter: 3, other: 4 })).toEqual({
      ...{ $filter: 1, 'filter[name]': 2, _filter: 3 },
      other: 4,
    });
  });

  it('are given to the server by its own names also within', () => {
    const inner = object({ $ref: text, 'b c': text });
    const fitted = fitSchema(
      object(
        { list: { type: 'array', items: inner }, one: { $ref: '#/$defs/One' }, some: { anyOf: [text, inner] } },
        { $defs: { One: object({ 'd e': inner }) } },
      ),
    );
    expect(wrongSchema(fitted?.schema)).toBeUndefined();
    const given = { _ref: 'x', b_c: 'y', other: 1 };
    const own = { $ref: 'x', 'b c': 'y', other: 1 };
    expect(fitted?.original({ list: [given, 'z'], one: { d_e: given }, some: given, more: given })).toEqual({
      ...{ list: [own, 'z'], one: { 'd e': own }, some: own },
      more: given,
    });
  });

  // biome-ignore format: a row is a line
  it.each<[string, Schema, unknown, unknown]>([
    ['what inherits', { allOf: [object({ 'a b': text }), object({ c: text })] }, { a_b: 'x', c: 'y' }, { 'a b': 'x', c: 'y' }],
    ['any other argument', { type: 'object', additionalProperties: object({ '@id': text }) }, { any: { _id: 'x' }, _id: { _id: 'y' } }, { any: { '@id': 'x' }, _id: { '@id': 'y' } }],
    ['arguments with a pattern', { type: 'object', patternProperties: { '^k': object({ '@id': text }) } }, { k1: { _id: 'x' } }, { k1: { '@id': 'x' } }],
    ['a pattern that the new name would match', object({ $a: text }, { patternProperties: { '^_': { type: 'number' } }, additionalProperties: false, propertyNames: { pattern: '^[$]' } }), { _a: 'x' }, { $a: 'x' }],
    ['alternatives that would get the same name', { anyOf: [object({ '@type': { const: 'a' } }), object({ $type: { const: 'b' } })] }, { _type_2: 'b' }, { $type: 'b' }],
    ['an alternative with the name that another would get', { anyOf: [object({ _id: text }), object({ '@id': text })] }, { _id: 'x', _id_2: 'y' }, { _id: 'x', '@id': 'y' }],
    ['one of several lists', { anyOf: [{ type: 'array', items: text }, { type: 'array', items: object({ 'a b': text }) }] }, [{ a_b: 'x' }], [{ 'a b': 'x' }]],
    ['values that the server gives', object({ 'a b': text, one: { enum: [{ a_b: 1 }] } }), { a_b_2: 'x', one: { a_b: 1 } }, { 'a b': 'x', one: { a_b: 1 } }],
    ['an argument of any kind', object({ 'a b': text, one: { type: 'object' } }), { a_b: 'x', one: { a_b: 1 } }, { 'a b': 'x', one: { a_b: 1 } }],
    ['the name that the server uses', object({ 'a b': object({ 'c d': text }) }), { 'a b': { c_d: 'x' } }, { 'a b': { 'c d': 'x' } }],
  ])('are given to the server by its own names within %s', (_what, inner, given, own) => {
    const fitted = fitSchema(object({ x: inner }));
    expect(wrongSchema(fitted?.schema)).toBeUndefined();
    expect(fitted?.original({ x: given })).toEqual({ x: own });
  });

  it('are given to the server by its own names within those that have none', () => {
    const fitted = fitSchema({ type: 'object', additionalProperties: object({ '@id': text }) });
    expect(fitted?.original({ any: { _id: 'x' } })).toEqual({ any: { '@id': 'x' } });
  });

  it('that are no names with values are none', () => {
    for (const type of ['string', 'array', ['string', 'null'], 3]) expect(fitSchema({ type })).toBeUndefined();
  });

  it('that lead to each other in circles, or down without end, come to an end', () => {
    let deep: Schema = text;
    for (let level = 0; level < 500; level += 1) deep = object({ a: deep });
    let nots: Schema = {};
    for (let level = 0; level < 100_000; level += 1) nots = { not: nots };
    const circle = { type: 'object', anyOf: Array.from({ length: 1000 }, () => ({ $ref: '#' })) };
    for (const schema of [
      deep,
      object({ a: nots }),
      object({}, { not: nots }),
      circle,
      { $ref: '#' },
      { allOf: [{ $ref: '#/allOf/0' }] },
    ])
      expect(wrongSchema(fitSchema(schema)?.schema)).toBeUndefined();
    expect(
      fitSchema(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"a":{}}}'))?.schema,
    ).toEqual(object({ a: ANY }));
  });
});
