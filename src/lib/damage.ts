/**
 * Damaged files of the home: set aside as `NAME.bad`, told of once, and gone on without. Nothing is overwritten while one of
 * nine names is free, and an error that may pass (no file handles, a failing disk) is none of a file's: it is thrown.
 *
 * Readers know no log: whoever runs the process listens for the home, and hears what was found before as well.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';

/** What a reader knows of a file: what is gone with it, and whether the owners are told and not only the log. */
export interface About {
  /** Words that follow "lost:": `who was let in`. */
  lost: string;
  /** One sentence about what happens next. */
  next?: string;
  tell?: boolean;
  /** Told once under this name, restarts included. */
  once?: string;
}

export interface Damage extends About {
  /** Absolute. */
  file: string;
  /** Words that follow the file's name: `is no JSON`. */
  why: string;
  /** Where it is now, absolute; absent when it still stands in its place. */
  movedTo?: string;
}

type Listener = (damage: Damage) => void;

const MAX_KEPT = 200;
const MAX_TOLD = 5_000;
const MAX_BAD = 9;
const listeners = new Map<Listener, string>();
/** Found while nobody listened for the home. */
let kept: Damage[] = [];
/** What stays in its place is told of once. */
const told = new Set<string>();

const isIn = (root: string, file: string): boolean => file === root || file.startsWith(root + path.sep);

/** Hears of the damage below `root` from now on, and of what was found before; what it gives back ends that. */
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

/** As `reportDamage`, once for each `key`: for what is left where it is and met again. */
export function reportOnce(key: string, damage: Damage): void {
  if (told.has(key)) return;
  told.add(key);
  for (const oldest of told) if (told.size > MAX_TOLD) told.delete(oldest);
  reportDamage(damage);
}

/** Moves whatever stands there to the first free `.bad` name; undefined when it is gone. The ninth name is used again. */
export function setAside(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  // With the slash the system moves a folder and nothing else that may have come into its place meanwhile.
  const from = stat?.isDirectory() ? `${file}/` : file;
  return toBadName(file, (target) => fs.renameSync(from, target));
}

/** As `setAside`, of a copy: the file stays where it is. */
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

/** Sets a damaged file aside and tells of it. */
export function quarantine(file: string, why: string, about: About): void {
  const movedTo = setAside(file);
  if (movedTo !== undefined) reportDamage({ ...about, file, why, movedTo });
}

/** Whether something of this name was ever set aside, alone or with its folder. */
export function wasSetAside(file: string): boolean {
  const folder = path.dirname(file);
  return [file, folder].some((each) =>
    namesIn(path.dirname(each)).some(
      (name) => /^\.bad(-\d)?$/.test(name.slice(path.basename(each).length)) && name.startsWith(path.basename(each)),
    ),
  );
}

/** The names in a folder; none when there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** One sentence or more for people: what it is, where it went, what is lost, what happens next. */
export function damageText(damage: Damage, root: string): string {
  const shown = (file: string) => path.relative(root, file);
  const { file, why, movedTo, lost, next } = damage;
  const moved = movedTo === undefined ? '' : ` and was moved to ${shown(movedTo)}`;
  return `The file ${shown(file)} ${why}${moved}. Lost: ${lost}.${next === undefined ? '' : ` ${next}`}`;
}

/**
 * Makes the folder (0700) with its parents; what stands in the place of one below `root` is set aside, never the root itself. One
 * whose own user has lost the rights gets them back; another user's that gives too few is set aside as well.
 * @param isRead to read there is enough
 */
export function ensureFolder(root: string, folder: string, lost: string, isRead = false): void {
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  let current = root;
  for (const name of path.relative(root, folder).split(path.sep).filter(Boolean)) {
    current = path.join(current, name);
    const stat = fs.statSync(current, { throwIfNoEntry: false });
    const isFolder = stat?.isDirectory() === true;
    if (isFolder && isUsable(current, stat.mode, isRead || path.relative(current, folder) !== '')) continue;
    const why = isFolder ? 'may not be used by this user' : 'is no folder';
    if (fs.lstatSync(current, { throwIfNoEntry: false })) quarantine(current, why, { lost, tell: true });
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
    // A disk that is read-only is none of the folder's.
    return errorCode(error) !== 'EACCES';
  }
}

// What SQLite's errors say about its file: whether it is no database of ours, or cannot be opened where it stands.

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
