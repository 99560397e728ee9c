/** Unpacks a backup into a folder. Anything but plain files and folders with safe names is left out and reported. */

import fs from 'node:fs';
import path from 'node:path';
import type { ReadEntry } from 'tar';
import { errorCode, UserError } from '../../errors.ts';
import { writeAll } from '../../lib/files/staged-file.ts';
import { say } from '../../messages/messages.ts';
import { HEAD, type Head, readHead, safeName } from './format.ts';
import { EntryReader, readArchive } from './read-archive.ts';

const MAX_ENTRIES = 5_000_000;
const MAX_HEAD = 4_096;
const MAX_NAMED = 10_000;
/** Folders of a single process; a restored home has none. */
const NOT_OURS = /^(run|cache)(\/|$)/;
/**
 * Errors that affect one name only, because the disk refuses it or it already exists. Every other error ends the
 * restore.
 */
const OF_ONE_NAME = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ', 'EINVAL', 'ENOENT']);

export interface UnpackReport {
  head: Head;
  files: number;
  /** Names that were not restored, in the order of the archive. */
  leftOut: string[];
}

/** @throws {UserError} for a file that is not a backup, is damaged, or exceeds `maxBytes` */
export async function unpack(file: string, folder: string, maxBytes: number): Promise<UnpackReport> {
  const unpacking = new Unpacking(folder, maxBytes);
  try {
    await readArchive(file, unpacking.reader);
  } finally {
    unpacking.close();
  }
  const { head, files, leftOut } = unpacking;
  if (!head) throw new UserError(say('backup.notOurs'));
  return { head, files, leftOut };
}

class Unpacking {
  head: Head | undefined;
  files = 0;
  readonly leftOut: string[] = [];
  readonly reader = new EntryReader((entry) => (this.head ? this.#takeEntry(entry) : this.#takeHead(entry)));
  readonly #folder: string;
  readonly #maxBytes: number;
  #entries = 0;
  #bytes = 0;
  #fd: number | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #takeHead(entry: ReadEntry): void {
    if (entry.path !== HEAD || entry.size > MAX_HEAD) throw new UserError(say('backup.notOurs'));
    const pieces: Buffer[] = [];
    entry.on('data', (piece: Buffer) => pieces.push(piece));
    entry.on('end', () => {
      this.head = readHead(Buffer.concat(pieces).toString());
      if (!this.head) this.reader.fail(new UserError(say('backup.otherVersion')));
    });
  }

  #takeEntry(entry: ReadEntry): void {
    this.#entries++;
    this.#bytes += entry.size;
    if (this.#entries > MAX_ENTRIES || this.#bytes > this.#maxBytes) throw new UserError(say('backup.tooLarge'));
    const isPlain = entry.type === 'File' || entry.type === 'Directory';
    const name = isPlain ? safeName(entry.path) : undefined;
    if (name === undefined) this.#leaveOut(entry);
    else if (NOT_OURS.test(name)) entry.resume();
    else this.#put(entry, path.join(this.#folder, name));
  }

  #leaveOut(entry: ReadEntry): void {
    if (this.leftOut.length < MAX_NAMED) this.leftOut.push(entry.path);
    entry.resume();
  }

  #put(entry: ReadEntry, file: string): void {
    try {
      const isFolder = entry.type === 'Directory';
      fs.mkdirSync(isFolder ? file : path.dirname(file), { recursive: true, mode: 0o700 });
      if (isFolder) entry.resume();
      else this.#write(entry, file);
    } catch (error) {
      if (!OF_ONE_NAME.has(errorCode(error) ?? '')) throw error;
      this.#leaveOut(entry);
    }
  }

  /** @throws if the file already exists or is a folder: the first entry of a name stays */
  #write(entry: ReadEntry, file: string): void {
    const fd = fs.openSync(file, 'wx', 0o600 | ((entry.mode ?? 0) & 0o100));
    this.#fd = fd;
    this.files++;
    entry.on('data', (piece: Buffer) => {
      try {
        if (!this.reader.isFailed) writeAll(fd, piece, 0);
      } catch (error) {
        this.reader.fail(error);
      }
    });
    entry.on('end', () => {
      try {
        if (entry.mtime) fs.futimesSync(fd, entry.mtime, entry.mtime);
        // One rename puts the home in place; the content must survive a power failure after it.
        fs.fdatasyncSync(fd);
      } catch (error) {
        this.reader.fail(error);
      }
      this.close();
    });
  }
}
