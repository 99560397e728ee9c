/** What SQLite's errors say about its file: whether it is no database of ours, or cannot be opened where it stands. */
import fs from 'node:fs';
import { errorCode } from '../errors.ts';

/** SQLITE_ERROR (a table is missing), CORRUPT, FORMAT, NOTADB. */
const DAMAGE = [1, 11, 24, 26];
const SHORT_READ = 522;

/** SQLite's extended code; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (errorCode(error) !== 'ERR_SQLITE_ERROR' || typeof error !== 'object' || error === null) return undefined;
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

export function isDamagedDb(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && (code === SHORT_READ || DAMAGE.includes(code & 0xff));
}

/** As `isDamagedDb`, and when something that is no usable file stands there; not when handles or memory have run out. */
export function isLostDb(error: unknown, file: string): boolean {
  if (isDamagedDb(error)) return true;
  if (sqliteCode(error) === undefined) return false;
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (!stat.isFile()) return true;
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
    return false;
  } catch (denied) {
    if (errorCode(denied) === 'EACCES') return true;
    throw denied;
  }
}
