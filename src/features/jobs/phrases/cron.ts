/** Builds cron patterns: times of day become the minute and hour fields, days the other three. */

import type { Schedule } from '../slots.ts';
import { type Build, together } from './build.ts';
import type { Facts } from './facts.ts';
import type { Reader } from './tokens.ts';

/** Returns the fewest minute and hour fields that give exactly these times of day. */
export function timeFields(times: readonly number[]): string[] {
  const minutesOf = new Map<number, number[]>();
  for (const time of [...new Set(times)].sort((a, b) => a - b)) {
    const hour = Math.floor(time / 60);
    minutesOf.set(hour, [...(minutesOf.get(hour) ?? []), time % 60]);
  }
  const hoursOf = Map.groupBy(minutesOf, ([, minutes]) => minutes.join(','));
  return [...hoursOf].map(
    ([minutes, hours]) => `${ranges(minutes.split(',').map(Number))} ${ranges(hours.map(([hour]) => hour))}`,
  );
}

/** Formats sorted values as a field; three or more in a row become a range. */
function ranges(values: readonly number[]): string {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run && run.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(','))).join(',');
}

/** Returns the schedule for these minute and hour fields on the phrase's days. */
export function crons(build: Build, fields: readonly string[]): Schedule {
  const days = dayFields(build);
  return together(
    fields.flatMap((time) =>
      days.map((day) => ({ kind: 'cron', pattern: `${time} ${day}`, timezone: build.timezone })),
    ),
  );
}

function dayFields({ reader, facts }: Build): string[] {
  const { rhythm, weekdays, except, nth, monthDays, dates } = facts;
  const months = [...new Set([...facts.months, ...monthsOf(reader, facts)])].sort((a, b) => a - b).join(',') || '*';
  if (facts.when.length > 0 || facts.isEither) return joinedFields({ reader, facts }, months);
  if (dates.length > 0) {
    if (dates.some(({ year }) => year !== undefined))
      throw reader.refuse('a year does not come again', 'every 24 december at 18:00');
    if (facts.months.length > 0 || (rhythm && !['year', 'hour', 'minute'].includes(rhythm.unit)))
      throw reader.refuse('it has two rhythms', 'every 24 december at 18:00');
    return dates.map(({ day, month }) => `${day} ${month} *`);
  }
  if (rhythm?.unit === 'year' && facts.months.length === 0 && monthDays.length + nth.length + weekdays.length > 0) {
    throw reader.refuse('it does not say in which month', 'yearly on 24 december at 18:00');
  }
  if (nth.length + monthDays.length > 0 && (rhythm?.unit === 'day' || rhythm?.unit === 'week')) {
    throw reader.refuse(
      `every ${rhythm.unit} and days of the month do not go together`,
      'on the 15th of the month at 9',
    );
  }
  if (nth.length > 0) return [`* ${months} ${nthFields(nth)}`];
  if (monthDays.length > 0) return monthDayFields(monthDays).map((field) => `${field} ${months} *`);
  if (weekdays.length > 0 || except.length > 0) {
    if (rhythm && !['day', 'week', 'minute', 'hour'].includes(rhythm.unit)) {
      throw reader.refuse('which of the weekdays of the month is unclear', 'first monday of the month at 9');
    }
    const from = weekdays.length > 0 ? weekdays : [0, 1, 2, 3, 4, 5, 6];
    const kept = [...new Set(from)].filter((day) => !except.includes(day)).sort((a, b) => a - b);
    if (kept.length === 0) throw reader.refuse('no day is left', 'every day at 9 except sunday');
    return [`* ${months} ${kept.length === 7 ? '*' : ranges(kept)}`];
  }
  if (rhythm?.unit === 'week') return [`* ${months} 1`];
  if (rhythm?.unit === 'month' || rhythm?.unit === 'year') return [`1 ${months} *`];
  // "every january" means its first day; "every day in january" has a rhythm.
  return [facts.months.length > 0 && !rhythm ? `1 ${months} *` : `* ${months} *`];
}

/**
 * Returns fields for days of the month that count only on some weekdays ("when that is a friday"), or in addition to
 * them ("and also every friday").
 */
function joinedFields({ reader, facts }: Pick<Build, 'reader' | 'facts'>, inMonths: string): string[] {
  const { monthDays, dates, weekdays, nth } = facts;
  const named = new Set(dates.map(({ month }) => month));
  const days = [...monthDays, ...dates.map(({ day }) => String(day))];
  if (days.length === 0 || named.size > 1 || (facts.when.length > 0 && nth.length + weekdays.length > 0))
    throw reader.refuse('these days cannot be joined', 'on the 13th of the month when that is a friday at 9');
  const months = named.size > 0 ? [...named].join(',') : inMonths;
  const sorted = (values: readonly number[]) => ranges([...new Set(values)].sort((a, b) => a - b));
  const either = nth.length > 0 ? nthFields(nth) : sorted(weekdays);
  const week = facts.when.length > 0 ? `+${sorted(facts.when)}` : either;
  return monthDayFields(days).map((field) => `${field} ${months} ${week}`);
}

const nthFields = (nth: Facts['nth']): string => nth.map(({ nth: which, weekday }) => `${weekday}#${which}`).join(',');

/** LW can't be part of a list. */
function monthDayFields(days: readonly string[]): string[] {
  const plain = [...new Set(days)].filter((day) => day !== 'LW');
  return [...(plain.length > 0 ? [plain.join(',')] : []), ...(days.includes('LW') ? ['LW'] : [])];
}

/** Returns the months for a rhythm of several months or of years, counted from January. */
function monthsOf(reader: Reader, { rhythm, months }: Facts): number[] {
  if (rhythm?.unit === 'year') {
    if (rhythm.n > 1)
      throw reader.refuse('more than a year between two runs cannot be said', 'yearly on 24 december at 18:00');
    return months.length > 0 ? [] : [1];
  }
  const n = rhythm?.unit === 'month' ? rhythm.n : 1;
  if (n === 1) return [];
  if (12 % n !== 0 || months.length > 0)
    throw reader.refuse(`every ${n} months does not come out even in a year`, 'every 3 months on the 1st at 9');
  return Array.from({ length: 12 / n }, (_, turn) => 1 + turn * n);
}
