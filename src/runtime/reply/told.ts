/**
 * Whether a model only repeats what it was told: what a person, a file or a tool has written is never taken for the model's own word,
 * however it is put into another text. Pure.
 */

/** Without what changes when a text is put into another one. */
export const squeeze = (text: string): string => text.replace(/[\s\\]+/g, '');

export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || depth > 10) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1));
}

/** Also without the marks of quotations, and with the letters for which a page writes entities. */
const unquoted = (text: string): string =>
  squeeze(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('>', '').toLowerCase();

/** Far more than an answer that means them has; what comes after them is taken for repeated. */
const MAX_LOOKS = 100;

/** Whether some text stands in what was told. */
export function toldIn(told: readonly string[]): (text: string) => boolean {
  const all = told.map(unquoted);
  let looks = 0;
  return (text) => {
    if (++looks > MAX_LOOKS) return true;
    const sought = unquoted(text);
    return all.some((one) => one.includes(sought));
  };
}
