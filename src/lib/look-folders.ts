/**
 * Scans folders of files that people edit: lists the files, with a stamp that changes with any of them. Synchronous:
 * some hundred small files take a few milliseconds, and ten times that with a turn of the event loop for each.
 */
import fs, { constants } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { say, type Wording } from '../messages/messages.ts';
import { decodedText } from './text.ts';

/** Temporary names that vim, emacs, JetBrains, GNOME and atomic writers use beside the file they save. */
const TEMPORARY = /(\.tmp|~|\.sw[a-z]|\.bak|___jb_(tmp|old)___)$|^4913$|^\.#|^#.*#$|^\.goutputstream-/;
const SKIPPED_FOLDER = /^\.|^node_modules$/;

export interface LookOptions {
  roots: readonly string[];
  depth: number;
  match: (name: string) => boolean;
  maxFiles: number;
}

export interface ListedFile {
  root: string;
  /** Relative to the root, with `/`. */
  name: string;
  /** The path to open, without links. */
  real: string;
  size: number;
  mtimeMs: number;
  stamp: string;
}

export interface Look {
  found: ListedFile[];
  stamp: string;
  /** Time of the latest change of any file or folder. */
  newestMs: number;
  /** How many files exceeded the limit. */
  left: number;
  /** Existing folders that can't be read; their known files stay. */
  unreadable: { folder: string; code: string }[];
}

/** Returns whether files and folders of this name are ignored. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

export function isSkippedFolder(name: string): boolean {
  return SKIPPED_FOLDER.test(name);
}

/**
 * Follows links only to files inside the same root. Missing folders count as empty.
 * @throws Node's errors
 */
export function lookThrough(options: LookOptions, before: Look | undefined): Look {
  const seen: Look = { found: [], stamp: '', newestMs: 0, left: 0, unreadable: [] };

  function walk(root: string, base: string, folder: string, depth: number): void {
    const inside = path.join(base, folder);
    const entries = fs.readdirSync(inside, { withFileTypes: true });
    seen.newestMs = Math.max(seen.newestMs, fs.statSync(inside).mtimeMs);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (TEMPORARY.test(entry.name)) continue;
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (depth > 0 && !SKIPPED_FOLDER.test(entry.name)) attempt(root, name, () => walk(root, base, name, depth - 1));
      } else if (options.match(name)) {
        if (seen.found.length >= options.maxFiles) seen.left++;
        else attempt(root, name, () => note(root, base, name));
      }
    }
  }

  function note(root: string, base: string, name: string): void {
    const file = path.join(base, name);
    let stats = fs.lstatSync(file);
    let real = file;
    if (stats.isSymbolicLink()) {
      real = fs.realpathSync.native(file);
      if (!real.startsWith(base + path.sep)) return;
      stats = fs.lstatSync(real);
    }
    if (!stats.isFile()) return;
    const { size, mtimeMs, ctimeMs, ino } = stats;
    seen.newestMs = Math.max(seen.newestMs, ctimeMs);
    seen.found.push({ root, name, real, size, mtimeMs, stamp: `${real}:${size}:${mtimeMs}:${ino}:${ctimeMs}` });
  }

  /** Ignores files and folders that vanish during the scan. */
  function attempt(root: string, name: string, step: () => void): void {
    try {
      step();
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) return;
      if (!['EACCES', 'EPERM', 'EIO'].includes(code)) throw error;
      seen.unreadable.push({ folder: path.join(root, name), code });
      const known = before?.found ?? [];
      seen.found.push(...known.filter((one) => one.root === root && (name === '' || one.name.startsWith(`${name}/`))));
    }
  }

  for (const root of new Set(options.roots)) {
    attempt(root, '', () => walk(root, fs.realpathSync.native(root), '', options.depth));
  }
  seen.stamp = seen.found.map(({ root, name, stamp }) => `${root}\0${name}\0${stamp}`).join('\n');
  return seen;
}

/** Reads exactly the bytes that were seen. A pipe or link that replaced the file isn't followed and doesn't block. */
export function readFound(found: ListedFile, maxBytes: number): { text: string; problem?: Wording } {
  const { real, size } = found;
  if (size > maxBytes) return { text: '', problem: say('common.largerThan', { kb: Math.floor(maxBytes / 1024) }) };
  try {
    const fd = fs.openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(size);
      let length = 0;
      while (length < size) {
        const bytesRead = fs.readSync(fd, buffer, length, size - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return { text: decodedText(buffer.subarray(0, length)) };
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { text: '', problem: say('common.unreadable', { code }) };
  }
}
