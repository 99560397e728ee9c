/**
 * The places where SQLite keeps a database and what belongs to it. What stands there and is no file that we may use, as a copy, a
 * container or a person leaves it, is set aside before SQLite sees it: its own errors say neither which file it is nor why.
 */
import fs from 'node:fs';
import { errorCode } from '../errors.ts';
import { type About, quarantine } from './damage.ts';

const SIDES = ['-wal', '-shm', '-journal'] as const;

/** Why it can't be used as it stands; undefined for a usable file, and where there is nothing. Lost rights of one's own are given back. */
export function unusable(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (stat.isDirectory()) return 'is a folder';
  if (!stat.isFile()) return 'is no regular file';
  if (mayUse(file)) return undefined;
  try {
    fs.chmodSync(file, 0o600);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
  }
  return mayUse(file) ? undefined : 'may not be used by this user';
}

function mayUse(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
    return true;
  } catch (error) {
    // A disk that is read-only is none of the file's; one that went away meanwhile is no hindrance.
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) !== 'EACCES';
  }
}

export function freeSides(file: string, about: About): void {
  for (const side of SIDES) {
    const why = unusable(file + side);
    if (why !== undefined) quarantine(file + side, why, about);
  }
}
