/**
 * Reads the further files of a bundle (`references/`, `scripts/`, `assets/`) on demand: inside its own folder only, no
 * links, text only.
 */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import { PathRefused, readBytes, useFile } from '../lib/files/below.ts';
import { cleanName } from '../lib/text.ts';
import { isProgramName } from './program.ts';
import type { Skill } from './skill.ts';

export interface SkillFile {
  /** Relative to the skill's folder, with `/`. */
  name: string;
  /** Bytes. */
  size: number;
}

const MAX_FILES = 200;
const MAX_DEPTH = 4;

/**
 * Lists the files beside SKILL.md by name, at most 200, without hidden files and links; none for a skill without a
 * folder of its own.
 */
export async function listFiles(skill: Skill): Promise<SkillFile[]> {
  const found: SkillFile[] = [];
  const { folder } = skill;
  if (folder === undefined) return found;

  async function walk(base: string, prefix: string, depth: number): Promise<void> {
    const entries = await readdir(base, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(base, entry.name);
      if (found.length >= MAX_FILES || entry.name.startsWith('.') || file === skill.file) continue;
      if (entry.isFile()) found.push({ name: prefix + entry.name, size: (await lstat(file)).size });
      else if (entry.isDirectory() && depth > 0 && entry.name !== 'node_modules') {
        await walk(file, `${prefix}${entry.name}/`, depth - 1);
      }
    }
  }

  try {
    await walk(folder, '', MAX_DEPTH);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  return found;
}

/** Lists the names of a bundle's files that may be programs: those beside SKILL.md and below `scripts/`. */
export async function programsOf({ level, folder }: Skill): Promise<string[]> {
  if (folder === undefined || level === 'bundled') return [];
  const inside = async (name: string) => {
    try {
      const entries = await readdir(path.join(folder, name), { withFileTypes: true, recursive: name !== '' });
      return entries.filter((entry) => entry.isFile() && isProgramName(entry.name)).map((entry) => entry.name);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
      return [];
    }
  };
  return (await Promise.all(['', 'scripts'].map(inside))).flat();
}

/**
 * Returns the text of a file of the bundle, at most `maxBytes`.
 * @throws UserError for paths outside the folder, links, files that aren't text, and large files
 */
export async function readSkillFile(skill: Skill, name: string, maxBytes: number): Promise<string> {
  const refuse = (why: string, cause?: unknown) =>
    new UserError(`The file "${cleanName(name)}" of the skill ${skill.name} cannot be read: ${why}.`, { cause });
  const parts = name.split('/');
  const isPlain = parts.every((part) => part !== '' && !part.startsWith('.') && !/[\\\0]/.test(part));
  if (skill.folder === undefined || !isPlain || path.isAbsolute(name) || parts.length > MAX_DEPTH + 1) {
    throw refuse('only files beside its SKILL.md can be, by their name in the list');
  }
  try {
    const text = await useFile(skill.folder, parts, async ({ fd, stat }) => {
      if (stat.size > maxBytes) throw refuse(`it is larger than ${maxBytes} bytes`);
      return decodeText(await readBytes(fd, maxBytes), () => refuse('it is not text'));
    });
    if (text === undefined) throw refuse('it is not there');
    return text;
  } catch (error) {
    if (error instanceof PathRefused) throw refuse('it is not a regular file', error);
    throw error;
  }
}

function decodeText(bytes: Uint8Array, refused: () => UserError): string {
  if (bytes.includes(0)) throw refused();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw refused();
    throw error;
  }
}
