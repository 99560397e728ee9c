/**
 * Deletes daily logs older than `memory.retention.dailyLogsDays`. Only people remove anything else from a viber's
 * folder.
 */
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';
import { type Home, vibersOf } from '../../../workspace/home.ts';
import { localDay } from './daily.ts';

export interface Retention {
  dailyLogsDays: number;
}

const NAME = /^(\d{4})-(\d\d)-(\d\d)\.md$/;

/**
 * Removes logs of days more than `dailyLogsDays` before today and returns their names. Deletes only regular files
 * named by a date, in a folder inside the home: links and their targets stay.
 */
export async function sweepMemory(home: Home, viber: string, retention: Retention, now: Date): Promise<string[]> {
  const dir = path.join(home.viberDir(viber), 'memory');
  if (!isInside(home.root, dir)) return [];
  const oldest = new Date(now.getFullYear(), now.getMonth(), now.getDate() - retention.dailyLogsDays);
  const first = `${localDay(oldest)}.md`;
  const removed: string[] = [];
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    if (!entry.isFile() || !isDay(entry.name) || entry.name >= first) continue;
    await rm(path.join(dir, entry.name), { force: true });
    removed.push(entry.name);
  }
  return removed;
}

/** Sweeps every viber; returns the number of removed logs. `onError` receives vibers whose folder can't be swept. */
export async function sweepAll(
  home: Home,
  retention: Retention,
  now: Date,
  onError: (viber: string, error: unknown) => void,
): Promise<number> {
  let removed = 0;
  for (const viber of vibersOf(home)) {
    try {
      removed += (await sweepMemory(home, viber, retention, now)).length;
    } catch (error) {
      onError(viber, error);
    }
  }
  return removed;
}

function isDay(name: string): boolean {
  const [, year, month, day] = NAME.exec(name) ?? [];
  if (year === undefined) return false;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return Number(year) > 0 && date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
}

/** Also returns false if there is no such folder. */
function isInside(root: string, dir: string): boolean {
  try {
    const relative = path.relative(fs.realpathSync.native(root), fs.realpathSync.native(dir));
    return (
      relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative) && fs.statSync(dir).isDirectory()
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
