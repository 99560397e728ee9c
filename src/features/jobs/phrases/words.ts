/** The words and numbers of phrases, as lists and as parts of regular expressions. */

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

/** Returns lower case without accents, with one kind of hyphen and space. */
export const foldPhrase = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/[.!]$/, '')
    .trim();

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
export const NTH = ['last', 'first', 'second', 'third', 'fourth', 'fifth'];
export const FIGURES = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
export const RHYTHMS: Readonly<Record<string, [number, Unit]>> = {
  hourly: [1, 'hour'],
  daily: [1, 'day'],
  weekly: [1, 'week'],
  fortnightly: [2, 'week'],
  monthly: [1, 'month'],
  quarterly: [3, 'month'],
  yearly: [1, 'year'],
  annually: [1, 'year'],
};
/** The default hour of each part of the day, its first hour and its last. */
export const PARTS: Readonly<Record<string, readonly [usual: number, first: number, last: number]>> = {
  morning: [8, 1, 11],
  afternoon: [14, 12, 17],
  evening: [18, 16, 23],
  night: [21, 18, 23],
  tonight: [20, 16, 23],
};

export const WD =
  '(?:sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?)(?!\\p{L}{2})';
export const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?!\\p{L})';
export const UNIT = '(?:seconds|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|[smhd])(?!\\p{L})';
export const SPAN = `(?:\\d+ ?|an? )${UNIT}`;
export const ORD = `(?:\\d{1,2}(?:st|nd|rd|th)|${NTH.join('|')})`;
export const LINK = '(?: ?[,&] ?| ?,? and )';
export const CLOCK =
  '(?:(?:half|(?:a )?quarter) (?:past|to) \\d{1,2}(?: ?[ap]m)?|\\d{1,4}(?::\\d\\d)?(?::\\d\\d)? ?[ap]m|\\d{1,2}:\\d\\d(?::\\d\\d)?|(?:12 )?(?:noon|midnight)|midday)';
export const TIME = `(?:${CLOCK}|\\d+)(?![\\p{L}\\d:./]| ?(?:${UNIT}|${MONTH}))`;
export const TIMES = `(?:${LINK}(?:at )?${TIME})*`;
export const ISO = '\\d{4}-\\d\\d-\\d\\d(?:[t ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:z|[+-]\\d\\d:?\\d\\d)?)?';
export const MORE_MONTHS = `(?:${LINK}${MONTH})*`;

export const all = (text: string, pattern: string): string[] => text.match(new RegExp(pattern, 'gu')) ?? [];
export const weekday = (word: string): number => DAYS.indexOf(word.slice(0, 3));
export const month = (word: string): number => MONTHS.indexOf(word.slice(0, 3)) + 1;
export const unitOf = (word: string): Unit => {
  const units: Unit[] = ['second', 'minute', 'hour', 'day', 'week', 'year'];
  return word.startsWith('mo') ? 'month' : (units.find((unit) => unit[0] === word[0]) ?? 'month');
};
