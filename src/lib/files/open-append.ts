/**
 * Opens files that grow by lines. Anything else in their place is set aside, so that nothing blocks on a pipe. Sync
 * programs (Syncthing, git) replace files by a rename, and anything written to the handle after that is lost.
 */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';
import { type About, quarantine } from '../damage.ts';

const NOT_OURS = ['EISDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENXIO'];
const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR } = fs.constants;

/** Opens a file for reading and appending, created (0600) if missing. */
export function openAppend(file: string, about: About, mode = 0o600): number {
  for (let tries = 0; ; tries++) {
    const why = tries === 0 ? 'cannot be written to' : undefined;
    try {
      const fd = fs.openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, mode);
      if (fs.fstatSync(fd).isFile() || why === undefined) return fd;
      fs.closeSync(fd);
    } catch (error) {
      const code = errorCode(error) ?? '';
      const isLost = code === 'ENOENT' && fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
      if (why === undefined || !(isLost || NOT_OURS.includes(code))) throw error;
    }
    quarantine(file, why, about);
  }
}

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
