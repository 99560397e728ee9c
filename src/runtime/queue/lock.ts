/**
 * One gateway a home (R15). SQLite's exclusive file lock is the operating system's: the kernel frees it however the
 * process ends, and a stopped process keeps it. Each holder gets a higher epoch, written into its ledger lines.
 */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LockedError } from '../../errors.ts';

export interface Lock {
  epoch: number;
  release(): void;
}

/** Throws LockedError when another process holds the home. */
export function acquireLock(runFolder: string): Lock {
  const db = new DatabaseSync(path.join(runFolder, 'lock.sqlite'));
  try {
    // With this locking mode the lock outlives the transaction; it ends with the connection.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 0');
    db.exec('BEGIN EXCLUSIVE');
    db.exec('CREATE TABLE IF NOT EXISTS holder (epoch INTEGER NOT NULL)');
    const last = db.prepare('SELECT max(epoch) AS epoch FROM holder').get()?.epoch;
    const epoch = Number(last ?? 0) + 1;
    db.exec('DELETE FROM holder');
    db.prepare('INSERT INTO holder VALUES (?)').run(epoch);
    db.exec('COMMIT');
    return { epoch, release: () => db.close() };
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) {
      throw new LockedError(
        `another gateway holds ${path.dirname(runFolder)}; stop it first, or give this one its own --home`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}
