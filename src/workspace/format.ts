/**
 * The format of a home, in `home.json`: `{ "format": 2 }`. A home without that file is of format 1, or not begun yet. A
 * file that can't be read counts as the oldest, since a migration changes only what is still as it was.
 *
 *   1  vibers/default/ may be a real folder, to which workspace/ is a link; the spool may have a file per message
 *   2  workspace/ is the folder; home.json
 */
import fs from 'node:fs';
import path from 'node:path';
import { isRecord, parseJson, readWhole } from '../lib/json.ts';

export const HOME_FORMAT = 2;
export const FORMAT_FILE = 'home.json';
const OLDEST = 1;

/** Folders that only a gateway makes: a home with none of them has not begun. */
const MADE_BY_US = ['spool', 'access', 'run', 'conversations', 'usage', 'vibers'];

/** Returns undefined for a home that has not begun. */
export function homeFormat(root: string): number | undefined {
  const file = path.join(root, FORMAT_FILE);
  if (fs.lstatSync(file, { throwIfNoEntry: false })) return formatIn(file);
  return MADE_BY_US.some((name) => fs.existsSync(path.join(root, name))) ? OLDEST : undefined;
}

function formatIn(file: string): number {
  const read = parseJson(readWhole(file)?.text ?? '');
  const format = isRecord(read) ? read.format : undefined;
  return typeof format === 'number' && Number.isInteger(format) && format >= OLDEST ? format : OLDEST;
}

export const homeFormatText = (format = HOME_FORMAT): string => `${JSON.stringify({ format })}\n`;
