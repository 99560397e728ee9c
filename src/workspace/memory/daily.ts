/**
 * Daily logs, `memory/YYYY-MM-DD.md` in a viber's folder: what happened, written after runs and read by people. They can be told
 * again from the sessions, so they are written cheaply and do not grow without end.
 */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { createStatCache } from '../cache.ts';
import { patchFile, readTextSync, writeFileAtomic } from '../files.ts';
import type { Home } from '../home.ts';
import { serialise } from '../locks.ts';
import { addToSection, toBullets } from './sections.ts';

export interface DailyLog {
  /** `YYYY-MM-DD`. */
  date: string;
  text: string;
}

export interface DailyEntry {
  /** A `YYYY-MM-DD`, or a moment whose local day is meant. */
  date: Date | string;
  summary?: string | undefined;
  decisions?: readonly string[] | undefined;
  notes?: readonly string[] | undefined;
  /** What wrote it, for example `memory_flush`; stands behind each line. */
  source?: string | undefined;
}

/** A request takes a few thousand characters of it at most; a day with more is in the sessions. */
const MAX_CHARS = 128 * 1024;
const NAME = /^(\d{4}-\d\d-\d\d)\.md$/;
const texts = createStatCache<string>(64, (file) => readTextSync(file) ?? '');
const names = createStatCache<string[]>(64, (dir) =>
  fs
    .readdirSync(dir)
    .filter((name) => NAME.test(name))
    .sort()
    .reverse(),
);

/** Adds to the day's log under the headings of M4; the file is created with them. A line that is there already is left out. */
export async function appendDailyLog(home: Home, viber: string, entry: DailyEntry): Promise<void> {
  const date = typeof entry.date === 'string' ? entry.date : localDay(entry.date);
  if (!NAME.test(`${date}.md`)) throw new UserError(`"${date.slice(0, 20)}" is not a date like 2026-01-31.`);
  const file = path.join(home.viberDir(viber), 'memory', `${date}.md`);
  const source = entry.source === undefined ? '' : ` (${entry.source})`;
  const bullets = (text: string) => toBullets(text).map((bullet) => bullet + source);
  await serialise(file, async () => {
    const before = readTextSync(file);
    if (before !== undefined && before.length > MAX_CHARS) return;
    let text = before?.trim() ? before : `# ${date}\n\n## Session Summary\n\n## Key Decisions\n\n## Notes for Future\n`;
    text = addToSection(text, 'Session Summary', bullets(entry.summary ?? ''));
    text = addToSection(text, 'Key Decisions', (entry.decisions ?? []).flatMap(bullets));
    text = addToSection(text, 'Notes for Future', (entry.notes ?? []).flatMap(bullets));
    if (text === before) return;
    if (before === undefined) await writeFileAtomic(file, text, { sync: false });
    else await patchFile(file, before, text);
  });
}

/** The newest logs first, at most `limit`. */
export async function readDailyLogs(home: Home, viber: string, limit: number): Promise<DailyLog[]> {
  const dir = path.join(home.viberDir(viber), 'memory');
  return (names.get(dir) ?? [])
    .slice(0, Math.max(0, limit))
    .map((name) => ({ date: name.slice(0, 10), text: texts.get(path.join(dir, name)) ?? '' }));
}

function localDay(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
