/** Validates cron patterns. A pattern has five fields: no seconds, no years. */
import { Cron } from 'croner';
import { errorMessage, UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';

/** The first is the lowest value, the second the highest. */
const FIELDS = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day', 1, 31],
  ['month', 1, 12],
  ['weekday', 0, 7],
] as const;

const NICKNAMES = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

const EXAMPLE = say('schedules.cronExample');

/** Matches the display form of a pattern that has no description. */
export const SHOWN_PATTERN = /^(?:and )?by the cron pattern ([^()]+?)(?: \([^()]+\))?$/i;

/**
 * Returns true if the text is a cron pattern rather than a phrase: a nickname, a field that is `*`, or a numeric minute
 * and hour.
 */
export function looksLikeCron(text: string): boolean {
  if (SHOWN_PATTERN.test(text)) return false;
  const fields = text.split(/\s+/);
  if (text.startsWith('@')) return fields.length === 1;
  const isNumeric = (field = '') => /^[\d*?][\d*?,/-]*$/.test(field);
  return fields.some((field) => /^[*?](\/\d*)?$/.test(field)) || (isNumeric(fields[0]) && isNumeric(fields[1]));
}

/**
 * Returns the pattern as five fields, with nicknames expanded.
 * @throws {UserError} with the wrong field
 */
export function readCron(text: string): string {
  if (text.startsWith('@')) {
    const pattern = NICKNAMES.get(text.toLowerCase());
    if (pattern) return pattern;
    const names = [...NICKNAMES.keys()].join(', ');
    throw new UserError(say('schedules.cronName', { text, name: text.slice(1).toLowerCase(), names }));
  }
  const fields = text.split(/\s+/).map((field) => field.toUpperCase());
  if (fields.length !== FIELDS.length)
    throw new UserError(say('schedules.cronFields', { text, n: fields.length, example: EXAMPLE }));
  for (const [index, value] of fields.entries()) {
    const kind = problemOf(FIELDS.map((_, at) => (at === index ? value : '*')).join(' '));
    if (kind === undefined) continue;
    const [field] = FIELDS[index] ?? FIELDS[0];
    const [name, takes] = [say('schedules.fieldName', { field }), say('schedules.fieldTakes', { field })];
    const problem = say('schedules.fieldProblem', { kind });
    throw new UserError(say('schedules.cronField', { name, text, value, problem, takes, example: EXAMPLE }));
  }
  const [, , day = '', , weekday = ''] = fields;
  if (/^[*?]\//.test(day) && !isStar(weekday) && !weekday.startsWith('+'))
    throw new UserError(say('schedules.cronBoth', { text, day, either: `1-31${day.slice(1)}`, both: `+${weekday}` }));
  return fields.join(' ');
}

/** What croner's messages mean, without the values that they name: it counts days and months from 0. */
const PROBLEMS = [
  [/larger/, 'upward'],
  [/^Invalid value/, 'range'],
  [/contains illegal characters/, 'characters'],
  [/^nth weekday/, 'nth'],
  [/stepping with/, 'step'],
  [/stepping: 0/, 'least'],
  [/is not a number|empty/, 'number'],
] as const;

function problemOf(pattern: string): string | undefined {
  try {
    new Cron(pattern, { mode: '5-part' });
    return undefined;
  } catch (error) {
    const text = errorMessage(error).replace(/^CronPattern: (Syntax error, )?/, '');
    return PROBLEMS.find(([message]) => message.test(text))?.[1] ?? 'other';
  }
}

export const isStar = (field: string) => field === '*' || field === '?';

/**
 * Returns the values of a field of numbers, names, ranges and steps, or undefined for one with L, W or #.
 * @param index 0 minute to 4 day of week (0 is Sunday)
 */
export function fieldValues(field: string, index: number): number[] | undefined {
  const [, low, high] = FIELDS[index] ?? FIELDS[0];
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [first = '', last = first] = isStar(range) ? [String(low), String(high)] : range.split('-');
    const from = numberOf(first, index);
    const to = last === 'SUN' && last !== first ? 7 : numberOf(last, index);
    if (from === undefined || to === undefined || !/^[1-9]\d*$/.test(step)) return undefined;
    for (let value = from; value <= to; value += Number(step)) values.add(index === 4 ? value % 7 : value);
  }
  return [...values].sort((a, b) => a - b);
}

/** Returns a pattern's times of day in minutes, sorted, or undefined if its fields have more than numbers. */
export function timesOfDay(pattern: string): number[] | undefined {
  const [minute = '', hour = ''] = pattern.split(' ');
  const minutes = fieldValues(minute, 0);
  return minutes && fieldValues(hour, 1)?.flatMap((h) => minutes.map((m) => h * 60 + m));
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

function numberOf(text: string, index: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const names = index === 3 ? MONTHS : index === 4 ? DAYS : [];
  const at = names.indexOf(text);
  return at < 0 ? undefined : at + (index === 3 ? 1 : 0);
}
