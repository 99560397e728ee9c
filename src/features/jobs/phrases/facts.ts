/** The facts of a phrase, before it is known whether they make a schedule. Each part of speech sets its fact once. */
import type { Reader } from './tokens.ts';
import type { DayPart, Unit } from './words.ts';

export interface ClockTime {
  /** Minutes since midnight. */
  minutes: number;
  /** An hour from 1 to 12 without am or pm; a part of the day may move it to the afternoon. */
  isTwelve: boolean;
  hasMeridiem: boolean;
  /** An hour without minutes and without a leading zero, or a spoken time: `9`, "half past nine". */
  isBare: boolean;
  /** Only set for a fully written date and time. */
  seconds?: number;
  /** "noon" or "midnight". */
  isNamed: boolean;
}

export interface Facts {
  /** The phrase has a word such as "every" or "mondays". */
  repeats: boolean;
  /** The phrase has "every" or a rhythm such as "daily"; a second one would contradict it. */
  saidEvery: boolean;
  rhythm?: { unit: Unit; n: number };
  times: ClockTime[];
  /** The announced number of times, days or dates: "twice a day". */
  count?: { n: number; unit: Unit };
  /** Minutes past each hour. */
  marks: number[];
  part?: DayPart;
  /** The times of day between which a rhythm of minutes or hours runs, inclusive. */
  window?: { from: ClockTime; to: ClockTime };
  /** The time of day from which a rhythm of minutes or hours is counted. */
  startTime?: ClockTime;
  /** The phrase has "evenly spaced": counted from 1970. */
  isEven: boolean;
  /** 0 is Sunday. */
  weekdays: number[];
  except: number[];
  /** Days of the month count only on these weekdays: "when that is a friday". */
  when: number[];
  /** The phrase has "and also": a day matches in either way. */
  isEither: boolean;
  nth: { nth: number | 'L'; weekday: number }[];
  /** Uses the syntax of cron's day-of-month field. */
  monthDays: string[];
  /** The phrase has "of the month". */
  ofMonth: boolean;
  /** The phrase counts days without a period: "first monday", "last day". */
  needsMonth: boolean;
  /** The phrase has "once", and not as in "once a week". */
  saidOnce: boolean;
  months: number[];
  dates: { month: number; day: number; year?: number }[];
  /** One day, in days since 1970-01-01 of the local calendar. */
  day?: number;
  /** One instant, in ms. */
  instant?: number;
  /** Counted from now. */
  delay?: { months: number; days: number; ms: number };
  /** The start of a rhythm: a local day, or an instant in ms. */
  start?: { day: number } | { instant: number };
  /** The meaning of the phrase depends on when it is read. */
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
