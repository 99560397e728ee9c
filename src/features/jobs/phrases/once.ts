/** Resolves phrases that mean one day, from "in 20 minutes" to "tomorrow at 9", to instants in the future. */

import type { Schedule } from '../slots.ts';
import { clock, DAY, dayFrom, dayOf, isoDay, MINUTE, toInstant, toWall } from '../zone.ts';
import { type Build, DEFAULT_TIME, together } from './build.ts';
import { comingWeekday } from './days.ts';

/** Returns a schedule for one time, or one for each of several times. */
export function onceOf(build: Build): Schedule {
  const { reader, facts, now, timezone } = build;
  const instants = onceInstants(build).map((instant) => Math.ceil(instant / 1000) * 1000);
  const past = instants.find((instant) => instant <= now);
  if (past !== undefined && !(build.allowPast && !facts.relative)) {
    const wall = toWall(past, timezone);
    const when = `${isoDay(dayOf(wall))} ${clock(Math.floor((wall % DAY) / MINUTE))}`;
    throw reader.refuse(`${when} is already past`, `tomorrow at ${clock(Math.floor((wall % DAY) / MINUTE))}`);
  }
  if (instants.some((instant) => instant > now + 3660 * DAY))
    throw reader.refuse('that is more than ten years away', 'in 20 minutes');
  if (facts.times.length === 0 && instants.length === 0) throw reader.refuse('it says no time', 'tomorrow at 9');
  return together(instants.map((instant) => ({ kind: 'once', at: new Date(instant).toISOString() })));
}

function onceInstants(build: Build): number[] {
  const { reader, facts, times, now, timezone } = build;
  const { delay, instant, day, dates, weekdays } = facts;
  if (instant !== undefined) {
    if (times.length > 0) throw reader.refuse('it says two times', '2027-12-24 18:00');
    return [instant];
  }
  const wallNow = toWall(now, timezone);
  if (delay) {
    const isDays = delay.days + delay.months > 0;
    if (times.length > 0 && (!isDays || delay.ms > 0)) throw reader.refuse('it says two times', 'in 2 days at 9:00');
    if (!isDays) return [now + delay.ms];
    if (delay.months > 240 || delay.days > 3660)
      throw reader.refuse('that is more than ten years away', 'in 20 minutes');
    const target = addMonths(dayOf(wallNow), delay.months) + delay.days;
    const timesOfDay = times.length > 0 ? times.map((time) => time * MINUTE) : [wallNow % DAY];
    return timesOfDay.map((time) => instantAt(build, target, time) + delay.ms);
  }
  const timesOfDay = times.length > 0 ? times : [DEFAULT_TIME];
  const seconds = facts.times[0]?.seconds ?? 0;
  const on = (target: number) => timesOfDay.map((time) => instantAt(build, target, time * MINUTE) + seconds * 1000);
  if (day !== undefined) {
    if (times.length === 0 && day === dayOf(wallNow)) throw reader.refuse('it says no time', 'today at 18:00');
    return on(day);
  }
  // A weekday or a date without a year means the first one whose times are all in the future.
  const isAhead = (target: number) => on(target).every((at) => at > now);
  const [weekday] = weekdays;
  if (weekday !== undefined) {
    const first = comingWeekday(build, weekday, 0);
    return on(isAhead(first) ? first : first + 7);
  }
  const year = new Date(wallNow).getUTCFullYear();
  return dates.flatMap((date) => {
    if (date.year !== undefined) return on(dayFrom(date.year, date.month, date.day) ?? 0);
    const days = Array.from({ length: 9 }, (_, ahead) => dayFrom(year + ahead, date.month, date.day));
    return on(days.find((target) => target !== undefined && isAhead(target)) ?? 0);
  });
}

/** Returns the instant of a local day and time of day in ms. */
export function instantAt({ reader, timezone }: Build, day: number, ms: number): number {
  const instant = toInstant(day * DAY + ms, timezone);
  if (instant === undefined) throw reader.refuse(`the zone ${timezone} left that day out`, 'tomorrow at 9');
  return instant;
}

function addMonths(day: number, months: number): number {
  const date = new Date(day * DAY);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const target = new Date(first);
  const last = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  return first / DAY + Math.min(date.getUTCDate(), last) - 1;
}
