/**
 * The one path guard. A path that comes from a model, a chat or the board is opened only in the form this gives back:
 * absolute, without links, inside the root.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';

const MAX_BYTES = 1024;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 32;
// Controls, and characters that make a name look like another one.
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
// Devices of Windows, whatever their extension: a home may be copied there, or stand on its file system.
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])([ .:]|$)/i;

/**
 * The real absolute path of `relative` inside `root`. The last parts need not exist yet. Links are followed only while they
 * stay inside the root; a dangling one is refused, because opening it could create a file outside.
 * @throws UserError for absolute paths, `..`, `~`, backslashes, control or bidirectional characters, reserved names, parts that
 * are not folders, and files that are neither a regular file nor a folder (devices, pipes, sockets)
 */
export async function guardPath(root: string, relative: string): Promise<string> {
  const names = split(relative);
  const base = realRoot(root);
  let current = base;
  for (const [index, name] of names.entries()) {
    const next = path.join(current, name);
    const stat = fs.lstatSync(next, { throwIfNoEntry: false });
    if (stat === undefined) return path.join(current, ...names.slice(index));
    current = stat.isSymbolicLink() ? followInside(base, next, relative) : next;
    const { isFile, isDirectory } = kind(current, stat);
    const isLast = index === names.length - 1;
    if (!isDirectory && !(isLast && isFile)) {
      throw refused(relative, isLast ? 'it is not a regular file' : 'a part of it is not a folder');
    }
  }
  return current;
}

function split(relative: string): string[] {
  const refuse = (why: string): never => {
    throw refused(relative, why);
  };
  if (typeof relative !== 'string' || relative.trim() === '') return refuse('it is empty');
  if (Buffer.byteLength(relative) > MAX_BYTES) return refuse('it is too long');
  if (!relative.isWellFormed() || UNSEEN.test(relative)) return refuse('it has invisible characters');
  if (relative.includes('\\')) return refuse('folders are separated by /');
  if (relative.startsWith('/') || /^[a-z]:/i.test(relative)) return refuse('it is absolute');
  const names = relative.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length > MAX_DEPTH) return refuse('it is too deep');
  for (const name of names) {
    if (name === '..') return refuse('it leads outside');
    if (name.startsWith('~')) return refuse('~ is not a folder here');
    if (/[. ]$/.test(name)) return refuse('a name ends with a dot or a space');
    if (RESERVED.test(name)) return refuse('a name in it is reserved');
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) return refuse('a name in it is too long');
  }
  return names;
}

function realRoot(root: string): string {
  try {
    return fs.realpathSync.native(root);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return path.resolve(root);
    throw error;
  }
}

function followInside(base: string, link: string, relative: string): string {
  let target: string;
  try {
    target = fs.realpathSync.native(link);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR' || code === 'EACCES') {
      throw refused(relative, 'a link in it leads nowhere');
    }
    throw error;
  }
  if (target !== base && !target.startsWith(base + path.sep)) throw refused(relative, 'a link in it leads outside');
  return target;
}

function kind(file: string, stat: fs.Stats): { isFile: boolean; isDirectory: boolean } {
  const final = stat.isSymbolicLink() ? fs.lstatSync(file) : stat;
  return { isFile: final.isFile(), isDirectory: final.isDirectory() };
}

function refused(relative: string, why: string): UserError {
  const shown = String(relative).toWellFormed().replace(new RegExp(UNSEEN, 'gu'), '�').slice(0, 100);
  return new UserError(`The path "${shown}" cannot be used: ${why}.`);
}
