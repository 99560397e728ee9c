/** The arguments of a message, read out of its text by the compiler: one that is missing or misspelt is an error of types. */

/** A message without its language: for errors and for what is carried until it is known who reads it. Made by `say` alone. */
export interface Said {
  readonly key: string;
  readonly values: Readonly<Record<string, Value>>;
}

/** A time, as whoever reads it says it: `tomorrow (Mon) at 09:00`. */
export interface Moment {
  /** ISO 8601. */
  readonly at: string;
  readonly zone: string;
}

/** What stands in a message; another message and a time stand there in the same language. */
export type Value = string | number | Said | Moment;

/** What an argument of each kind takes; one without a kind takes words or a number. */
type Taken<Kind extends string> = Kind extends 'plural' | 'selectordinal' | 'number'
  ? number
  : Kind extends 'select'
    ? string
    : Value;

type Trimmed<S extends string> = S extends ` ${infer R}` | `${infer R} ` ? Trimmed<R> : S;

/** The text before the next brace, which one that is, and the text after it. */
type NextBrace<S extends string> = S extends `${infer Before}{${infer After}`
  ? Before extends `${infer Inner}}${infer Rest}`
    ? [Inner, '}', `${Rest}{${After}`]
    : [Before, '{', After]
  : S extends `${infer Before}}${infer After}`
    ? [Before, '}', After]
    : never;

/**
 * Walks the braces. `Depth` says what each open brace is, the innermost first: `m` holds text, `a` the branches of an argument.
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
                Found | [Trimmed<Name>, Taken<Trimmed<Kind>>]
              >
            : Head extends `${infer Name},${infer Kind}`
              ? Walk<Rest, Depth, Found | [Trimmed<Name>, Taken<Trimmed<Kind>>]>
              : Walk<Rest, Depth, Found | [Trimmed<Head>, Value]>
          : Found
    : Found;

type Pairs<S extends string> = Walk<S, [], never>;

/** What a text is to be given: `{ n: number; name: Value }`. */
export type Arguments<S extends string> = {
  readonly [Pair in Pairs<S> as Pair extends [infer Name extends string, unknown] ? Name : never]: Pair extends [
    string,
    infer Given extends Value,
  ]
    ? Given
    : never;
};

/** The same keys with texts that ask for the same arguments. */
export type Translation<English extends Record<string, string>, Own extends Record<keyof English, string>> = {
  readonly [K in keyof English]: [keyof Arguments<Own[K]>] extends [keyof Arguments<English[K]>]
    ? [keyof Arguments<English[K]>] extends [keyof Arguments<Own[K]>]
      ? Own[K]
      : `also takes ${Exclude<keyof Arguments<English[K]>, keyof Arguments<Own[K]>> & string}`
    : `knows no ${Exclude<keyof Arguments<Own[K]>, keyof Arguments<English[K]>> & string}`;
};

/** An area in another language, checked against the English one. */
export const translate =
  <const English extends Record<string, string>>(_english: English) =>
  <const Own extends Record<keyof English, string>>(own: Own & Translation<English, Own>): Own =>
    own;
