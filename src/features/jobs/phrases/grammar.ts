/**
 * Reads phrases about time by one table of forms, those of docs/jobs.md. Every word must belong to a form, or the whole
 * phrase is refused: a job that runs at nearly the right time is worse than a question. The model translates what
 * people write otherwise, in English too.
 */
import { dayFrom, dayNumber, toWall, weekdayOf } from '../zone.ts';
import { type ClockTime, clocksIn, type PhraseContext, readIso } from './clock.ts';

export const MAX_LENGTH = 400;

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

export interface Facts extends PhraseContext {
  text: string;
  now: number;
  every?: { n: number; unit: Unit };
  /** The announced number of times or days: "twice a day". */
  count?: number;
  repeats: boolean;
  isOnce: boolean;
  /** 0 is Sunday. */
  weekdays: number[];
  /** In the syntax of cron's day of the month, and of the day of the week: `15`, `LW`; `1#2`. */
  monthDays: string[];
  nth: string[];
  /** Days are counted in words, which needs "of the month": "first monday". */
  needsMonth: boolean;
  ofMonth: boolean;
  /** How days of the month and of the week go together. */
  joins?: 'both' | 'either';
  months: number[];
  /** The phrase has "every year", or "in june", which comes again: "the 1st of june" alone is one date. */
  isYearly: boolean;
  dates: { day: number; month: number; year?: number }[];
  times: ClockTime[];
  /** Minutes past each hour. */
  marks: number[];
  part?: string;
  /** The times of day between which a rhythm runs, or only the one from which it is counted. */
  window: ClockTime[];
  /** One local day, in days since 1970. */
  day?: number;
  instant?: number;
  delay?: { months: number; days: number; ms: number };
  start?: { day: number } | { instant: number };
  isEven: boolean;
  /** The meaning depends on when the phrase is read. */
  relative: boolean;
}

/** Returns lower case without accents, with one kind of hyphen, apostrophe and space. */
export const foldPhrase = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/[.!]$/, '')
    .trim();

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
export const NTH = ['last', 'first', 'second', 'third', 'fourth', 'fifth'];
export const FIGURES = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
export const RHYTHMS: Readonly<Record<string, [number, Unit]>> = {
  hourly: [1, 'hour'],
  daily: [1, 'day'],
  weekly: [1, 'week'],
  fortnightly: [2, 'week'],
  monthly: [1, 'month'],
  quarterly: [3, 'month'],
  yearly: [1, 'year'],
  annually: [1, 'year'],
};
/** The default hour of each part of the day, its first and its last. */
export const PARTS: Readonly<Record<string, readonly [usual: number, first: number, last: number]>> = {
  morning: [8, 1, 11],
  afternoon: [14, 12, 17],
  evening: [18, 16, 23],
  night: [21, 18, 23],
  tonight: [20, 16, 23],
};

export const WD =
  '(?:sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?)(?!\\p{L}{2})';
export const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?!\\p{L})';
const UNIT = '(?:seconds|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|[smhd])(?!\\p{L})';
const SPAN = `(?:\\d+ ?|an? )${UNIT}`;
const ORD = `(?:\\d{1,2}(?:st|nd|rd|th)|${NTH.join('|')})`;
const LINK = '(?: ?[,&] ?| ?,? and )';
export const CLOCK =
  '(?:(?:half|(?:a )?quarter) (?:past|to) \\d{1,2}(?: ?[ap]m)?|\\d{1,4}(?::\\d\\d)?(?::\\d\\d)? ?[ap]m|\\d{1,2}:\\d\\d(?::\\d\\d)?|(?:12 )?(?:noon|midnight)|midday)';
const TIME = `(?:${CLOCK}|\\d+)(?![\\p{L}\\d:./]| ?(?:${UNIT}|${MONTH}))`;
const TIMES = `(?:${LINK}(?:at )?${TIME})*`;
const ISO = '\\d{4}-\\d\\d-\\d\\d(?:[t ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:z|[+-]\\d\\d:?\\d\\d)?)?';
const MORE_MONTHS = `(?:${LINK}${MONTH})*`;

export const all = (text: string, pattern: string): string[] => text.match(new RegExp(pattern, 'gu')) ?? [];
const weekday = (word: string): number => DAYS.indexOf(word.slice(0, 3));
const month = (word: string): number => MONTHS.indexOf(word.slice(0, 3)) + 1;
const unitOf = (word: string): Unit => {
  const units: Unit[] = ['second', 'minute', 'hour', 'day', 'week', 'year'];
  return word.startsWith('mo') ? 'month' : (units.find((unit) => unit[0] === word[0]) ?? 'month');
};
const today = ({ now, timezone }: Facts): number => dayNumber(toWall(now, timezone));

/** Returns the first such weekday at least `atLeast` days from today. */
export function comingWeekday(facts: Facts, wanted: number, atLeast: number): number {
  const day = today(facts) + atLeast;
  return day + ((wanted - weekdayOf(day) + 7) % 7);
}

type Form = readonly [
  pattern: string,
  take: (facts: Facts, found: readonly string[], at: number) => void,
  kind?: 'day' | 'time' | 'rhythm' | 'every',
];

/** The first form that matches counts. */
const FORMS: readonly Form[] = [
  ['[ ,&/]+|and|on|the|\\(in months that have it\\)', () => undefined],
  // days
  [
    `(?:(once|twice)|(\\d+) (?:times|x)) (?:an? |per )?(day|week|month|daily|weekly|monthly)`,
    (facts, [, word, figure, period = '']) => {
      facts.count = word === 'once' ? 1 : word ? 2 : Number(figure);
      setRhythm(facts, ...(RHYTHMS[period] ?? [1, unitOf(period)]));
    },
    'rhythm',
  ],
  [
    Object.keys(RHYTHMS).join('|'),
    (facts, [word = ''], at) => {
      if (/hourly[ ,]*$/.test(facts.text.slice(0, at)))
        throw facts.refuse('it has two rhythms', 'hourly" or "daily at 9');
      setRhythm(facts, ...(RHYTHMS[word] ?? [1, 'day']));
    },
    'rhythm',
  ],
  [
    `@?(?:every|each) (?:(\\d+(?:nd|rd|th)? ?|other |second |third ))?(${UNIT})`,
    (facts, [, n = '1', unit = '']) =>
      setRhythm(facts, /\d/.test(n) ? Number.parseInt(n, 10) : n === 'third ' ? 3 : 2, unitOf(unit)),
    'rhythm',
  ],
  [
    `(?:every|each) other (${WD})`,
    (facts, [, day = '']) => {
      if (facts.weekdays.length > 0)
        throw facts.refuse('it has two rhythms', 'every 2 weeks on monday and tuesday at 9');
      setRhythm(facts, 2, 'week');
      facts.weekdays.push(weekday(day));
    },
    'day',
  ],
  // Belongs to what follows, which may be another part.
  ['every|each', () => undefined, 'every'],
  [
    `(${WD}s?) ?(?:-|to|through) ?(${WD}s?)|(?:from )(${WD}) (?:to|through) (${WD})`,
    (facts, [, a, b, first = a, last = b]) => {
      facts.repeats = true;
      for (let day = weekday(first ?? ''); ; day = (day + 1) % 7) {
        facts.weekdays.push(day);
        if (day === weekday(last ?? '')) return;
      }
    },
    'day',
  ],
  [
    `weekday nearest to the (\\d{1,2})(?:st|nd|rd|th)`,
    (facts, [, day = '']) => void facts.monthDays.push(`${monthDay(facts, Number(day))}W`),
    'day',
  ],
  [
    'week(day|end)s?',
    (facts, [, kind]) => {
      facts.repeats = true;
      facts.weekdays.push(...(kind === 'day' ? [1, 2, 3, 4, 5] : [6, 0]));
    },
    'day',
  ],
  [
    `\\(?(${WD})(s?)\\)?`,
    (facts, [, day = '', plural]) => {
      facts.weekdays.push(weekday(day));
      facts.repeats ||= plural === 's';
    },
    'day',
  ],
  [
    `(\\d{1,2})(?:st|nd|rd|th)? (${MONTH})(?:,? (\\d{4}))?`,
    (facts, [, day, name = '', year]) => addDate(facts, Number(day), month(name), year),
    'day',
  ],
  [
    `(${MONTH}) (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:]| ?[ap]m)(?:,? (\\d{4}))?`,
    (facts, [, name = '', day, year]) => addDate(facts, Number(day), month(name), year),
    'day',
  ],
  [
    `${ORD}(?:${LINK}(?:the )?${ORD})*(?: (day|weekday|${WD}))?`,
    (facts, [text = '', of]) => addNth(facts, text, of),
    'day',
  ],
  [
    'of (?:the|every|each) month',
    (facts) => {
      facts.ofMonth = true;
    },
  ],
  [
    `(of|in) (${MONTH}${MORE_MONTHS})`,
    (facts, [, which, names = '']) => {
      facts.months.push(...all(names, MONTH).map(month));
      facts.isYearly ||= which === 'in';
    },
  ],
  [
    'when that is an?',
    (facts) => {
      facts.joins = 'both';
    },
  ],
  [
    'also',
    (facts) => {
      facts.joins = 'either';
    },
  ],
  // one day
  [
    'once',
    (facts) => {
      facts.isOnce = true;
    },
  ],
  [
    `in ${SPAN}(?:(?: and |, | )?${SPAN})*`,
    (facts, [text = '']) => {
      if (facts.delay) throw twoDays(facts);
      facts.delay = { months: 0, days: 0, ms: 0 };
      for (const part of all(text, SPAN)) addDelay(facts, facts.delay, part);
      facts.relative = true;
    },
    'day',
  ],
  [
    `today|tomorrow|(?:the )?day after tomorrow|tonight|this (morning|afternoon|evening)`,
    (facts, [word = '', part]) => {
      setDay(facts, today(facts) + (word.includes('after') ? 2 : word === 'tomorrow' ? 1 : 0));
      const named = word === 'tonight' ? word : part;
      if (named) facts.part = named;
    },
    'day',
  ],
  [
    `(next|this) (${WD})`,
    (facts, [, which, day = '']) => setDay(facts, comingWeekday(facts, weekday(day), which === 'next' ? 1 : 0)),
    'day',
  ],
  [
    ISO,
    (facts, [text = '']) => {
      const { day, instant } = readIso(facts, text);
      if (instant === undefined) setDay(facts, day, facts.relative);
      else if (facts.instant !== undefined || facts.day !== undefined) throw twoDays(facts);
      else facts.instant = instant;
    },
    'day',
  ],
  // starts
  [
    'evenly spaced',
    (facts) => {
      facts.isEven = true;
    },
  ],
  [
    `(?:counted |starting )?(?:from|starting) (?:(${ISO})|(tomorrow)|(?:${WD} )?(\\d{1,2}) (${MONTH}) (\\d{4}))`,
    (facts, [, iso, word, day, name = '', year]) => {
      if (facts.start) throw facts.refuse('it has two rhythms', 'every 2 weeks on monday from 2027-01-04');
      facts.relative ||= word !== undefined;
      if (iso) {
        const { day: first, instant } = readIso(facts, iso);
        facts.start = instant === undefined ? { day: first } : { instant };
      } else facts.start = { day: word ? today(facts) + 1 : dayIn(facts, Number(year), month(name), Number(day)) };
    },
  ],
  // times of day
  [
    `(?:between|from) (${TIME}) ?(?:and|to|-) ?(${TIME})|(?:from|starting at) (${TIME})`,
    (facts, [text = ''], at) => {
      if (facts.window.length > 0) throw facts.refuse('it says two times', 'every 2 hours from 9:00 to 17:00');
      facts.window = clocksIn(facts, text, at);
    },
  ],
  [
    `(?:at )?:\\d\\d(?:${LINK}:\\d\\d)*`,
    (facts, [text = '']) => {
      facts.marks.push(...all(text, '\\d\\d').map(Number));
      const wrong = facts.marks.find((mark) => mark > 59);
      if (wrong !== undefined) throw facts.refuse(`there is no minute ${wrong}`, 'every hour at :15');
    },
  ],
  [
    `(?:(?:at|@) ?${TIME}|${CLOCK}(?![\\p{L}\\d:./]))${TIMES}`,
    (facts, [text = ''], at) => void facts.times.push(...clocksIn(facts, text, at)),
    'time',
  ],
  [
    '(?:in the |at )?(morning|afternoon|evening|night)s?',
    (facts, [text = '', part = '']) => {
      if (facts.part && facts.part !== part) throw facts.refuse('it says two times', 'daily at 8:00 and 20:00');
      facts.part = part;
      facts.repeats ||= text.endsWith('s');
    },
    'time',
  ],
];

export const COMPILED = FORMS.map(([pattern, ...rest]) => ({
  pattern: new RegExp(`(?:${pattern})(?!(?<=[\\p{L}\\d])[\\p{L}\\d])`, 'uy'),
  take: rest[0],
  kind: rest[1],
}));

const twoDays = (facts: Facts) => facts.refuse('it says two times', 'tomorrow at 9:00; next monday at 9:00');

function setRhythm(facts: Facts, n: number, unit: Unit): void {
  const isWithin = facts.every?.unit === 'minute' || facts.every?.unit === 'hour';
  // "every 15 minutes every day"
  if (isWithin && (unit === 'day' || unit === 'year') && n === 1) {
    facts.isYearly ||= unit === 'year';
    return;
  }
  if (facts.every) throw facts.refuse('it has two rhythms', 'daily at 9; mondays at 17:00');
  if (n < 1) throw facts.refuse('a rhythm is a whole number of at least 1', 'every 5 minutes');
  if (unit === 'second') throw facts.refuse('seconds are not supported', 'every 5 minutes');
  facts.every = { n, unit };
  facts.repeats = true;
}

function setDay(facts: Facts, day: number, relative = true): void {
  if (facts.day !== undefined || facts.instant !== undefined) throw twoDays(facts);
  facts.day = day;
  facts.relative = relative;
}

export function dayIn(facts: Facts, year: number, of: number, day: number): number {
  const found = dayFrom(year, of, day);
  if (found === undefined) throw facts.refuse('there is no such day', 'on 24 december at 18:00');
  return found;
}

function addDate(facts: Facts, day: number, of: number, year?: string): void {
  dayIn(facts, year === undefined ? 2024 : Number(year), of, day);
  facts.dates.push({ day, month: of, ...(year === undefined ? {} : { year: Number(year) }) });
}

function monthDay(facts: Facts, n: number): number {
  if (n < 1 || n > 31) throw facts.refuse(`no month has a day ${n}`, 'on the 15th at 10:00');
  return n;
}

/** "1st and 15th", "last day", "first monday and third". */
function addNth(facts: Facts, text: string, of?: string): void {
  for (const word of all(text.slice(0, text.length - (of?.length ?? 0)), ORD)) {
    const n = NTH.includes(word) ? NTH.indexOf(word) : Number.parseInt(word, 10);
    facts.needsMonth ||= !/\d/.test(text) || (of !== undefined && of !== 'day');
    if (of === 'weekday') {
      if (n > 1)
        throw facts.refuse('only the first and the last weekday can be said', 'last weekday of the month at 16:00');
      facts.monthDays.push(n === 0 ? 'LW' : '1W');
    } else if (of === undefined || of === 'day') {
      facts.monthDays.push(word === 'last' ? 'L' : String(monthDay(facts, n)));
    } else {
      if (n > 5) throw facts.refuse('a month has at most five of a weekday', 'last friday of the month at 16:00');
      facts.nth.push(`${weekday(of)}#${n === 0 ? 'L' : n}`);
    }
  }
}

/** What each unit of "in 2 hours" adds to. */
const SPANS = {
  second: ['ms', 1000],
  minute: ['ms', 60_000],
  hour: ['ms', 3_600_000],
  day: ['days', 1],
  week: ['days', 7],
  month: ['months', 1],
  year: ['months', 12],
} as const satisfies Record<Unit, readonly ['ms' | 'days' | 'months', number]>;

function addDelay(facts: Facts, delay: NonNullable<Facts['delay']>, text: string): void {
  const [, figure = '', word = ''] = /^(\d+|an?) ?(\p{L}+)$/u.exec(text) ?? [];
  const n = /\d/.test(figure) ? Number(figure) : 1;
  if (n > 1_000_000_000) throw facts.refuse('that is more than ten years away', 'in 20 minutes');
  const [key, size] = SPANS[unitOf(word)];
  delay[key] += n * size;
}
