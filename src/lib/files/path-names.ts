/** Validates the spelling of a path from a model, a chat or the Board. Only `below.ts` opens what it leads to. */
import { UserError } from '../../errors.ts';

const MAX_BYTES = 1024;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 32;
// Control characters, and characters that make a name look like another one.
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
// Windows devices, with any extension: a home may be copied there, or be on its file system.
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])([ .:]|$)/i;

/**
 * Splits a path into entry names; none for the folder itself.
 * @throws UserError for absolute paths, `..`, `~`, backslashes, control or bidirectional characters and reserved names
 */
export function pathNames(relative: string): string[] {
  const refuse = (why: string): never => {
    throw badPath(relative, why);
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

function badPath(relative: string, why: string): UserError {
  const shown = String(relative).toWellFormed().replace(new RegExp(UNSEEN, 'gu'), '�').slice(0, 100);
  return new UserError(`The path "${shown}" cannot be used: ${why}.`);
}
