/** Validates cron patterns and words their errors. A pattern has five fields: no seconds, no years. */
import { Cron } from 'croner';
import { errorMessage, UserError } from '../../errors.ts';

const FIELDS = [
  { name: 'minute', low: 0, high: 59, takes: '0-59' },
  { name: 'hour', low: 0, high: 23, takes: '0-23' },
  { name: 'day of month', low: 1, high: 31, takes: '1-31, L for the last day, LW, 15W' },
  { name: 'month', low: 1, high: 12, takes: '1-12 or JAN-DEC' },
  { name: 'day of week', low: 0, high: 7, takes: '0-7 or SUN-SAT, MON#1 for the first, FRI#L for the last' },
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

const EXAMPLE = 'for example "0 9 * * MON-FRI" (minute, hour, day of month, month, day of week)';

/** How a pattern without an English description is shown. */
export const TOLD = /^(?:and )?by the cron pattern ([^()]+?)(?: \([^()]+\))?$/i;

/**
 * Returns true if the text is a cron pattern rather than a phrase: a nickname, a field that is `*`, or a numeric minute
 * and hour.
 */
export function looksLikeCron(text: string): boolean {
  if (TOLD.test(text)) return false;
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
    const reason =
      text.toLowerCase() === '@reboot' ? 'a job has times, and a restart is none' : 'that name is not known';
    throw new UserError(`"${text}" cannot be a schedule: ${reason}. Names are ${[...NICKNAMES.keys()].join(', ')}.`);
  }
  const fields = text.split(/\s+/).map((field) => field.toUpperCase());
  if (fields.length !== FIELDS.length) {
    const reason =
      fields.length === 6
        ? 'it has six fields, and seconds or years are not supported'
        : fields.length === 7
          ? 'it has seven fields, and seconds and years are not supported'
          : `a cron pattern has five fields, and this has ${fields.length}`;
    throw new UserError(`"${text}" is no schedule: ${reason}. Write five, ${EXAMPLE}.`);
  }
  for (const [index, field] of fields.entries()) {
    const alone = FIELDS.map((_, at) => (at === index ? field : '*')).join(' ');
    const problem = cronProblem(alone);
    if (problem) {
      const { name, takes } = FIELDS[index] ?? FIELDS[0];
      throw new UserError(`The field "${name}" of "${text}" is "${field}": ${problem}. It takes ${takes}; ${EXAMPLE}.`);
    }
  }
  const [, , dayOfMonth = '', , dayOfWeek = ''] = fields;
  if (/^[*?]\//.test(dayOfMonth) && !isStar(dayOfWeek) && !dayOfWeek.startsWith('+')) {
    throw new UserError(
      `"${text}" has two meanings: some programs take "${dayOfMonth}" with a day of week as both, some as either. Write "1-31${dayOfMonth.slice(1)}" for either, "+${dayOfWeek}" for both.`,
    );
  }
  return fields.join(' ');
}

function cronProblem(pattern: string): string | undefined {
  try {
    new Cron(pattern, { mode: '5-part' });
    return undefined;
  } catch (error) {
    const text = errorMessage(error).replace(/^CronPattern: (Syntax error, )?/, '');
    return /range|From value/.test(text) && /larger/.test(text) ? 'a range must go upward' : rewordCronError(text);
  }
}

/** Rewords croner's messages that name a value: croner counts days and months from 0. */
function rewordCronError(text: string): string {
  if (/^Invalid value/.test(text)) return 'that is out of range';
  if (/contains illegal characters/.test(text)) return 'that has characters which mean nothing there';
  if (/^nth weekday/.test(text)) return 'a month has at most five of a weekday';
  if (/stepping with/.test(text)) return 'a step follows * or a range, as in */5 or 10-50/10';
  if (/stepping: 0/.test(text)) return 'a step is at least 1';
  if (/is not a number|empty/.test(text)) return 'that is not a number';
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}

export const isStar = (field: string) => field === '*' || field === '?';

/**
 * Returns the values of a field of numbers, names, ranges and steps, or undefined for one with L, W or #.
 * @param index 0 minute to 4 day of week (0 is Sunday)
 */
export function fieldValues(field: string, index: number): number[] | undefined {
  const { low, high } = FIELDS[index] ?? FIELDS[0];
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
