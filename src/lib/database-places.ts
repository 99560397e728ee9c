/**
 * Checks the paths of a SQLite database and its side files. Anything there that isn't a usable file, as left by a copy,
 * a container or a person, is set aside before SQLite opens it: its own errors name neither the file nor the reason.
 */
import fs from 'node:fs';
import { errorCode } from '../errors.ts';
import { type About, quarantine } from './damage.ts';

const SIDES = ['-wal', '-shm', '-journal'] as const;

/**
 * Returns why it can't be used; undefined for a usable or missing file. Restores this user's permissions where
 * possible.
 */
export function unusable(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (stat.isDirectory()) return 'is a folder';
  if (!stat.isFile()) return 'is not a regular file';
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
    // A read-only disk isn't the file's fault; a file that was removed in between is fine.
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
