/** Parses times of day: "8", "8:30 pm", "noon", "between 9 and 17", "in the evening". */

import { clock } from '../zone.ts';
import { HalfOfDay } from './ask.ts';
import { SPOKEN } from './english.ts';
import type { ClockTime, Context } from './facts.ts';
import type { Reader } from './tokens.ts';
import { type DayPart, MONTHS, NAMED_TIMES, ORDINAL_ENDINGS, UNITS } from './words.ts';

/** Why dates in figures are refused. */
export const DATE_FORMS = 'a date in figures is written with the year first, since other orders have two meanings';

const isMeridiem = (text: string) => text === 'am' || text === 'pm';
/** Up to this hour, a bare hour may also mean the afternoon. */
const LAST_UNCLEAR = 6;

/**
 * Returns whether a clock time starts `ahead` tokens after the cursor. A bare number counts only where a time is
 * required.
 */
export function isClock(reader: Reader, isBareOk: boolean, ahead = 0): boolean {
  const [first, second] = [reader.peek(ahead), reader.peek(ahead + 1)];
  if (NAMED_TIMES.has(first.text) || first.text === SPOKEN) return true;
  if (first.kind !== 'number') return false;
  if (isMeridiem(second.text) || (second.glued && second.text === ':')) return true;
  if (second.glued && second.text === '.' && reader.peek(ahead + 2).kind === 'number') return true;
  const isOther =
    UNITS.has(second.text) || MONTHS.has(second.text) || (second.glued && ORDINAL_ENDINGS.has(second.text));
  return isBareOk && !isOther;
}

/**
 * Returns the clock time at the cursor, or undefined if there is none.
 * @throws {UserError} for "25am" and "8:75"
 */
export function readClock(reader: Reader, isBareOk: boolean): ClockTime | undefined {
  if (!isClock(reader, isBareOk)) return undefined;
  const isSpoken = reader.takeIf(SPOKEN);
  const { text } = reader.take();
  const named = NAMED_TIMES.get(text);
  if (named !== undefined) return { minutes: named, isTwelve: false, hasMeridiem: false, isBare: false, isNamed: true };
  const { minute, seconds, isWritten } = readMinute(reader, text);
  const meridiem = isMeridiem(reader.peek().text) ? reader.take().text : '';
  const said = Number(text);
  const isHour = text.length <= 2 && (meridiem ? said >= 1 && said <= 12 : said <= 23);
  if (!isHour) throw reader.refuse(`there is no hour ${text}${meridiem}`, 'daily at 8:30 pm');
  if (Number(minute) > 59) throw reader.refuse(`there is no minute ${minute}`, `daily at ${text}:30`);
  const hour = meridiem ? (said % 12) + (meridiem === 'pm' ? 12 : 0) : said;
  const isTwelve = !meridiem && said >= 1 && said <= 12;
  const isBare = isTwelve && !text.startsWith('0') && (isSpoken || !isWritten);
  const minutes = hour * 60 + Number(minute);
  return { minutes, isTwelve, hasMeridiem: meridiem !== '', isBare, isNamed: false, ...seconds };
}

/** Reads what follows the hour: ":30", ".30", ":30:15", or nothing. */
function readMinute(
  reader: Reader,
  hour: string,
): { minute: string; isWritten: boolean; seconds?: { seconds: number } } {
  if (!reader.peek().glued || ![':', '.'].includes(reader.peek().text)) return { minute: '00', isWritten: false };
  reader.take();
  const minute = reader.take().text;
  if (reader.peek().glued && reader.peek().text === '.') throw reader.refuse(DATE_FORMS, '2027-12-24 18:00');
  if (!/^\d\d$/.test(minute)) throw reader.refuse('minutes have two digits', 'daily at 8:05');
  if (!reader.peek().glued || reader.peek().text !== ':') return { minute, isWritten: true };
  reader.take();
  const seconds = reader.take().text;
  if (!/^[0-5]\d$/.test(seconds))
    throw reader.refuse('seconds are not supported', `daily at ${hour.slice(0, 2)}:${minute}`);
  return { minute, isWritten: true, seconds: { seconds: Number(seconds) } };
}

/** Reads what follows "at": a time, ":15", "minute 15". Returns false if it is something else. */
export function readAt({ reader, facts }: Context): boolean {
  const isMark = reader.peek().text === ':' || reader.peek().text === 'minute';
  if (isMark && reader.peek(1).kind === 'number') {
    reader.take();
    const mark = reader.take().text;
    if (mark.length > 2 || Number(mark) > 59) throw reader.refuse(`there is no minute ${mark}`, 'every hour at :15');
    facts.marks.push(Number(mark));
    return true;
  }
  const time = readClock(reader, true);
  if (time) facts.times.push(time);
  return time !== undefined;
}

/**
 * Reads what follows "between", "from" or "starting": "9 and 17", "9:00 to 17:00", or a start. Returns false, without
 * moving the cursor, if no time follows.
 */
export function readWindow({ reader, facts }: Context, isEndNeeded: boolean): boolean {
  if (!isClock(reader, true) || reader.peek(1).text === 'now') return false;
  const from = readClock(reader, true);
  const isJoined = ['and', 'to', 'until', 'till', '-'].includes(reader.peek().text) && isTimeAfter(reader);
  if (from && !isJoined && !isEndNeeded) {
    if (facts.startTime) throw reader.refuse('it has two starts', 'every 4 hours starting at 8:00');
    facts.startTime = from;
    return true;
  }
  if (isJoined) reader.take();
  reader.takeIf('at');
  const to = isJoined ? readClock(reader, true) : undefined;
  if (!from || !to || facts.window)
    throw reader.refuse('the hours need a start and an end', 'every hour between 9:00 and 17:00');
  facts.window = { from, to };
  return true;
}

const isTimeAfter = (reader: Reader): boolean => isClock(reader, true, reader.peek(1).text === 'at' ? 2 : 1);

/** Returns the window in minutes of one day. If both hours are bare, the end is the one after the start: "9 to 5". */
export function settleWindow(
  reader: Reader,
  { from, to }: { from: ClockTime; to: ClockTime },
): { from: number; to: number } {
  if (from.isTwelve !== to.isTwelve && (from.hasMeridiem || to.hasMeridiem))
    throw reader.refuse('one hour has am or pm and the other does not', 'every hour between 9am and 5pm');
  const [start = 0] = settleTimes(reader, [from], undefined);
  if (to.isBare && from.isTwelve && to.minutes <= start && to.minutes + 720 > start)
    return { from: start, to: to.minutes + 720 };
  const [end = 0] = to.minutes > start ? settleTimes(reader, [to], undefined) : [to.minutes];
  if (start < end) return { from: start, to: end };
  const night = `every hour between ${clock(start)} and 23:59; every hour between 0:00 and ${clock(end)}`;
  throw reader.refuse(
    `${clock(end)} does not come after ${clock(start)}`,
    end > 0 ? night : 'every hour between 9:00 and 17:00',
  );
}

/**
 * Returns the times in minutes of the day, using the part of the day that the phrase names. Sorted, without duplicates.
 */
export function settleTimes(reader: Reader, times: readonly ClockTime[], part: DayPart | undefined): number[] {
  const isMixed = times.some((time) => time.hasMeridiem) && times.some((time) => time.isTwelve);
  if (isMixed && !part) throw reader.refuse('some times have am or pm and others do not', 'daily at 8pm and 9pm');
  const unclear = times.filter(({ isBare, minutes }) => isBare && Math.floor(minutes / 60) <= LAST_UNCLEAR);
  if (!part && unclear.length > 0)
    throw new HalfOfDay([...new Set(unclear.map(({ minutes }) => Math.floor(minutes / 60)))]);
  const minutes = times.map((time) => {
    if (!part) return time.minutes;
    const both = time.isTwelve ? [time.minutes, (time.minutes + 720) % 1440] : [time.minutes];
    const meant = both.find((candidate) => part.has(Math.floor(candidate / 60)));
    if (meant !== undefined) return meant;
    const day = part.name === 'tonight' ? 'tomorrow' : 'daily';
    throw reader.refuse(
      `${clock(time.minutes)} does not go with "${part.name}"`,
      `${day} at ${clock(time.minutes % 720)}`,
    );
  });
  return [...new Set(minutes)].sort((a, b) => a - b);
}
