/** Lines of a file that have come since the last look, whoever wrote them. Half a line is left for the next look. */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';

/** What is read at once. */
const PIECE = 1024 * 1024;

export class NewLines {
  readonly #file: string;
  /** Bytes that were read. */
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
    // A shorter file is another one.
    if (size < this.#at) this.#at = 0;
    for (let length = PIECE; this.#at < size; ) {
      const piece = Buffer.alloc(Math.min(length, size - this.#at));
      const end = piece.subarray(0, fs.readSync(fd, piece, 0, piece.length, this.#at)).lastIndexOf(0x0a) + 1;
      if (end === 0 && piece.length === size - this.#at) return;
      // A line that is longer than all that.
      if (end === 0) length *= 2;
      this.#at += end;
      yield* piece.toString('utf8', 0, end).split('\n').filter(Boolean);
    }
  }
}
