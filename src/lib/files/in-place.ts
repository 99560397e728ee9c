/**
 * Whether a file that is held open is still the one its name leads to. Programs that keep folders in step (Syncthing, git) put
 * another file into its place by a rename: what is written to the handle after that, nobody finds again.
 */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';

/** `own` is of the handle, at whatever time. False too where the folder does not let anybody look. */
export function isInPlace(own: fs.Stats, file: string): boolean {
  try {
    const found = fs.lstatSync(file, { throwIfNoEntry: false });
    return found?.ino === own.ino && found.dev === own.dev;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
