/** Collects what a phrase says, form by form. Each setter refuses what contradicts an earlier one. */
import { dayFrom, dayNumber, toWall, weekdayOf } from '../zone.ts';
import type { ClockTime, PhraseContext } from './clock.ts';
import { all, NTH, ORD, type Unit, unitOf, weekday } from './words.ts';

export interface Facts extends PhraseContext {
  text: string;
  now: number;
  every?: { n: number; unit: Unit };
  /** The stated number of times or days: "twice a day". */
  count?: number;
  repeats: boolean;
  isOnce: boolean;
  /** 0 is Sunday. */
  weekdays: number[];
  /** In cron's syntax for the day of the month, and for the day of the week: `15`, `LW`; `1#2`. */
  monthDays: string[];
  nth: string[];
  /** Whether days are counted in words, which needs "of the month": "first monday". */
  needsMonth: boolean;
  ofMonth: boolean;
  /** How days of the month and days of the week are combined. */
  joins?: 'both' | 'either';
  months: number[];
  /** Whether the phrase repeats each year, by "every year" or "in june". "The 1st of june" alone is one date. */
  isYearly: boolean;
  dates: { day: number; month: number; year?: number }[];
  times: ClockTime[];
  /** Minutes past each hour. */
  marks: number[];
  part?: string;
  /** The times of day between which a rhythm runs, or only the one at which it starts. */
  window: ClockTime[];
  /** One local day, in days since 1970. */
  day?: number;
  instant?: number;
  delay?: { months: number; days: number; ms: number };
  start?: { day: number } | { instant: number };
  isEven: boolean;
  /** Whether the meaning depends on when the phrase is read. */
  relative: boolean;
}

export const today = ({ now, timezone }: Facts): number => dayNumber(toWall(now, timezone));

/** Returns the first date with this weekday at least `atLeast` days from today. */
export function comingWeekday(facts: Facts, wanted: number, atLeast: number): number {
  const day = today(facts) + atLeast;
  return day + ((wanted - weekdayOf(day) + 7) % 7);
}

export function setRhythm(facts: Facts, n: number, unit: Unit): void {
  const isWithin = facts.every?.unit === 'minute' || facts.every?.unit === 'hour';
  // "every 15 minutes every day"
  if (isWithin && (unit === 'day' || unit === 'year') && n === 1) {
    facts.isYearly ||= unit === 'year';
    return;
  }
  if (facts.every) throw facts.refuse('twoRhythms');
  if (n < 1) throw facts.refuse('leastOne');
  if (unit === 'second') throw facts.refuse('seconds');
  facts.every = { n, unit };
  facts.repeats = true;
}

export function setDay(facts: Facts, day: number, relative = true): void {
  if (facts.day !== undefined || facts.instant !== undefined) throw facts.refuse('twoTimes');
  facts.day = day;
  facts.relative = relative;
}

export function dayIn(facts: Facts, year: number, of: number, day: number): number {
  const found = dayFrom(year, of, day);
  if (found === undefined) throw facts.refuse('noDay');
  return found;
}

export function addDate(facts: Facts, day: number, of: number, year?: string): void {
  dayIn(facts, year === undefined ? 2024 : Number(year), of, day);
  facts.dates.push({ day, month: of, ...(year === undefined ? {} : { year: Number(year) }) });
}

export function monthDay(facts: Facts, n: number): number {
  if (n < 1 || n > 31) throw facts.refuse('monthDay', { n });
  return n;
}

/** "1st and 15th", "last day", "first monday and third". */
export function addNth(facts: Facts, text: string, of?: string): void {
  for (const word of all(text.slice(0, text.length - (of?.length ?? 0)), ORD)) {
    const n = NTH.includes(word) ? NTH.indexOf(word) : Number.parseInt(word, 10);
    facts.needsMonth ||= !/\d/.test(text) || (of !== undefined && of !== 'day');
    if (of === 'weekday') {
      if (n > 1) throw facts.refuse('nthWeekday');
      facts.monthDays.push(n === 0 ? 'LW' : '1W');
    } else if (of === undefined || of === 'day') {
      facts.monthDays.push(word === 'last' ? 'L' : String(monthDay(facts, n)));
    } else {
      if (n > 5) throw facts.refuse('fiveWeekdays');
      facts.nth.push(`${weekday(of)}#${n === 0 ? 'L' : n}`);
    }
  }
}

/** Maps each unit of "in 2 hours" to the part of the date that it adds to. */
const SPANS = {
  second: ['ms', 1000],
  minute: ['ms', 60_000],
  hour: ['ms', 3_600_000],
  day: ['days', 1],
  week: ['days', 7],
  month: ['months', 1],
  year: ['months', 12],
} as const satisfies Record<Unit, readonly ['ms' | 'days' | 'months', number]>;

export function addDelay(facts: Facts, delay: NonNullable<Facts['delay']>, text: string): void {
  const [, figure = '', word = ''] = /^(\d+|an?) ?(\p{L}+)$/u.exec(text) ?? [];
  const n = /\d/.test(figure) ? Number(figure) : 1;
  if (n > 1_000_000_000) throw facts.refuse('tooFar');
  const [key, size] = SPANS[unitOf(word)];
  delay[key] += n * size;
}
