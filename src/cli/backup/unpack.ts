/** A backup, unpacked into a folder of its own. Whatever is not plain files and folders below it ends it. */
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { errorCode, errorMessage, UserError } from '../../errors.ts';
import { writeAll } from '../../lib/files/staged-file.ts';
import { HEAD, type Head, readHead, safeName } from './format.ts';

const MAX_ENTRIES = 5_000_000;
const MAX_HEAD = 4_096;
/** Of a process alone: a restored home has none. */
const NOT_OURS = /^(run|cache)(\/|$)/;

/** Throws UserError for what is no backup, or would write elsewhere, or more than `maxBytes`. */
export async function unpack(file: string, folder: string, maxBytes: number): Promise<{ head: Head; files: number }> {
  const { Parser } = await import('tar');
  const unpacking = new Unpacking(folder, maxBytes);
  const parser = new Parser({ strict: true, onReadEntry: (entry: ReadEntry) => unpacking.take(entry) });
  parser.on('error', (error: unknown) => unpacking.fail(broken(error)));
  const ended = new Promise<void>((resolve) => parser.on('end', resolve));
  try {
    await pipeline(fs.createReadStream(file), createGunzip(), async (pieces) => {
      for await (const piece of pieces) {
        parser.write(piece);
        unpacking.check();
      }
    });
    parser.end();
    await Promise.race([ended, unpacking.failed]);
  } catch (error) {
    throw error instanceof UserError || !isOfFormat(error) ? error : broken(error);
  } finally {
    unpacking.close();
  }
  unpacking.check();
  if (!unpacking.head) throw new UserError('This is no backup of viber.');
  return { head: unpacking.head, files: unpacking.files };
}

const isOfFormat = (error: unknown) => /^(Z_|ERR_STREAM_PREMATURE|TAR_)/.test(errorCode(error) ?? '');
const broken = (error: unknown) =>
  new UserError(`This is no backup of viber, or it is damaged: ${errorMessage(error)}.`);

class Unpacking {
  head: Head | undefined;
  files = 0;
  readonly failed: Promise<never>;
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #fail: (error: unknown) => void;
  #error: unknown;
  #entries = 0;
  #bytes = 0;
  #fd: number | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    this.#fail = reject;
    // Whoever waits hears of it; without anybody it is no accident.
    promise.catch(() => 'told by check');
  }

  /** The first thing that went wrong counts. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.#fail(this.#error);
  }

  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Never throws: the parser calls it from its midst. */
  take(entry: ReadEntry): void {
    try {
      if (this.#error !== undefined) entry.resume();
      else if (!this.head) this.#takeHead(entry);
      else this.#takeEntry(entry);
    } catch (error) {
      this.fail(error);
      entry.resume();
    }
  }

  #takeHead(entry: ReadEntry): void {
    if (entry.path !== HEAD || entry.size > MAX_HEAD) throw new UserError('This is no backup of viber.');
    const pieces: Buffer[] = [];
    entry.on('data', (piece: Buffer) => pieces.push(piece));
    entry.on('end', () => {
      this.head = readHead(Buffer.concat(pieces).toString());
      if (!this.head)
        this.fail(new UserError('This backup was made by another version of viber; this one cannot read it.'));
    });
  }

  #takeEntry(entry: ReadEntry): void {
    const shown = JSON.stringify(entry.path.slice(0, 100));
    if (entry.type !== 'File' && entry.type !== 'Directory')
      throw new UserError(`The backup holds a link or a device (${shown}); nothing of it was restored.`);
    const name = safeName(entry.path);
    if (name === undefined)
      throw new UserError(`The backup would write outside of the home (${shown}); nothing of it was restored.`);
    this.#entries++;
    this.#bytes += entry.size;
    if (this.#entries > MAX_ENTRIES || this.#bytes > this.#maxBytes)
      throw new UserError(`The backup is larger than the disk has room for; nothing of it was restored.`);
    if (NOT_OURS.test(name)) {
      entry.resume();
      return;
    }
    const file = path.join(this.#folder, name);
    if (entry.type === 'Directory') {
      fs.mkdirSync(file, { recursive: true, mode: 0o700 });
      entry.resume();
      return;
    }
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.#write(entry, file);
  }

  /** One file twice, or one that is a folder, ends it. */
  #write(entry: ReadEntry, file: string): void {
    const fd = fs.openSync(file, 'wx', 0o600 | ((entry.mode ?? 0) & 0o100));
    this.#fd = fd;
    this.files++;
    entry.on('data', (piece: Buffer) => {
      try {
        if (this.#error === undefined) writeAll(fd, piece, 0);
      } catch (error) {
        this.fail(error);
      }
    });
    entry.on('end', () => {
      if (entry.mtime) fs.futimesSync(fd, entry.mtime, entry.mtime);
      this.close();
    });
  }
}
