/**
 * Edits a file that people, the gateway and the command line may write at the same time. Our processes take turns with
 * a lock of the operating system, and with the engine's lock around it if several machines share the home. An editor
 * takes no locks, so a recently changed file is left alone for a moment, and the replaced file is checked again:
 * anything an editor still wrote to it is merged.
 */
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError, WorkspaceError } from '../../../errors.ts';
import { isDamagedDb, quarantine, reportDamage } from '../../../lib/damage.ts';
import { freeSides, unusable } from '../../../lib/database-places.ts';
import { editText, ensureDir, readTextSync, syncFile } from '../../../lib/files.ts';
import { exclusively } from '../../../lib/locks.ts';
import { say } from '../../../messages/messages.ts';
import type { Home } from '../../../workspace/home.ts';

/** A file that somebody else changed less than this time ago may be half-written, in ms. */
const SETTLE_MS = 60;
const MAX_SETTLE_MS = 2_000;
/** How long to wait for an emptied or moved file to be written again, in ms. */
const EMPTY_MS = 1_000;
const AWAY_MS = 500;
/** The interval for checking a replaced file for the rest of a write, in ms. */
const LINGER_MS = 25;
const MAX_LOOKS = 40;
const LOCK = { lost: 'nothing', next: 'A new one is used.' };
const LOCK_WAIT_MS = 10_000;

/** Our own last write of a file, which needs no waiting time. */
const own = new Map<string, string>();
const statStamp = (stat: fs.Stats | undefined): string => `${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`;

/** Runs `work` while no other process or call of ours changes this viber's memory. */
export function lockMemory<T>(home: Home, viber: string, work: () => Promise<T>): Promise<T> {
  // The home's lock, even if this process has its own `run`: command-line programs take only this one.
  const lock = path.join(home.root, 'run', `memory-${viber}.lock`);
  // Throws for an invalid ID before it becomes a file name.
  home.viberDir(viber);
  return exclusively(lock, async () => {
    await ensureDir(path.dirname(lock));
    const { DatabaseSync } = await import('node:sqlite');
    const why = unusable(lock);
    if (why !== undefined) quarantine(lock, why, LOCK);
    freeSides(lock, LOCK);
    const db = new DatabaseSync(lock, { timeout: 0 });
    try {
      for (const end = Date.now() + LOCK_WAIT_MS; !isTaken(db, lock); await sleep(5)) {
        if (Date.now() > end) throw new WorkspaceError(`${lock} is held by another process for more than 10 s`);
      }
      return await work();
    } finally {
      db.close();
    }
  });
}

function isTaken(db: { exec(sql: string): void }, file: string): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isDamagedDb(error)) {
      // It was read under its lock, so nobody held it. It is emptied in place, so that everybody keeps locking the same
      // file.
      fs.truncateSync(file, 0);
      reportDamage({ ...LOCK, file, why: 'was damaged and has been emptied' });
      return false;
    }
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false;
    throw error;
  }
}

/**
 * Like `editText`, for a file that people may have open; only under `lockMemory`. `change` may be called several times;
 * its last result is written.
 * @throws UserError if it isn't a regular file, or not UTF-8
 */
export async function editShared(
  file: string,
  change: (current: string | undefined) => string | undefined,
): Promise<string | undefined> {
  await untilPutBack(file);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new UserError(say('memory.notRegular', { file: path.basename(file) }));
  await settled(file);
  // Reading it as UTF-8 and writing it back would lose characters for good.
  if (stat && !isUtf8(fs.readFileSync(file))) throw new UserError(say('memory.notUtf8', { file: path.basename(file) }));
  let written: string | undefined;
  let base: string | undefined;
  let replaced: number | undefined;
  const close = () => {
    if (replaced !== undefined) fs.closeSync(replaced);
    replaced = undefined;
  };
  try {
    const read = () => {
      close();
      base = readTextSync(file);
      if (base !== undefined) replaced = fs.openSync(file, 'r');
      return base;
    };
    written = await editText(file, change, { read }).catch(async (error: unknown) => {
      if (!(error instanceof WorkspaceError)) throw error;
      // Somebody writes more often than the disk syncs, so there is no wait between the check and the rename.
      const text = await editText(file, change, { read, sync: false });
      await syncFile(file);
      return text;
    });
    noteOwnWrite(file);
    if (written === base || replaced === undefined) return written;
    const late = await lateText(replaced, base);
    if (late === base) return written;
    // Their text is newer, so ours is added to it. A write that they began over ours counts as theirs too.
    const theirs = readTextSync(file) === written ? late : undefined;
    if (theirs !== undefined) {
      written = change(theirs) ?? theirs;
      const text = written;
      await editText(file, () => text);
      noteOwnWrite(file);
    }
    return written;
  } finally {
    close();
  }
}

/** Returns the contents of a replaced file once nobody is writing to it any more. */
async function lateText(fd: number, base: string | undefined): Promise<string> {
  for (let last = base, looks = 0; ; looks++) {
    await sleep(LINGER_MS);
    const bytes = Buffer.alloc(fs.fstatSync(fd).size);
    const text = bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, bytes.length, 0));
    if (text === last || looks === MAX_LOOKS) return text;
    last = text;
  }
}

export function noteOwnWrite(file: string): void {
  if (own.size > 200) own.clear();
  own.set(file, statStamp(fs.statSync(file, { throwIfNoEntry: false })));
}

/** Waits if an editor has moved the old file away before writing the new one: a write in between would be lost. */
async function untilPutBack(file: string): Promise<void> {
  for (const end = Date.now() + AWAY_MS; Date.now() < end; await sleep(LINGER_MS)) {
    const isThere = fs.existsSync(file);
    const folder = fs.statSync(path.dirname(file), { throwIfNoEntry: false });
    if (isThere || !folder || Math.abs(Date.now() - folder.mtimeMs) > AWAY_MS) return;
  }
}

/** Waits until nobody has written for a moment, at most two seconds. */
export async function settled(file: string): Promise<void> {
  for (const end = Date.now() + MAX_SETTLE_MS; Date.now() < end; ) {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat === undefined || own.get(file) === statStamp(stat)) return;
    const age = Date.now() - stat.mtimeMs;
    // A time in the future tells nothing, and many editors empty a file before writing it.
    const wait = stat.size === 0 ? EMPTY_MS : SETTLE_MS;
    if (age > wait || age < -1_000) return;
    await sleep(Math.min(wait - age + 1, SETTLE_MS));
  }
}
