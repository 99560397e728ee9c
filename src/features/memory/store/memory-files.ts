/**
 * Lists the searchable files of a viber's memory: MEMORY.md and `memory/**.md`. Skips excluded files, links out of the
 * viber's folder, hidden names, sync conflict copies, pending suggestions, and files too large to be notes.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { errorCode } from '../../../errors.ts';
import { originalOf } from '../../../lib/second-versions.ts';
import { decodedText } from '../../../lib/text.ts';
import type { Home } from '../../../workspace/home.ts';

export interface MemoryFile {
  /** Relative to `memory/`, except MEMORY.md: `MEMORY.md`, `2024-01-15.md`, `projects/falcon.md`. Unique. */
  source: string;
  /** Absolute, with links resolved. */
  file: string;
  size: number;
  /** Changes with the file; '' if it changed so recently that another change might go unnoticed. */
  stamp: string;
  /** `YYYY-MM-DD` from its name, else the day of its last change (UTC). */
  day: string;
}

export interface MemoryFolder {
  /** Newest first. */
  files: MemoryFile[];
  bytes: number;
  /** Sources of files that are too large. */
  tooLarge: string[];
}

const MAX_FILE_BYTES = 512 * 1024;
const MAX_FILES = 20_000;
const MAX_DEPTH = 8;
const MAX_LINKS = 100;
const SETTLED_MS = 50;
const AT_ONCE = 2_000;

export const dayOfName = (source: string): string | undefined => /(?:^|\/)(\d{4}-\d\d-\d\d)[^/]*$/.exec(source)?.[1];

/** Lists the folder: a few directory reads and one stat per file. */
export async function listMemoryFiles(
  home: Home,
  viber: string,
  isExcluded: (relative: string) => boolean,
): Promise<MemoryFolder> {
  const folder: MemoryFolder = { files: [], bytes: 0, tooLarge: [] };
  const root = realPath(home.viberDir(viber));
  if (root === undefined) return folder;
  const links: string[] = [];
  let looked = 0;

  function take(relative: string, file: string): void {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile()) return;
    const source = toSource(relative);
    if (stat.size > MAX_FILE_BYTES) return void folder.tooLarge.push(source);
    const { size, mtimeMs, ctimeMs, ino } = stat;
    const isSettled = Math.abs(Date.now() - ctimeMs) > SETTLED_MS;
    const day = dayOfName(source) ?? new Date(mtimeMs).toISOString().slice(0, 10);
    folder.files.push({ source, file, size, stamp: isSettled ? `${size}:${mtimeMs}:${ctimeMs}:${ino}` : '', day });
    folder.bytes += size;
  }

  /** Accepts a link if its target would be accepted itself. */
  function takeLink(relative: string, base: string): void {
    const real = realPath(path.join(base, relative));
    if (real === undefined || folder.files.some(({ file }) => file === real)) return;
    const inside = path.relative(base, real).split(path.sep).join('/');
    const isOutside = inside === '' || inside.startsWith('../') || path.isAbsolute(inside);
    if (!isOutside && !isHidden(inside) && !isExcluded(inside) && /\.md$/i.test(inside)) take(relative, real);
  }

  async function walk(relative: string, base: string, depth: number): Promise<void> {
    for (const entry of entries(path.join(base, relative))) {
      const below = `${relative}/${entry.name}`;
      if (
        isHidden(below) ||
        originalOf(entry.name) !== undefined ||
        isExcluded(below) ||
        folder.files.length >= MAX_FILES
      )
        continue;
      if (entry.isDirectory() && depth < MAX_DEPTH) await walk(below, base, depth + 1);
      if (!/\.md$/i.test(entry.name)) continue;
      if (entry.isFile()) take(below, path.join(base, below));
      if (entry.isSymbolicLink() && links.length < MAX_LINKS) links.push(below);
      if (++looked % AT_ONCE === 0) await pause();
    }
  }

  // Upper case sorts first, and the first match is read as MEMORY.md.
  const [main] = entries(root)
    .filter(({ name }) => name.toLowerCase() === 'memory.md' && !isExcluded(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (main?.isFile()) take(main.name, path.join(root, main.name));
  if (main?.isSymbolicLink()) links.push(main.name);
  if (fs.lstatSync(path.join(root, 'memory'), { throwIfNoEntry: false })?.isDirectory()) await walk('memory', root, 0);
  for (const link of links) takeLink(link, root);
  folder.files.sort((a, b) => (a.day === b.day ? (a.source < b.source ? -1 : 1) : a.day < b.day ? 1 : -1));
  return folder;
}

/** Returns its text with `\n` line breaks; undefined if it is gone. */
export function readMemoryFile({ file }: MemoryFile): string | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const buffer = Buffer.alloc(Math.min(fs.fstatSync(fd).size, MAX_FILE_BYTES));
    const length = fs.readSync(fd, buffer, 0, buffer.length, 0);
    return decodedText(buffer.subarray(0, length)).replace(/\r\n?/g, '\n');
  } finally {
    fs.closeSync(fd);
  }
}

/** Returns the unique name. A file in `memory/` that looks like MEMORY.md, or like a path to it, keeps its folder. */
function toSource(relative: string): string {
  if (!relative.includes('/')) return 'MEMORY.md';
  const inside = relative.slice('memory/'.length);
  return /^memory(\.md$|\/)/i.test(inside) ? relative : inside;
}

const isHidden = (relative: string): boolean =>
  /(^|\/)\./.test(relative) || /^memory\/(suggestions|provenance\.jsonl)(\/|$)/i.test(relative);

function entries(dir: string): fs.Dirent[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR' || errorCode(error) === 'EACCES') return [];
    throw error;
  }
}

function realPath(file: string): string | undefined {
  try {
    return fs.realpathSync.native(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
