/**
 * Formats the person's current time for each turn, right before their message and after everything that a provider may
 * cache.
 */
import { createLru } from '../../lib/lru.ts';

const MINUTE_MS = 60_000;
/** The last text per zone and minute: creating a format costs more than everything else in a turn's context. */
const said = createLru<{ minute: number; text: string; format: Intl.DateTimeFormat; weekday: Intl.DateTimeFormat }>(64);

/** How sure the zone is: known, a guess to ask about in this run, or a guess not to ask about (again). */
export type ZoneKnown = 'known' | 'ask' | 'guess';

const NOTE: Readonly<Record<ZoneKnown, string>> = {
  known: '',
  ask: ' (a guess: where a time matters, ask them now where they are, then set_timezone)',
  guess: ' (a guess; do not ask where they are)',
};

/** Time expressions in the most common languages. A missed expression only delays the question about the zone. */
const TIME =
  /\d\s?(?::\s?\d\d|h\b|am\b|pm\b|uhr\b)|\b(?:to(?:day|night|morrow)|morning|noon|evening|o['’]clock|remind|schedul|every|daily|weekly|(?:mon|tues|wednes|thurs|fri|satur|sun)day|heute|morgens?|übermorgen|mittags?|abends?|erinner|täglich|wöchentlich|jede[nrs]?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|demain|aujourd|rappel|mañana|hoy|recuérda|amanhã|hoje|lembr|domani|oggi|ricorda|jutro|dzisiaj|przypomn|morgen|vandaag|herinner)|завтра|сегодня|напомн|明天|今天|明日|今日|提醒|내일|오늘|غدا|اليوم/iu;

export const mentionsTime = (words: string): boolean => TIME.test(words.slice(0, 4_000));

/** Returns, for example, `Now: Monday, 2026-01-12 10:00, Europe/Berlin`. */
export function nowText(now: Date, timezone: string, zone: ZoneKnown): string {
  return `Now: ${timeIn(now, timezone)}, ${timezone}${NOTE[zone]}`;
}

function timeIn(now: Date, timezone: string): string {
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  const known = said.get(timezone);
  if (known?.minute === minute) return known.text;
  const format =
    known?.format ??
    new Intl.DateTimeFormat('sv-SE', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: timezone,
    });
  const weekday = known?.weekday ?? new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: timezone });
  const text = `${weekday.format(now)}, ${format.format(now)}`;
  said.set(timezone, { minute, text, format, weekday });
  return text;
}
