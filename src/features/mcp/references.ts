/**
 * Collects the targets of a schema's references as definitions. Providers refuse a reference to any other place than
 * `#/$defs/`, and the given places move or get other names when a schema is fitted.
 */
import { isRecord } from '../../lib/json.ts';

type Schema = Record<string, unknown>;

/** Providers accept these as names of arguments and definitions. */
export const ACCEPTED_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

export class References {
  readonly root: Schema;
  /** The name of each target. Several references to one target share its definition. */
  readonly #names = new Map<Schema, string>();
  readonly #taken = new Set<string>();

  constructor(root: Schema) {
    this.root = root;
  }

  /** Follows references until one leads to a schema of its own; undefined if none does. */
  target(schema: Schema): Schema | undefined {
    const seen = new Set<Schema>();
    let at: unknown = schema;
    while (isRecord(at) && typeof at.$ref === 'string' && !seen.has(at)) {
      seen.add(at);
      at = pointedAt(at.$ref, this.root);
    }
    return isRecord(at) && typeof at.$ref !== 'string' ? at : undefined;
  }

  /** Returns a reference to the definition of the schema's target; a reference without a target allows anything. */
  movedReference(schema: Schema): Schema {
    const target = this.target(schema);
    if (target === undefined) return {};
    let name = this.#names.get(target);
    if (name === undefined) {
      name = unusedName(String(schema.$ref).split('/').at(-1) ?? '', this.#taken);
      this.#names.set(target, name);
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** Fits each target once, also those that are found while others are fitted. */
  definitions(fitted: (target: Schema) => Schema): Schema {
    const entries: [string, Schema][] = [];
    for (const [target, name] of this.#names) entries.push([name, fitted(target)]);
    return entries.length > 0 ? { $defs: Object.fromEntries(entries) } : {};
  }
}

/** Returns a name that providers accept, and adds it to those in use. */
export function unusedName(wanted: string, taken: Set<string>): string {
  const plain = wanted.replace(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, 56) || '_';
  let name = plain;
  for (let n = 2; taken.has(name); n += 1) name = `${plain}_${n}`;
  taken.add(name);
  return name;
}

function pointedAt(ref: string, root: Schema): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  return ref.slice(2).split('/').map(decodedStep).reduce<unknown>(memberOf, root);
}

function memberOf(at: unknown, step: string): unknown {
  if (Array.isArray(at)) return /^\d+$/.test(step) ? at[Number(step)] : undefined;
  return isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
}

/** A step may hold a percent sign that encodes nothing. */
function decodedStep(step: string): string {
  const decoded = step.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
