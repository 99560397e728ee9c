/**
 * Parses phrases about time with one table of forms, those in docs/jobs.md. Every word must belong to a form, or the
 * whole phrase is refused: a job that runs at almost the right time is worse than a question. The model translates
 * other wordings, in English too.
 */
import { clocksIn, readIso } from './clock.ts';
import {
  addDate,
  addDelay,
  addNth,
  comingWeekday,
  dayIn,
  type Facts,
  monthDay,
  setDay,
  setRhythm,
  today,
} from './facts.ts';
import {
  all,
  CLOCK,
  ISO,
  LINK,
  MONTH,
  MORE_MONTHS,
  month,
  ORD,
  RHYTHMS,
  SPAN,
  TIME,
  TIMES,
  UNIT,
  unitOf,
  WD,
  weekday,
} from './words.ts';

type Form = readonly [
  pattern: string,
  take: (facts: Facts, found: readonly string[], at: number) => void,
  kind?: 'day' | 'time' | 'rhythm' | 'every',
];

/** The first form that matches is used. */
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
      if (/hourly[ ,]*$/.test(facts.text.slice(0, at))) throw facts.refuse('twoRhythms');
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
      if (facts.weekdays.length > 0) throw facts.refuse('twoRhythms');
      setRhythm(facts, 2, 'week');
      facts.weekdays.push(weekday(day));
    },
    'day',
  ],
  // Applies to the next day or time, which may belong to another part.
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
      if (facts.delay) throw facts.refuse('twoTimes');
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
      else if (facts.instant !== undefined || facts.day !== undefined) throw facts.refuse('twoTimes');
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
      if (facts.start) throw facts.refuse('twoRhythms');
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
      if (facts.window.length > 0) throw facts.refuse('twoTimes');
      facts.window = clocksIn(facts, text, at);
    },
  ],
  [
    `(?:at )?:\\d\\d(?:${LINK}:\\d\\d)*`,
    (facts, [text = '']) => {
      facts.marks.push(...all(text, '\\d\\d').map(Number));
      const wrong = facts.marks.find((mark) => mark > 59);
      if (wrong !== undefined) throw facts.refuse('noMinute', { minute: wrong });
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
      if (facts.part && facts.part !== part) throw facts.refuse('twoTimes');
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
