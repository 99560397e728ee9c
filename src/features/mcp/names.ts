/**
 * Gives arguments names that providers accept at every depth, and their own names back for the server. A property that
 * is named `$ref` would be taken for a reference. A tool has one name for each name of the server, and no other
 * argument has it, so it can be given back wherever it stands. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import { ACCEPTED_NAME, unusedName } from './references.ts';

type Schema = Record<string, unknown>;

/** Keywords whose schemas are about the same value. */
const SAME_VALUE = ['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else'];

export class ArgumentNames {
  /** Our name by the server's, for those that change. */
  readonly #shown = new Map<string, string>();
  /** The server's name by ours, for those that change. */
  readonly #own = new Map<string, string>();

  /** @param root the server's schema; no key in it is given to an argument that has another name */
  constructor(root: Schema) {
    const taken = new Set<string>();
    const odd = new Set<string>();
    collectNames(root, taken, odd);
    for (const own of odd) {
      const shown = unusedName(own, taken);
      this.#shown.set(own, shown);
      this.#own.set(shown, own);
    }
  }

  /** Renames what a fitted schema lists, requires and makes depend on each other. */
  fitted(schema: Schema): Schema {
    if (this.#shown.size === 0) return schema;
    const { properties, required, dependentRequired } = schema;
    const nameOf = (key: string) => this.nameOf(key);
    return this.#withoutNamePatterns({
      ...schema,
      ...(isRecord(properties) && { properties: renamedKeys(properties, nameOf) }),
      ...(Array.isArray(required) && { required: required.map(nameOf) }),
      ...(isRecord(dependentRequired) && {
        dependentRequired: renamedKeys(dependentRequired, nameOf, (others) =>
          Array.isArray(others) ? others.map(nameOf) : others,
        ),
      }),
    });
  }

  /** Returns our name for a name of the server. */
  nameOf(own: string): string {
    return this.#shown.get(own) ?? own;
  }

  /** Returns the arguments with the server's names. */
  original(input: Schema, root: Schema): Schema {
    return this.#own.size === 0 ? input : (this.#restored(input, [root], root) as Schema);
  }

  /** Leaves out patterns that would treat a name of ours differently from the server's. */
  #withoutNamePatterns(schema: Schema): Schema {
    const { propertyNames: _names, ...rest } = schema;
    const { patternProperties, additionalProperties: _more, ...open } = rest;
    if (!isRecord(patternProperties)) return rest;
    const isSafe = Object.keys(patternProperties).every((pattern) =>
      [...this.#own].every(([shown, own]) => isMatch(pattern, shown) === isMatch(pattern, own)),
    );
    return isSafe ? rest : open;
  }

  /** @param schemas some of which the value follows */
  #restored(value: unknown, schemas: readonly unknown[], root: Schema): unknown {
    const listed = new Set<Schema>();
    for (const one of schemas) collectSchemas(one, root, listed);
    if (listed.size === 0) return value;
    if (Array.isArray(value)) {
      const items = [...listed].flatMap((one) => [one.items, one.contains]);
      return value.map((one) => this.#restored(one, items, root));
    }
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        const shown = this.nameOf(name);
        const own = this.#own.get(shown);
        const isListed = [...listed].some(({ properties }) => isRecord(properties) && Object.hasOwn(properties, shown));
        const inner = [...listed].flatMap((schema) => memberSchemas(schema, shown));
        return [isListed && own !== undefined ? own : name, this.#restored(one, inner, root)];
      }),
    );
  }
}

/** Collects every key as taken, and the arguments' names that providers refuse. */
function collectNames(value: unknown, taken: Set<string>, odd: Set<string>): void {
  if (Array.isArray(value)) {
    for (const one of value)
      if (typeof one === 'string') taken.add(one);
      else collectNames(one, taken, odd);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, one] of Object.entries(value)) {
    taken.add(key);
    if (key === 'properties' && isRecord(one))
      for (const name of Object.keys(one)) if (!ACCEPTED_NAME.test(name)) odd.add(name);
    collectNames(one, taken, odd);
  }
}

/** Collects the schemas of which a value follows some. */
function collectSchemas(given: unknown, root: Schema, found: Set<Schema>): void {
  if (!isRecord(given) || found.has(given)) return;
  found.add(given);
  const { $ref } = given;
  if (typeof $ref === 'string' && isRecord(root.$defs))
    collectSchemas(root.$defs[$ref.slice('#/$defs/'.length)], root, found);
  for (const key of SAME_VALUE) for (const one of [given[key]].flat()) collectSchemas(one, root, found);
}

/** Returns the schemas that an object's schema may have for a member. */
function memberSchemas({ properties, patternProperties, additionalProperties }: Schema, name: string): unknown[] {
  const own = isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [additionalProperties];
  return [...own, ...(isRecord(patternProperties) ? Object.values(patternProperties) : [])];
}

function renamedKeys(record: Schema, nameOf: (key: string) => string, changed = (value: unknown) => value): Schema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [nameOf(key), changed(value)]));
}

/** A pattern of another language matches everything here. */
function isMatch(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}
