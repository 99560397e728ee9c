/** Parses days: weekdays and ranges of them, dates in figures, "tomorrow", "next monday", and the start of a rhythm. */

import { DAY, dayFrom, dayOf, toInstant, toWall, weekdayOf } from '../zone.ts';
import { readClock } from './clock.ts';
import type { Context } from './facts.ts';
import { DAY_GROUPS, MONTHS, PLURAL_WEEKDAYS, TONIGHT, WEEKDAYS } from './words.ts';

/** Reads weekdays at the cursor: a name, a group, or a range such as "mon-fri". Returns false if there is none. */
export function readWeekdays({ reader, facts }: Context, into: 'weekdays' | 'except'): boolean {
  const { text } = reader.peek();
  const group = DAY_GROUPS.get(text);
  const plural = PLURAL_WEEKDAYS.get(text);
  const first = WEEKDAYS.get(text) ?? plural;
  if (group === undefined && first === undefined) return false;
  reader.take();
  if (group || plural !== undefined) facts.repeats = true;
  if (first === undefined) {
    facts[into].push(...(group ?? []));
    return true;
  }
  const isRange = ['-', 'to', 'through', 'thru'].includes(reader.peek().text);
  const end = WEEKDAYS.get(reader.peek(1).text) ?? PLURAL_WEEKDAYS.get(reader.peek(1).text);
  if (!isRange || end === undefined) {
    facts[into].push(first);
    return true;
  }
  reader.take();
  reader.take();
  facts.repeats = true;
  for (let day = first; ; day = (day + 1) % 7) {
    facts[into].push(day);
    if (day === end) return true;
  }
}

/**
 * Reads "today", "tomorrow", "tonight", "day after tomorrow", "next monday" or an ISO date. Returns false if there is
 * none.
 */
export function readNamedDay(context: Context): boolean {
  const { reader, facts } = context;
  const day = readDay(context);
  if (day === undefined) return false;
  if (facts.day !== undefined || facts.instant !== undefined) {
    throw reader.refuse('it names two days', 'tomorrow at 9; next monday at 9');
  }
  if ('day' in day) facts.day = day.day;
  else facts.instant = day.instant;
  return true;
}

/** Reads what follows "starting" or "from". Returns false if it is not a day. */
export function readStart(context: Context): boolean {
  const { reader, facts } = context;
  reader.takeIf('on', 'at');
  const weekday = WEEKDAYS.get(reader.peek().text);
  const isRange = ['-', 'to', 'through', 'thru'].includes(reader.peek(1).text);
  if (weekday !== undefined && isRange) return false;
  let start = readWritten(context) ?? readDay(context);
  if (!start && weekday !== undefined) {
    reader.take();
    facts.relative = true;
    start = { day: comingWeekday(context, weekday, 1) };
  }
  if (!start) return false;
  if (facts.start) throw reader.refuse('it has two starts', 'every 2 weeks on monday from 2027-01-04');
  facts.start = start;
  return true;
}

/** Reads "4 December 2026", or "Friday 4 December 2026 at 09:00" as schedules are displayed. */
function readWritten({ reader, timezone }: Context): { day: number } | { instant: number } | undefined {
  const first = WEEKDAYS.has(reader.peek().text) ? 1 : 0;
  const [date, month, year] = [reader.peek(first), MONTHS.get(reader.peek(first + 1).text), reader.peek(first + 2)];
  if (date.kind !== 'number' || month === undefined || year.text.length !== 4) return undefined;
  for (let taken = 0; taken < first + 3; taken += 1) reader.take();
  const day = dayFrom(Number(year.text), month, Number(date.text));
  if (day === undefined) throw reader.refuse('there is no such day', 'every 2 weeks on monday from 2027-01-04');
  if (first === 0) return { day };
  if (!reader.takeIf('at')) return { day };
  const time = readClock(reader, true);
  const wall = day * DAY + ((time?.minutes ?? 0) * 60 + (time?.seconds ?? 0)) * 1000;
  const instant = time && toInstant(wall, timezone);
  if (instant === undefined) throw reader.refuse('it says no time', 'every 90 minutes from 2027-01-04 09:00');
  return { instant };
}

const NEAR_DAYS = new Map([
  ['today', 0],
  ['tonight', 0],
  ['tomorrow', 1],
]);
const today = ({ now, timezone }: Context) => dayOf(toWall(now, timezone));

/** Returns the first such weekday at least `atLeast` days from today. */
export function comingWeekday(context: Context, weekday: number, atLeast: number): number {
  const day = today(context) + atLeast;
  return day + ((weekday - weekdayOf(day) + 7) % 7);
}

function readDay(context: Context): { day: number } | { instant: number } | undefined {
  const { reader, facts } = context;
  const { text, kind } = reader.peek();
  if (kind === 'iso') return readIso(context, reader.take().text);
  let ahead = NEAR_DAYS.get(text);
  if (ahead !== undefined) reader.take();
  else if (text === 'day' && reader.peek(1).text === 'after' && reader.peek(2).text === 'tomorrow') {
    for (let taken = 0; taken < 3; taken += 1) reader.take();
    ahead = 2;
  }
  if (text === 'tonight') facts.part = TONIGHT;
  if (ahead !== undefined) {
    facts.relative = true;
    return { day: today(context) + ahead };
  }
  if (!['next', 'this', 'coming'].includes(text)) return undefined;
  const ofNextWeek = text === 'next' && reader.peek(1).text === 'week' ? WEEKDAYS.get(reader.peek(2).text) : undefined;
  if (ofNextWeek !== undefined) {
    for (let taken = 0; taken < 3; taken += 1) reader.take();
    facts.relative = true;
    const monday = today(context) - ((weekdayOf(today(context)) + 6) % 7);
    return { day: monday + 7 + ((ofNextWeek + 6) % 7) };
  }
  const weekday = WEEKDAYS.get(reader.peek(1).text);
  if (weekday === undefined) {
    // "this evening"
    if (text !== 'this')
      throw reader.refuse(`it does not say which day "${text} ${reader.peek(1).text}" is`, 'next monday at 9');
    reader.take();
    facts.relative = true;
    return { day: today(context) };
  }
  reader.take();
  reader.take();
  facts.relative = true;
  return { day: comingWeekday(context, weekday, text === 'next' ? 1 : 0) };
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(z|([+-])(\d\d):?(\d\d))?)?$/;

function readIso({ reader, timezone }: Context, text: string): { day: number } | { instant: number } {
  const match = ISO.exec(text) ?? [];
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const day = year >= 1970 ? dayFrom(year, month, date) : undefined;
  if (day === undefined) throw reader.refuse(`there is no day ${text.slice(0, 10)}`, '2027-12-24 18:00');
  if (match[4] === undefined) return { day };
  const [zone, sign, zoneHour = '0', zoneMinute = '0'] = match.slice(7, 11);
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute));
  if (hour > 23 || minute > 59 || second > 59 || Math.abs(offset) > 14 * 60) {
    throw reader.refuse(`there is no time ${text.slice(11)}`, '2027-12-24 18:00');
  }
  const wall = ((day * 24 + hour) * 60 + minute) * 60_000 + second * 1000;
  const instant = zone === undefined ? toInstant(wall, timezone) : wall - offset * 60_000;
  if (instant === undefined) throw reader.refuse(`the zone ${timezone} left that day out`, '2027-12-24 18:00');
  return { instant };
}
