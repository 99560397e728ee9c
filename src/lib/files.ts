/**
 * Writes files of the home. A whole file is replaced atomically: a reader, and a restart after a crash, sees the old
 * text or the new one. Log files grow by one write per call. A path from outside, or below a folder that others may
 * write, goes through `files/below.ts`.
 */

import { createHash, hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, WorkspaceError } from '../errors.ts';
import { type About, copyAside, quarantine, reportDamage } from './damage.ts';
import { stageFile, syncFolder, type WriteOptions, writeAll } from './files/staged-file.ts';
import { readPeoplesText, readWhole } from './json.ts';

export { syncFolder, type WriteOptions } from './files/staged-file.ts';

// Syncing waits for the disk, so never on the main thread.
const fdatasync = promisify(fs.fdatasync);

/** Creates the folder and its parents, each 0700. */
export async function ensureDir(dir: string): Promise<void> {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
}

/** Returns the file's text, undefined when there is none. */
export async function readText(file: string): Promise<string | undefined> {
  return readPeoplesText(file);
}

export const readTextSync = readPeoplesText;

/** Returns the SHA-256 as hex. Streams the file, which may be large. */
export async function sha256File(file: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of fs.createReadStream(file)) sum.update(chunk);
  return sum.digest('hex');
}

/** Returns the SHA-256 of the text in UTF-8, as hex. */
export function hashText(text: string): string {
  return hash('sha256', text);
}

/**
 * Replaces (or creates) a file: temporary file in the same folder, fsync, rename, fsync of the folder. If the target is
 * a link, the file it points to is replaced. Creates missing folders. Leaves nothing behind when it fails.
 */
export async function writeFileAtomic(
  file: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const staged = await stageFile(file, data, options);
  staged.commit();
  if (options.sync ?? true) await syncFolder(path.dirname(staged.target));
}

/**
 * Edits a text file that people edit too. `change` gets the current text (undefined: no file) and returns the new one,
 * or undefined to leave it. The file is read again right before the rename, and `change` is called again if it changed.
 * Calls for one file must not overlap (`serialise`). Returns the resulting text of the file.
 * @param read reads the current text, by default from the file itself
 */
export async function editText(
  file: string,
  change: (current: string | undefined) => string | undefined,
  options: WriteOptions & { read?: () => string | undefined } = {},
): Promise<string | undefined> {
  const read = options.read ?? (() => readTextSync(file));
  for (let tries = 0; tries < 10; tries++) {
    const current = read();
    const next = change(current);
    if (next === undefined || next === current) return current;
    const staged = await stageFile(file, next, options);
    if (read() !== current) {
      staged.discard();
      continue;
    }
    staged.commit();
    if (options.sync ?? true) await syncFolder(path.dirname(staged.target));
    return next;
  }
  throw new WorkspaceError(`${file} is being changed by another program again and again`);
}

/** Returns whether a file, if it exists, is text. */
export const isWords = (file: string): boolean => readWhole(file)?.why === undefined;

const LETTERS = {
  lost: 'letters in this file that were not saved as UTF-8',
  next: 'They are whole in the copy: save it as UTF-8 and put it back.',
  tell: true,
};

/**
 * Keeps a copy as `NAME.bad`, and reports it, before a person's file is rewritten that isn't UTF-8: its letters were
 * read wrong.
 */
export function keepLetters(file: string): void {
  const read = readWhole(file);
  if (read?.why === undefined || read.text === undefined) return;
  const movedTo = copyAside(file);
  if (movedTo !== undefined) reportDamage({ ...LETTERS, file, why: read.why, movedTo });
}

/** The kernel copies a write page by page, and SIGKILL can end it between two pages, never within one. */
const PAGE = 4096;

/**
 * Updates a record that is written often and can be rebuilt. Overwrites only the bytes from the first difference on, if
 * they are within one page and the file doesn't shrink (replacing a file makes the file system flush it, at 40 times
 * the cost); otherwise like `writeFileAtomic` without sync. A power cut may lose the last line. Returns the file's new
 * stats, undefined when it was replaced.
 * @param before the file's text, read in the same tick
 */
export async function patchFile(file: string, before: string, after: string): Promise<fs.Stats | undefined> {
  const old = Buffer.from(before);
  const data = Buffer.from(after);
  const start = commonStart(old, data);
  if (start === data.length && start === old.length) return undefined;
  const onePage = Math.floor(start / PAGE) === Math.floor((data.length - 1) / PAGE);
  const patched = data.length >= old.length && onePage ? patchPage(file, old, data, start) : undefined;
  if (!patched) await writeFileAtomic(file, data, { sync: false });
  return patched;
}

function patchPage(file: string, old: Buffer, data: Buffer, start: number): fs.Stats | undefined {
  const fd = fs.openSync(file, 'r+');
  try {
    // Invalid UTF-8 decodes to other bytes, so offsets in the text don't match the file.
    if (fs.fstatSync(fd).size !== old.length) return undefined;
    writeAll(fd, data, start, start);
    return fs.fstatSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function commonStart(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at + PAGE < length && a.compare(b, at, at + PAGE, at, at + PAGE) === 0) at += PAGE;
  while (at < length && a[at] === b[at]) at++;
  return at;
}

/**
 * Appends lines to a file in ONE write. Closes a torn last line first, so that it never swallows a new one. When the
 * disk fills up in the middle, restores the file's length, or removes a new file, and throws.
 * @param lines without line breaks
 */
export async function appendLines(file: string, lines: string[], options: WriteOptions = {}): Promise<void> {
  const { offset } = appendLinesSync(file, lines, options.mode);
  if (!options.sync) return;
  await syncFile(file);
  if (offset === 0) await syncFolder(path.dirname(file));
}

/** Like `appendLines` without sync. Returns the offset of the first new line and the file's new size, in bytes. */
export function appendLinesSync(file: string, lines: string[], mode = 0o600): { offset: number; size: number } {
  const fd = openAppend(file, { lost: 'the contents of it' }, mode);
  try {
    const { size } = fs.fstatSync(fd);
    const torn = size > 0 && lastByte(fd, size) !== 0x0a;
    const data = Buffer.from(`${torn ? '\n' : ''}${lines.join('\n')}\n`);
    try {
      writeAll(fd, data, 0);
    } catch (error) {
      fs.ftruncateSync(fd, size);
      // An empty file would look like one that lost its contents.
      if (size === 0) fs.rmSync(file, { force: true });
      throw error;
    }
    return { offset: size + (torn ? 1 : 0), size: size + data.length };
  } finally {
    fs.closeSync(fd);
  }
}

/** Like `appendLinesSync`, and creates the folder if it is missing: usually it is there, and looking would cost more. */
export function appendInFolder(file: string, lines: string[]): { offset: number; size: number } {
  try {
    return appendLinesSync(file, lines);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return appendLinesSync(file, lines);
  }
}

/** Waits until the file's data is on disk. */
export async function syncFile(file: string): Promise<void> {
  const fd = fs.openSync(file, 'r');
  try {
    await fdatasync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function lastByte(fd: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  fs.readSync(fd, byte, 0, 1, size - 1);
  return byte[0];
}

const WITHIN_MS = 500;

/** Syncs files soon after a change: many calls for one file cost one sync. */
export class SyncSoon {
  readonly #dirty = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  add(file: string): void {
    this.#dirty.add(file);
    this.#timer ??= setTimeout(() => void this.flush(), WITHIN_MS);
  }

  /** Never rejects for a file that was removed in between; a failing disk is reported to the next writer. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const files = [...this.#dirty];
    this.#dirty.clear();
    this.#flushing = this.#flushing.then(() => Promise.all(files.map(sync))).then(() => undefined);
    return this.#flushing;
  }
}

async function sync(file: string): Promise<void> {
  try {
    await syncFile(file);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

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
