/**
 * One day of the ledger, added to at its end. Syncs that are asked for together are one.
 *
 * Invariants: `append` leaves the whole text or nothing of it, behind whole lines; what was appended before `sync` was called is on the
 * disk, and the file's name too, when that resolves, also when midnight has come meanwhile.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { openAppend } from '../../lib/files/open-append.ts';
import { syncFolder, writeAll } from '../../lib/files/staged-file.ts';

const ABOUT = { lost: 'which parts of answers have arrived', next: 'A part of an answer may come twice.' };
const LINE_BREAK = 0x0a;

export class DayFile {
  readonly day: string;
  readonly #folder: string;
  readonly #fd: number;
  #isNew: boolean;
  #isRetired = false;
  /** The sync that what is written now will be part of. */
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Asked for and not ended. */
  #open = 0;

  constructor(folder: string, day: string) {
    this.day = day;
    this.#folder = folder;
    this.#fd = openAppend(path.join(folder, `${day}.jsonl`), ABOUT);
    const { size } = fs.fstatSync(this.#fd);
    this.#isNew = size === 0;
    // A line that a crash has torn must not swallow the next one.
    if (size > 0 && !this.#endsWithLine(size)) this.append('\n');
  }

  /** Throws a system error. */
  append(text: string): void {
    const { size } = fs.fstatSync(this.#fd);
    try {
      writeAll(this.#fd, Buffer.from(text), 0);
    } catch (error) {
      fs.ftruncateSync(this.#fd, size);
      throw error;
    }
  }

  /** Rejects with a system error. */
  sync(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const ended = this.#sync();
      // Whoever asked for it hears of a failure; the next one is tried all the same.
      this.#running = ended.catch(() => undefined);
      return ended;
    });
    this.#open++;
    return this.#next.finally(() => {
      this.#open--;
      this.#closeIfOver();
    });
  }

  /** Nothing is appended any more: it is closed once nobody waits for it. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfOver();
  }

  async #sync(): Promise<void> {
    await promisify(fs.fdatasync)(this.#fd);
    if (!this.#isNew) return;
    await syncFolder(this.#folder);
    this.#isNew = false;
  }

  #closeIfOver(): void {
    if (this.#isRetired && this.#open === 0) fs.closeSync(this.#fd);
  }

  #endsWithLine(size: number): boolean {
    const last = Buffer.alloc(1);
    fs.readSync(this.#fd, last, 0, 1, size - 1);
    return last[0] === LINE_BREAK;
  }
}
