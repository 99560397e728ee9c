/** Writes a backup and reads it back: the sum of what the archive contains must match the sum of what was added. */

import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { ReadEntry } from 'tar';
import { errorCode, UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import type { ChosenFile } from './choose.ts';
import { HEAD, type Head } from './format.ts';
import { EntryReader, readArchive } from './read-archive.ts';

const BLOCK = 512;
const PIECE = 1024 * 1024;

export interface Archive {
  home: string;
  /** Content to store in place of a file's own. */
  instead: ReadonlyMap<string, Buffer>;
  files: number;
  bytes: number;
  /** Files that shrank while they were copied. */
  changed: string[];
  /** Files that could not be read, because of permissions or a disk error. */
  unread: string[];
  /** Hash of every name and all content, in order. */
  sum: Hash;
}

export const createArchive = (home: string, instead: ReadonlyMap<string, Buffer>): Archive => ({
  home,
  instead,
  files: 0,
  bytes: 0,
  changed: [],
  unread: [],
  sum: createHash('sha256'),
});

type Choose = (early: boolean) => ChosenFile[];

export async function* archive(made: Archive, choose: Choose, head: Head): AsyncGenerator<Buffer> {
  const entry = await entryWriter();
  const about = Buffer.from(`${JSON.stringify(head)}\n`);
  yield* entry({ name: HEAD, size: about.length, mode: 0o600, mtime: new Date() });
  noteEntry(made.sum, HEAD, about.length);
  made.sum.update(about);
  yield* padded(about);
  for (const early of [true, false]) for (const file of choose(early)) yield* copied(made, file, entry);
  yield Buffer.alloc(2 * BLOCK);
}

interface Entry {
  name: string;
  size: number;
  mode: number;
  mtime: Date;
}

type EntryWriter = (entry: Entry) => Generator<Buffer>;

async function entryWriter(): Promise<EntryWriter> {
  const { Header, Pax } = await import('tar');
  const block = (fields: ConstructorParameters<typeof Header>[0]): { bytes: Buffer; needsPax: boolean } => {
    const bytes = Buffer.alloc(BLOCK);
    return { needsPax: new Header(fields).encode(bytes, 0), bytes };
  };
  return function* write({ name, size, mode, mtime }) {
    const type = name.endsWith('/') ? 'Directory' : 'File';
    const { bytes, needsPax } = block({ path: name, size, mode, mtime, type });
    if (name.includes('\n')) {
      // A pax record ends with a newline; GNU's entry stores the name unchanged.
      const long = Buffer.from(`${name}\0`);
      yield block({ path: '././@LongLink', size: long.length, mode, mtime, type: 'NextFileHasLongPath' }).bytes;
      yield* padded(long);
    } else if (needsPax) yield new Pax({ path: name, size, mode, mtime }).encode();
    yield bytes;
  };
}

/** Copies one file, unless it is gone. A file that can't be read must not stop the others. */
function* copied(made: Archive, file: ChosenFile, entry: EntryWriter): Generator<Buffer> {
  const { name } = file;
  const instead = made.instead.get(name);
  let fd: number | undefined;
  try {
    const stat = fs.lstatSync(path.join(made.home, name), { throwIfNoEntry: false });
    if (!stat) return;
    if (name.endsWith('/')) {
      noteEntry(made.sum, name, 0);
      yield* entry({ name, size: 0, mode: 0o700, mtime: stat.mtime });
      return;
    }
    const mode = 0o600 | (stat.mode & 0o100);
    if (instead) {
      yield* writeWhole(made, entry, { name, size: instead.length, mode, mtime: stat.mtime }, [instead]);
      return;
    }
    fd = openPlain(path.join(made.home, name));
    if (fd === undefined) return;
    const size = wholeSize(fd, name, file.upTo);
    // Reads first: a file that can't be read at all must not get a header.
    const first = Buffer.alloc(Math.min(PIECE, size));
    const read = fs.readSync(fd, first, 0, first.length, 0);
    yield* writeWhole(
      made,
      entry,
      { name, size, mode, mtime: stat.mtime },
      content(made, fd, size, name, first.subarray(0, read)),
    );
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    made.unread.push(name);
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

function* writeWhole(made: Archive, entry: EntryWriter, about: Entry, pieces: Iterable<Buffer>): Generator<Buffer> {
  noteEntry(made.sum, about.name, about.size);
  yield* entry(about);
  for (const piece of pieces) {
    made.sum.update(piece);
    yield piece;
  }
  if (about.size % BLOCK > 0) yield Buffer.alloc(BLOCK - (about.size % BLOCK));
  made.files++;
  made.bytes += about.size;
}

/** Returns undefined if the file was removed, or was replaced by a link, a pipe or a folder. */
function openPlain(file: string): number | undefined {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    if (fs.fstatSync(fd).isFile()) return fd;
    fs.closeSync(fd);
    return undefined;
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Returns the size up to the last whole line of a `.jsonl` file: half a line would count as damage after the restore.
 */
function wholeSize(fd: number, name: string, upTo = Number.MAX_SAFE_INTEGER): number {
  const size = Math.min(upTo, fs.fstatSync(fd).size);
  if (!name.endsWith('.jsonl')) return size;
  const piece = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - piece.length);
    const read = fs.readSync(fd, piece, 0, end - from, from);
    const last = piece.subarray(0, read).lastIndexOf(0x0a);
    if (last >= 0) return from + last + 1;
    end = from;
  }
  return 0;
}

/** Pads a file that shrank or can't be read further: the header has already promised its size. */
function* content(made: Archive, fd: number, size: number, name: string, first: Buffer): Generator<Buffer> {
  let piece = first;
  for (let at = 0; at < size; ) {
    if (piece.length === 0) {
      piece = Buffer.alloc(Math.min(PIECE, size - at));
      if (made.changed.at(-1) !== name) made.changed.push(name);
    }
    yield piece;
    at += piece.length;
    piece = next(fd, Math.min(PIECE, size - at), at);
  }
}

function next(fd: number, length: number, at: number): Buffer {
  const piece = Buffer.alloc(length);
  try {
    return piece.subarray(0, fs.readSync(fd, piece, 0, length, at));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return piece.subarray(0, 0);
  }
}

function* padded(bytes: Buffer): Generator<Buffer> {
  yield bytes;
  if (bytes.length % BLOCK > 0) yield Buffer.alloc(BLOCK - (bytes.length % BLOCK));
}

const noteEntry = (sum: Hash, name: string, size: number): void => {
  // tar drops the slash at the end of a folder's long name.
  sum.update(`${JSON.stringify([name.replace(/\/$/, ''), size])}\n`);
};

/** @throws {UserError} if the archive does not read back as it was written */
export async function refuseOther(file: string, { sum }: Archive): Promise<void> {
  const found = createHash('sha256');
  const reader = new EntryReader((entry: ReadEntry) => {
    noteEntry(found, entry.path, entry.size);
    entry.on('data', (piece: Buffer) => found.update(piece));
  });
  await readArchive(file, reader);
  if (found.digest('hex') !== sum.digest('hex')) throw new UserError(say('backup.readsBadly'));
}
