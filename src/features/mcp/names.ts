/**
 * Gives arguments names that providers accept at every depth, and their own names back for the server. A property that
 * is named `$ref` would be taken for a reference. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import { ACCEPTED_NAME, unusedName } from './references.ts';

type Schema = Record<string, unknown>;

/** How deep alternatives are followed for one value. */
const MAX_CHOICES = 8;

export class ArgumentNames {
  /** The server's name by ours, for each object that lists properties with other names. */
  readonly #own = new Map<unknown, ReadonlyMap<string, string>>();

  /** Renames what a fitted schema lists, requires and makes depend on each other. */
  fitted(schema: Schema): Schema {
    const { properties, required, dependentRequired } = schema;
    if (!isRecord(properties)) return schema;
    const names = acceptedNames(Object.keys(properties));
    const nameOf = (key: string) => names.get(key) ?? key;
    if ([...names].every(([key, name]) => key === name)) return schema;
    const renamed = Object.fromEntries(Object.entries(properties).map(([key, value]) => [nameOf(key), value]));
    this.#own.set(renamed, new Map([...names].map(([key, name]) => [name, key])));
    return {
      ...schema,
      properties: renamed,
      ...(Array.isArray(required) && { required: required.map(nameOf) }),
      ...(isRecord(dependentRequired) && {
        dependentRequired: Object.fromEntries(
          Object.entries(dependentRequired).map(([key, others]) => [
            nameOf(key),
            Array.isArray(others) ? others.map(nameOf) : others,
          ]),
        ),
      }),
    };
  }

  /** Returns our name for a name of the server in the fitted schema. */
  nameIn({ properties }: Schema, own: string): string {
    for (const [name, given] of this.#own.get(properties) ?? []) if (given === own) return name;
    return own;
  }

  /** Returns the arguments with the server's names. */
  original(input: Schema, root: Schema): Schema {
    return this.#own.size === 0 ? input : (this.#restored(input, root, root) as Schema);
  }

  #restored(value: unknown, schema: unknown, root: Schema): unknown {
    const listed = schemasFor(schema, root, 0);
    if (Array.isArray(value)) {
      const items = listed.find((one) => isRecord(one.items))?.items;
      return value.map((one) => this.#restored(one, items, root));
    }
    if (!isRecord(value)) return value;
    const lists = listed.map(({ properties }) => properties).filter(isRecord);
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        const there = lists.find((properties) => Object.hasOwn(properties, name));
        return there ? [this.#own.get(there)?.get(name) ?? name, this.#restored(one, there[name], root)] : [name, one];
      }),
    );
  }
}

/** Returns the schemas of which a value follows one. */
function schemasFor(given: unknown, root: Schema, depth: number): Schema[] {
  if (!isRecord(given) || depth > MAX_CHOICES) return [];
  const { $ref, anyOf } = given;
  if (typeof $ref === 'string') {
    const definitions = isRecord(root.$defs) ? root.$defs : {};
    return schemasFor(definitions[$ref.split('/').at(-1) ?? ''], root, depth + 1);
  }
  return [given, ...(Array.isArray(anyOf) ? anyOf.flatMap((one) => schemasFor(one, root, depth + 1)) : [])];
}

function acceptedNames(keys: readonly string[]): Map<string, string> {
  const taken = new Set(keys.filter((key) => ACCEPTED_NAME.test(key)));
  return new Map(keys.map((key) => [key, ACCEPTED_NAME.test(key) ? key : unusedName(key, taken)]));
}
