/** What catalogues of the Board have alike. */

/** The same keys with texts of another language; functions take the same values. */
export type TranslationOf<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends readonly string[]
      ? readonly string[]
      : { readonly [K in keyof T]: TranslationOf<T[K]> };

/** Returns a function that writes a number with its noun. */
export const counter =
  (locale: string) =>
  (n: number, one: string, many: string): string =>
    `${n.toLocaleString(locale)} ${n === 1 ? one : many}`;
