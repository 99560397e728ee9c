/**
 * One day of the ledger, append-only. Concurrent syncs are merged into one.
 *
 * Invariants: `append` adds the whole text or nothing, after complete lines. `sync` resolves when everything appended
 * before the call is on disk, with the file's name, even after midnight. A file that another program replaced or
 * removed is followed by one for the same day that has all its lines.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureFolder, reportDamage } from '../../lib/damage.ts';
import { isInPlace } from '../../lib/files/in-place.ts';
import { openAppend } from '../../lib/files/open-append.ts';
import { syncFolder, writeAll } from '../../lib/files/staged-file.ts';
import { syncFolder as syncFolderNow } from './segment.ts';

const ABOUT = { lost: 'which parts of answers have arrived', next: 'A part of an answer may come twice.' };
const LINE_BREAK = 0x0a;

export class DayFile {
  readonly day: string;
  readonly #folder: string;
  readonly #file: string;
  readonly #fd: number;
  readonly #own: fs.Stats;
  #isNew: boolean;
  #isRetired = false;
  /** The sync that will include what is written now. */
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Syncs requested and not finished. */
  #open = 0;

  /** @param last the same day's earlier file, which was moved or removed */
  constructor(folder: string, day: string, last?: DayFile) {
    this.day = day;
    this.#folder = folder;
    this.#file = path.join(folder, `${day}.jsonl`);
    if (last) ensureFolder(path.dirname(folder), folder, ABOUT.lost);
    this.#fd = openAppend(this.#file, ABOUT);
    this.#own = fs.fstatSync(this.#fd);
    this.#isNew = this.#own.size === 0;
    try {
      // A line torn by a crash must not swallow the next one.
      if (this.#own.size > 0 && !this.#endsWithLine(this.#own.size)) this.append('\n');
      if (last) this.#takeOver(last);
    } catch (error) {
      fs.closeSync(this.#fd);
      throw error;
    }
  }

  /** Whether a reader of the day would see what is written here. */
  get isInPlace(): boolean {
    return isInPlace(this.#own, this.#file);
  }

  /** @throws a system error */
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
      // The caller gets the failure; the next sync is tried regardless.
      this.#running = ended.catch(() => undefined);
      return ended;
    });
    this.#open++;
    return this.#next.finally(() => {
      this.#open--;
      this.#closeIfOver();
    });
  }

  /** Ends appending: the file is closed once no sync is pending. */
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

  /** Copies the lines of `last` that are missing here. They are on disk when it returns. */
  #takeOver(last: DayFile): void {
    const here = new Set(this.#lines());
    const missing = last.#lines().filter((line) => !here.has(line));
    if (missing.length > 0) this.append(`${missing.join('\n')}\n`);
    fs.fdatasyncSync(this.#fd);
    syncFolderNow(this.#folder);
    this.#isNew = false;
    const why = 'was replaced or removed by another program while the gateway ran';
    const next = `Lines that were missing in it were added: ${missing.length}.`;
    reportDamage({ file: this.#file, why, lost: 'nothing', next });
  }

  #lines(): string[] {
    const data = Buffer.alloc(fs.fstatSync(this.#fd).size);
    const length = fs.readSync(this.#fd, data, 0, data.length, 0);
    return data.toString('utf8', 0, length).split('\n').filter(Boolean);
  }

  #endsWithLine(size: number): boolean {
    const last = Buffer.alloc(1);
    fs.readSync(this.#fd, last, 0, 1, size - 1);
    return last[0] === LINE_BREAK;
  }
}
