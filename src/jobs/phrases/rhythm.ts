/** Rhythms: what divides the hour or the day becomes cron, everything else is evenly spaced; nothing is rounded. */

import type { Schedule } from '../slots.ts';
import { clock, DAY, dayOf, isoDay, MINUTE, toWall, weekdayOf } from '../zone.ts';
import { type Build, DEFAULT_TIME, together } from './build.ts';
import { settleTimes } from './clock.ts';
import { crons, timeFields } from './cron.ts';
import { instantAt } from './once.ts';

const MAX_MINUTES = (366 * DAY) / MINUTE;

/** A rhythm of n minutes, all day long or between two times of day. */
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
  if (facts.times.length > 0 || facts.part)
    throw reader.refuse('a rhythm of hours or minutes has no time of day', 'every 2 hours between 9:00 and 17:00');
  if (n > MAX_MINUTES) throw reader.refuse('that is more than a year', 'yearly on 24 december at 18:00');
  if (start && (window || marks.length > 0 || !isEveryDay))
    throw reader.refuse('a start goes with a plain rhythm only', 'every 90 minutes from 2027-01-04 09:00');
  const minutes = marks.length > 0 ? [...new Set(marks)].sort((a, b) => a - b) : [0];
  if (window) {
    const [from = 0, to = 0] = [window.from, window.to].map((time) => settleTimes(reader, [time], undefined)[0] ?? 0);
    if (window.from.isTwelve !== window.to.isTwelve && (window.from.hasMeridiem || window.to.hasMeridiem)) {
      throw reader.refuse('one hour has am or pm and the other does not', 'every hour between 9am and 5pm');
    }
    if (from >= to)
      throw reader.refuse(`${clock(to)} does not come after ${clock(from)}`, 'every hour between 9:00 and 17:00');
    const first = marks.length === 0 ? [from] : minutes.map((mark) => mark + Math.floor(from / 60) * 60);
    const times = first.flatMap((time) =>
      Array.from({ length: Math.floor((to - time) / n) + 1 }, (_, turn) => time + turn * n),
    );
    return crons(build, timeFields(times.filter((time) => time >= from && time <= to)));
  }
  if (!start && n < 60 && 60 % n === 0) return crons(build, [n === 1 ? '* *' : `*/${n} *`]);
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

/** Every second, third, ... day or week, at local times. */
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
  // By default from a Thursday, weeks from the Monday after it.
  const wall = from === undefined ? (unit === 'week' ? 4 * DAY : 0) : toWall(from, timezone);
  if (start && 'instant' in start) times.splice(0, times.length, Math.floor((wall % DAY) / MINUTE));
  // Counted from now, a day all whose times are over is not the first one.
  const isOver = start === undefined && from !== undefined && times.every((time) => time * MINUTE <= wall % DAY);
  const first = start && 'day' in start ? start.day : dayOf(wall) + (isOver ? 1 : 0);
  const days =
    unit === 'day'
      ? [first]
      : firstOfWeeks(first, every, weekdays.length > 0 ? weekdays : [start ? weekdayOf(first) : 1]);
  const local = times.map(clock);
  return together(days.map((day) => ({ kind: 'days', every, times: local, anchor: isoDay(day), timezone })));
}

/** For each weekday its first date, all in the weeks (from Monday) that are counted from the first of them; none before it. */
function firstOfWeeks(from: number, every: number, weekdays: readonly number[]): number[] {
  const ahead = (weekday: number) => (weekday - weekdayOf(from) + 7) % 7;
  const first = from + Math.min(...weekdays.map(ahead));
  const monday = first - ((weekdayOf(first) + 6) % 7);
  const inWeek = [...new Set(weekdays)].map((weekday) => monday + ((weekday + 6) % 7));
  const days = inWeek.map((day) => (day < from ? day + every : day));
  return days.sort((a, b) => a - b);
}
