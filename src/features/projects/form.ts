/** Keeps the format of a text file when it is changed: its line endings and its byte order mark. */
import { UserError } from '../../errors.ts';
import type { TextFile } from './files.ts';

export interface Form {
  isWindows: boolean;
  hasMark: boolean;
}

export const UNIX: Form = { isWindows: false, hasMark: false };

/** @throws UserError if a text in this encoding can't be written back unchanged */
export function textForm({ text, encoding, size }: TextFile, label: string): Form {
  if (encoding !== 'utf-8') throw new UserError(`${label} is ${encoding}, not UTF-8: change it with a command.`);
  const ends = text.match(/\r?\n/g) ?? [];
  return {
    // A file that mixes both keeps each line's own.
    isWindows: ends.length > 0 && ends.every((end) => end === '\r\n'),
    hasMark: size === Buffer.byteLength(text) + 3,
  };
}

/** Returns the text with the file's line endings. */
export const toBytes = (text: string, { isWindows, hasMark }: Form): Buffer =>
  Buffer.from((hasMark ? '\ufeff' : '') + (isWindows ? text.replace(/\r?\n/g, '\r\n') : text));
