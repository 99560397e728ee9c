/**
 * The delivery ledger: one append-only file per day, one line per event of a message's part. An intent is synced before
 * the platform is called; concurrent intents of all lanes share one sync. Lines carry the epoch of the gateway that
 * wrote them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureFolder, namesIn, reportDamage } from '../../lib/damage.ts';
import { syncFolder, writeAll } from '../../lib/files/staged-file.ts';
import { isInPlace, openAppend } from '../../lib/files.ts';
import { readJsonLines } from '../../lib/json.ts';
import { isFilled, isInteger, isText, isTime, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import type { PartOutcome, PartState } from '../engine.ts';
import { lastDayOf, segmentDay, syncFolder as syncFolderNow } from './segment.ts';

export interface LedgerLine {
  /** The outbound message's key. */
  key: string;
  part: number;
  what: 'intent' | 'sent' | 'refused' | 'unsure';
  /** The platform's ID, with `sent`. */
  id?: string;
  epoch: number;
  /** ISO 8601. */
  at: string;
}

const lineShape = shape<LedgerLine>(
  objectOf({
    key: isFilled,
    part: isInteger,
    what: oneOf('intent', 'sent', 'refused', 'unsure'),
    id: optional(isText),
    at: isTime,
  }),
);
const ABOUT = { lost: 'which parts of answers have arrived', next: 'A part of an answer may come twice.' };

export interface Ledger {
  /** Durable when it resolves. */
  intent(key: string, part: number): Promise<void>;
  /** Written at once, synced with the next intent. */
  outcome(key: string, part: number, what: PartOutcome, id?: string): void;
  /**
   * Loads the state of these messages from the newest files: three days, and any dated in the future. Reads nothing
   * when `keys` is empty. `begunAt` returns when the first part of a message was tried whose intent has no line of its
   * own.
   */
  load(keys: ReadonlySet<string>, begunAt?: (key: string) => number | undefined): Map<string, Map<number, PartState>>;
  /** Returns the lines of one message, for tracing. */
  lines(key: string): LedgerLine[];
  /**
   * Deletes files of days before `oldest` (`YYYY-MM-DD`), and files dated in the future that were last written before
   * it.
   */
  prune(oldest: string): void;
  /** Finishes pending syncs first. */
  close(): void;
}

export const openLedger = (folder: string, epoch: number): Ledger => new LocalLedger(folder, epoch);

class LocalLedger implements Ledger {
  readonly #folder: string;
  readonly #epoch: number;
  #file: DayFile | undefined;

  constructor(folder: string, epoch: number) {
    this.#folder = folder;
    this.#epoch = epoch;
  }

  async intent(key: string, part: number): Promise<void> {
    await this.#write({ key, part, what: 'intent' }).sync();
  }

  outcome(key: string, part: number, what: PartOutcome, id?: string): void {
    this.#write({ key, part, what, ...(id === undefined ? {} : { id }) });
  }

  load(keys: ReadonlySet<string>, begunAt?: (key: string) => number | undefined): Map<string, Map<number, PartState>> {
    const known = new Map<string, Map<number, PartState>>();
    if (keys.size === 0) return known;
    for (const line of this.#read(this.#newest())) {
      if (!keys.has(line.key)) continue;
      const parts = known.get(line.key) ?? new Map<number, PartState>();
      known.set(line.key, parts);
      const state = parts.get(line.part) ?? { unsure: 0, open: false };
      parts.set(line.part, state);
      applyLine(state, line, begunAt);
    }
    return known;
  }

  lines(key: string): LedgerLine[] {
    return [...this.#read(this.#files())].filter((line) => line.key === key);
  }

  prune(oldest: string): void {
    for (const name of this.#files())
      if (lastDayOf(this.#folder, name, today()) < oldest) fs.rmSync(path.join(this.#folder, name), { force: true });
  }

  close(): void {
    this.#file?.retire();
    this.#file = undefined;
  }

  /** Returns the file that now holds the line. */
  #write(line: Omit<LedgerLine, 'epoch' | 'at'>): DayFile {
    const at = new Date().toISOString();
    const file = this.#fileOf(at.slice(0, 10));
    file.append(`${JSON.stringify({ ...line, epoch: this.#epoch, at })}\n`);
    return file;
  }

  /**
   * Returns the day's file. If a new one can't be opened, the previous one is used: each event must be recorded
   * somewhere.
   */
  #fileOf(day: string): DayFile {
    const last = this.#file?.day === day ? this.#file : undefined;
    if (last?.isInPlace) return last;
    try {
      const next = new DayFile(this.#folder, day, last);
      this.#file?.retire();
      this.#file = next;
      return next;
    } catch (error) {
      if (!this.#file) throw error;
      return this.#file;
    }
  }

  *#read(files: readonly string[]): Generator<LedgerLine> {
    for (const file of files) yield* readJsonLines(path.join(this.#folder, file), lineShape, ABOUT);
  }

  /**
   * Returns the files of three days and those dated in the future: a wrong clock must not hide lines on either side of
   * it.
   */
  #newest(): string[] {
    const files = this.#files();
    const later = files.filter((name) => segmentDay(name) > today());
    return [...files.slice(0, files.length - later.length).slice(-3), ...later];
  }

  #files(): string[] {
    return namesIn(this.#folder)
      .filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name))
      .sort();
  }
}

const today = (): string => new Date().toISOString().slice(0, 10);

function applyLine(state: PartState, line: LedgerLine, begunAt?: (key: string) => number | undefined): void {
  state.open = line.what === 'intent';
  if (state.open) state.since ??= Date.parse(line.at);
  if (line.what === 'refused' && state.unsure === 0) delete state.since;
  if (line.what === 'sent') state.sentId = line.id ?? '';
  if (line.what !== 'unsure') return;
  state.unsure++;
  state.since ??= begunAt?.(line.key) ?? Date.parse(line.at);
}

const LINE_BREAK = 0x0a;

/**
 * One day of the ledger, append-only. Concurrent syncs are merged into one.
 *
 * Invariants: `append` adds the whole text or nothing, after complete lines. `sync` resolves when everything appended
 * before the call is on disk, with the file's name, even after midnight. A file that another program replaced or
 * removed is followed by one for the same day that has all its lines.
 */
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
