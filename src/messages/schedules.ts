/** A schedule in the words of a language. It comes as the English words of `src/jobs/describe.ts`; what has no other words stays so. */
import { type Messages, type Text, words } from './messages.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** A Sunday. */
const FIRST = Date.UTC(2026, 0, 4);
const TIMES = String.raw`(\d\d:\d\d(?:, \d\d:\d\d)*(?: and \d\d:\d\d)?)`;
const AT = new RegExp(`^every (.+?) at ${TIMES}$`);
const MONTHLY = new RegExp(`^on the (\\d+)(?:st|nd|rd|th) of the month at ${TIMES}$`);
const RHYTHM = /^every (?:(\d+) )?(hour|minute)s?(?: from (\d\d:\d\d) to (\d\d:\d\d))?(?:, (every .+))?$/;

const items = (list: string): string[] => list.split(/, | and /);

/** `every weekday at 09:00 (Europe/Berlin)`; the zone behind it stays. */
export function scheduleText(phrase: string, messages: Messages): Text {
  const [, rhythm = phrase, zone = ''] = /^(.*?)( \([^()]*\))?$/s.exec(phrase) ?? [];
  const parts = rhythm.split('; and ').map((part) => partText(part, messages));
  const told = parts.flatMap((part) => part ?? []);
  if (told.length < parts.length) return words(phrase);
  const all = told.reduce((before, after) => messages.text('times.both', { before, after }));
  return words(`${all}${zone}`);
}

function partText(part: string, messages: Messages): Text | undefined {
  const [, days, at] = AT.exec(part) ?? [];
  if (days !== undefined && at !== undefined) {
    const on = daysText(`every ${days}`, messages);
    return on && messages.text('times.daysAt', { days: on, times: messages.list(items(at)) });
  }
  const [, day, times] = MONTHLY.exec(part) ?? [];
  if (day !== undefined && times !== undefined)
    return messages.text('times.monthly', { n: Number(day), times: messages.list(items(times)) });
  const [whole, n = '1', unit, from, to, which] = RHYTHM.exec(part) ?? [];
  if (whole === undefined) return undefined;
  const rhythm = messages.text(unit === 'hour' ? 'times.hours' : 'times.minutes', { n: Number(n) });
  const between = from && to ? messages.text('times.between', { rhythm, from, to }) : rhythm;
  if (which === undefined) return between;
  const on = daysText(which, messages);
  return on && messages.text('times.rhythmOn', { rhythm: between, days: on });
}

function daysText(which: string, messages: Messages): Text | undefined {
  if (which === 'every day') return messages.text('times.everyDay');
  if (which === 'every weekday') return messages.text('times.everyWeekday');
  const days = items(which.replace(/^every /, '')).map((name) => DAYS.indexOf(name));
  if (days.includes(-1)) return undefined;
  const format = new Intl.DateTimeFormat(messages.language, { weekday: 'long', timeZone: 'UTC' });
  const names = days.map((index) => format.format(FIRST + index * 86_400_000));
  return messages.text('times.everyOn', { days: messages.list(names) });
}
