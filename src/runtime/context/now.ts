/** What time it is for the person, as each turn tells the model: at the end of their words, behind all that a provider may cache. */
import { createLru } from '../../lib/lru.ts';

const MINUTE_MS = 60_000;
/** The minute that was last said, by zone: making a format costs more than all else in a turn's context. */
const said = createLru<{ minute: number; text: string; format: Intl.DateTimeFormat; weekday: Intl.DateTimeFormat }>(64);

/** `Now: Monday, 2026-01-12 10:00, Europe/Berlin` */
export function nowText(now: Date, timezone: string, isKnown: boolean): string {
  const guess = isKnown ? '' : ' (a guess: where a time matters, ask them once where they are, then set_timezone)';
  return `Now: ${timeIn(now, timezone)}, ${timezone}${guess}`;
}

function timeIn(now: Date, timezone: string): string {
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  const known = said.get(timezone);
  if (known?.minute === minute) return known.text;
  const format =
    known?.format ??
    new Intl.DateTimeFormat('sv-SE', {
      ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', timeZone: timezone },
    });
  const weekday = known?.weekday ?? new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: timezone });
  const text = `${weekday.format(now)}, ${format.format(now)}`;
  said.set(timezone, { minute, text, format, weekday });
  return text;
}
