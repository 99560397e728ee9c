/**
 * One gateway per home (promise 13). SQLite's exclusive file lock is the operating system's: the kernel frees it
 * however the process ends, and a stopped process keeps it. Each holder gets a higher epoch, which it writes into its
 * ledger lines.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode, LockedError, WorkspaceError } from '../../errors.ts';
import { isDamagedDb, quarantine, reportDamage, sqliteCode } from '../../lib/damage.ts';
import { freeSides, unusable } from '../../lib/database-places.ts';
import { statOf } from '../../lib/files/cache.ts';

export interface Lock {
  epoch: number;
  release(): void;
}

const ABOUT = { lost: 'only the count of starts', next: 'A new one is used.' };

/**
 * Locks the home. A damaged file is emptied in place, never replaced: SQLite reads it only after locking it, so nobody
 * held it, and a gateway that starts at the same moment locks the same file.
 * @throws LockedError when another process holds the home
 */
export function acquireLock(runFolder: string): Lock {
  const file = path.join(runFolder, 'lock.sqlite');
  freePlace(file);
  try {
    // A file that was emptied lost its count as well.
    return lock(file, statOf(file)?.size === 0 ? startsUnknown() : 0);
  } catch (error) {
    if (!isDamagedDb(error)) throw explainLockError(error, file);
    fs.truncateSync(file, 0);
    const held = lock(file, startsUnknown());
    reportDamage({ ...ABOUT, file, why: 'was damaged and has been emptied' });
    return held;
  }
}

/** Returns a count above every earlier one, so that ledger lines never repeat an epoch. */
const startsUnknown = () => Math.floor(Date.now() / 1000);

/**
 * Clears the lock file's path. A folder can't be locked, so nobody holds it, and its trailing slash makes the system
 * refuse to move anything else. A link is moved by one starting process at a time, after another look, since another
 * may have put the real file there. A pipe was put there on purpose.
 */
function freePlace(file: string): void {
  freeSides(file, ABOUT);
  const why = unusable(file);
  if (why === undefined) return;
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile()) throw new WorkspaceError(`${file} ${why}: check its rights, or delete it, then start again.`);
  if (stat?.isDirectory()) quarantine(file, why, ABOUT);
  else if (!stat?.isSymbolicLink()) throw new WorkspaceError(`${file} ${why}: delete it, then start again.`);
  else oneByOne(file, () => fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() || quarantine(file, why, ABOUT));
}

const MOVE_WAIT_MS = 5_000;

function oneByOne(file: string, move: () => void): void {
  const db = new DatabaseSync(`${file}-place`, { timeout: MOVE_WAIT_MS });
  try {
    db.exec('BEGIN EXCLUSIVE');
    move();
  } catch (error) {
    throw explainLockError(error, `${file}-place`);
  } finally {
    db.close();
  }
}

function lock(file: string, least: number): Lock {
  const db = new DatabaseSync(file);
  try {
    // The lock outlives the transaction in this mode and ends with the connection. No journal: a lost count
    // costs nothing.
    db.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY');
    db.exec('PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
    db.exec('CREATE TABLE IF NOT EXISTS holder (epoch INTEGER NOT NULL)');
    const last = Number(db.prepare('SELECT max(epoch) AS epoch FROM holder').get()?.epoch ?? 0);
    const epoch = Math.max(Number.isSafeInteger(last) ? last : 0, least) + 1;
    db.exec('DELETE FROM holder');
    db.prepare('INSERT INTO holder VALUES (?)').run(epoch);
    db.exec('COMMIT');
    return { epoch, release: () => db.close() };
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) {
      const home = path.dirname(path.dirname(file));
      throw new LockedError(`another gateway holds ${home}; stop it first, or give this one its own --home`, {
        cause: error,
        file,
      });
    }
    throw error;
  }
}

/**
 * Returns the process that holds a lock, by the word of Linux; undefined on other systems, for a process of another
 * container, and when nobody holds it any more.
 */
export function holderOf(file: string): number | undefined {
  const inode = statOf(file)?.ino;
  const locks = fs.existsSync(LOCKS) ? fs.readFileSync(LOCKS, 'utf8').split('\n') : [];
  const found = locks.map((line) => HELD.exec(line)).find((held) => held?.[2] === String(inode));
  return found ? Number(found[1]) : undefined;
}

const LOCKS = '/proc/locks';
/** A line of it: the process, and the file by device and inode. Those that wait have an arrow. */
const HELD = /^\d+: POSIX +\w+ +WRITE (\d+) [\da-f]+:[\da-f]+:(\d+) /;

/** SQLITE_FULL. */
const FULL = 13;

/** Adds the file and a remedy, which SQLite's own message lacks. */
function explainLockError(error: unknown, file: string): unknown {
  if (errorCode(error) !== 'ERR_SQLITE_ERROR') return error;
  if (((sqliteCode(error) ?? 0) & 0xff) === FULL)
    return new WorkspaceError(`${file} cannot be written: the disk is full. Free some space, and try again.`, {
      cause: error,
    });
  return new WorkspaceError(
    `${file} cannot be used (${String(error)}): check its rights, or delete it, then start again.`,
    {
      cause: error,
    },
  );
}
