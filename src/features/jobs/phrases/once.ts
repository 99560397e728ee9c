/** Makes the schedule of a phrase that means a single day. */
import { anyOf, type Schedule } from '../slots.ts';
import { DAY, dayFrom, dayNumber, MINUTE, toInstant, toWall, weekdayOf } from '../zone.ts';
import { comingWeekday, dayIn, type Facts } from './facts.ts';

/** The time of day of "daily", "mondays" and the like, in minutes. */
export const DEFAULT_TIME = 9 * 60;

/** Makes the schedule of one day: one time, or one for each of several times. */
export function onceOf(facts: Facts, times: readonly number[], allowPast: boolean): Schedule {
  const { now, refuse, timezone } = facts;
  const instants = onceInstants(facts, times).map((instant) => Math.ceil(instant / 1000) * 1000);
  for (const instant of instants) {
    if (instant <= now && (facts.relative || !allowPast))
      throw refuse('past', { when: { at: new Date(instant).toISOString(), zone: timezone } });
    if (instant > now + 3660 * DAY) throw refuse('tooFar');
    const [weekday] = facts.weekdays;
    if (weekday !== undefined && weekdayOf(dayNumber(toWall(instant, timezone))) !== weekday)
      throw refuse('otherWeekday');
  }
  return anyOf(instants.map((instant) => ({ kind: 'once', at: new Date(instant).toISOString() })));
}

function onceInstants(facts: Facts, times: readonly number[]): number[] {
  const { delay, instant, day, dates, weekdays, now, refuse, timezone } = facts;
  const wallNow = toWall(now, timezone);
  if (instant !== undefined || (delay && (delay.ms > 0 || delay.days + delay.months === 0))) {
    if (times.length > 0) throw refuse('twoTimes');
    if (instant !== undefined) return [instant];
  }
  const seconds = facts.times[0]?.seconds ?? 0;
  const on = (target: number) =>
    (times.length > 0 ? times : [DEFAULT_TIME]).map((time) => instantAt(facts, target, time * MINUTE + seconds * 1000));
  if (delay) {
    if (delay.months > 240 || delay.days > 3660) throw refuse('tooFar');
    if (delay.months + delay.days === 0) return [now + delay.ms];
    const target = addMonths(dayNumber(wallNow), delay.months) + delay.days;
    return times.length > 0 ? on(target) : [instantAt(facts, target, wallNow % DAY) + delay.ms];
  }
  if (day !== undefined) {
    if (times.length === 0 && day === dayNumber(wallNow)) throw refuse('noTime');
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
export function instantAt({ refuse, timezone }: Facts, day: number, ms: number): number {
  const instant = toInstant(day * DAY + ms, timezone);
  if (instant === undefined) throw refuse('noDay');
  return instant;
}

function addMonths(day: number, months: number): number {
  const date = new Date(day * DAY);
  const target = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  return target.getTime() / DAY + Math.min(date.getUTCDate(), last) - 1;
}
