/** Parses times of day and ISO dates that a form has matched. */
import { DAY, dayFrom, toInstant } from '../zone.ts';
import type { Refuse } from './refusal.ts';

export interface PhraseContext {
  /** As written. */
  phrase: string;
  timezone: string;
  refuse: Refuse;
}

export interface ClockTime {
  /** Minutes since midnight. */
  minutes: number;
  seconds: number;
  /** Whether this is an hour from 1 to 12 without am or pm, which a part of the day may move to the afternoon. */
  isTwelve: boolean;
  hasMeridiem: boolean;
  /** Whether this is an hour alone or spoken, without am or pm: `9`, `half past 9`. */
  isBare: boolean;
  /** Its position in the text. */
  at: number;
  size: number;
  named: string | undefined;
}

export function clocksIn(context: PhraseContext, text: string, at: number): ClockTime[] {
  const found = text.matchAll(
    /(?:12 )?(noon|midday|midnight)|(?:(half|quarter) (past|to) )?(\d+)(?::(\d\d))?(?::(\d\d))?(?: ?([ap]m))?/g,
  );
  return [...found].map(
    ({ 0: whole, 1: named, 2: part, 3: side, 4: hour = '', 5: minute, 6: second, 7: half, index }) => {
      const common = {
        at: at + index,
        size: whole.length,
        hasMeridiem: half !== undefined,
        seconds: Number(second ?? 0),
      };
      if (named) return { ...common, named, minutes: named === 'midnight' ? 0 : 720, isTwelve: false, isBare: false };
      const said = Number(hour);
      if (hour.length > 2 || said > (half ? 12 : 23) || (half && said < 1))
        throw context.refuse('noHour', { hour: whole.slice(0, 10) });
      if (Number(minute ?? 0) > 59) throw context.refuse('noMinute', { minute: minute ?? '' });
      const isTwelve = !half && said >= 1 && said <= 12;
      const isBare = isTwelve && !hour.startsWith('0') && minute === undefined;
      const past =
        part === undefined ? Number(minute ?? 0) : { half: 30, quarter: 15 }[part === 'half' ? part : 'quarter'];
      const from = (half ? (said % 12) + (half === 'pm' ? 12 : 0) : said) * 60;
      return { ...common, named, minutes: (from + (side === 'to' ? 1440 - past : past)) % 1440, isTwelve, isBare };
    },
  );
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(z|([+-])(\d\d):?(\d\d))?)?$/;

export function readIso(context: PhraseContext, text: string): { day: number; instant?: number } {
  const match = INSTANT.exec(text) ?? [];
  const numbers = match.slice(1, 7).map((part) => Number(part ?? 0));
  const [year = 0, of = 0, date = 0, hour = 0, minute = 0, second = 0] = numbers;
  const day = year >= 1970 ? dayFrom(year, of, date) : undefined;
  if (day === undefined) throw context.refuse('noDate', { date: text.slice(0, 10) });
  if (match[4] === undefined) return { day };
  const [zone, sign, zoneHour = '0', zoneMinute = '0'] = match.slice(7, 11);
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute));
  if (hour > 23 || minute > 59 || second > 59 || Math.abs(offset) > 14 * 60)
    throw context.refuse('noClock', { time: text.slice(11) });
  const wall = day * DAY + (hour * 60 + minute) * 60_000 + second * 1000;
  const instant = zone === undefined ? toInstant(wall, context.timezone) : wall - offset * 60_000;
  if (instant === undefined) throw context.refuse('noDay');
  return { day, instant };
}
