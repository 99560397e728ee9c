/**
 * Returns whether an open file is still the one at its path. Sync programs (Syncthing, git) replace files by a rename,
 * and anything written to the handle after that is lost.
 */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';

/** `own` comes from the handle, at any time. Returns false too when the folder can't be read. */
export function isInPlace(own: fs.Stats, file: string): boolean {
  try {
    const found = fs.lstatSync(file, { throwIfNoEntry: false });
    return found?.ino === own.ino && found.dev === own.dev;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
