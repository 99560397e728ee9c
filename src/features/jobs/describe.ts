/**
 * Describes a schedule in plain English. Starts from what will run, not from what was typed, so that people notice a
 * misunderstanding.
 */
import { fieldValues, isStar, timesOfDay } from './cron.ts';
import type { Schedule } from './slots.ts';
import { clock, DAY, HOUR, MINUTE, toWall, weekdayOf } from './zone.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const NTH = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
/** Longer lists of times are not written out. */
const MAX_TIMES = 12;

/**
 * Returns, for example, `every weekday at 09:00 (Europe/Berlin)`.
 * @param timezone the zone for instants
 */
export function describeSchedule(schedule: Schedule, timezone: string): string {
  const parts = schedule.kind === 'any' ? schedule.of : [schedule];
  // Patterns that differ only in minute and hour are combined: "at 09:30 and 17:00".
  const groups = Map.groupBy(parts, (part) =>
    part.kind === 'cron' ? part.pattern.split(' ').slice(2).join(' ') : part,
  );
  const described = [...groups.values()].map((group) => {
    const patterns = group.flatMap((part) => (part.kind === 'cron' ? [part.pattern] : []));
    return patterns.length > 0 ? describeCrons(patterns) : group.map((part) => describePart(part, timezone)).join('');
  });
  return `${described.join('; and ')} (${timezone})`;
}

function describePart(schedule: Schedule, timezone: string): string {
  switch (schedule.kind) {
    case 'cron':
      return describeCrons([schedule.pattern]);
    case 'every': {
      const { anchor } = schedule;
      const from = anchor === undefined ? ', evenly spaced' : `, counted from ${moment(Date.parse(anchor), timezone)}`;
      return `every ${durationPhrase(schedule.everyMs)}${from}`;
    }
    case 'once':
      return `once, on ${moment(Date.parse(schedule.at), timezone)}`;
    case 'days': {
      const first = Math.round(Date.parse(schedule.anchor) / DAY);
      const isWeeks = schedule.every % 7 === 0;
      const weeks = `${countUnits(schedule.every / 7, 'week')} on ${WEEKDAYS[weekdayOf(first)]}`;
      // A default start date would mean nothing to people.
      const from = first < 366 ? '' : `, counted from ${date(first)}`;
      return `every ${isWeeks ? weeks : countUnits(schedule.every, 'day')} at ${joinWithAnd(schedule.times)}${from}`;
    }
    case 'any':
      return schedule.of.map((part) => describePart(part, timezone)).join('; and ');
  }
}

const joinWithAnd = (items: readonly string[]) =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
const countUnits = (n: number, unit: string) => (n === 1 ? unit : `${n} ${unit}s`);

function date(day: number): string {
  const at = new Date(day * DAY);
  return `${WEEKDAYS[at.getUTCDay()]} ${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

function moment(instant: number, timezone: string): string {
  const wall = toWall(instant, timezone);
  const seconds = Math.floor((wall % MINUTE) / 1000);
  const time = clock(Math.floor((wall % DAY) / MINUTE));
  return `${date(Math.floor(wall / DAY))} at ${time}${seconds ? `:${String(seconds).padStart(2, '0')}` : ''}`;
}

function durationPhrase(ms: number): string {
  return ms % HOUR === 0 ? countUnits(ms / HOUR, 'hour') : countUnits(ms / MINUTE, 'minute');
}

/** Describes patterns with the same days. */
function describeCrons(patterns: readonly string[]): string {
  const [, , dayOfMonth = '', month = '', dayOfWeek = ''] = patterns[0]?.split(' ') ?? [];
  const days = describeDays(dayOfMonth, month, dayOfWeek);
  const minutes = patterns.flatMap((pattern) => timesOfDay(pattern) ?? [Number.NaN]);
  const time = describeTimes([...new Set(minutes)].sort((a, b) => a - b));
  if (days === undefined || time === undefined) return `by the cron pattern ${patterns.join(' and ')}`;
  if (time.startsWith('at ')) return `${days} ${time}`;
  return days === 'every day' ? time : `${time}, ${days}`;
}

/** Describes sorted times of day; evenly spaced ones as an interval. */
function describeTimes(times: readonly number[]): string | undefined {
  const [first = Number.NaN, second = first + 1440] = times;
  if (Number.isNaN(first)) return undefined;
  const step = second - first;
  const isEven = times.every((time, index) => time === first + index * step);
  const rhythm = step % 60 === 0 ? countUnits(step / 60, 'hour') : countUnits(step, 'minute');
  if (isEven && times.length > 3 && step * times.length === 1440) {
    const start = step > 60 ? ` from ${clock(first)}` : first > 0 ? ` at :${clock(first).slice(3)}` : '';
    return `every ${rhythm}${start}`;
  }
  if (isEven && times.length > 4) return `every ${rhythm} from ${clock(first)} to ${clock(times.at(-1) ?? 0)}`;
  if (times.length <= MAX_TIMES) return `at ${joinWithAnd(times.map(clock))}`;
  const ofHour = times.filter((time) => time < 60);
  const isHourly = ofHour.length * 24 === times.length && times.every((time) => ofHour.includes(time % 60));
  return isHourly && ofHour.length <= MAX_TIMES
    ? `every hour at ${joinWithAnd(ofHour.map((time) => `:${clock(time).slice(3)}`))}`
    : undefined;
}

function ordinal(n: number): string {
  const ending = n > 10 && n < 20 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}

function describeDays(dayOfMonth: string, monthField: string, dayOfWeek: string): string | undefined {
  const months = isStar(monthField) ? [] : fieldValues(monthField, 3)?.map((month) => MONTHS[month - 1] ?? '');
  const isBoth = dayOfWeek.startsWith('+');
  const of = months === undefined || months.length === 0 ? 'the month' : joinWithAnd(months);
  const week = isStar(dayOfWeek) ? undefined : describeWeekdays(isBoth ? dayOfWeek.slice(1) : dayOfWeek, of);
  const month = isStar(dayOfMonth) ? undefined : describeMonthDays(dayOfMonth, of);
  if (months === undefined || week === '' || month === '') return undefined;
  const inMonths = months.length > 0 && !month && !week?.startsWith('on ') ? ` in ${of}` : '';
  if (month && week)
    return isBoth
      ? `${month} when that is ${week.replace(/^every /, 'a ')}`
      : `${month} and also ${week}${months.length > 0 && week.startsWith('every ') ? ` in ${of}` : ''}`;
  return `${month ?? week ?? 'every day'}${inMonths}`;
}

function describeMonthDays(field: string, of: string): string {
  const parts = field.split(',');
  const names = parts.map((part) => {
    if (part === 'L') return 'last day';
    if (part === 'LW') return 'last weekday';
    const near = /^(\d+)W$/.exec(part)?.[1];
    if (near) return near === '1' ? 'first weekday' : `weekday nearest to the ${ordinal(Number(near))}`;
    const values = fieldValues(part, 2);
    return values && values.length <= MAX_TIMES ? joinWithAnd(values.map(ordinal)) : '';
  });
  if (names.includes('')) return '';
  const isRare = of === 'the month' && parts.every((part) => Number(part) > 28);
  // Without "every year" a date would mean one day.
  const yearly = of !== 'the month' && !of.includes(' ') ? 'every year ' : '';
  return `${yearly}on the ${joinWithAnd(names)} of ${of}${isRare ? ' (in months that have it)' : ''}`;
}

function describeWeekdays(field: string, of: string): string {
  const values = fieldValues(field, 4);
  if (values?.join() === '1,2,3,4,5') return 'every weekday';
  if (values?.length === 7) return 'every day';
  const fromMonday = values && [...values.filter((day) => day > 0), ...values.filter((day) => day === 0)];
  if (fromMonday) return `every ${joinWithAnd(fromMonday.map((day) => WEEKDAYS[day] ?? ''))}`;
  const nth = field.split(',').map((part) => {
    const [, day = '', which = ''] = /^(\w+?)#?([1-5]|L)$/.exec(part) ?? [];
    const [weekday, ...others] = fieldValues(day, 4) ?? [];
    if (weekday === undefined || others.length > 0) return '';
    return `${which === 'L' ? 'last' : NTH[Number(which)]} ${WEEKDAYS[weekday]}`;
  });
  return nth.includes('') ? '' : `on the ${joinWithAnd(nth)} of ${of}`;
}
