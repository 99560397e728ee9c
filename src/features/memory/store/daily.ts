/**
 * Daily logs, `memory/YYYY-MM-DD.md` in a viber's folder: written after runs, for people to read. Sessions can restore
 * them, so they are written without sync and limited in size.
 */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../errors.ts';
import { createStatCache } from '../../../lib/files/cache.ts';
import { keepLetters, patchFile, readTextSync, writeFileAtomic } from '../../../lib/files.ts';
import { exclusively } from '../../../lib/locks.ts';
import type { Home } from '../../../workspace/home.ts';
import { noteOwnWrite, settled } from './edit.ts';
import { addToSection, toBullets } from './sections.ts';

export interface DailyLog {
  /** `YYYY-MM-DD`. */
  date: string;
  text: string;
}

export interface DailyEntry {
  /** A `YYYY-MM-DD`, or a time, of which the local day counts. */
  date: Date | string;
  summary?: string | undefined;
  decisions?: readonly string[] | undefined;
  notes?: readonly string[] | undefined;
  /** The writer, such as `memory_flush`; appended to each line. */
  source?: string | undefined;
}

/** A request uses only a few thousand characters of it; the rest is in the sessions anyway. */
const MAX_BYTES = 128 * 1024;
/**
 * The limit for entries with a source. These were removed from a conversation because the log keeps them, so they get
 * more room.
 */
const MAX_KEPT_BYTES = 2 * MAX_BYTES;
/**
 * Tag characters spell letters that nobody sees (except in flags). They are removed, since nobody checks a line before
 * it is written here.
 */
const HIDDEN_LETTER = /(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]{0,6})[\u{E0000}-\u{E007F}]/gu;
const NAME = /^(\d{4}-\d\d-\d\d)\.md$/;
export const texts = createStatCache<string>(64, (file, stat) => (stat.isFile() ? (readTextSync(file) ?? '') : ''));
const names = createStatCache<string[]>(64, (dir, stat) =>
  (stat.isDirectory() ? fs.readdirSync(dir) : [])
    .filter((name) => NAME.test(name))
    .sort()
    .reverse(),
);

/**
 * Adds to the day's log under the headings of its template; creates the file with them. Skips lines that are already
 * there.
 */
export async function appendDailyLog(home: Home, viber: string, entry: DailyEntry): Promise<void> {
  await appendDailyLogs(home, viber, isoDay(entry.date), [entry]);
}

/**
 * Adds several entries to one day (`YYYY-MM-DD`) in one write.
 * @throws UserError if that isn't a date, or if something other than a file has its name
 */
export async function appendDailyLogs(
  home: Home,
  viber: string,
  date: string,
  entries: readonly Omit<DailyEntry, 'date'>[],
): Promise<void> {
  if (!NAME.test(`${date}.md`)) throw new UserError(`"${date.slice(0, 20)}" isn't a date like 2026-01-31.`);
  const file = path.join(home.viberDir(viber), 'memory', `${date}.md`);
  await exclusively(file, async () => {
    await settled(file);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat && !stat.isFile()) throw new UserError(`memory/${date}.md isn't a regular file: move it away.`);
    const size = stat?.size ?? 0;
    const fitting = entries.filter(({ source }) => size <= (source === undefined ? MAX_BYTES : MAX_KEPT_BYTES));
    if (fitting.length === 0) return;
    const before = readTextSync(file);
    const empty = `# ${date}\n\n## Session Summary\n\n## Key Decisions\n\n## Notes for Future\n`;
    const text = addEntries(before?.trim() ? before : empty, fitting);
    if (text === before) return;
    keepLetters(file);
    if (before === undefined) await writeFileAtomic(file, text, { sync: false });
    else await patchFile(file, before, text);
    noteOwnWrite(file);
  });
}

function addEntries(markdown: string, entries: readonly Omit<DailyEntry, 'date'>[]): string {
  const bullets = (texts: (entry: Omit<DailyEntry, 'date'>) => readonly string[]) => {
    const all = entries.flatMap((entry) =>
      texts(entry)
        .flatMap((text) => toBullets(text.replace(HIDDEN_LETTER, '')))
        .map((bullet) => (entry.source === undefined ? bullet : `${bullet} (${entry.source})`)),
    );
    return [...new Set(all)];
  };
  const told = addToSection(
    markdown,
    'Session Summary',
    bullets(({ summary = '' }) => [summary]),
  );
  const decided = addToSection(
    told,
    'Key Decisions',
    bullets(({ decisions = [] }) => decisions),
  );
  return addToSection(
    decided,
    'Notes for Future',
    bullets(({ notes = [] }) => notes),
  );
}

/** Returns the newest logs first, at most `limit`. */
export async function readDailyLogs(home: Home, viber: string, limit: number): Promise<DailyLog[]> {
  const dir = path.join(home.viberDir(viber), 'memory');
  return (names.get(dir) ?? [])
    .slice(0, Math.max(0, limit))
    .map((name) => ({ date: name.slice(0, 10), text: texts.get(path.join(dir, name)) ?? '' }));
}

export const isoDay = (date: Date | string): string => (typeof date === 'string' ? date : localDay(date));

/** Returns `YYYY-MM-DD` in local time. */
export function localDay(moment: Date): string {
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

const two = (value: number) => String(value).padStart(2, '0');

/** Returns `HH:MM` in local time, as at the beginning of a log's line. */
export const clockOf = (moment: Date): string => `${two(moment.getHours())}:${two(moment.getMinutes())}`;

/** Returns the log without lines from that minute of the day on. Keeps lines without a time. */
export function linesBefore(text: string, clock: string): string {
  return text
    .split('\n')
    .filter((line) => !(/^- \d\d:\d\d /.test(line) && line.slice(2, 7) >= clock))
    .join('\n');
}
