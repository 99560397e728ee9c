/**
 * Makes the schedule of a phrase that repeats. Intervals that divide the hour or the day become cron, all others are
 * evenly spaced.
 */
import { say } from '../../../messages/messages.ts';
import { anyOf, type Schedule } from '../slots.ts';
import { clock, DAY, dayNumber, isoDay, MINUTE, toWall, weekdayOf } from '../zone.ts';
import type { Facts } from './facts.ts';
import { DEFAULT_TIME, instantAt } from './once.ts';
import { refusedPhrase } from './refusal.ts';

const MAX_MINUTES = (366 * DAY) / MINUTE;

export function recurring(facts: Facts, times: readonly number[], base: number | undefined): Schedule {
  const { every, months, phrase, refuse } = facts;
  if (every?.unit === 'minute' || every?.unit === 'hour')
    return everyMinutes(facts, times, { n: every.n * (every.unit === 'hour' ? 60 : 1), base });
  const days = facts.weekdays.length + facts.monthDays.length + facts.nth.length + facts.dates.length;
  const unit = every?.unit === 'day' || every?.unit === 'week' ? every.unit : undefined;
  // cron has no start date.
  if (unit && every && (every.n > 1 || facts.start)) return everyDays(facts, times, { unit, n: every.n, base });
  if (facts.start && facts.weekdays.length > 0 && !every) return everyDays(facts, times, { unit: 'week', n: 1, base });
  if (facts.start) throw refuse('plainStart');
  if (every?.unit === 'day' && days > 0) throw refuse('twoRhythms');
  if (!every && days === 0 && !(facts.repeats && (facts.part || facts.times[0]?.named))) {
    if (times.length === 0) throw refuse(facts.repeats ? 'everyWhat' : 'noTime');
    const at = clock(times[0] ?? 0);
    throw refusedPhrase(phrase, say('schedules.noDays'), [`daily at ${at}`, `tomorrow at ${at}`]);
  }
  if (every?.unit === 'week' && days > facts.weekdays.length) throw refuse('twoRhythms');
  if (every?.unit === 'week' && days === 0) facts.weekdays.push(1);
  if ((every?.unit === 'month' || every?.unit === 'year') && !facts.joins && facts.weekdays.length > 0)
    throw refuse('whichWeekdays');
  if (every?.unit === 'year' && facts.dates.length === 0 && months.length === 0) {
    if (days > 0) throw refuse('whichMonth');
    months.push(1);
  }
  if (
    every &&
    ((every.unit === 'year' && every.n > 1) ||
      (every.unit === 'month' && (12 % every.n > 0 || (every.n > 1 && months.length > 0))))
  )
    throw refuse('uneven');
  if (every?.unit === 'month' && every.n > 1) for (let of = 1; of <= 12; of += every.n) months.push(of);
  if ((every?.unit === 'month' || every?.unit === 'year') && days === 0) facts.monthDays.push('1');
  return crons(facts, timeFields(times.length > 0 ? times : [DEFAULT_TIME]));
}

/** Makes a rhythm of n minutes, all day or between two times of day. */
function everyMinutes(
  facts: Facts,
  times: readonly number[],
  { n, base }: { n: number; base: number | undefined },
): Schedule {
  const { marks, start, refuse, timezone } = facts;
  const [from, to] = facts.window.map(({ minutes }) => minutes);
  const days =
    facts.weekdays.length + facts.months.length + facts.monthDays.length + facts.nth.length + facts.dates.length;
  if (n > MAX_MINUTES) throw refuse('overYear');
  const isFromThen = start && 'day' in start && times.length === 1;
  if (times.length > 0 && !isFromThen) throw refuse('hasNoTime');
  if ((start && (facts.window.length > 0 || days > 0)) || (marks.length > 0 && (start || from !== undefined)))
    throw refuse('plainStart');
  if (facts.isEven && (days > 0 || marks.length > 0 || facts.window.length > 0)) throw refuse('evenly');
  if (facts.isEven && !start) return { kind: 'every', everyMs: n * MINUTE };
  if (from !== undefined && to !== undefined) {
    if (from >= to) {
      const ends = { from: clock(from), to: clock(to) };
      const overnight = `every hour from ${ends.from} to 23:59; every hour from 0:00 to ${ends.to}`;
      throw refusedPhrase(facts.phrase, say('schedules.notAfter', ends), [overnight]);
    }
    return crons(
      facts,
      timeFields(Array.from({ length: Math.floor((to - from) / n) + 1 }, (_, turn) => from + turn * n)),
    );
  }
  const first = from ?? (marks.length === 1 ? (marks[0] ?? 0) : 0);
  if (days > 0 && first >= n) throw refuse('untilWhen');
  const isFixed = n < 60 ? 60 % n === 0 : n % 60 === 0;
  if (!start && 1440 % n === 0 && (isFixed || from !== undefined || days > 0)) {
    if (marks.length > 1 && n !== 60) throw refuse('needsHours');
    if (marks.length > 1) return crons(facts, [`${ranges(marks.toSorted((a, b) => a - b))} *`]);
    const phase = first % n;
    if (n < 60 && 60 % n === 0)
      return crons(facts, [
        phase === 0
          ? `${n === 1 ? '*' : `*/${n}`} *`
          : `${Array.from({ length: 60 / n }, (_, turn) => phase + turn * n)} *`,
      ]);
    if (n === 60) return crons(facts, [`${phase} *`]);
    if (n % 60 === 0 && phase < 60) return crons(facts, [`${phase} */${n / 60}`]);
    return crons(facts, timeFields(Array.from({ length: 1440 / n }, (_, turn) => phase + turn * n)));
  }
  if (from !== undefined || marks.length > 0 || days > 0) throw refuse('dayShare', { n });
  const time = (times[0] ?? 0) * MINUTE + (facts.times[0]?.seconds ?? 0) * 1000;
  const anchored =
    start === undefined
      ? base
      : 'instant' in start
        ? start.instant
        : instantAt({ ...facts, timezone }, start.day, time);
  const anchor = anchored === undefined ? undefined : new Date(Math.floor(anchored / MINUTE) * MINUTE).toISOString();
  return { kind: 'every', everyMs: n * MINUTE, ...(anchor === undefined ? {} : { anchor }) };
}

/** Makes a rhythm of every nth day or week, at local times. */
function everyDays(
  facts: Facts,
  said: readonly number[],
  { unit, n, base }: { unit: 'day' | 'week'; n: number; base: number | undefined },
): Schedule {
  const { weekdays, start, timezone, refuse } = facts;
  const every = unit === 'week' ? n * 7 : n;
  if (
    facts.monthDays.length + facts.nth.length + facts.dates.length + facts.months.length > 0 ||
    (unit === 'day' && weekdays.length > 0)
  )
    throw refuse('otherDays');
  if (every > 366) throw refuse('overYear');
  const from = start && 'instant' in start ? start.instant : base;
  // By default, days are counted from a Thursday, and weeks from the Monday after it.
  const wall = from === undefined ? (unit === 'week' ? 4 * DAY : 0) : toWall(from, timezone);
  if (start && 'instant' in start && said.length > 0) throw refuse('twoTimes');
  const usual = start && 'instant' in start ? Math.floor((wall % DAY) / MINUTE) : DEFAULT_TIME;
  const times = said.length > 0 ? said : [usual];
  // When counting from now, today is not the first day if all its times are past.
  const isOver = start === undefined && from !== undefined && times.every((time) => time * MINUTE <= wall % DAY);
  const first = start && 'day' in start ? start.day : dayNumber(wall) + (isOver ? 1 : 0);
  const wanted = weekdays.length > 0 ? weekdays : [start ? weekdayOf(first) : 1];
  const days = unit === 'day' ? [first] : firstOfWeeks(first, every, wanted);
  return anyOf(days.map((day) => ({ kind: 'days', every, times: times.map(clock), anchor: isoDay(day), timezone })));
}

/**
 * Returns each weekday's first date. Weeks are counted from the Monday of the week of the first one; no date is before
 * it.
 */
function firstOfWeeks(from: number, every: number, weekdays: readonly number[]): number[] {
  const first = from + Math.min(...weekdays.map((weekday) => (weekday - weekdayOf(from) + 7) % 7));
  const monday = first - ((weekdayOf(first) + 6) % 7);
  const inWeek = [...new Set(weekdays)].map((weekday) => monday + ((weekday + 6) % 7));
  return inWeek.map((day) => (day < from ? day + every : day)).sort((a, b) => a - b);
}

/** Returns the fewest minute and hour fields that express exactly these times of day. */
function timeFields(times: readonly number[]): string[] {
  const hours = Map.groupBy(
    [...new Set(times)].sort((a, b) => a - b),
    (time) => Math.floor(time / 60),
  );
  const alike = Map.groupBy(hours, ([, all]) => ranges(all.map((time) => time % 60)));
  return [...alike].map(([minutes, of]) => `${minutes} ${ranges(of.map(([hour]) => hour))}`);
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
function crons(
  { weekdays, nth, monthDays, dates, months, joins, timezone }: Facts,
  fields: readonly string[],
): Schedule {
  const sorted = (values: readonly number[]) => ranges([...new Set(values)].sort((a, b) => a - b));
  const week = nth.length > 0 ? nth.join(',') : new Set(weekdays).size === 7 ? '*' : sorted(weekdays) || '*';
  const plain = [...new Set(monthDays)].filter((day) => day !== 'LW').join(',');
  // LW can't be part of a list.
  const days = [plain, monthDays.includes('LW') ? 'LW' : ''].filter(Boolean);
  const of = [...new Set(months)].sort((a, b) => a - b).join(',') || '*';
  const patterns =
    dates.length > 0
      ? dates.map(({ day, month }) => `${day} ${month} *`)
      : (days.length > 0 ? days : ['*']).map((day) => `${day} ${of} ${joins === 'both' ? '+' : ''}${week}`);
  return anyOf(
    fields.flatMap((time) => patterns.map((day) => ({ kind: 'cron', pattern: `${time} ${day}`, timezone }))),
  );
}
