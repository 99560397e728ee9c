/**
 * Derives a message's arguments from its text at compile time: a missing or misspelt one is a type error. `Wording` is a
 * message without its language, for errors and until its reader is known; only `say` makes it.
 */

export interface Wording {
  readonly key: string;
  readonly values: Readonly<Record<string, Value>>;
}

/** A time, formatted for its reader: `tomorrow (Mon) at 09:00`. */
export interface Moment {
  /** ISO 8601. */
  readonly at: string;
  readonly zone: string;
}

/** A value in a message; another message or a time is formatted in the same language. */
export type Value = string | number | Wording | Moment;

/** The type of an argument by its kind; one without a kind takes words or a number. */
type ArgumentType<Kind extends string> = Kind extends 'plural' | 'selectordinal' | 'number'
  ? number
  : Kind extends 'select'
    ? string
    : Value;

type TrimmedText<S extends string> = S extends ` ${infer R}` | `${infer R} ` ? TrimmedText<R> : S;

/** The text before the next brace, that brace, and the text after it. */
type NextBrace<S extends string> = S extends `${infer Before}{${infer After}`
  ? Before extends `${infer Inner}}${infer Rest}`
    ? [Inner, '}', `${Rest}{${After}`]
    : [Before, '{', After]
  : S extends `${infer Before}}${infer After}`
    ? [Before, '}', After]
    : never;

/**
 * Walks the braces. `Depth` is the kind of each open brace, innermost first: `m` holds text, `a` the branches of an
 * argument.
 */
type Walk<S extends string, Depth extends ('m' | 'a')[], Found> =
  NextBrace<S> extends [string, infer Brace, infer After extends string]
    ? Depth extends ['a', ...infer Outer extends ('m' | 'a')[]]
      ? Brace extends '{'
        ? Walk<After, ['m', ...Depth], Found>
        : Walk<After, Outer, Found>
      : Brace extends '}'
        ? Depth extends ['m', ...infer Outer extends ('m' | 'a')[]]
          ? Walk<After, Outer, Found>
          : Found
        : After extends `${infer Head}}${infer Rest}`
          ? Head extends `${infer Name},${infer Kind},${string}`
            ? Walk<
                After extends `${string},${string},${infer Branches}` ? Branches : '',
                ['a', ...Depth],
                Found | [TrimmedText<Name>, ArgumentType<TrimmedText<Kind>>]
              >
            : Head extends `${infer Name},${infer Kind}`
              ? Walk<Rest, Depth, Found | [TrimmedText<Name>, ArgumentType<TrimmedText<Kind>>]>
              : Walk<Rest, Depth, Found | [TrimmedText<Head>, Value]>
          : Found
    : Found;

type Pairs<S extends string> = Walk<S, [], never>;

/** The values that a text requires: `{ n: number; name: Value }`. */
export type Arguments<S extends string> = {
  readonly [Pair in Pairs<S> as Pair extends [infer Name extends string, unknown] ? Name : never]: Pair extends [
    string,
    infer Given extends Value,
  ]
    ? Given
    : never;
};

/** The same keys, with texts that require the same arguments. */
export type Translation<English extends Record<string, string>, Own extends Record<keyof English, string>> = {
  readonly [K in keyof English]: [keyof Arguments<Own[K]>] extends [keyof Arguments<English[K]>]
    ? [keyof Arguments<English[K]>] extends [keyof Arguments<Own[K]>]
      ? Own[K]
      : `also takes ${Exclude<keyof Arguments<English[K]>, keyof Arguments<Own[K]>> & string}`
    : `knows no ${Exclude<keyof Arguments<Own[K]>, keyof Arguments<English[K]>> & string}`;
};

/** Checks an area in another language against the English one. */
export const translate =
  <const English extends Record<string, string>>(_english: English) =>
  <const Own extends Record<keyof English, string>>(own: Own & Translation<English, Own>): Own =>
    own;
