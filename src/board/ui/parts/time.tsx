/** Formats times, money and amounts for people. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { language, words } from '../words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The current time, updated once a minute, and with it the times on the page. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, MINUTE);

/** Returns a format of times that is made once for each language. */
export function timeFormat(options: Intl.DateTimeFormatOptions): { format(at: number | Date): string } {
  const made = new Map<string, Intl.DateTimeFormat>();
  return {
    format(at) {
      const format = made.get(language.value) ?? new Intl.DateTimeFormat(language.value, options);
      made.set(language.value, format);
      return format.format(at);
    },
  };
}

const clock = timeFormat({ hour: '2-digit', minute: '2-digit', hour12: false });
const weekday = timeFormat({ weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false });
const date = timeFormat({ day: 'numeric', month: 'short' });
const longDate = timeFormat({ day: 'numeric', month: 'short', year: 'numeric' });
const whole = timeFormat({ dateStyle: 'full', timeStyle: 'medium' });

const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0);

export function ago(ms: number, at: number): string {
  const gone = at - ms;
  // Clocks of two machines differ slightly.
  if (gone < -5_000) return ahead(ms, at);
  if (gone < MINUTE) return words.times.justNow;
  if (gone < HOUR) return words.times.ago(Math.floor(gone / MINUTE));
  if (startOfDay(ms) === startOfDay(at)) return clock.format(ms);
  if (gone < 6 * DAY) return weekday.format(ms);
  return new Date(ms).getFullYear() === new Date(at).getFullYear() ? date.format(ms) : longDate.format(ms);
}

function ahead(ms: number, at: number): string {
  if (ms - at < HOUR) return words.times.ahead(Math.max(1, Math.ceil((ms - at) / MINUTE)));
  if (startOfDay(ms) === startOfDay(at)) return words.times.today(clock.format(ms));
  return ms - at < 6 * DAY ? weekday.format(ms) : `${date.format(ms)}, ${clock.format(ms)}`;
}

export const clockOf = (iso: string): string => clock.format(new Date(iso));
export const dayLabel = (day: string): string => date.format(new Date(`${day}T12:00:00`));

export function Time({ at }: { at: string | undefined }): JSX.Element | null {
  const ms = Date.parse(at ?? '');
  if (at === undefined || Number.isNaN(ms)) return null;
  return (
    <time dateTime={at} title={whole.format(ms)}>
      {ago(ms, Math.max(now.value, Date.now()))}
    </time>
  );
}

export function groupOf(iso: string, at: number): string {
  const days = Math.round((startOfDay(at) - startOfDay(Date.parse(iso))) / DAY);
  if (days <= 0) return words.tasks.today;
  if (days === 1) return words.tasks.yesterday;
  return days < 7 ? words.tasks.week : words.tasks.earlier;
}

export function money(cost: number | undefined, currency = 'USD'): string {
  if (cost === undefined) return '–';
  const digits = cost === 0 || cost >= 1 ? 2 : cost >= 0.01 ? 3 : 5;
  return new Intl.NumberFormat(language.value, {
    style: 'currency',
    currency,
    ...(language.value !== 'en' && { currencyDisplay: 'code' }),
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(cost);
}

export const amount = (n: number | undefined): string =>
  new Intl.NumberFormat(language.value, { notation: 'compact', maximumFractionDigits: 1 }).format(n ?? 0);

const decimal = (n: number): string =>
  n.toLocaleString(language.value, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function bytes(n: number | undefined): string {
  if (n === undefined) return '';
  if (n < 1000) return `${n} B`;
  return n < 1_000_000 ? `${Math.round(n / 1000)} KB` : `${decimal(n / 1_000_000)} MB`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${decimal(seconds / 3600)} h`;
}
