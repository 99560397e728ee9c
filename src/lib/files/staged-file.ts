/** Prepares a whole file beside its target, which one rename then replaces. Leftovers of a crash are removed later. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../errors.ts';
import { quarantine } from '../damage.ts';

// Syncing waits for the disk, so never on the main thread.
const fsync = promisify(fs.fsync);

export interface WriteOptions {
  /** Whether the write must survive a power cut (it always survives the end of the process). */
  sync?: boolean;
  /** Permission bits of a new file, 0600 by default. */
  mode?: number;
  /** Whether a target that is a link stays one, which is the default. Otherwise the file replaces it. */
  isFollowed?: boolean;
}

/** The running sync and the next one, by folder. */
const folderSyncs = new Map<string, { running: Promise<void>; next?: Promise<void> }>();

/** Waits until the folder's names are on disk. Calls during a sync share the next one. */
export function syncFolder(dir: string): Promise<void> {
  const known = folderSyncs.get(dir);
  if (!known) return beginSync(dir);
  known.next ??= known.running.then(
    () => beginSync(dir),
    () => beginSync(dir),
  );
  return known.next;
}

function beginSync(dir: string): Promise<void> {
  const running = syncNow(dir).finally(() => {
    if (folderSyncs.get(dir)?.running === running && !folderSyncs.get(dir)?.next) folderSyncs.delete(dir);
  });
  folderSyncs.set(dir, { running });
  return running;
}

async function syncNow(dir: string): Promise<void> {
  const fd = fs.openSync(dir, 'r');
  try {
    await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Writes all data. `writeSync` may write less without an error when the disk is nearly full: only the next call reports
 * ENOSPC.
 */
export function writeAll(fd: number, data: Uint8Array, from: number, position: number | null = null): void {
  for (let at = from; at < data.length; ) {
    at += fs.writeSync(fd, data, at, data.length - at, position === null ? null : position + at - from);
  }
}

export interface StagedFile {
  target: string;
  commit(): void;
  discard(): void;
}

/** Writes a temporary file beside its target. `commit` is one rename, so a check made just before it still holds. */
export async function stageFile(
  file: string,
  data: string | Uint8Array,
  { sync = true, mode = 0o600, isFollowed = true }: WriteOptions,
): Promise<StagedFile> {
  const { target, isNewFolder } = placeFor(file, isFollowed);
  // Nothing can have been left in it.
  if (isNewFolder) swept.add(path.dirname(target));
  const temp = tempBeside(target);
  const discard = () => fs.rmSync(temp, { force: true });
  try {
    const fd = fs.openSync(temp, 'wx', mode);
    try {
      writeAll(fd, typeof data === 'string' ? Buffer.from(data) : data, 0);
      if (sync) await fsync(fd);
    } finally {
      fs.closeSync(fd);
    }
    if (sync && isNewFolder) await syncFolder(path.dirname(path.dirname(target)));
  } catch (error) {
    discard();
    throw error;
  }
  return { target, discard, commit: () => rename(temp, target, discard) };
}

function rename(from: string, to: string, undo: () => void): void {
  try {
    // A folder can't be replaced, so it is moved away with its contents.
    if (fs.lstatSync(to, { throwIfNoEntry: false })?.isDirectory())
      quarantine(to, 'is a folder', { lost: 'the contents of the file with that name', tell: true });
    fs.renameSync(from, to);
  } catch (error) {
    undo();
    throw error;
  }
}

/** Errors of a folder that a link leads to, and that can't be created. */
const NOWHERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EROFS', 'EEXIST'];

/** Returns the file to write, in a folder that exists. A link that leads nowhere is set aside for its own name. */
function placeFor(file: string, isFollowed: boolean): { target: string; isNewFolder: boolean } {
  let target: string | undefined = file;
  try {
    if (isFollowed) target = followLinks(file);
    if (target !== undefined) return { target, isNewFolder: makeFolder(path.dirname(target)) };
  } catch (error) {
    const isLink = isFollowed && fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (!isLink || !NOWHERE.includes(errorCode(error) ?? '')) throw error;
  }
  quarantine(file, 'is a link that leads nowhere', { lost: 'the contents of its target', tell: true });
  return { target: file, isNewFolder: false };
}

/** Returns whether the folder is new. */
function makeFolder(folder: string): boolean {
  if (fs.existsSync(folder)) return false;
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return true;
}

/** Follows links in the last part of a path to a file that may exist; returns undefined for links in a circle. */
function followLinks(file: string): string | undefined {
  let target = file;
  for (let hops = 0; hops < 16; hops++) {
    if (!fs.lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return target;
    target = path.resolve(fs.realpathSync.native(path.dirname(target)), fs.readlinkSync(target));
  }
  return undefined;
}

/**
 * Returns an unused name in the file's folder, unique across machines; those left by a crash are removed by age.
 * @param folder identifies the folder, where its path doesn't
 */
export function tempBeside(file: string, folder = path.dirname(file)): string {
  const dir = path.dirname(file);
  sweep(dir, folder);
  return path.join(dir, `.${randomBytes(8).toString('hex')}.tmp`);
}

/**
 * Replaces a file atomically.
 * @param isFlushed whether its content is on disk before the rename
 */
export function replaceFile(file: string, data: string | Uint8Array, isFlushed = false): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const temp = tempBeside(file);
  fs.writeFileSync(temp, data, { mode: 0o600, flush: isFlushed });
  rename(temp, file, () => fs.rmSync(temp, { force: true }));
}

const swept = new Set<string>();
const TEMP_NAME = /^\.[0-9a-f]{16}\.tmp$/;
const HOUR_MS = 3_600_000;

/** Removes files that a crash left half-written an hour ago or more; once per folder and process. */
function sweep(dir: string, folder: string): void {
  if (swept.has(folder)) return;
  if (swept.size > 10_000) swept.clear();
  swept.add(folder);
  for (const name of fs.readdirSync(dir)) {
    if (!TEMP_NAME.test(name)) continue;
    const temp = path.join(dir, name);
    const stat = fs.lstatSync(temp, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > HOUR_MS) fs.rmSync(temp, { force: true });
  }
}
