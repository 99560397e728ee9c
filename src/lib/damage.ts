/**
 * Handles damaged files of the home: sets them aside as `NAME.bad`, reports them once, and continues without them.
 * Nothing is overwritten while one of nine names is free. An error that may pass (no file handles, a failing disk)
 * isn't the file's fault and is thrown.
 *
 * Readers have no log: the process registers a listener for its home, which also gets earlier reports.
 */

import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { statOf } from './files/cache.ts';

/** A reader's knowledge of a file: what is lost with it, and whether to notify the owners besides the log. */
export interface About {
  /** Completes "Lost:", such as `who was let in`. */
  lost: string;
  /** One sentence about what happens next. */
  next?: string;
  tell?: boolean;
  /** Reported once under this name, across restarts. */
  once?: string;
}

export interface Damage extends About {
  /** Absolute. */
  file: string;
  /** Completes the file's name, such as `is not JSON`. */
  why: string;
  /** Its new path, absolute; absent when it is still in place. */
  movedTo?: string;
}

type Listener = (damage: Damage) => void;

const MAX_KEPT = 200;
const MAX_TOLD = 5_000;
const MAX_BAD = 9;
const listeners = new Map<Listener, string>();
/** Reports without a listener for their home. */
let kept: Damage[] = [];
/** Keys of damage that stays in place, which is reported once. */
const told = new Set<string>();

const isIn = (root: string, file: string): boolean => file === root || file.startsWith(root + path.sep);

/** Listens for damage below `root`, including earlier reports; returns a function that stops it. */
export function listenForDamage(root: string, listener: Listener): () => void {
  listeners.set(listener, root);
  const mine = kept.filter(({ file }) => isIn(root, file));
  kept = kept.filter((damage) => !mine.includes(damage));
  for (const damage of mine) listener(damage);
  return () => void listeners.delete(listener);
}

export function reportDamage(damage: Damage): void {
  const heard = [...listeners].filter(([, root]) => isIn(root, damage.file));
  for (const [listener] of heard) listener(damage);
  if (heard.length === 0) kept = [...kept, damage].slice(-MAX_KEPT);
}

/** Like `reportDamage`, once per `key`: for files that stay in place and are read again. */
export function reportOnce(key: string, damage: Damage): void {
  if (told.has(key)) return;
  told.add(key);
  for (const oldest of told) if (told.size > MAX_TOLD) told.delete(oldest);
  reportDamage(damage);
}

/** Moves the file to the first free `.bad` name; returns undefined when it is gone. The ninth name is reused. */
export function setAside(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  // The trailing slash makes the system refuse to move anything but a folder, should the path have changed.
  const from = stat?.isDirectory() ? `${file}/` : file;
  return toBadName(file, (target) => fs.renameSync(from, target));
}

/** Like `setAside`, but copies: the file stays in place. */
export const copyAside = (file: string): string | undefined =>
  toBadName(file, (target) => fs.copyFileSync(file, target));

function toBadName(file: string, put: (target: string) => void): string | undefined {
  for (let n = 1; n <= MAX_BAD; n++) {
    const target = n === 1 ? `${file}.bad` : `${file}.bad-${n}`;
    if (n === MAX_BAD) fs.rmSync(target, { recursive: true, force: true });
    else if (fs.lstatSync(target, { throwIfNoEntry: false })) continue;
    try {
      put(target);
      return target;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
  return undefined;
}

/** Sets a damaged file aside and reports it. */
export function quarantine(file: string, why: string, about: About): void {
  const movedTo = setAside(file);
  if (movedTo !== undefined) reportDamage({ ...about, file, why, movedTo });
}

/** Returns whether something of this name was ever set aside, alone or with its folder. */
export function wasSetAside(file: string): boolean {
  const folder = path.dirname(file);
  return [file, folder].some((each) =>
    namesIn(path.dirname(each)).some(
      (name) => /^\.bad(-\d)?$/.test(name.slice(path.basename(each).length)) && name.startsWith(path.basename(each)),
    ),
  );
}

/** Lists the names in a folder; none when there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Describes the damage to people: the problem, the new path, what is lost, what happens next. */
export function damageText(damage: Damage, root: string): string {
  const shown = (file: string) => path.relative(root, file);
  const { file, why, movedTo, lost, next } = damage;
  const moved = movedTo === undefined ? '' : ` and was moved to ${shown(movedTo)}`;
  return `The file ${shown(file)} ${why}${moved}. Lost: ${lost}.${next === undefined ? '' : ` ${next}`}`;
}

/**
 * Creates the folder (0700) with its parents. Anything else in their place below `root` is set aside, but never the
 * root itself. A folder of this user gets its permissions back.
 * @param isRead whether reading is enough
 * @throws the system's EACCES, with `path`, for a folder of another user without enough permissions: what it holds is
 * whole
 */
export function ensureFolder(root: string, folder: string, lost: string, isRead = false): void {
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  let current = root;
  for (const name of path.relative(root, folder).split(path.sep).filter(Boolean)) {
    current = path.join(current, name);
    const stat = statOf(current);
    const isFolder = stat?.isDirectory() === true;
    if (isFolder && isUsable(current, stat.mode, isRead || path.relative(current, folder) !== '')) continue;
    if (isFolder) throw Object.assign(new Error(`${current} may not be used`), { code: 'EACCES', path: current });
    if (fs.lstatSync(current, { throwIfNoEntry: false })) quarantine(current, 'is no folder', { lost, tell: true });
    fs.mkdirSync(current, { recursive: true, mode: 0o700 });
  }
}

const { R_OK, W_OK, X_OK } = fs.constants;

function isUsable(folder: string, mode: number, isRead: boolean): boolean {
  const needed = R_OK | X_OK | (isRead ? 0 : W_OK);
  if ((mode & 0o700) === 0o700 && mayUse(folder, needed)) return true;
  try {
    fs.chmodSync(folder, 0o700);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
  }
  return mayUse(folder, needed);
}

function mayUse(folder: string, needed: number): boolean {
  try {
    fs.accessSync(folder, needed);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // A read-only disk isn't the folder's fault.
    return errorCode(error) !== 'EACCES';
  }
}

// Classifies SQLite errors: not a database of ours, or can't be opened.

/** SQLITE_ERROR (a table is missing), CORRUPT, FORMAT, NOTADB. */
const DAMAGE = [1, 11, 24, 26];
const SHORT_READ = 522;

/** Returns SQLite's extended code; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (errorCode(error) !== 'ERR_SQLITE_ERROR' || typeof error !== 'object' || error === null) return undefined;
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

export function isDamagedDb(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && (code === SHORT_READ || DAMAGE.includes(code & 0xff));
}

/** Like `isDamagedDb`, but also true when the path isn't a usable file; false when handles or memory ran out. */
export function isLostDb(error: unknown, file: string): boolean {
  if (isDamagedDb(error)) return true;
  if (sqliteCode(error) === undefined) return false;
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (!stat) return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (!stat.isFile()) return true;
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
    return false;
  } catch (denied) {
    if (['EACCES', 'ELOOP'].includes(errorCode(denied) ?? '')) return true;
    throw denied;
  }
}
