/** The times of day in a phrase: "8", "8:30 pm", "noon", "between 9 and 17", "in the evening". */

import { clock } from '../zone.ts';
import type { ClockTime, Context } from './facts.ts';
import type { Reader } from './tokens.ts';
import { type DayPart, MONTHS, NAMED_TIMES, ORDINAL_ENDINGS, UNITS } from './words.ts';

/** Why dates in figures are refused. */
export const DATE_FORMS = 'a date in figures is written with the year first, since other orders have two meanings';

const isMeridiem = (text: string) => text === 'am' || text === 'pm';

/** Whether a clock time starts at the token so far ahead. A bare number is one only where a time must stand. */
function isClock(reader: Reader, isBareOk: boolean, ahead = 0): boolean {
  const [first, second] = [reader.peek(ahead), reader.peek(ahead + 1)];
  if (NAMED_TIMES.has(first.text)) return true;
  if (first.kind !== 'number') return false;
  if (isMeridiem(second.text) || (second.glued && second.text === ':')) return true;
  if (second.glued && second.text === '.' && reader.peek(ahead + 2).kind === 'number') return true;
  const isOther =
    UNITS.has(second.text) || MONTHS.has(second.text) || (second.glued && ORDINAL_ENDINGS.has(second.text));
  return isBareOk && !isOther;
}

/** The clock time at the cursor; undefined when there is none. Throws for "25am" and "8:75". */
export function readClock(reader: Reader, isBareOk: boolean): ClockTime | undefined {
  if (!isClock(reader, isBareOk)) return undefined;
  const first = reader.take();
  const named = NAMED_TIMES.get(first.text);
  if (named !== undefined) return { minutes: named, isTwelve: false, hasMeridiem: false, isNamed: true };
  let minute = '00';
  if (reader.peek().glued && [':', '.'].includes(reader.peek().text)) {
    reader.take();
    minute = reader.take().text;
    if (reader.peek().glued && reader.peek().text === '.') throw reader.refuse(DATE_FORMS, '2027-12-24 18:00');
    if (!/^\d\d$/.test(minute)) throw reader.refuse('minutes have two digits', 'daily at 8:05');
    if (reader.peek().glued && reader.peek().text === ':') {
      throw reader.refuse('seconds are not supported', `daily at ${first.text}:${minute}`);
    }
  }
  const meridiem = isMeridiem(reader.peek().text) ? reader.take().text : '';
  const said = Number(first.text);
  const isHour = first.text.length <= 2 && (meridiem ? said >= 1 && said <= 12 : said <= 23);
  if (!isHour) throw reader.refuse(`there is no hour ${first.text}${meridiem}`, 'daily at 8:30 pm');
  if (Number(minute) > 59) throw reader.refuse(`there is no minute ${minute}`, `daily at ${first.text}:30`);
  const hour = meridiem ? (said % 12) + (meridiem === 'pm' ? 12 : 0) : said;
  const isTwelve = !meridiem && said >= 1 && said <= 12;
  return { minutes: hour * 60 + Number(minute), isTwelve, hasMeridiem: meridiem !== '', isNamed: false };
}

/** After "at": a time, ":15", "minute 15". False when none follows. */
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

/** After "between" or "from": "9 and 17", "9:00 to 17:00". False, with nothing taken, when no time follows. */
export function readWindow({ reader, facts }: Context): boolean {
  if (!isClock(reader, true) || reader.peek(1).text === 'now') return false;
  const from = readClock(reader, true);
  const isJoined = reader.takeIf('and', 'to', 'until', 'till', '-');
  const to = isJoined ? readClock(reader, true) : undefined;
  if (!from || !to || facts.window)
    throw reader.refuse('the hours need a start and an end', 'every hour between 9:00 and 17:00');
  facts.window = { from, to };
  return true;
}

/** The minutes of the day meant by the times, given the part of the day the phrase names. Sorted, without repeats. */
export function settleTimes(reader: Reader, times: readonly ClockTime[], part: DayPart | undefined): number[] {
  const isMixed = times.some((time) => time.hasMeridiem) && times.some((time) => time.isTwelve);
  if (isMixed && !part) throw reader.refuse('some times have am or pm and others do not', 'daily at 8pm and 9pm');
  const minutes = times.map((time) => {
    if (!part) return time.minutes;
    const both = time.isTwelve ? [time.minutes, (time.minutes + 720) % 1440] : [time.minutes];
    const meant = both.find((candidate) => part.has(Math.floor(candidate / 60)));
    if (meant !== undefined) return meant;
    throw reader.refuse(`${clock(time.minutes)} does not go with "${part.name}"`, `daily at ${clock(time.minutes)}`);
  });
  return [...new Set(minutes)].sort((a, b) => a - b);
}
