/**
 * Reads phrases about time by one table of forms, those of docs/jobs.md. Every word must belong to a form, or the whole
 * phrase is refused: a job that runs at nearly the right time is worse than a question. The model translates what
 * people write otherwise, in English too.
 */
import type { UserError } from '../../../errors.ts';
import { nearest } from '../../../lib/nearest.ts';
import { dayFrom, dayOf, toWall, weekdayOf } from '../zone.ts';
import { type Asked, type ClockTime, clocksIn, readIso } from './clock.ts';
import { refusal } from './refusal.ts';

export const MAX_LENGTH = 400;

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

export interface Facts extends Asked {
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
export const fold = (text: string): string =>
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
const NTH = ['last', 'first', 'second', 'third', 'fourth', 'fifth'];
const FIGURES = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const RHYTHMS: Readonly<Record<string, [number, Unit]>> = {
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

const WD =
  '(?:sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?)(?!\\p{L}{2})';
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?!\\p{L})';
const UNIT = '(?:seconds|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|[smhd])(?!\\p{L})';
const SPAN = `(?:\\d+ ?|an? )${UNIT}`;
const ORD = `(?:\\d{1,2}(?:st|nd|rd|th)|${NTH.join('|')})`;
const LINK = '(?: ?[,&] ?| ?,? and )';
const CLOCK =
  '(?:(?:half|(?:a )?quarter) (?:past|to) \\d{1,2}(?: ?[ap]m)?|\\d{1,4}(?::\\d\\d)?(?::\\d\\d)? ?[ap]m|\\d{1,2}:\\d\\d(?::\\d\\d)?|(?:12 )?(?:noon|midnight)|midday)';
const TIME = `(?:${CLOCK}|\\d+)(?![\\p{L}\\d:./]| ?(?:${UNIT}|${MONTH}))`;
const TIMES = `(?:${LINK}(?:at )?${TIME})*`;
const ISO = '\\d{4}-\\d\\d-\\d\\d(?:[t ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:z|[+-]\\d\\d:?\\d\\d)?)?';
const MORE_MONTHS = `(?:${LINK}${MONTH})*`;

/** A time of day, which a part of its own has. */
const HAS_TIME = new RegExp(`(?:at|@) ?\\d|${CLOCK}|${Object.keys(PARTS).join('|')}`, 'u');

const all = (text: string, pattern: string): string[] => text.match(new RegExp(pattern, 'gu')) ?? [];
const weekday = (word: string): number => DAYS.indexOf(word.slice(0, 3));
const month = (word: string): number => MONTHS.indexOf(word.slice(0, 3)) + 1;
const unitOf = (word: string): Unit => {
  const units: Unit[] = ['second', 'minute', 'hour', 'day', 'week', 'year'];
  return word.startsWith('mo') ? 'month' : (units.find((unit) => unit[0] === word[0]) ?? 'month');
};
const today = ({ now, timezone }: Facts): number => dayOf(toWall(now, timezone));

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

const COMPILED = FORMS.map(([pattern, ...rest]) => ({
  pattern: new RegExp(`(?:${pattern})(?!(?<=[\\p{L}\\d])[\\p{L}\\d])`, 'uy'),
  take: rest[0],
  kind: rest[1],
}));

/** What is read instead of words that many people try. */
const INSTEAD: Readonly<Record<string, string>> = {
  business: 'weekdays at 9" or "last weekday of the month at 16:00',
  except: 'weekdays at 9" or "monday to thursday and saturday at 9',
  quarter: 'quarterly on the 1st at 9" or "every hour at :15',
};

/** The documented forms, each valid in a file and in a chat: words, once, and cron. */
const EXAMPLE = 'every weekday at 9:00" or "2027-12-24 18:00" or "0 9 * * 1-5';
const WORDS = [
  ...all(`${WD} ${MONTH}`, '\\p{L}{3,}'),
  ...[...Object.keys(RHYTHMS), ...Object.keys(PARTS), ...NTH, ...FIGURES],
  ...'sunday monday tuesday wednesday thursday friday saturday weekday weekdays weekend'.split(' '),
  ...'january february march april june july august september october november december'.split(' '),
  ...'every each other minutes minute hours hour days weeks week months month year today tomorrow next'.split(' '),
  ...'noon midnight between starting from counted once twice times'.split(' '),
];

/**
 * Returns the facts once, or once for each part with its own days and times ("mondays 9am and fridays 5pm"). "9 on monday
 * and 10 on friday" must not become both hours on both days, so days and times that come a second time begin another.
 * @param phrase as it was written, for refusals
 * @param folded the same after `fold`, without a time zone
 * @throws {UserError} with what was not understood
 */
export function readFacts(
  phrase: string,
  folded: string,
  { now, timezone }: { now: number; timezone: string },
): Facts[] {
  const text = folded
    .replace(/(?<=\d ?)([ap])\.m\b\.?/g, '$1m')
    .replace(/\bhalf (?:an )?hour\b/g, '30 minutes')
    .replace(/\beveryday\b/g, 'every day')
    .replace(new RegExp(`\\b(?:${FIGURES.join('|')})\\b`, 'g'), (word) => String(FIGURES.indexOf(word) + 1));
  const begin = (): Facts => ({
    text,
    now,
    timezone,
    repeats: false,
    isOnce: false,
    weekdays: [],
    monthDays: [],
    nth: [],
    needsMonth: false,
    ofMonth: false,
    months: [],
    isYearly: false,
    dates: [],
    times: [],
    marks: [],
    window: [],
    isEven: false,
    relative: false,
    refuse: (reason, example) => refusal(phrase, reason, example),
  });
  let facts = begin();
  const parts = [{ facts, order: [] as string[], hasEvery: false }];
  let isPending = false;
  for (let at = 0; at < text.length; ) {
    const form = COMPILED.find(({ pattern }) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    });
    if (!form) throw unknown(facts, text.slice(at));
    form.pattern.lastIndex = at;
    const found = form.pattern.exec(text) ?? [''];
    const { kind } = form;
    let part = parts.at(-1) ?? { facts, order: [], hasEvery: false };
    if (isPending && (kind === 'every' || kind === 'rhythm'))
      throw facts.refuse('it has two rhythms', 'every day at 9');
    const isNext =
      kind === 'rhythm'
        ? part.order.length > 1 && /(?:[,&]|and) ?$/.test(text.slice(0, at)) && HAS_TIME.test(text.slice(at))
        : kind !== undefined && part.order.at(-1) !== kind && part.order.includes(kind);
    if (isNext) {
      facts = begin();
      part = { facts, order: [], hasEvery: false };
      parts.push(part);
    }
    const isOwn = kind === 'rhythm' || (kind === 'day' && /^(?:every|each) /.test(found[0]));
    if (kind === 'day' && (isPending || isOwn) && part.order.includes('day') && !facts.repeats && !facts.joins)
      throw facts.refuse('it is unclear which of these days come again', 'every monday and every tuesday at 9');
    if (kind === 'day' || kind === 'time') {
      facts.repeats ||= isPending;
      part.hasEvery ||= isPending;
      isPending = false;
      if (part.order.at(-1) !== kind) part.order.push(kind);
    }
    part.hasEvery ||= isOwn;
    isPending ||= kind === 'every';
    form.take(facts, found, at);
    at += found[0].length;
  }
  if (/\b(?:on|the) (?:at|and|in|from|between)\b|\bthe (?:on|every|each)\b/.test(text))
    throw facts.refuse('a word is missing there', EXAMPLE);
  if (/(?:^|[ ,&])(?:and|every|each|on|[,&/])$/.test(text)) throw facts.refuse('it ends too early', EXAMPLE);
  if (parts.length > 1 && parts.some(({ order }) => order.length < 2))
    throw facts.refuse('which time goes with which day is unclear', 'every monday at 9; every friday at 10');
  if (isPending) throw facts.refuse('it does not say every what', 'every day at 9');
  const first = parts.findIndex(({ hasEvery }) => hasEvery);
  const isUnclear = ({ repeats, weekdays, dates, months }: Facts) =>
    !repeats && weekdays.length + dates.length + months.length > 0;
  if (first >= 0 && parts.slice(first + 1).some((part) => isUnclear(part.facts)))
    throw facts.refuse(
      'whether all of it comes again is unclear',
      'every 24 december at 18:00 and every 25 december at 9:00',
    );
  const isEvery =
    parts.length > 1 && first < 0 && parts.some((part) => part.facts.repeats || part.facts.weekdays.length > 1);
  for (const part of parts) part.facts.repeats ||= isEvery && part.facts.weekdays.length > 0;
  return parts.map((part) => part.facts);
}

function unknown(facts: Facts, all: string): UserError {
  const rest = all.replace(/^(?:(?:at|in|from|between|next|this|of|an?|every|each|other) )+(?=\S)/, '');
  const [word = ''] = /^(?:\p{L}+|[\d.,:/-]+|\S)/u.exec(rest) ?? [];
  if (/^(?:at|from|between|in)$/.test(rest)) return facts.refuse('it ends too early', EXAMPLE);
  if (/^bi[- ]?\p{L}+ly/u.test(rest))
    return facts.refuse('that has two meanings', 'every 2 weeks on monday" or "every monday and thursday at 9');
  if (/^\d+[./]\d/.test(rest))
    return facts.refuse('a time has a colon, a number no point, and a date has its year first', '2027-12-24 18:00');
  if (/^\d/.test(word))
    return facts.refuse(
      `it is unclear what ${word.slice(0, 40)} is: a time has "at", a colon, am or pm`,
      'every monday at 9',
    );
  const instead = INSTEAD[/\b(?:business|except|quarter)\b/.exec(all)?.[0] ?? ''];
  const near = instead || word.length < 4 || WORDS.includes(word) ? undefined : nearest(word, WORDS);
  const meant = near === undefined ? '' : `; did you mean "${near}"`;
  return facts.refuse(`"${word.slice(0, 40)}" is not understood there${meant}`, instead ?? EXAMPLE);
}

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
