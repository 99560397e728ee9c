/**
 * One file of the spool's log: JSON lines, appended and never changed. A line counts once its line break is there.
 *
 * Invariants: `append` leaves the whole text at the end of the file or nothing of it; what was appended before `sync` was called
 * is on the disk when that resolves.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { namesIn, quarantine } from '../../lib/damage.ts';
import { isInPlace } from '../../lib/files/in-place.ts';
import { writeAll } from '../../lib/files/staged-file.ts';

const ENDING = '.jsonl';
/** A segment is written in pieces of about this size, however much is unfinished. */
const PIECE_BYTES = 1_000_000;

const ABOUT = {
  lost: 'all messages that were not answered, and answers that were not delivered',
  next: 'Whoever misses an answer has to write again.',
  tell: true,
};

export interface ScannedLine {
  /** Where it begins, in bytes. */
  offset: number;
  /** In bytes, without its line break. */
  length: number;
  text: string;
}

export class Segment {
  readonly file: string;
  readonly name: string;
  #fd: number;
  #own: fs.Stats;
  #size: number;
  #isClosed = false;

  constructor(folder: string, name: string) {
    this.name = name;
    this.file = path.join(folder, `${name}${ENDING}`);
    this.#fd = fs.openSync(this.file, 'r+');
    this.#own = fs.fstatSync(this.#fd);
    this.#size = this.#own.size;
  }

  /** A new segment that begins with these texts: it is there whole, and durable with its name, or not at all. Throws a system error. */
  static whole(folder: string, name: string, texts: Iterable<string>): Segment {
    const file = path.join(folder, `${name}${ENDING}`);
    try {
      replaceSynced(file, texts);
      return new Segment(folder, name);
    } catch (error) {
      fs.rmSync(file, { force: true });
      throw error;
    }
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** A start would read what is written here. */
  get isInPlace(): boolean {
    return isInPlace(this.#own, this.file);
  }

  /** Gives where the text begins. Throws a system error, and then nothing of the text stays. */
  append(text: string): number {
    // The system may have given the handle's number to another file.
    if (this.#isClosed) throw Object.assign(new Error(`${this.file} is closed`), { code: 'EBADF' });
    const offset = this.#size;
    const data = Buffer.from(text);
    try {
      writeAll(this.#fd, data, 0, offset);
    } catch (error) {
      fs.ftruncateSync(this.#fd, offset);
      throw error;
    }
    this.#size += data.length;
    return offset;
  }

  /**
   * Rejects with a system error; what the file then holds on the disk is not known.
   * @param here waits on this thread: quicker when nothing else is to be done meanwhile
   */
  async sync(here: boolean): Promise<void> {
    if (here) fs.fdatasyncSync(this.#fd);
    else await dataSynced(this.#fd);
  }

  read(offset: number, length: number): string {
    const data = Buffer.alloc(length);
    fs.readSync(this.#fd, data, 0, length, offset);
    return data.toString();
  }

  /** Removes what stands behind `size`: a line that was never finished. */
  cut(size: number): void {
    fs.ftruncateSync(this.#fd, size);
    this.#size = size;
  }

  close(): void {
    this.#isClosed = true;
    fs.closeSync(this.#fd);
  }
}

/** Puts a file in place that is on the disk, and its name too, when this returns. Throws a system error. */
export function replaceSynced(file: string, texts: Iterable<string>): void {
  const temp = `${file}.tmp`;
  try {
    const fd = fs.openSync(temp, 'w', 0o600);
    try {
      let piece = '';
      for (const text of texts) {
        piece += text;
        if (piece.length < PIECE_BYTES) continue;
        writeAll(fd, Buffer.from(piece), 0);
        piece = '';
      }
      writeAll(fd, Buffer.from(piece), 0);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temp, file);
  } catch (error) {
    fs.rmSync(temp, { force: true });
    throw error;
  }
  syncFolder(path.dirname(file));
}

/** Names in the folder are on the disk when it returns. Throws a system error. */
export function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

const dataSynced = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
  });

/** Opens a segment, or begins it with this text; whatever else stands in its place is set aside. */
export function openSegment(folder: string, name: string, begin: string): Segment {
  const file = path.join(folder, `${name}${ENDING}`);
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) quarantine(file, stat.isDirectory() ? 'is a folder' : 'is no regular file', ABOUT);
  if (!stat?.isFile()) return Segment.whole(folder, name, [begin]);
  try {
    return new Segment(folder, name);
  } catch (error) {
    if (errorCode(error) !== 'EACCES' && errorCode(error) !== 'EPERM') throw error;
    quarantine(file, 'may not be read by this user', ABOUT);
    return Segment.whole(folder, name, [begin]);
  }
}

/** The finished lines of a file, and where they end. What is no file has none. */
export function scanLines(file: string): { lines: ScannedLine[]; end: number } {
  const data = bytesOf(file);
  const lines: ScannedLine[] = [];
  let offset = 0;
  for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a, offset)) {
    if (end > offset) lines.push({ offset, length: end - offset, text: data.toString('utf8', offset, end) });
    offset = end + 1;
  }
  return { lines, end: offset };
}

/** None for what is no file, or is gone. */
export function bytesOf(file: string): Buffer {
  try {
    const isFile = fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
    return isFile ? fs.readFileSync(file) : Buffer.alloc(0);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  }
}

/** The names of the segments in a folder, the oldest first: `2026-01-31.7`, the day and a number that rises. */
export function segmentNames(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => /^\d{4}-\d\d-\d\d\.\d+\.jsonl$/.test(name))
    .map((name) => name.slice(0, -ENDING.length))
    .sort(inOrder);
}

/** The newest name that a file of any kind has in the folder, whoever put it there: what follows must be newer than all. */
export function newestName(folder: string): string | undefined {
  return namesIn(folder)
    .flatMap((name) => /^\d{4}-\d\d-\d\d\.\d+(?=\.(?:jsonl|keys)\b)/.exec(name) ?? [])
    .sort(inOrder)
    .at(-1);
}

export const dayOf = (name: string): string => name.slice(0, 10);

/** The last day that a file of the log tells of. Days to come are of a clock that went wrong: the time of the last write counts. */
export function lastDayOf(folder: string, file: string, today: string): string {
  const stat = dayOf(file) > today ? fs.lstatSync(path.join(folder, file), { throwIfNoEntry: false }) : undefined;
  return stat ? stat.mtime.toISOString().slice(0, 10) : dayOf(file);
}

const numberOf = (name: string): number => Number(name.slice(11));
const inOrder = (a: string, b: string): number => dayOf(a).localeCompare(dayOf(b)) || numberOf(a) - numberOf(b);

/** The name that follows `last` on a day; a clock that was set back does not bring segments out of order. */
export function nextName(last: string | undefined, today: string): string {
  const day = last !== undefined && dayOf(last) > today ? dayOf(last) : today;
  return `${day}.${last !== undefined && dayOf(last) === day ? numberOf(last) + 1 : 1}`;
}
