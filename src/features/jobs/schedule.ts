/**
 * Parses and formats schedules. The text is a cron pattern, a date-time, an English phrase, or several of them
 * separated by `;`. Loads croner, so import it lazily where there may be no jobs.
 */
import { UserError } from '../../errors.ts';
import { looksLikeCron, readCron, TOLD } from './cron.ts';
import { describeSchedule } from './describe.ts';
import { foldPhrase, MAX_LENGTH } from './phrases/grammar.ts';
import { type PhraseOptions, parsePhrase } from './phrases/phrases.ts';
import { phraseError } from './phrases/refusal.ts';
import { takeZone } from './phrases/zones.ts';
import { nextSlot, type Schedule } from './slots.ts';
import { isTimezone, MINUTE } from './zone.ts';

export { latestSlot, nextSlot, nextSlots, type Schedule, shortestGapMs } from './slots.ts';
export { isTimezone, systemTimezone } from './zone.ts';

const MAX_PARTS = 40;
const MAX_TEXT = 4000;
/** Long enough for a list of all minutes. */
const MAX_PATTERN = 400;

export interface ParsedSchedule {
  schedule: Schedule;
  /** The interpretation: `every weekday at 09:00 (Europe/Berlin)`. */
  words: string;
  /**
   * The text would give another schedule if read later ("tomorrow at 9", "every 2 weeks" with an anchor); store
   * `formatSchedule` of the schedule instead.
   */
  relative: boolean;
  /** The zone of its times: the one in the text ("7pm UTC"), or else the given one. */
  timezone: string;
  /** The text names the zone. */
  namesZone: boolean;
}

/**
 * @param options.anchor where "every 2 weeks" and the like are counted from if the text names no start; 1970 by
 * default, so that the same text always means the same slots
 * @throws {UserError} with the reason and an example
 */
export function parseSchedule(text: string, options: PhraseOptions): ParsedSchedule {
  if (!isTimezone(options.timezone)) {
    throw new UserError(
      `"${options.timezone}" is not a time zone I know. Set \`timezone\` to a name such as "Europe/Berlin" or "UTC".`,
    );
  }
  const trimmed = text.trim();
  if (trimmed === '') throw new UserError('A schedule is missing. Say for example "daily at 9" or "0 9 * * 1-5".');
  if (/[\p{Cc}\p{Cf}\p{Co}]/u.test(trimmed.replace(/\s/g, ' '))) {
    throw new UserError('A schedule is plain text, and this has invisible characters. Say for example "daily at 9".');
  }
  const texts = trimmed.length > MAX_TEXT ? [] : trimmed.split(';').map((part) => part.trim().replace(/\s+/g, ' '));
  if (texts.length === 0 || texts.length > MAX_PARTS)
    throw phraseError(trimmed, 'it is too long', 'every weekday at 9');
  if (texts.length > 1 && texts.includes(''))
    throw phraseError(trimmed, 'there is nothing after or before a ";"', 'daily at 9; mondays at 17:00');
  const { timezone, namesZone } = zoneOf(trimmed, texts, options.timezone);
  const parts = texts.map((part) => parsePart(part, { ...options, timezone }));
  const [first] = parts;
  const of = parts.flatMap(({ schedule }) => (schedule.kind === 'any' ? schedule.of : [schedule]));
  const schedule: Schedule = parts.length === 1 && first ? first.schedule : { kind: 'any', of };
  const relative = parts.some((part) => part.relative);
  return { schedule, words: describeSchedule(schedule, timezone), relative, timezone, namesZone };
}

/** Returns one zone for all parts: each names the same, or the last one names it for all. */
function zoneOf(text: string, texts: readonly string[], timezone: string): { timezone: string; namesZone: boolean } {
  const zones = texts.map((part) => (part.length > MAX_LENGTH ? undefined : zoneIn(part)));
  const named = new Set(zones.filter((zone) => zone !== undefined));
  const [zone] = named;
  if (zone === undefined) return { timezone, namesZone: false };
  if (named.size > 1 || zones.at(-1) === undefined)
    throw phraseError(text, 'its times are in several time zones; make one job for each', 'daily at 9 Berlin time');
  return { timezone: zone, namesZone: true };
}

const CRON_ZONE = /^(?:CRON_)?TZ=(\S+)\s+(?=\S)/;

function zoneIn(part: string): string | undefined {
  const named = CRON_ZONE.exec(part)?.[1];
  if (named === undefined) return looksLikeCron(part) ? undefined : takeZone(foldPhrase(part)).zone;
  if (isTimezone(named)) return named;
  throw phraseError(part, `"${named.slice(0, 40)}" is not a time zone I know`, 'CRON_TZ=Europe/Berlin 0 9 * * *');
}

function parsePart(written: string, options: PhraseOptions): { schedule: Schedule; relative: boolean } {
  const text = written.replace(CRON_ZONE, '');
  const isCron = text.length <= MAX_PATTERN && looksLikeCron(text);
  if (!isCron && text.length > MAX_LENGTH) throw phraseError(text, 'it is too long', 'every weekday at 9');
  const { timezone } = options;
  const parsed = isCron
    ? { schedule: { kind: 'cron', pattern: readCron(text), timezone } as const, relative: false }
    : (parseTold(text, timezone) ?? parsePhrase(text, options));
  const all = parsed.schedule.kind === 'any' ? parsed.schedule.of : [parsed.schedule];
  if (all.some((part) => part.kind !== 'once' && nextSlot(part, options.now) === undefined)) {
    throw phraseError(text, 'that day never comes', 'last day of the month at 18:00');
  }
  return parsed;
}

/** Parses "by the cron pattern 5 0-3 * 8 1", the display form of a pattern without a description. */
function parseTold(text: string, timezone: string): { schedule: Schedule; relative: boolean } | undefined {
  const [, patterns] = TOLD.exec(text) ?? [];
  if (patterns === undefined) return undefined;
  const of = patterns
    .split(' and ')
    .map((pattern) => ({ kind: 'cron', pattern: readCron(pattern), timezone }) as const);
  const [first] = of;
  return { schedule: of.length === 1 && first ? first : { kind: 'any', of }, relative: false };
}

/** Returns the text for a job's file. A zone in the text is stored separately, so that it can be changed. */
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
