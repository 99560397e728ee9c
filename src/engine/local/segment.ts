/**
 * One file of the spool's log: append-only JSON lines. A line counts once its line break is written.
 *
 * Invariants: `append` adds the whole text at the end of the file or nothing; `sync` resolves when everything appended
 * before the call is on disk.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { namesIn, quarantine } from '../../lib/damage.ts';
import { writeAll } from '../../lib/files/staged-file.ts';
import { isInPlace } from '../../lib/files.ts';

const ENDING = '.jsonl';
/** The size of each write of a new segment, so that memory stays bounded however much is unfinished. */
const PIECE_BYTES = 1_000_000;

const ABOUT = {
  lost: 'all messages that were not answered, and answers that were not delivered',
  next: 'People who miss an answer have to write again.',
  tell: true,
};

export interface ScannedLine {
  /** Bytes. */
  offset: number;
  /** Bytes, without the line break. */
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

  /**
   * Creates a segment that begins with these texts: either whole and durable with its name, or not at all.
   * @throws a system error
   */
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

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /** Whether a start would read what is written here. */
  get isInPlace(): boolean {
    return isInPlace(this.#own, this.file);
  }

  /**
   * Returns the text's offset.
   * @throws a system error, with nothing of the text written
   */
  append(text: string): number {
    // The system may have reused the handle's number for another file.
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
   * Rejects with a system error; the file's contents on disk are then unknown.
   * @param here blocks this thread: quicker when there is nothing else to do
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

  /** Removes everything after `size`: an unfinished line. */
  cut(size: number): void {
    fs.ftruncateSync(this.#fd, size);
    this.#size = size;
  }

  close(): void {
    this.#isClosed = true;
    fs.closeSync(this.#fd);
  }
}

/**
 * Replaces a file. The new one and its name are on disk when this returns.
 * @throws a system error
 */
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

/**
 * The folder's names are on disk when it returns.
 * @throws a system error
 */
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

/** Opens a segment, or creates it with this text; anything else in its place is quarantined. */
export function openSegment(folder: string, name: string, begin: string): Segment {
  const file = path.join(folder, `${name}${ENDING}`);
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) quarantine(file, stat.isDirectory() ? 'is a folder' : 'is not a regular file', ABOUT);
  if (!stat?.isFile()) return Segment.whole(folder, name, [begin]);
  try {
    return new Segment(folder, name);
  } catch (error) {
    if (errorCode(error) !== 'EACCES' && errorCode(error) !== 'EPERM') throw error;
    quarantine(file, 'cannot be read by this user', ABOUT);
    return Segment.whole(folder, name, [begin]);
  }
}

/** Returns the complete lines of a file, and where they end. Anything but a file has none. */
export function scanLines(file: string): { lines: ScannedLine[]; end: number } {
  const data = segmentBytes(file);
  const lines: ScannedLine[] = [];
  let offset = 0;
  for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a, offset)) {
    if (end > offset) lines.push({ offset, length: end - offset, text: data.toString('utf8', offset, end) });
    offset = end + 1;
  }
  return { lines, end: offset };
}

/** Returns an empty buffer for anything but a file. */
export function segmentBytes(file: string): Buffer {
  try {
    const isFile = fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
    return isFile ? fs.readFileSync(file) : Buffer.alloc(0);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  }
}

/** Returns the names of a folder's segments, oldest first: `2026-01-31.7`, the day and a rising number. */
export function segmentNames(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => /^\d{4}-\d\d-\d\d\.\d+\.jsonl$/.test(name))
    .map((name) => name.slice(0, -ENDING.length))
    .sort(inOrder);
}

/**
 * Returns the newest name of any file in the folder, including those of other programs: the next one must be newer than
 * all of them.
 */
export function newestName(folder: string): string | undefined {
  return namesIn(folder)
    .flatMap((name) => /^\d{4}-\d\d-\d\d\.\d+(?=\.(?:jsonl|keys)\b)/.exec(name) ?? [])
    .sort(inOrder)
    .at(-1);
}

export const segmentDay = (name: string): string => name.slice(0, 10);

/**
 * Returns the last day that a file of the log covers. A day in the future comes from a wrong clock: then the time of
 * the last write counts.
 */
export function lastDayOf(folder: string, file: string, today: string): string {
  const stat = segmentDay(file) > today ? fs.lstatSync(path.join(folder, file), { throwIfNoEntry: false }) : undefined;
  return stat ? stat.mtime.toISOString().slice(0, 10) : segmentDay(file);
}

const numberOf = (name: string): number => Number(name.slice(11));
const inOrder = (a: string, b: string): number =>
  segmentDay(a).localeCompare(segmentDay(b)) || numberOf(a) - numberOf(b);

/** Returns the name that follows `last`. Setting the clock back doesn't break the order of segments. */
export function nextName(last: string | undefined, today: string): string {
  const day = last !== undefined && segmentDay(last) > today ? segmentDay(last) : today;
  return `${day}.${last !== undefined && segmentDay(last) === day ? numberOf(last) + 1 : 1}`;
}
