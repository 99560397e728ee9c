/**
 * Parses and formats schedules. The text is a cron pattern, a date-time, an English phrase, or several of them
 * separated by `;`. Loads croner, so import it lazily where there may be no jobs.
 */
import { UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import { looksLikeCron, readCron, SHOWN_PATTERN } from './cron.ts';
import { describeSchedule } from './describe.ts';
import { type PhraseOptions, parsePhrase } from './phrases/phrases.ts';
import { refusing } from './phrases/refusal.ts';
import { foldPhrase } from './phrases/words.ts';
import { takeZone } from './phrases/zones.ts';
import { anyOf, nextSlot, type Schedule } from './slots.ts';
import { isTimezone, MINUTE } from './zone.ts';

export { latestSlot, nextSlot, nextSlots, type Schedule, shortestGapMs } from './slots.ts';
export { isTimezone, systemTimezone } from './zone.ts';

const MAX_PARTS = 40;
const MAX_TEXT = 4000;
/** A phrase or a pattern: long enough for a list of all minutes. */
const MAX_PART = 400;

export interface ParsedSchedule {
  schedule: Schedule;
  /** The interpretation: `every weekday at 09:00 (Europe/Berlin)`. */
  words: string;
  /**
   * Whether the text would mean another schedule if it were read later ("tomorrow at 9", "every 2 weeks" with an
   * anchor). If so, store `formatSchedule` of the schedule instead.
   */
  relative: boolean;
  /** The time zone: the one in the text ("7pm UTC"), or else the given one. */
  timezone: string;
  /** Whether the text names the zone. */
  namesZone: boolean;
}

/**
 * @param options.anchor the start for "every 2 weeks" and the like if the text names none; 1970 by default, so that the
 * same text always means the same slots
 * @throws {UserError} with the reason and an example
 */
export function parseSchedule(text: string, options: PhraseOptions): ParsedSchedule {
  if (!isTimezone(options.timezone)) throw new UserError(say('schedules.zoneSetting', { zone: options.timezone }));
  const trimmed = text.trim();
  if (trimmed === '') throw new UserError(say('schedules.missing'));
  if (/[\p{Cc}\p{Cf}\p{Co}]/u.test(trimmed.replace(/\s/g, ' '))) throw new UserError(say('schedules.invisible'));
  const texts = trimmed.length > MAX_TEXT ? [] : trimmed.split(';').map((part) => part.trim().replace(/\s+/g, ' '));
  if (texts.length === 0 || texts.length > MAX_PARTS) throw refusing(trimmed)('tooLong');
  if (texts.length > 1 && texts.includes('')) throw refusing(trimmed)('semicolon');
  const { timezone, namesZone } = zoneOf(trimmed, texts, options.timezone);
  const parts = texts.map((part) => parsePart(part, { ...options, timezone }));
  const schedule = anyOf(parts.map((part) => part.schedule));
  const relative = parts.some((part) => part.relative);
  return { schedule, words: describeSchedule(schedule, timezone), relative, timezone, namesZone };
}

/** Returns the zone for all parts: each names the same one, or the last one names it for all. */
function zoneOf(text: string, texts: readonly string[], timezone: string): { timezone: string; namesZone: boolean } {
  const zones = texts.map((part) => (part.length > MAX_PART ? undefined : zoneIn(part)));
  const named = new Set(zones.filter((zone) => zone !== undefined));
  const [zone] = named;
  if (zone === undefined) return { timezone, namesZone: false };
  if (named.size > 1 || zones.at(-1) === undefined) throw refusing(text)('zones');
  return { timezone: zone, namesZone: true };
}

const CRON_ZONE = /^(?:CRON_)?TZ=(\S+)\s+(?=\S)/;

function zoneIn(part: string): string | undefined {
  const named = CRON_ZONE.exec(part)?.[1];
  if (named === undefined) return looksLikeCron(part) ? undefined : takeZone(foldPhrase(part)).zone;
  if (isTimezone(named)) return named;
  throw refusing(part)('zone', { zone: named.slice(0, 40) });
}

function parsePart(written: string, options: PhraseOptions): { schedule: Schedule; relative: boolean } {
  const text = written.replace(CRON_ZONE, '');
  const isCron = text.length <= MAX_PART && looksLikeCron(text);
  if (!isCron && text.length > MAX_PART) throw refusing(text)('tooLong');
  const { timezone } = options;
  const parsed = isCron
    ? { schedule: { kind: 'cron', pattern: readCron(text), timezone } as const, relative: false }
    : (parseShown(text, timezone) ?? parsePhrase(text, options));
  const all = parsed.schedule.kind === 'any' ? parsed.schedule.of : [parsed.schedule];
  if (all.some((part) => part.kind !== 'once' && nextSlot(part, options.now) === undefined)) {
    throw refusing(text)('never');
  }
  return parsed;
}

/** Parses "by the cron pattern 5 0-3 * 8 1", the display form of a pattern without a description. */
function parseShown(text: string, timezone: string): { schedule: Schedule; relative: boolean } | undefined {
  const [, patterns] = SHOWN_PATTERN.exec(text) ?? [];
  if (patterns === undefined) return undefined;
  const all = patterns
    .split(' and ')
    .map((pattern) => ({ kind: 'cron', pattern: readCron(pattern), timezone }) as const);
  return { schedule: anyOf(all), relative: false };
}

/** Returns the text for a job's file. A zone in the text is stored in a separate key, so that it can be changed. */
export function storedText(text: string, { schedule, relative, namesZone }: ParsedSchedule): string {
  return relative || namesZone ? formatSchedule(schedule) : text.trim();
}

/** Formats a schedule as a text that always parses to the same slots; the time zone is stored separately. */
export function formatSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return schedule.pattern;
    case 'every':
      return `every ${schedule.everyMs / MINUTE} minutes from ${wholeSecond(schedule.anchor ?? '1970-01-01T00:00:00Z')}`;
    case 'once':
      return wholeSecond(schedule.at);
    case 'days':
      return `every ${schedule.every} days at ${schedule.times.join(' and ')} from ${schedule.anchor}`;
    case 'any':
      return schedule.of.map(formatSchedule).join('; ');
  }
}

const wholeSecond = (iso: string) => `${new Date(iso).toISOString().slice(0, 19)}Z`;
