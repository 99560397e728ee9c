/** Types and helpers that the Board's catalogues share. */

/** The same keys with texts of another language; functions take the same values. */
export type TranslationOf<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends readonly string[]
      ? readonly string[]
      : { readonly [K in keyof T]: TranslationOf<T[K]> };

type Forms = { readonly [F in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** Returns a function that chooses the form for a number, for languages that have more than one and several. */
export function chooser(locale: string): (n: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(locale);
  return (n, forms) => forms[rules.select(n)] ?? forms.other;
}

/** Returns a function that writes a number with its noun. */
export const counter =
  (locale: string) =>
  (n: number, one: string, many: string): string =>
    `${n.toLocaleString(locale)} ${n === 1 ? one : many}`;
