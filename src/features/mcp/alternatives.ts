/**
 * Expresses alternatives so that every provider accepts them: none at the top, and nothing but a description beside the
 * others, since Moonshot refuses a type there. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import { joinAll, joinAny, joinedArguments, NOTES } from './joined.ts';
import type { References } from './references.ts';

type Schema = Record<string, unknown>;

export const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;
/** The most alternatives that are merged into one set of arguments: they may reference each other in circles. */
const MAX_BRANCHES = 100;

export interface MergedArguments {
  whole: Schema;
  /** The sets of arguments of which one is needed, for each kind of alternatives. */
  needed: string[][][];
}

/**
 * Merges alternatives into one set of arguments: an argument that all of them require is required.
 * @param follows whether references lead to more arguments; within, they would repeat their targets
 */
export function merged(
  top: Schema,
  references: References,
  follows: boolean,
  branches = { left: MAX_BRANCHES },
): MergedArguments {
  const { $ref: _ref, ...own } = top;
  let whole: Schema = { ...(follows && references.target(top)), ...own };
  const needed: string[][][] = [];
  for (const choice of CHOICES) {
    const { [choice]: given, ...rest } = whole;
    if (!Array.isArray(given)) continue;
    const within = given
      .filter((one): one is Schema => isRecord(one) && branches.left-- > 0)
      .map((one) => merged(one, references, follows, branches).whole);
    const listed = joinedArguments(
      within.map((one) => one.properties),
      choice === 'allOf' ? joinAll : joinAny,
    );
    const required = within.map((one) => textsOf(one.required));
    const inAll =
      choice === 'allOf'
        ? required.flat()
        : (required[0] ?? []).filter((key) => required.every((keys) => keys.includes(key)));
    const sets = choice === 'allOf' ? [] : required.filter((keys) => keys.length > inAll.length);
    if (sets.length > 1) needed.push(sets);
    whole = {
      ...rest,
      properties: joinedArguments([listed, rest.properties], joinAll),
      required: [...textsOf(rest.required), ...inAll],
    };
  }
  return { whole, needed };
}

/** Returns a schema within another with nothing that limits beside its alternatives. */
export function separated(given: Schema, references: References): Schema {
  const choice = CHOICES.find((key) => Array.isArray(given[key]));
  if (choice === undefined) return given;
  const branches = (given[choice] as unknown[]).filter(isRecord);
  const { [choice]: _given, ...rest } = given;
  const [only] = branches;
  if (branches.length === 1 && only) {
    const { type: _type, ...untyped } = rest;
    // Python writes a reference with a description this way.
    return separated(joinAll([only, typeof only.$ref === 'string' ? untyped : rest]), references);
  }
  if (choice === 'allOf') return { ...withTypeOf(branches, references), ...given };
  const { oneOf: _one, allOf, ...beside } = rest;
  if (isOfObject(beside) && Object.keys(beside).some((key) => key !== 'type' && !NOTES.has(key))) {
    const { allOf: _all, ...choices } = given;
    const { whole, needed } = merged(choices, references, false);
    // An alternative by reference may have arguments that are not listed.
    const hasMore = branches.some(({ $ref }) => typeof $ref === 'string');
    const { additionalProperties: _more, ...open } = whole;
    const object = { ...(hasMore ? open : whole), type: 'object', ...explainedBy(whole, needed) };
    return allOf === undefined ? object : { ...object, allOf };
  }
  const isNote = ([key]: [string, unknown]) => NOTES.has(key);
  const entries = Object.entries(allOf === undefined ? beside : { ...beside, allOf });
  const limits = Object.fromEntries(entries.filter((entry) => !isNote(entry)));
  const { type: _type, ...others } = limits;
  return {
    ...Object.fromEntries(entries.filter(isNote)),
    anyOf: branches.map((one) => {
      if (typeof one.$ref === 'string') return joinAll([others, one]);
      return { ...limits, ...joinAll([others, one]) };
    }),
  };
}

/** Returns the type that a value has which follows all of these. */
function withTypeOf(branches: readonly Schema[], references: References): Schema {
  const targets = branches.map((one) => references.target(one) ?? {});
  const typed = targets.find(({ type }) => type !== undefined);
  if (typed) return { type: typed.type };
  return targets.some(isOfObject) ? { type: 'object' } : {};
}

const isOfObject = ({ type, properties, required }: Schema): boolean =>
  type === 'object' || isRecord(properties) || Array.isArray(required);

/** Adds to the description which sets of arguments the alternatives need. */
export function explainedBy(
  { description }: Schema,
  needed: readonly string[][][],
  nameOf = (key: string) => key,
): Schema {
  const hints = needed.map((sets) => `Needed: ${sets.map((keys) => keys.map(nameOf).join(' and ')).join(', or ')}.`);
  if (hints.length === 0) return {};
  const texts = [description, ...hints].filter((text) => typeof text === 'string' && text !== '');
  return { description: texts.join(' ').slice(0, 1_000) };
}

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
