/**
 * Parses time zones in POSIX form, as in the TZ variable: `UTC+3`, `CET-1CEST`, `CET-1CEST,M3.5.0,M10.5.0/3`. The
 * number is added to the local time to get UTC, so `UTC+3` is three hours WEST of Greenwich.
 */

const NAME = '[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>';
const CLOCK = '\\d{1,3}(?::\\d{2}){0,2}';
const DAY = `(?:M\\d{1,2}\\.[1-5]\\.[0-6]|J\\d{1,3}|\\d{1,3})(?:/[+-]?${CLOCK})?`;
const FORM = new RegExp(
  `^(?<std>${NAME})(?<offset>[+-]?${CLOCK})(?:(?<dst>${NAME})(?<dstOffset>[+-]?${CLOCK})?(?:,(?<start>${DAY}),(?<end>${DAY}))?)?$`,
);

/** Zones without an explicit rule for daylight saving; people mean the rule of the region. */
const SUMMER: Readonly<Record<string, string>> = {
  'WET WEST': 'Europe/Lisbon',
  'GMT BST': 'Europe/London',
  'GMT IST': 'Europe/Dublin',
  'CET CEST': 'Europe/Berlin',
  'MET MEST': 'Europe/Berlin',
  'MEZ MESZ': 'Europe/Berlin',
  'EET EEST': 'Europe/Athens',
  'IST IDT': 'Asia/Jerusalem',
  'NST NDT': 'America/St_Johns',
  'AST ADT': 'America/Halifax',
  'EST EDT': 'America/New_York',
  'CST CDT': 'America/Chicago',
  'MST MDT': 'America/Denver',
  'PST PDT': 'America/Los_Angeles',
  'AKST AKDT': 'America/Anchorage',
  'AEST AEDT': 'Australia/Sydney',
  'ACST ACDT': 'Australia/Adelaide',
  'NZST NZDT': 'Pacific/Auckland',
};

const MINUTES_A_DAY = 24 * 60;
const MAX_OFFSET = 24 * 60;

/** Returns the IANA zone with the same time; undefined for another form, or when no zone matches. */
export function zoneOfPosix(text: string, now = new Date()): string | undefined {
  const { std, offset, dst, dstOffset, start, end } = FORM.exec(text)?.groups ?? {};
  if (std === undefined || offset === undefined) return undefined;
  const east = -minutesOf(offset);
  if (!Number.isInteger(east) || Math.abs(east) > MAX_OFFSET) return undefined;
  if (dst === undefined) return fixedZone(east, now);
  const summer = dstOffset === undefined ? east + 60 : -minutesOf(dstOffset);
  const named = SUMMER[`${std} ${dst}`.toUpperCase()];
  const year = now.getUTCFullYear();
  if (start === undefined || end === undefined) {
    return named !== undefined && keeps(named, [east, summer], year) ? named : undefined;
  }
  const points = [year, year + 1].flatMap((each) => changePoints(each, { start, end, east, summer }));
  const candidates = [...(named === undefined ? [] : [named]), ...Intl.supportedValuesOf('timeZone')];
  return candidates.find((zone) => hasOffsets(zone, points));
}

/** The offset in minutes that a zone must have at an instant. */
type Point = [instant: number, offset: number];

const hasOffsets = (zone: string, points: readonly Point[]): boolean => {
  const offsetAt = offsetsOf(zone);
  return points.every(([instant, offset]) => offsetAt(instant) === offset);
};

/** Finds a zone without daylight saving; checks the offset in every month. */
function fixedZone(east: number, now: Date): string | undefined {
  if (east === 0) return 'UTC';
  // The names of these zones have the POSIX sign.
  const hours = east / 60;
  if (Number.isInteger(hours) && hours >= -12 && hours <= 14)
    return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
  const year = now.getUTCFullYear();
  const points = [year, year + 1].flatMap((each) => months(each).map((instant): Point => [instant, east]));
  return Intl.supportedValuesOf('timeZone').find((zone) => hasOffsets(zone, points));
}

const months = (year: number): number[] => Array.from({ length: 12 }, (_, month) => Date.UTC(year, month, 1));

const keeps = (zone: string, offsets: readonly number[], year: number): boolean => {
  const seen = new Set(months(year).map(offsetsOf(zone)));
  return seen.size === offsets.length && offsets.every((offset) => seen.has(offset));
};

/** Returns the instants before and after each of the year's two clock changes. */
function changePoints(
  year: number,
  { start, end, east, summer }: { start: string; end: string; east: number; summer: number },
): Point[] {
  const starts = wallMinutes(start, year) - east;
  const ends = wallMinutes(end, year) - summer;
  const at = (minutes: number, offset: number): Point => [Date.UTC(year, 0, 1) + minutes * 60_000, offset];
  return [at(starts - 1, east), at(starts, summer), at(ends - 1, summer), at(ends, east)];
}

/** Returns the minutes from the start of the year to the local time of a change. */
function wallMinutes(rule: string, year: number): number {
  const [day = '', time = '2'] = rule.split('/');
  return dayInYear(day, year) * MINUTES_A_DAY + minutesOf(time);
}

function dayInYear(rule: string, year: number): number {
  const first = Date.UTC(year, 0, 1);
  const days = (date: number) => Math.round((date - first) / 86_400_000);
  if (rule.startsWith('J')) {
    const isLeap = days(Date.UTC(year + 1, 0, 1)) === 366;
    const day = Number(rule.slice(1));
    return isLeap && day >= 60 ? day : day - 1;
  }
  if (!rule.startsWith('M')) return Number(rule);
  const [month = 1, week = 1, weekday = 0] = rule.slice(1).split('.').map(Number);
  const monthStart = Date.UTC(year, month - 1, 1);
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  let day = 1 + ((weekday - new Date(monthStart).getUTCDay() + 7) % 7) + (week - 1) * 7;
  if (day > length) day -= 7;
  return days(monthStart) + day - 1;
}

function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = clock.replace(/^[+-]/, '').split(':').map(Number);
  return (clock.startsWith('-') ? -1 : 1) * (hours * 60 + minutes + seconds / 60);
}

/** Returns a function that gives a zone's offset at an instant, in minutes east of Greenwich. */
function offsetsOf(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (instant) => {
    const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  };
}
