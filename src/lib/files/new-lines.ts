/** Reads lines added to a file since the last call, by any writer. An unfinished line is left for the next call. */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';

const PIECE = 1024 * 1024;

export class NewLines {
  readonly #file: string;
  /** Bytes read so far. */
  #at = 0;

  constructor(file: string) {
    this.#file = file;
  }

  take(): string[] {
    let fd: number;
    try {
      fd = fs.openSync(this.#file, 'r');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
    try {
      return [...this.#linesOf(fd)];
    } finally {
      fs.closeSync(fd);
    }
  }

  *#linesOf(fd: number): Generator<string> {
    const { size } = fs.fstatSync(fd);
    // A file that became shorter was replaced.
    if (size < this.#at) this.#at = 0;
    for (let length = PIECE; this.#at < size; ) {
      const piece = Buffer.alloc(Math.min(length, size - this.#at));
      const end = piece.subarray(0, fs.readSync(fd, piece, 0, piece.length, this.#at)).lastIndexOf(0x0a) + 1;
      if (end === 0 && piece.length === size - this.#at) return;
      // The line is longer than the buffer.
      if (end === 0) length *= 2;
      this.#at += end;
      yield* piece.toString('utf8', 0, end).split('\n').filter(Boolean);
    }
  }
}
