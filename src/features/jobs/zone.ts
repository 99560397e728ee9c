/**
 * Converts between wall-clock time and instants without a library. A wall time is the number that `Date.UTC` gives for
 * what the clock shows, so days and minutes are plain arithmetic. An ambiguous wall time (autumn) means its first
 * occurrence; a missing one (spring) means the first moment after the gap, as in cron.
 */

export { isTimezone, systemTimezone } from '../../lib/timezone.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const MAX_FORMATS = 64;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timezone, format);
  return format;
}

/** Returns the wall time of the zone at the instant. Both in milliseconds; years 1000 to 9999. */
export function toWall(instant: number, timezone: string): number {
  const whole = Math.floor(instant / 1000) * 1000;
  const text = formatOf(timezone).format(whole);
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = text.split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) + (instant - whole);
}

/** Returns the instant of a wall time in the zone, or undefined if the zone skipped that whole day. */
export function toInstant(wall: number, timezone: string): number | undefined {
  const offsetAt = (instant: number) => toWall(instant, timezone) - instant;
  const candidates = [offsetAt(wall - DAY), offsetAt(wall + DAY)].map((offset) => wall - offset).sort((a, b) => a - b);
  const found = candidates.find((instant) => toWall(instant, timezone) === wall);
  if (found !== undefined) return found;
  const [before = 0, after = 0] = candidates;
  const change = changeWithin(before, after, timezone);
  // If the gap ends with the day, the first moment after it belongs to the next day.
  const isDayThere = [change - 1, change].some((instant) => dayNumber(toWall(instant, timezone)) === dayNumber(wall));
  return isDayThere ? change : undefined;
}

/** Returns the second at which the clocks change, if they change once in (before, after]. */
function changeWithin(before: number, after: number, timezone: string): number {
  const offsetAt = (instant: number) => toWall(instant, timezone) - instant;
  const offset = offsetAt(before);
  let [low, high] = [before, after];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the instants in (from, until] at which the zone's clocks change. */
export function clockChanges(timezone: string, from: number, until: number): number[] {
  const changes: number[] = [];
  const start = Math.floor(from / 1000) * 1000;
  let offset = toWall(start, timezone) - start;
  for (let time = start + DAY; time < until + DAY; time += DAY) {
    const now = toWall(time, timezone) - time;
    if (now !== offset) changes.push(changeWithin(time - DAY, time, timezone));
    offset = now;
  }
  return changes.filter((change) => change > from && change <= until);
}

/** Returns the days since 1970-01-01 of a wall time. */
export function dayNumber(wall: number): number {
  return Math.floor(wall / DAY);
}

/** 0 is Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/**
 * Returns the days since 1970-01-01, or undefined for a date that does not exist.
 * @param month from 1
 */
export function dayFrom(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / DAY : undefined;
}

/** `2026-12-24` */
export function isoDay(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** Formats minutes since midnight as `09:30`. */
export function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
