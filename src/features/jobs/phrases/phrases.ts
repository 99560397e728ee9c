/**
 * Makes the schedule that a phrase means. Intervals that divide the hour or the day become cron, all others are evenly
 * spaced; nothing is rounded, and parts that don't go together are refused.
 */
import type { UserError } from '../../../errors.ts';
import type { Schedule } from '../slots.ts';
import { clock, DAY, dayFrom, dayNumber, isoDay, MINUTE, toInstant, toWall, weekdayOf } from '../zone.ts';
import type { ClockTime } from './clock.ts';
import { comingWeekday, dayIn, type Facts, foldPhrase, PARTS } from './grammar.ts';
import { readFacts } from './read-facts.ts';
import { takeZone } from './zones.ts';

export interface PhraseOptions {
  timezone: string;
  now: Date;
  /** The start of a rhythm that cron can't express if the phrase names none; 1970 if absent. */
  anchor?: Date | undefined;
  /** Accepts a past date, as a schedule without further slots: a file outlives its date. */
  allowPast?: boolean | undefined;
}

interface ParsedPhrase {
  schedule: Schedule;
  /** The meaning depends on when the phrase is read ("tomorrow at 9"). */
  relative: boolean;
}

/** The time of day of "daily", "mondays" and the like, in minutes. */
const DEFAULT_TIME = 9 * 60;
/** Up to this hour, a bare hour may also mean the afternoon. */
const LAST_UNCLEAR = 6;
const LEAP_YEAR = 2024;
const MAX_MINUTES = (366 * DAY) / MINUTE;

/** @throws {UserError} with the reason and an example, or with both halves of the day for an unclear hour */
export function parsePhrase(phrase: string, options: PhraseOptions): ParsedPhrase {
  const { text, zone } = takeZone(foldPhrase(phrase));
  const all = readFacts(phrase, text, { now: options.now.getTime(), timezone: options.timezone });
  const parts = all.map((facts) => scheduleOf(facts, options, zone));
  const of = parts.flatMap(({ schedule }) => (schedule.kind === 'any' ? schedule.of : [schedule]));
  return { schedule: together(of), relative: parts.some(({ relative }) => relative) };
}

function scheduleOf(facts: Facts, options: PhraseOptions, zone: string | undefined): ParsedPhrase {
  const times = timesOf(facts, zone);
  checkTogether(facts, times);
  const { weekdays, monthDays, months, dates } = facts;
  const [monthDay = '', ...others] = monthDays;
  // "on the 1st of january"
  if (
    !facts.repeats &&
    !facts.isYearly &&
    !facts.ofMonth &&
    others.length === 0 &&
    months.length === 1 &&
    /^\d+$/.test(monthDay)
  ) {
    dates.push({ day: Number(monthDay), month: months[0] ?? 0 });
    [facts.monthDays, facts.months] = [[], []];
  }
  const isOneDay = !facts.repeats && (dates.length > 0 || weekdays.length === 1) && facts.monthDays.length === 0;
  if (facts.delay || facts.instant !== undefined || facts.day !== undefined || (isOneDay && !facts.joins)) {
    const relative = facts.relative || (isOneDay && dates.every(({ year }) => year === undefined));
    return { schedule: onceOf(facts, times, options.allowPast ?? false), relative };
  }
  if (facts.isOnce) throw facts.refuse('it says both once and again and again', 'tomorrow at 9" or "every day at 9');
  const base = options.anchor?.getTime();
  // In a file, "noon" is every day, as `@midnight` is.
  facts.repeats ||= facts.times.length === 1 && facts.times[0]?.named !== undefined && options.allowPast === true;
  const schedule = recurring(facts, times, base);
  const [part] = schedule.kind === 'any' ? schedule.of : [schedule];
  const isAnchored = base !== undefined && !facts.start && !facts.isEven && part?.kind !== 'cron';
  return { schedule, relative: facts.relative || isAnchored };
}

/** Returns the times in minutes of the day, in the part of the day that the phrase names. */
function timesOf(facts: Facts, zone: string | undefined): number[] {
  const { times, window, part, refuse } = facts;
  const [from, to] = window;
  // "9 to 5"
  if (from && to?.isBare && to.minutes <= from.minutes) {
    to.isBare = false;
    if (from.isTwelve && to.minutes + 720 > from.minutes) to.minutes += 720;
  }
  for (const clocks of [times, window])
    if (clocks.some(({ hasMeridiem }) => hasMeridiem) && clocks.some(({ isTwelve }) => isTwelve) && !part)
      throw refuse('some times have am or pm and others do not', 'daily at 8pm and 9pm');
  const unclear = [...times, ...window].filter(({ isBare, minutes }) => isBare && minutes < (LAST_UNCLEAR + 1) * 60);
  if (!part && unclear.length > 0) throw askHalf(facts, unclear, zone);
  if (part && times.length === 0) return [(PARTS[part]?.[0] ?? 9) * 60];
  const [, first, last] = (part !== undefined && PARTS[part]) || [0, 0, 23];
  const minutes = times.map((time) => {
    const both = time.isTwelve && part ? [time.minutes, (time.minutes + 720) % 1440] : [time.minutes];
    const meant = both.find((each) => each >= first * 60 && each < (last + 1) * 60);
    if (meant !== undefined) return meant;
    throw refuse(`${clock(time.minutes)} does not go with "${part}"`, `daily at ${clock(time.minutes)}`);
  });
  return [...new Set(minutes)].sort((a, b) => a - b);
}

/** "Daily at 5" can mean two times: asks which one, with both written out in the phrase. */
function askHalf({ text, refuse }: Facts, unclear: readonly ClockTime[], zone?: string): UserError {
  const written = (more: number) =>
    unclear
      .toSorted((a, b) => b.at - a.at)
      .reduce((now, { at, minutes, size }) => {
        return `${now.slice(0, at)}${clock(minutes + more)}${now.slice(at + size)}`;
      }, text) + (zone ? ` ${zone}` : '');
  if (text.length > 120)
    return refuse('it leaves open which half of the day is meant', 'daily at 05:00" or "daily at 17:00');
  const hours = [...new Set(unclear.map(({ minutes }) => `${clock(minutes)} or ${clock(minutes + 720)}`))];
  return refuse(
    `it leaves open which half of the day is meant, ${hours.join(', ')}`,
    `${written(0)}" or "${written(720)}`,
  );
}

/** @throws {UserError} for facts that contradict each other or are incomplete */
function checkTogether(facts: Facts, times: readonly number[]): void {
  const { every, weekdays, monthDays, nth, dates, months, day, window, marks, refuse } = facts;
  const isOnce = Boolean(facts.delay) || day !== undefined || facts.instant !== undefined;
  const kinds = [weekdays, monthDays, nth, dates].filter(({ length }) => length > 0).length;
  const isWithin = every?.unit === 'minute' || every?.unit === 'hour';
  const isChecked = weekdays.length === 1 && !facts.repeats && dates.length + Number(day !== undefined) === 1;
  if (facts.delay && (day !== undefined || facts.instant !== undefined))
    throw refuse('it says two times', 'in 2 days at 9:00');
  if (isOnce && (facts.repeats || kinds > Number(isChecked) || months.length + facts.marks.length > 0 || facts.start))
    throw refuse('it says both once and again and again', 'tomorrow at 9" or "every day at 9');
  if (facts.joins ? kinds !== 2 || monthDays.length === 0 : kinds > 1 && !isChecked)
    throw refuse(
      'it names days in two ways, and "both" and "either" are two meanings',
      'on the 13th at 9; every friday at 9" or "0 9 13 * +FRI',
    );
  if (
    dates.length > 0 &&
    (months.length > 0 || (every && every.unit !== 'year') || (facts.repeats && dates.some(({ year }) => year)))
  )
    throw refuse('it has two rhythms', 'every 24 december at 18:00');
  if (!facts.repeats && !facts.joins && weekdays.length === 1 && months.length > 0)
    throw refuse('it does not say whether that comes again', 'every monday in december at 9');
  if (facts.needsMonth && !facts.ofMonth && every?.unit !== 'month' && months.length === 0)
    throw refuse(
      'it does not say of which month',
      'first monday of the month at 9" or "last day of the month at 18:00',
    );
  if (facts.times.some(({ seconds }) => seconds > 0) && !facts.start && !(facts.isOnce && dates.length === 1))
    throw refuse('seconds are not supported', 'daily at 8:30');
  if ((window.length > 0 || marks.length > 0 || facts.isEven) && !isWithin)
    throw refuse(
      'that needs a rhythm of hours or minutes',
      'every 30 minutes from 9:00 to 17:00" or "every hour at :15',
    );
  const { count = 0 } = facts;
  const said =
    { day: times.length, week: weekdays.length, month: monthDays.length + nth.length }[String(every?.unit)] ?? count;
  if (count > 1 ? said !== count : count === 1 && said > 1)
    throw refuse(`it does not say at which times, ${count} of them`, 'daily at 9 and 18:00');
  for (const said of monthDays.map((each) => Number.parseInt(each, 10)).filter((each) => each > 0))
    if (months.length > 0 && months.every((of) => dayFrom(LEAP_YEAR, of, said) === undefined))
      throw refuse('there is no such day', 'on 24 december at 18:00');
  if (facts.ofMonth && monthDays.length + nth.length === 0)
    throw refuse('it does not say which day of the month', 'on the 15th of the month at 9');
  if (isWithin && facts.isYearly && months.length === 0) throw refuse('it has two rhythms', 'every 2 hours');
  const isDaySaid = isOnce || kinds > 0;
  if (isDaySaid && facts.times.some(({ named }) => named === 'midnight'))
    throw refuse('a night goes over midnight, so it can be either of two days', 'every monday at 00:00');
}

/** Makes the schedule of one day: one time, or one for each of several times. */
function onceOf(facts: Facts, times: readonly number[], allowPast: boolean): Schedule {
  const { now, refuse, timezone } = facts;
  const instants = onceInstants(facts, times).map((instant) => Math.ceil(instant / 1000) * 1000);
  for (const instant of instants) {
    const wall = toWall(instant, timezone);
    const time = clock(Math.floor((wall % DAY) / MINUTE));
    if (instant <= now && (facts.relative || !allowPast))
      throw refuse(`${isoDay(dayNumber(wall))} ${time} is already past`, `tomorrow at ${time}`);
    if (instant > now + 3660 * DAY) throw refuse('that is more than ten years away', 'in 20 minutes');
    const isOther = facts.weekdays.length > 0 && weekdayOf(dayNumber(wall)) !== facts.weekdays[0];
    if (isOther)
      throw refuse(`${isoDay(dayNumber(wall))} is another day of the week`, `${isoDay(dayNumber(wall))} ${time}`);
  }
  return together(instants.map((instant) => ({ kind: 'once', at: new Date(instant).toISOString() })));
}

function onceInstants(facts: Facts, times: readonly number[]): number[] {
  const { delay, instant, day, dates, weekdays, now, refuse, timezone } = facts;
  const wallNow = toWall(now, timezone);
  if (instant !== undefined || (delay && (delay.ms > 0 || delay.days + delay.months === 0))) {
    if (times.length > 0) throw refuse('it says two times', '2027-12-24 18:00');
    if (instant !== undefined) return [instant];
  }
  const seconds = facts.times[0]?.seconds ?? 0;
  const on = (target: number) =>
    (times.length > 0 ? times : [DEFAULT_TIME]).map((time) => instantAt(facts, target, time * MINUTE + seconds * 1000));
  if (delay) {
    if (delay.months > 240 || delay.days > 3660) throw refuse('that is more than ten years away', 'in 20 minutes');
    if (delay.months + delay.days === 0) return [now + delay.ms];
    const target = addMonths(dayNumber(wallNow), delay.months) + delay.days;
    return times.length > 0 ? on(target) : [instantAt(facts, target, wallNow % DAY) + delay.ms];
  }
  if (day !== undefined) {
    if (times.length === 0 && day === dayNumber(wallNow)) throw refuse('it says no time', 'today at 18:00');
    return on(day);
  }
  // A weekday or a date without a year means the first one whose times are all in the future.
  const isAhead = (target: number) => on(target).every((at) => at > now);
  const first = comingWeekday(facts, weekdays[0] ?? 0, 0);
  if (dates.length === 0) return on(isAhead(first) ? first : first + 7);
  const year = new Date(wallNow).getUTCFullYear();
  return dates.flatMap((date) => {
    if (date.year !== undefined) return on(dayIn(facts, date.year, date.month, date.day));
    const days = Array.from({ length: 9 }, (_, ahead) => dayFrom(year + ahead, date.month, date.day));
    const ahead = days.find((target) => target !== undefined && isAhead(target));
    return on(ahead ?? dayIn(facts, year, date.month, date.day));
  });
}

/** Returns the instant of a local day and time of day in ms. */
function instantAt({ refuse, timezone }: Facts, day: number, ms: number): number {
  const instant = toInstant(day * DAY + ms, timezone);
  if (instant === undefined) throw refuse(`the zone ${timezone} left that day out`, 'tomorrow at 9');
  return instant;
}

function addMonths(day: number, months: number): number {
  const date = new Date(day * DAY);
  const target = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  return target.getTime() / DAY + Math.min(date.getUTCDate(), last) - 1;
}

function recurring(facts: Facts, times: readonly number[], base: number | undefined): Schedule {
  const { every, months, refuse } = facts;
  if (every?.unit === 'minute' || every?.unit === 'hour')
    return everyMinutes(facts, times, { n: every.n * (every.unit === 'hour' ? 60 : 1), base });
  const days = facts.weekdays.length + facts.monthDays.length + facts.nth.length + facts.dates.length;
  const unit = every?.unit === 'day' || every?.unit === 'week' ? every.unit : undefined;
  // cron has no first day.
  if (unit && every && (every.n > 1 || facts.start)) return everyDays(facts, times, { unit, n: every.n, base });
  if (facts.start && facts.weekdays.length > 0 && !every) return everyDays(facts, times, { unit: 'week', n: 1, base });
  if (facts.start)
    throw refuse('a start goes with days, weeks, hours or minutes', 'every 2 weeks on monday from 2027-01-04');
  if (every?.unit === 'day' && days > 0) throw refuse('it has two rhythms', 'daily at 9; on the 15th at 10:00');
  if (!every && days === 0 && !(facts.repeats && (facts.part || facts.times[0]?.named))) {
    if (times.length === 0)
      throw refuse(facts.repeats ? 'it does not say every what' : 'it says no time', 'every day at 9');
    throw refuse(
      'it does not say on which days',
      `daily at ${clock(times[0] ?? 0)}" or "tomorrow at ${clock(times[0] ?? 0)}`,
    );
  }
  if (every?.unit === 'week' && days > facts.weekdays.length)
    throw refuse('it has two rhythms', 'on the 15th of the month at 9');
  if (every?.unit === 'week' && days === 0) facts.weekdays.push(1);
  if ((every?.unit === 'month' || every?.unit === 'year') && !facts.joins && facts.weekdays.length > 0)
    throw refuse('it does not say which of these weekdays', 'first monday of the month at 9');
  if (every?.unit === 'year' && facts.dates.length === 0 && months.length === 0) {
    if (days > 0) throw refuse('it does not say in which month', 'yearly on 24 december at 18:00');
    months.push(1);
  }
  if (
    every &&
    ((every.unit === 'year' && every.n > 1) ||
      (every.unit === 'month' && (12 % every.n > 0 || (every.n > 1 && months.length > 0))))
  )
    throw refuse(
      'that does not come out even in a year',
      'every 3 months on the 1st at 9" or "yearly on 24 december at 18:00',
    );
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
  if (n > MAX_MINUTES) throw refuse('that is more than a year', 'yearly on 24 december at 18:00');
  const isFromThen = start && 'day' in start && times.length === 1;
  if (times.length > 0 && !isFromThen)
    throw refuse('a rhythm of hours or minutes has no time of day', 'every 2 hours from 9:00 to 17:00');
  if ((start && (facts.window.length > 0 || days > 0)) || (marks.length > 0 && (start || from !== undefined)))
    throw refuse('a start goes with a plain rhythm only', 'every 90 minutes from 2027-01-04 09:00');
  if (facts.isEven && (days > 0 || marks.length > 0 || facts.window.length > 0))
    throw refuse('evenly spaced goes on day and night, on all days', 'every 30 minutes from 9:00 to 17:00 on weekdays');
  if (facts.isEven && !start) return { kind: 'every', everyMs: n * MINUTE };
  if (from !== undefined && to !== undefined) {
    if (from >= to)
      throw refuse(
        `${clock(to)} does not come after ${clock(from)}`,
        `every hour from ${clock(from)} to 23:59; every hour from 0:00 to ${clock(to)}`,
      );
    return crons(
      facts,
      timeFields(Array.from({ length: Math.floor((to - from) / n) + 1 }, (_, turn) => from + turn * n)),
    );
  }
  const first = from ?? (marks.length === 1 ? (marks[0] ?? 0) : 0);
  if (days > 0 && first >= n)
    throw refuse('it does not say until when on these days', 'every 2 hours from 8:00 to 23:59 on weekdays');
  const isFixed = n < 60 ? 60 % n === 0 : n % 60 === 0;
  if (!start && 1440 % n === 0 && (isFixed || from !== undefined || days > 0)) {
    if (marks.length > 1 && n !== 60)
      throw refuse('several minutes need a rhythm of hours', 'every hour at :10 and :40');
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
  if (from !== undefined || marks.length > 0 || days > 0)
    throw refuse(
      `${n} minutes do not divide the day`,
      'every 90 minutes from 2027-01-04 09:00" or "every 6 hours at :15',
    );
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
    throw refuse(`every ${n} ${unit}s does not go with these days`, 'every 2 weeks on monday at 9');
  if (every > 366) throw refuse('that is more than a year', 'yearly on 24 december at 18:00');
  const from = start && 'instant' in start ? start.instant : base;
  // Counted by default from a Thursday, weeks from the Monday after it.
  const wall = from === undefined ? (unit === 'week' ? 4 * DAY : 0) : toWall(from, timezone);
  if (start && 'instant' in start && said.length > 0)
    throw refuse('it says two times', 'every 2 days at 9 from 2027-01-04');
  const usual = start && 'instant' in start ? Math.floor((wall % DAY) / MINUTE) : DEFAULT_TIME;
  const times = said.length > 0 ? said : [usual];
  // When counting from now, a day whose times are all past is not the first one.
  const isOver = start === undefined && from !== undefined && times.every((time) => time * MINUTE <= wall % DAY);
  const first = start && 'day' in start ? start.day : dayNumber(wall) + (isOver ? 1 : 0);
  const wanted = weekdays.length > 0 ? weekdays : [start ? weekdayOf(first) : 1];
  const days = unit === 'day' ? [first] : firstOfWeeks(first, every, wanted);
  return together(days.map((day) => ({ kind: 'days', every, times: times.map(clock), anchor: isoDay(day), timezone })));
}

/**
 * Returns each weekday's first date, within the weeks (from Monday) that are counted from the first of them; none is
 * before it.
 */
function firstOfWeeks(from: number, every: number, weekdays: readonly number[]): number[] {
  const first = from + Math.min(...weekdays.map((weekday) => (weekday - weekdayOf(from) + 7) % 7));
  const monday = first - ((weekdayOf(first) + 6) % 7);
  const inWeek = [...new Set(weekdays)].map((weekday) => monday + ((weekday + 6) % 7));
  return inWeek.map((day) => (day < from ? day + every : day)).sort((a, b) => a - b);
}

function together(schedules: readonly Schedule[]): Schedule {
  const [first] = schedules;
  return schedules.length === 1 && first ? first : { kind: 'any', of: schedules };
}

/** Returns the fewest minute and hour fields that give exactly these times of day. */
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
  return together(
    fields.flatMap((time) => patterns.map((day) => ({ kind: 'cron', pattern: `${time} ${day}`, timezone }))),
  );
}
