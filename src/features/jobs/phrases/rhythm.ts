/**
 * Builds rhythms: intervals that divide the hour or the day become cron, all others are evenly spaced; nothing is
 * rounded.
 */

import type { Schedule } from '../slots.ts';
import { clock, DAY, dayOf, isoDay, MINUTE, toWall, weekdayOf } from '../zone.ts';
import { type Build, DEFAULT_TIME, together } from './build.ts';
import { settleTimes, settleWindow } from './clock.ts';
import { crons, timeFields } from './cron.ts';
import type { ClockTime } from './facts.ts';
import { instantAt } from './once.ts';

const MAX_MINUTES = (366 * DAY) / MINUTE;

/** Builds a rhythm of n minutes, all day or between two times of day. */
export function withinDays(build: Build, n: number): Schedule {
  const { reader, facts, base } = build;
  const { window, marks, start } = facts;
  const isEveryDay =
    facts.weekdays.length +
      facts.except.length +
      facts.months.length +
      facts.monthDays.length +
      facts.nth.length +
      facts.dates.length ===
    0;
  if (facts.times.length > 0 || (facts.part && !facts.startTime))
    throw reader.refuse('a rhythm of hours or minutes has no time of day', 'every 2 hours between 9:00 and 17:00');
  if (n > MAX_MINUTES) throw reader.refuse('that is more than a year', 'yearly on 24 december at 18:00');
  if (start && (window || marks.length > 0 || !isEveryDay))
    throw reader.refuse('a start goes with a plain rhythm only', 'every 90 minutes from 2027-01-04 09:00');
  const minutes = marks.length > 0 ? [...new Set(marks)].sort((a, b) => a - b) : [0];
  if (facts.isEven) return { kind: 'every', everyMs: n * MINUTE };
  if (facts.startTime) return countedFrom(build, n, facts.startTime, isEveryDay);
  if (window) {
    const { from, to } = settleWindow(reader, window);
    const first = marks.length === 0 ? [from] : minutes.map((mark) => mark + Math.floor(from / 60) * 60);
    const times = first.flatMap((time) =>
      Array.from({ length: Math.floor((to - time) / n) + 1 }, (_, turn) => time + turn * n),
    );
    return crons(build, timeFields(times.filter((time) => time >= from && time <= to)));
  }
  if (!start && n < 60 && 60 % n === 0) {
    if (marks.length > 0) return crons(build, [`${minutesFrom(reader, minutes, n).join(',')} *`]);
    return crons(build, [n === 1 ? '* *' : `*/${n} *`]);
  }
  if (!start && n % 60 === 0 && n < 1440 && 1440 % n === 0)
    return crons(build, [`${minutes.join(',')} ${n === 60 ? '*' : `*/${n / 60}`}`]);
  if (marks.length > 0)
    throw reader.refuse(
      `${n / 60} hours do not divide the day, so they have no fixed minute of it`,
      'every 6 hours at :15',
    );
  if (!isEveryDay) {
    if (1440 % n !== 0)
      throw reader.refuse(
        `${n} minutes do not divide the day, so there is no telling which days they fall on`,
        'every 30 minutes on weekdays',
      );
    return crons(build, timeFields(Array.from({ length: 1440 / n }, (_, turn) => turn * n)));
  }
  const anchored = start === undefined ? base : 'instant' in start ? start.instant : instantAt(build, start.day, 0);
  const whole = anchored === undefined ? undefined : Math.floor(anchored / MINUTE) * MINUTE;
  const anchor = whole === undefined ? {} : { anchor: new Date(whole).toISOString() };
  return { kind: 'every', everyMs: n * MINUTE, ...anchor };
}

/** Returns the minutes of "every 30 minutes at :10". */
function minutesFrom(reader: Build['reader'], marks: readonly number[], n: number): number[] {
  const [mark = 0, other] = marks;
  if (other !== undefined || n === 1)
    throw reader.refuse('several minutes need a rhythm of hours', 'every hour at :10 and :40');
  return Array.from({ length: 60 / n }, (_, turn) => (mark % n) + turn * n);
}

/** Builds "every 4 hours starting at 8", all day, so that 8:00 is one of its times. */
function countedFrom(build: Build, n: number, startTime: ClockTime, isEveryDay: boolean): Schedule {
  const { reader, facts, now, timezone } = build;
  if (facts.start || facts.window || facts.marks.length > 0)
    throw reader.refuse('it has two starts', 'every 4 hours starting at 8:00');
  const [first = 0] = settleTimes(reader, [startTime], facts.part);
  if (!isEveryDay && first >= n) {
    const rhythm = n % 60 === 0 ? `${n / 60} hours` : `${n} minutes`;
    const example = `every ${rhythm} between ${clock(first)} and 23:59 on weekdays`;
    throw reader.refuse('it does not say until when on these days', example);
  }
  if (n < 60 && 60 % n === 0) return crons(build, [`${minutesFrom(reader, [first % 60], n).join(',')} *`]);
  const phase = first % n;
  if (1440 % n === 0) {
    if (n % 60 === 0) return crons(build, [`${phase % 60} ${hoursFrom(Math.floor(phase / 60), n / 60)}`]);
    return crons(build, timeFields(Array.from({ length: 1440 / n }, (_, turn) => phase + turn * n)));
  }
  if (!isEveryDay) throw reader.refuse(`${n} minutes do not divide the day`, 'every 30 minutes on weekdays');
  facts.relative = true;
  const today = dayOf(toWall(now, timezone));
  const ahead = instantAt(build, today, first * MINUTE);
  const from = ahead > now ? ahead : instantAt(build, today + 1, first * MINUTE);
  return { kind: 'every', everyMs: n * MINUTE, anchor: new Date(from).toISOString() };
}

const hoursFrom = (first: number, n: number): string =>
  n === 1 ? '*' : first === 0 ? `*/${n}` : Array.from({ length: 24 / n }, (_, turn) => first + turn * n).join(',');

/** Builds a rhythm of every nth day or week, at local times. */
export function everyDays(build: Build, unit: 'day' | 'week', n: number): Schedule {
  const { reader, facts, timezone, base } = build;
  const { weekdays, start } = facts;
  const every = unit === 'week' ? n * 7 : n;
  if (facts.monthDays.length + facts.nth.length + facts.dates.length + facts.months.length + facts.except.length > 0) {
    throw reader.refuse(`every ${n} ${unit}s and days of a month do not go together`, 'every 2 weeks on monday at 9');
  }
  if (unit === 'day' && weekdays.length > 0)
    throw reader.refuse(`every ${n} days falls on any day of the week`, 'every 2 weeks on monday at 9');
  if (every > 366) throw reader.refuse('that is more than a year', 'yearly on 24 december at 18:00');
  const times = build.times.length > 0 ? build.times : [DEFAULT_TIME];
  const from = start && 'instant' in start ? start.instant : base;
  if (start && 'instant' in start && facts.times.length > 0)
    throw reader.refuse('it says two times', 'every 2 days at 9 from 2027-01-04');
  // Counted by default from a Thursday, weeks from the Monday after it.
  const wall = from === undefined ? (unit === 'week' ? 4 * DAY : 0) : toWall(from, timezone);
  if (start && 'instant' in start) times.splice(0, times.length, Math.floor((wall % DAY) / MINUTE));
  // When counting from now, a day whose times are all past is not the first one.
  const isOver = start === undefined && from !== undefined && times.every((time) => time * MINUTE <= wall % DAY);
  const first = start && 'day' in start ? start.day : dayOf(wall) + (isOver ? 1 : 0);
  const days =
    unit === 'day'
      ? [first]
      : firstOfWeeks(first, every, weekdays.length > 0 ? weekdays : [start ? weekdayOf(first) : 1]);
  const local = times.map(clock);
  return together(days.map((day) => ({ kind: 'days', every, times: local, anchor: isoDay(day), timezone })));
}

/**
 * Returns each weekday's first date, within the weeks (from Monday) that are counted from the first of them; none is
 * before it.
 */
function firstOfWeeks(from: number, every: number, weekdays: readonly number[]): number[] {
  const ahead = (weekday: number) => (weekday - weekdayOf(from) + 7) % 7;
  const first = from + Math.min(...weekdays.map(ahead));
  const monday = first - ((weekdayOf(first) + 6) % 7);
  const inWeek = [...new Set(weekdays)].map((weekday) => monday + ((weekday + 6) % 7));
  const days = inWeek.map((day) => (day < from ? day + every : day));
  return days.sort((a, b) => a - b);
}
