/**
 * The bootstrap files by which a person shapes a viber, names in any case. The viber's own folder comes first, then the
 * home, whose files apply to all vibers. An unreadable file counts as missing and is reported once.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportOnce } from '../lib/damage.ts';
import { createStatCache } from '../lib/files/cache.ts';
import { reportBlocked } from '../lib/json.ts';
import { decodedText, stripComments } from '../lib/text.ts';
import type { Home } from './home.ts';

export interface BootstrapFile {
  /** The name of the prompt's block. */
  tag: string;
  text: string;
}

const TAGS = ['identity', 'soul', 'user', 'agents', 'tools'];
const MAX_CHARS = 20_000;
const MAX_BYTES = 256 * 1024;
const SAVING_MS = 500;
const LOOK_MS = 20;
const MAX_LOOKS = 20;

const folders = createStatCache<ReadonlyMap<string, string>>(256, listNames);
const texts = createStatCache<string>(256, (file, stat) => (stat.isFile() ? visibleText(file) : ''));

/** Returns them in prompt order, without comments. A file with only headings counts as missing. */
export async function readBootstrap(home: Home, viber: string): Promise<BootstrapFile[]> {
  const places = [home.viberDir(viber), home.root].map((dir) => ({ dir, names: folderNames(dir) }));
  const found: BootstrapFile[] = [];
  for (const tag of TAGS) {
    for (const { dir, names } of places) {
      const name = names?.get(`${tag}.md`);
      const text = name && (await whenSaved(path.join(dir, name), texts.get));
      if (!text) continue;
      found.push({ tag, text });
      break;
    }
  }
  return found;
}

/** A file that an editor emptied just now is about to be filled again. */
async function untilSaved(file: string): Promise<fs.Stats | undefined> {
  for (let looks = 1; ; looks++) {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat?.size !== 0 || Math.abs(Date.now() - stat.mtimeMs) > SAVING_MS || looks === MAX_LOOKS) return stat;
    await sleep(LOOK_MS);
  }
}

/** Returns undefined when the saved file can't be read. */
export async function whenSaved<T>(
  file: string,
  read: (file: string, stat: fs.Stats | undefined) => T | undefined,
): Promise<T | undefined> {
  try {
    return read(file, await untilSaved(file));
  } catch (error) {
    reportBlocked(file, error);
    return undefined;
  }
}

function folderNames(dir: string): ReadonlyMap<string, string> | undefined {
  try {
    return folders.get(dir);
  } catch (error) {
    reportBlocked(dir, error);
    return undefined;
  }
}

/** The exact name wins. */
export function findFile(dir: string, name: string): string | undefined {
  const actual = folderNames(dir)?.get(name.toLowerCase());
  return actual === undefined ? undefined : path.join(dir, actual);
}

/** Returns '' for a file with only headings. Its owner is notified when it is cut. */
function visibleText(file: string): string {
  const bare = stripComments(readHead(file)).trim();
  const hasContent = bare.split('\n').some((line) => line.trim() !== '' && !/^#{1,6}(\s|$)/.test(line));
  if (!hasContent) return '';
  if (bare.length <= MAX_CHARS) return bare;
  reportOnce(`${file} ${CUT}`, {
    file,
    why: CUT,
    tell: true,
    once: `${file} ${bare.length}`,
    lost: 'the rest, which is not read',
    next: 'Shorten it, or move what is needed now and then into a file of the workspace.',
  });
  return `${bare.slice(0, MAX_CHARS).toWellFormed()}\n[cut: only the first ${MAX_CHARS} characters are used]`;
}

const CUT = `is longer than the ${MAX_CHARS.toLocaleString('en')} characters that are used of it`;

export function cutFiles(dir: string): { name: string; why: string }[] {
  const names = fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? folderNames(dir) : undefined;
  return TAGS.flatMap((tag) => {
    const name = names?.get(`${tag}.md`);
    return name && lengthOf(path.join(dir, name)) > MAX_CHARS ? [{ name, why: CUT }] : [];
  });
}

function lengthOf(file: string): number {
  try {
    const isFile = fs.statSync(file, { throwIfNoEntry: false })?.isFile();
    return isFile ? stripComments(readHead(file)).trim().length : 0;
  } catch (error) {
    reportBlocked(file, error);
    return 0;
  }
}

function listNames(dir: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  // Upper case sorts first, so that SOUL.md wins over soul.md.
  for (const name of fs.readdirSync(dir).sort())
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  return names;
}

/** A huge file must not be read whole, and a pipe doesn't block. */
function readHead(file: string): string {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const buffer = Buffer.allocUnsafe(MAX_BYTES);
    return decodedText(buffer.subarray(0, fs.readSync(fd, buffer, 0, MAX_BYTES, 0)));
  } finally {
    fs.closeSync(fd);
  }
}
