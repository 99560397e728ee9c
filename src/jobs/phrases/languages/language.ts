/** What a language has for times, as the English words that the reader knows. All of it is lower case, without accents. */

type Rule = readonly [RegExp, string | ((...found: string[]) => string)];

export interface Language {
  /** Words to figures. */
  numbers: ReadonlyMap<string, string>;
  /** What only its neighbours give a meaning: applied in this order, with numbers in figures, before the words. */
  rules: readonly Rule[];
  /**
   * Words to English ones; the longest that fits is taken. What stands nowhere stays as it is, and the reader refuses it.
   */
  words: ReadonlyMap<string, string>;
}

/** Lines of `english = its words, with commas`. */
export function table(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line.includes('='));
  return new Map(
    lines.flatMap((line) => {
      const [english = '', words = ''] = line.split('=');
      return words.split(',').map((word): [string, string] => [word.trim(), english.trim()]);
    }),
  );
}

/** Stands before a time that was spoken or named by its hour alone: nothing but am or pm tells its half of the day. Nobody can type it. */
export const SPOKEN = '\uE000';

/** `9` and so many minutes after it, or before it when negative, as a spoken time. */
export function spoken(hour = '', minutes = 0): string {
  const said = Number(hour);
  // There is no such hour: the reader says so.
  if (said > 24) return `${hour}:00`;
  const at = minutes < 0 ? (said + 23) % 24 : said;
  const shown = at === 0 && said <= 12 && minutes < 0 ? 12 : at;
  return `${SPOKEN}${hour.length > 1 && minutes >= 0 ? hour : shown}:${String((minutes + 60) % 60).padStart(2, '0')}`;
}
