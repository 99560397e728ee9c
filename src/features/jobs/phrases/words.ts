/** The vocabulary of phrases about time. Every table is looked up by whole words, so reading is linear in the text. */

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

const units = (unit: Unit, ...words: string[]) => words.map((word): [string, Unit] => [word, unit]);
/** `second` alone is an ordinal. */
export const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...units('second', 'seconds', 'sec', 'secs', 's'),
  ...units('minute', 'minute', 'minutes', 'min', 'mins', 'm'),
  ...units('hour', 'hour', 'hours', 'hr', 'hrs', 'h'),
  ...units('day', 'day', 'days'),
  ...units('week', 'week', 'weeks'),
  ...units('month', 'month', 'months'),
  ...units('quarter', 'quarter', 'quarters'),
  ...units('year', 'year', 'years'),
]);

/** Words that are a rhythm by themselves. */
export const RHYTHMS: ReadonlyMap<string, { unit: Unit; n: number }> = new Map([
  ['hourly', { unit: 'hour', n: 1 }],
  ['daily', { unit: 'day', n: 1 }],
  ['weekly', { unit: 'week', n: 1 }],
  ['fortnightly', { unit: 'week', n: 2 }],
  ['monthly', { unit: 'month', n: 1 }],
  ['quarterly', { unit: 'quarter', n: 1 }],
  ['yearly', { unit: 'year', n: 1 }],
  ['annually', { unit: 'year', n: 1 }],
]);

const DAY_NAMES = [
  ['sunday', 'sun'],
  ['monday', 'mon'],
  ['tuesday', 'tue', 'tues'],
  ['wednesday', 'wed', 'weds'],
  ['thursday', 'thu', 'thur', 'thurs'],
  ['friday', 'fri'],
  ['saturday', 'sat'],
];
/** 0 is Sunday. */
export const WEEKDAYS: ReadonlyMap<string, number> = new Map(
  DAY_NAMES.flatMap((names, day) => names.map((name): [string, number] => [name, day])),
);
export const PLURAL_WEEKDAYS: ReadonlyMap<string, number> = new Map(
  DAY_NAMES.map(([name], day): [string, number] => [`${name}s`, day]),
);
/** Words for several days of the week. */
export const DAY_GROUPS: ReadonlyMap<string, readonly number[]> = new Map([
  ...['weekday', 'weekdays', 'workday', 'workdays'].map((word): [string, number[]] => [word, [1, 2, 3, 4, 5]]),
  ...['weekend', 'weekends'].map((word): [string, number[]] => [word, [6, 0]]),
]);

const MONTH_NAMES = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];
/** 1 is January. */
export const MONTHS: ReadonlyMap<string, number> = new Map([
  ...MONTH_NAMES.flatMap((name, index): [string, number][] => [
    [name, index + 1],
    [name.slice(0, 3), index + 1],
  ]),
  ['sept', 9],
]);

/** Articles that mean a number before a unit of time; other number words have become figures by now. */
export const NUMBERS: ReadonlyMap<string, number> = new Map([
  ['a', 1],
  ['an', 1],
]);

/** Words for how often in a day, a week or a month. */
export const COUNTS: ReadonlyMap<string, number> = new Map([
  ['twice', 2],
  ['thrice', 3],
]);

export const ORDINALS: ReadonlyMap<string, number | 'L'> = new Map<string, number | 'L'>([
  ...['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'].map(
    (word, index): [string, number] => [word, index + 1],
  ),
  ['last', 'L'],
]);
export const ORDINAL_ENDINGS: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th']);

/** Named times of day, in minutes. */
export const NAMED_TIMES: ReadonlyMap<string, number> = new Map([
  ['noon', 720],
  ['midday', 720],
  ['midnight', 0],
]);

/** Parts of the day, with their default time and the hours that belong to them. */
export interface DayPart {
  name: string;
  default: number;
  /** @param hour 0 to 23 */
  has: (hour: number) => boolean;
}
const part = (name: string, hour: number, has: (hour: number) => boolean): DayPart => ({
  name,
  default: hour * 60,
  has,
});
export const DAY_PARTS: ReadonlyMap<string, DayPart> = new Map(
  [
    part('morning', 8, (hour) => hour >= 1 && hour < 12),
    part('afternoon', 14, (hour) => hour >= 12 && hour < 18),
    part('evening', 18, (hour) => hour >= 16 && hour < 24),
    part('night', 21, (hour) => hour >= 18 || hour < 6),
  ].map((value) => [value.name, value]),
);
/** `tonight` ends at midnight; later hours are tomorrow. */
export const TONIGHT: DayPart = part('tonight', 20, (hour) => hour >= 16 && hour < 24);

export const FILLERS: ReadonlySet<string> = new Set(['the', 'on', 'and', ',', '&']);

type Refusal = [word: string, { reason: string; example: string }];
const refusals = (reason: string, example: string, words: readonly string[]): Refusal[] =>
  words.map((word) => [word, { reason, example }]);

const AMBIGUOUS = 'that has two meanings';
/** Words that are known and refused: the reason, and what to say instead. */
export const REFUSED: ReadonlyMap<string, { reason: string; example: string }> = new Map([
  ['or', { reason: '"or" leaves the choice open', example: 'daily at 8 and 9' }],
  ['biweekly', { reason: AMBIGUOUS, example: 'every 2 weeks on monday" or "every monday and thursday' }],
  ['bimonthly', { reason: AMBIGUOUS, example: 'every 2 months" or "on the 1st and 15th of the month' }],
  ['biannually', { reason: AMBIGUOUS, example: 'every 6 months' }],
  ['semiannually', { reason: AMBIGUOUS, example: 'every 6 months' }],
  ['half', { reason: AMBIGUOUS, example: 'daily at half past seven' }],
  ...refusals('holidays are not known here', 'every weekday at 9', ['holidays', 'holiday']),
  ...refusals('a job runs at a time, not around one', 'daily at 9', ['about', 'around', 'approximately', 'roughly']),
  ...refusals('a job runs by the clock alone; let it look each time', 'every hour between 8:00 and 20:00', [
    'when',
    'if',
    'whenever',
  ]),
  ...refusals('it does not say from when to when', 'every hour between 9:00 and 17:00 on weekdays', [
    'during',
    'while',
  ]),
  ...refusals('it does not say when that is', 'today at 17:00', ['end', 'later', 'soon', 'sometime']),
  ...refusals('it does not say how many', 'in 10 minutes', ['few', 'couple', 'several', 'some']),
  ['times', { reason: 'it does not say at which times', example: 'daily at 9, 13:00 and 18:00' }],
  ...refusals('a schedule has no end; pause or delete the job then', 'every weekday at 9', ['until', 'till', 'ending']),
  ['ago', { reason: 'that is in the past', example: 'in 20 minutes' }],
  ...refusals('that is not one clock all year and everywhere', 'daily at 8 Berlin time', ['cet', 'cest', 'bst']),
  ...refusals('that is not one clock all year and everywhere', 'daily at 8 New York time', [
    'est',
    'edt',
    'cst',
    'cdt',
    'mst',
    'mdt',
    'pst',
    'pdt',
    'ist',
  ]),
]);
