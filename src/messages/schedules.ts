/** Translates a schedule. It comes as the English text of `src/features/jobs/describe.ts`; anything unknown stays English. */
import { type Messages, type Text, words } from './messages.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const NTH = new Set(['first', 'second', 'third', 'fourth', 'fifth', 'last']);
/** A Sunday. */
const FIRST = Date.UTC(2026, 0, 4);
const DAY_MS = 86_400_000;
const TIMES = String.raw`(\d\d:\d\d(?:, \d\d:\d\d)*(?: and \d\d:\d\d)?)`;
const DATE = String.raw`([A-Z]\w+day \d{1,2} [A-Z]\w+ \d{4})`;
const UNITS = { day: 'times.days', hour: 'times.hours', minute: 'times.minutes' } as const;

type Tell = (found: readonly string[], messages: Messages) => Text | undefined;

/** The forms of a schedule, with their formatters; the first match counts. */
const FORMS: readonly (readonly [RegExp, Tell])[] = [
  [
    new RegExp(`^once, on ${DATE} at (\\S+)$`),
    ([date = '', time = ''], messages) => messages.text('times.once', { date: dateText(date, messages), time }),
  ],
  [
    new RegExp(`^(.+), counted from ${DATE}(?: at (\\S+))?$`),
    ([given = '', day = '', time], messages) => {
      const rhythm = partText(given, messages);
      const date = dateText(day, messages);
      if (rhythm === undefined) return undefined;
      return messages.text('times.countedFrom', {
        rhythm,
        date: time ? messages.text('times.moment', { date, time }) : date,
      });
    },
  ],
  [
    /^every (?:(\d+) )?(hour|minute)s?, evenly spaced$/,
    ([n, unit], messages) => messages.text('times.evenly', { rhythm: rhythmText(n, unit, messages) }),
  ],
  [
    /^every (?:(\d+) )?(hour|minute)s? at (:\d\d(?:, :\d\d)*(?: and :\d\d)?)$/,
    ([n, unit, minutes = ''], messages) =>
      messages.text('times.past', { rhythm: rhythmText(n, unit, messages), minutes: messages.list(items(minutes)) }),
  ],
  [
    /^every (?:(\d+) )?hours? from (\d\d:\d\d)$/,
    ([n, from = ''], messages) => messages.text('times.startingAt', { rhythm: rhythmText(n, 'hour', messages), from }),
  ],
  [
    /^every (?:(\d+) )?(hour|minute)s?(?: from (\d\d:\d\d) to (\d\d:\d\d))?(?:, (every .+))?$/,
    ([n, unit, from, to, which], messages) => {
      const rhythm = rhythmText(n, unit, messages);
      const between = from && to ? messages.text('times.between', { rhythm, from, to }) : rhythm;
      if (which === undefined) return between;
      const days = daysText(which, messages);
      return days && messages.text('times.rhythmOn', { rhythm: between, days });
    },
  ],
  [
    new RegExp(`^every (?:(\\d+) )?weeks? on (\\w+day) at ${TIMES}$`),
    ([n = '1', day = '', at = ''], messages) =>
      messages.text('times.weeks', { n: Number(n), day: dayText(day, messages), times: messages.list(items(at)) }),
  ],
  [
    new RegExp(`^every (\\d+ days|.+?) at ${TIMES}$`),
    ([which = '', at = ''], messages) => {
      const n = /^(\d+) days$/.exec(which)?.[1];
      const days = n === undefined ? daysText(`every ${which}`, messages) : rhythmText(n, 'day', messages);
      return days && messages.text('times.daysAt', { days, times: messages.list(items(at)) });
    },
  ],
  [
    new RegExp(`^on the (\\d+)(?:st|nd|rd|th) of the month at ${TIMES}$`),
    ([n = '', at = ''], messages) => messages.text('times.monthly', { n: Number(n), times: messages.list(items(at)) }),
  ],
  [
    new RegExp(`^(every year )?on the (.+) of (the month|[A-Z].+?)( \\(in months that have it\\))? at ${TIMES}$`),
    ([yearly, which = '', of = '', rare, at = ''], messages) => {
      const told = items(which).map((each) => monthDayText(each, messages));
      const days = told.includes('') ? '' : messages.list(told);
      const months = messages.list(items(of).map((month) => monthText(month, messages)));
      const given = { days, months, times: messages.list(items(at)) };
      if (days === '') return undefined;
      if (yearly) return messages.text('times.yearly', given);
      if (of !== 'the month') return messages.text('times.ofMonths', given);
      return messages.text(rare ? 'times.rareMonths' : 'times.eachMonth', given);
    },
  ],
];

const items = (list: string): string[] => list.split(/, | and /);

/** Translates `every weekday at 09:00 (Europe/Berlin)`, keeping the zone. */
export function scheduleText(phrase: string, messages: Messages): Text {
  const [, rhythm = phrase, zone = ''] = /^(.*?)( \([A-Z+-][^()]*\))?$/s.exec(phrase) ?? [];
  const parts = rhythm.split('; and ').map((part) => partText(part, messages));
  const told = parts.flatMap((part) => part ?? []);
  if (told.length < parts.length) return words(phrase);
  const all = told.reduce((before, after) => messages.text('times.both', { before, after }));
  return words(`${all}${zone}`);
}

function partText(part: string, messages: Messages): Text | undefined {
  for (const [form, tell] of FORMS) {
    const [whole, ...found] = form.exec(part) ?? [];
    const told = whole === undefined ? undefined : tell(found, messages);
    if (told !== undefined) return told;
  }
  return undefined;
}

const rhythmText = (n = '1', unit: string | undefined, messages: Messages): Text =>
  messages.text(unit === 'hour' || unit === 'day' ? UNITS[unit] : UNITS.minute, { n: Number(n) });

const formatted = (at: number, options: Intl.DateTimeFormatOptions, { language }: Messages): string =>
  new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(at);

const dayText = (day: string, messages: Messages): string =>
  formatted(FIRST + DAYS.indexOf(day) * DAY_MS, { weekday: 'long' }, messages);

const monthText = (month: string, messages: Messages): string =>
  MONTHS.includes(month) ? formatted(Date.UTC(2026, MONTHS.indexOf(month), 1), { month: 'long' }, messages) : month;

/** Translates `Thursday 24 December 2026`, the English form used here. */
function dateText(date: string, messages: Messages): string {
  const [, day = '', month = '', year = ''] = /(\d+) (\w+) (\d+)$/.exec(date) ?? [];
  if (messages.language === 'en') return date;
  const at = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day));
  return formatted(at, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, messages);
}

/** Translates `15th`, `last Friday`, `first weekday`, `last day`; returns '' for anything else. */
function monthDayText(which: string, messages: Messages): Text | '' {
  const n = /^(\d+)(?:st|nd|rd|th)$/.exec(which)?.[1];
  if (n !== undefined) return messages.text('times.nthDay', { n: Number(n) });
  const [nth = '', day = '', ...rest] = which.split(' ');
  if (!NTH.has(nth) || rest.length > 0) return '';
  if (day === 'day') return messages.text('times.nthOfAll', { nth });
  if (day === 'weekday') return messages.text('times.nthWeekday', { nth });
  return DAYS.includes(day) ? messages.text('times.nthNamed', { nth, day: dayText(day, messages) }) : '';
}

function daysText(which: string, messages: Messages): Text | undefined {
  if (which === 'every day') return messages.text('times.everyDay');
  if (which === 'every weekday') return messages.text('times.everyWeekday');
  const days = items(which.replace(/^every /, ''));
  if (days.some((name) => !DAYS.includes(name))) return undefined;
  return messages.text('times.everyOn', { days: messages.list(days.map((day) => dayText(day, messages))) });
}

/** Returns `Berlin time`. */
export function zoneText(timezone: string, messages: Messages): string {
  const city = timezone.split('/').at(-1)?.replaceAll('_', ' ') ?? timezone;
  return timezone.includes('/') ? messages.text('consent.zone', { city }) : timezone;
}
