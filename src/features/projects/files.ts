/**
 * Reads and checks files of a project by paths from the model. Every path is opened relative to the project's folder,
 * through file descriptors and without following links, because programs may change the folder at the same time. Files
 * in `.git` are off limits: they decide what git runs outside the sandbox.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { UserError } from '../../errors.ts';
import { type HeldFile, readBytes, useFile } from '../../lib/files/below.ts';
import { pathNames } from '../../lib/files/path-names.ts';
import { decodedText, markedUnicode } from '../../lib/text.ts';
import { formatSize } from '../../runtime/context/turn.ts';
import type { Project } from './find.ts';

/** Size limit for files that are read as text, in bytes. */
export const MAX_READ = 20_000_000;
/** Size limit for files that are edited or written, in bytes. */
export const MAX_EDIT = 1_000_000;
const SNIFF = 8_192;

/**
 * Splits a path into names below the project's folder; empty for the folder itself.
 * @throws UserError for a path that leads out of the project
 */
export function pathInProject({ folder }: Project, given: string): string[] {
  const inside = given === folder ? '.' : given.startsWith(`${folder}/`) ? given.slice(folder.length + 1) : given;
  const names = /^[\s./]*$/.test(inside) && !inside.includes('..') && !inside.startsWith('/') ? [] : pathNames(inside);
  // Some file systems treat `.GIT` as `.git`.
  if (names.some((name) => name.toLowerCase() === '.git'))
    throw new UserError(`"${given.slice(0, 100)}" cannot be used: it is one of git's own files.`);
  return names;
}

export interface TextFile {
  text: string;
  /** A hash of the file's bytes. */
  sum: string;
  size: number;
  mode: number;
  encoding: string;
}

/**
 * Reads a text file.
 * @param most the size limit in bytes
 * @throws UserError if it doesn't exist or isn't text
 */
export async function readProjectFile({ folder }: Project, names: readonly string[], most: number): Promise<TextFile> {
  const label = names.join('/');
  const found = await useFile(folder, names, (file) => readText(file, label, most));
  if (!found) throw new UserError(`There is no file "${label}"; list_files shows the files.`);
  return found;
}

/** @throws UserError if it is too large, or isn't text */
export async function readText({ fd, stat }: HeldFile, label: string, most: number): Promise<TextFile> {
  if (stat.size > most)
    throw new UserError(`${label} is too large (${formatSize(stat.size)}): search in it, or run a command.`);
  const bytes = await readBytes(fd, stat.size);
  return { ...decode(bytes, label), sum: sumOf(bytes), size: bytes.length, mode: stat.mode & 0o777 };
}

export const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** @param size of the file, if known: this makes reading many small files faster */
export async function decodeFile(fd: number, label: string, size = MAX_READ): Promise<string> {
  return decode(await readBytes(fd, Math.min(size, MAX_READ)), label).text;
}

/** Returns undefined if the file doesn't exist, isn't text, or may not be read. */
export async function unlessRefused<T>(read: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function decode(bytes: Buffer, label: string): { text: string; encoding: string } {
  const marked = markedUnicode(bytes);
  if (marked) return { text: decodedText(bytes), encoding: marked };
  if (bytes.subarray(0, SNIFF).includes(0)) throw new UserError(`${label} is not text (${formatSize(bytes.length)}).`);
  // Latin-1 can decode any byte, and names and numbers stay intact.
  return isUtf8(bytes)
    ? { text: bytes.toString('utf8').replace(/^\ufeff/, ''), encoding: 'utf-8' }
    : { text: bytes.toString('latin1'), encoding: 'latin1' };
}

/** Hashes of the files that a task has read, so that it doesn't overwrite somebody else's change without seeing it. */
export interface SeenFiles {
  get(label: string): string | undefined;
  note(label: string, sum: string): void;
}

/** @throws UserError if the file has changed since it was read */
export function refuseChanged(seen: SeenFiles, label: string, { sum }: TextFile): void {
  const before = seen.get(label);
  if (before !== undefined && before !== sum)
    throw new UserError(`${label} has changed since you read it: read it again.`);
}
