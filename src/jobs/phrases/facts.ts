/** What a phrase says, before it is known whether that makes a schedule: each part of speech fills in its fact, once. */
import type { Reader } from './tokens.ts';
import type { DayPart, Unit } from './words.ts';

export interface ClockTime {
  /** Minutes since midnight. */
  minutes: number;
  /** An hour from 1 to 12 without am or pm: a part of the day may make it an afternoon hour. */
  isTwelve: boolean;
  hasMeridiem: boolean;
  /** An hour without minutes, or a time that was spoken, and no zero before it: `9`, "half past nine". */
  isBare: boolean;
  /** Only of a moment that is written out in full. */
  seconds?: number;
  /** "noon" or "midnight". */
  isNamed: boolean;
}

export interface Facts {
  /** Words such as "every" or "mondays" were there. */
  repeats: boolean;
  /** "every" or a rhythm such as "daily" was there: a second one would say something else. */
  saidEvery: boolean;
  rhythm?: { unit: Unit; n: number };
  times: ClockTime[];
  /** So many times, days or dates the phrase announces: "twice a day". */
  count?: { n: number; unit: Unit };
  /** Minutes past each hour. */
  marks: number[];
  part?: DayPart;
  /** Times of day between which a rhythm of minutes or hours runs, both included. */
  window?: { from: ClockTime; to: ClockTime };
  /** The time of day from which a rhythm of minutes or hours is counted. */
  startTime?: ClockTime;
  /** "evenly spaced" was there: counted from 1970. */
  isEven: boolean;
  /** 0 is Sunday. */
  weekdays: number[];
  except: number[];
  /** Days of the month count only on these weekdays: "when that is a friday". */
  when: number[];
  /** "and also" was there: days in two ways are either of them. */
  isEither: boolean;
  nth: { nth: number | 'L'; weekday: number }[];
  /** As in the day-of-month field of a cron pattern. */
  monthDays: string[];
  /** "of the month" was there. */
  ofMonth: boolean;
  /** Days were counted without saying in what: "first monday", "last day". */
  needsMonth: boolean;
  /** "once" was there, and not as in "once a week". */
  saidOnce: boolean;
  months: number[];
  dates: { month: number; day: number; year?: number }[];
  /** One day, in days since 1970-01-01 of the local calendar. */
  day?: number;
  /** One instant, in ms. */
  instant?: number;
  /** From now. */
  delay?: { months: number; days: number; ms: number };
  /** Where a rhythm is counted from: a local day, or an instant in ms. */
  start?: { day: number } | { instant: number };
  /** The phrase means another time when it is read at another time. */
  relative: boolean;
}

export interface Context {
  reader: Reader;
  facts: Facts;
  now: number;
  timezone: string;
}

export const noFacts = (): Facts => ({
  repeats: false,
  saidEvery: false,
  times: [],
  marks: [],
  weekdays: [],
  except: [],
  when: [],
  isEither: false,
  isEven: false,
  nth: [],
  monthDays: [],
  ofMonth: false,
  needsMonth: false,
  saidOnce: false,
  months: [],
  dates: [],
  relative: false,
});
