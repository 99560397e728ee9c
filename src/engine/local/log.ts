/**
 * The spool's log: everything unfinished, as lines in files by day (`log/2026-01-31.1.jsonl`). A put is durable when it
 * resolves; a move or an end is written at once and synced with the next put, since losing it costs a repetition and
 * never a message.
 *
 * Invariants: the newest segment alone holds everything unfinished, so a start reads one file. Puts made during a sync
 * share the next one. A rejected put isn't in the log. If another program replaced or removed the file, a put is
 * durable once everything unfinished is in a new one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, toStorageError } from '../../errors.ts';
import { namesIn } from '../../lib/damage.ts';
import { startNextSegment } from './carry.ts';
import { keepDamaged, reportTorn } from './damaged-lines.ts';
import { finishedIn, KeySet } from './finished-keys.ts';
import {
  beginText,
  type LiveEntry,
  type LogLine,
  type LogState,
  lineText,
  moved,
  parseLine,
  replay,
  type SegmentContents,
} from './log-lines.ts';
import { lastDayOf, newestName, nextName, openSegment, type Segment, segmentDay, segmentNames } from './segment.ts';

/** The size after which a new segment begins: a start reads only one. */
const SEGMENT_BYTES = 8_000_000;
interface PendingPut {
  state: LogState;
  key: string;
  text: string;
  onWritten: (() => void) | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const today = (): string => new Date().toISOString().slice(0, 10);

export class SpoolLog {
  readonly #folder: string;
  readonly #segmentBytes: number;
  #segment: Segment;
  #inbox = new Map<string, LiveEntry>();
  #outbox = new Map<string, LiveEntry>();
  /** Finished in the current segment. */
  #finished: string[] = [];
  #allFinished = new KeySet();
  #pending: PendingPut[] = [];
  /** Lines of moves and ends that didn't fit on the disk; they are written before the next line. */
  #unwritten = '';
  #draining: Promise<void> | undefined;
  /** The segment's size when it began, in bytes. */
  #carried = 0;

  /**
   * Loads what an earlier process left. Unreadable lines are moved to a file in `graves` and reported.
   * @param segmentBytes size after which a new segment begins
   */
  constructor(folder: string, graves: string, segmentBytes = SEGMENT_BYTES) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    for (const name of namesIn(folder))
      if (name.endsWith('.tmp')) fs.rmSync(path.join(folder, name), { recursive: true });
    const newest = segmentNames(folder).at(-1);
    for (const key of finishedIn(folder, newest)) this.#allFinished.add(key);
    this.#segment = openSegment(folder, newest ?? nextName(newestName(folder), today()), beginText());
    const found = replay(this.#segment.file);
    this.#inbox = found.inbox;
    this.#outbox = found.outbox;
    this.#finished = found.finished;
    for (const key of found.finished) this.#allFinished.add(key);
    this.#repair(found, graves);
  }

  /** Cuts off a torn end. Any other damage is kept in `graves`, and a new segment begins. */
  #repair({ damaged, end, hasBegin }: SegmentContents, graves: string): void {
    const { file, name, size } = this.#segment;
    if (end < size) {
      this.#segment.cut(end);
      reportTorn(file);
    }
    if (damaged.length === 0 && hasBegin) return;
    keepDamaged(file, damaged, path.join(graves, `${name}.jsonl.bad`));
    this.#begin();
  }

  get file(): string {
    return this.#segment.file;
  }

  /**
   * Resolves when it is on disk. Rejects with a StorageError, with nothing written; throws when the value can't be
   * JSON.
   * @param onWritten called once it is in the file, before the sync: a crash of the process alone can't lose it after
   * that
   */
  put(state: LogState, key: string, value: unknown, onWritten?: () => void): Promise<void> {
    const text = lineText({ op: 'put', state, key, value });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ state, key, text, onWritten, resolve, reject });
    // A tick later, so that concurrent calls share one sync.
    this.#draining ??= Promise.resolve().then(() => this.#drain());
    return promise;
  }

  /** Adds keys that were finished before the log existed. */
  rememberFinished(keys: readonly string[]): void {
    for (const key of keys) this.#allFinished.add(key);
  }

  /**
   * Adds entries from elsewhere; the whole log is on disk when it returns.
   * @throws a system error
   */
  adopt(entries: readonly { state: LogState; key: string; value: unknown }[]): void {
    for (const entry of entries) {
      const text = lineText({ op: 'put', ...entry });
      const at = { offset: this.#write(text), length: Buffer.byteLength(text) - 1 };
      this.#side(entry.state).set(entry.key, { ...at, state: entry.state });
    }
    this.#begin();
  }

  move(key: string, to: 'new' | 'cur'): void {
    const entry = this.#inbox.get(key);
    if (!entry) return;
    moved(entry, to);
    this.#note({ op: 'move', state: to, key });
  }

  finish(state: LogState, key: string, as?: string): void {
    this.#allFinished.add(as ?? key);
    this.#finished.push(as ?? key);
    this.#side(state).delete(key);
    this.#note({ op: 'done', state, key, ...(as === undefined || as === key ? {} : { as }) });
  }

  drop(state: LogState, key: string): void {
    if (this.#side(state).get(key)?.state !== state) return;
    this.#side(state).delete(key);
    this.#note({ op: 'drop', state, key });
  }

  has(state: LogState, key: string): boolean {
    return this.#side(state).get(key)?.state === state;
  }

  /** Lists keys in the order they were put. */
  keys(state: LogState): string[] {
    return [...this.#side(state)].flatMap(([key, entry]) => (entry.state === state ? [key] : []));
  }

  read(state: LogState, key: string): unknown {
    const entry = this.#side(state).get(key);
    return entry?.state === state ? this.#valueAt(entry) : undefined;
  }

  wasFinished(key: string): boolean {
    return this.#allFinished.has(key);
  }

  wasInWork(key: string): boolean {
    return this.#inbox.get(key)?.wasInWork === true;
  }

  /**
   * Removes segments of days before `oldest` (`2026-01-31`). A segment from an earlier day is closed first, so that it
   * can expire.
   */
  prune(oldest: string): void {
    if (!this.#draining && (this.#isOver() || !this.#segment.isInPlace)) this.#tryToBegin();
    for (const file of namesIn(this.#folder)) {
      const [, name = ''] = /^(\d{4}-\d\d-\d\d\.\d+)\.(jsonl|keys)(\.bad(-\d)?)?$/.exec(file) ?? [];
      if (name === '' || name === this.#segment.name || lastDayOf(this.#folder, file, today()) >= oldest) continue;
      fs.rmSync(path.join(this.#folder, file), { recursive: true, force: true });
    }
    this.#allFinished = new KeySet();
    for (const key of finishedIn(this.#folder, this.#segment.name)) this.#allFinished.add(key);
    for (const key of this.#finished) this.#allFinished.add(key);
  }

  /** Returns whether everything is on disk. */
  async close(): Promise<boolean> {
    await this.#draining;
    this.#writeNote('');
    const isInPlace = this.#segment.isInPlace || this.#tryToBegin();
    await this.#segment.sync(false);
    this.#segment.close();
    return isInPlace && this.#unwritten === '';
  }

  #side(state: LogState): Map<string, LiveEntry> {
    return state === 'out' ? this.#outbox : this.#inbox;
  }

  #valueAt({ offset, length }: LiveEntry): unknown {
    const line = parseLine(this.#segment.read(offset, length));
    return line?.op === 'put' ? line.value : undefined;
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      try {
        if (this.#isOver()) this.#tryToBegin();
        await this.#commit(batch);
      } catch (error) {
        for (const { reject } of batch) reject(toStorageError(error));
      }
    }
    this.#draining = undefined;
  }

  async #commit(batch: readonly PendingPut[]): Promise<void> {
    let offset: number;
    try {
      offset = this.#write(batch.map(({ text }) => text).join(''));
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(toStorageError(error));
      // A batch that doesn't fit may fit one by one.
      for (const put of batch) await this.#commit([put]);
      return;
    }
    const before = batch.map(({ state, key }) => this.#side(state).get(key));
    for (const { state, key, text, onWritten } of batch) {
      const length = Buffer.byteLength(text) - 1;
      this.#side(state).set(key, { offset, length, state });
      offset += length + 1;
      onWritten?.();
    }
    const hasWork = batch.length > 1 || batch[0]?.onWritten || this.#pending.length > 0 || this.#inbox.size > 1;
    try {
      await this.#segment.sync(!hasWork);
      if (!this.#segment.isInPlace) this.#begin();
    } catch (error) {
      for (const [n, { state, key }] of batch.entries()) {
        const old = before[n];
        if (old) this.#side(state).set(key, old);
        else this.#side(state).delete(key);
      }
      // It's unknown which lines of this segment are on disk, so the next one gets what was durable before.
      if (!this.#tryToBegin()) this.#takeBack(batch);
      for (const { reject } of batch) reject(toStorageError(error));
      return;
    }
    for (const { resolve } of batch) resolve();
  }

  /** Drops what wasn't durable before. What was must stay in the log, so its newer value stays. */
  #takeBack(batch: readonly PendingPut[]): void {
    for (const { state, key } of batch) if (!this.#side(state).has(key)) this.#note({ op: 'drop', state, key });
  }

  /** Returns the offset of `text`. */
  #write(text: string): number {
    const before = this.#unwritten;
    const offset = this.#segment.append(before + text);
    this.#unwritten = '';
    return offset + Buffer.byteLength(before);
  }

  #note = (line: LogLine): void => this.#writeNote(lineText(line));

  #writeNote(text: string): void {
    try {
      this.#write(text);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      // The disk is full: memory has the change, and it is written before the next line.
      this.#unwritten += text;
    }
  }

  #isOver(): boolean {
    return this.#segment.size - this.#carried > this.#segmentBytes || segmentDay(this.#segment.name) < today();
  }

  /** Returns false when the disk can't hold a new segment; the log then continues with this one. */
  #tryToBegin(): boolean {
    try {
      this.#begin();
      return true;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return false;
    }
  }

  /**
   * Begins a new segment with everything unfinished.
   * @throws a system error, with nothing changed
   */
  #begin(): void {
    const next = startNextSegment(this.#folder, this.#segment, today(), {
      entries: [...this.#inbox, ...this.#outbox],
      finished: this.#finished,
      valueAt: (entry) => this.#valueAt(entry),
    });
    this.#segment.close();
    this.#segment = next;
    this.#carried = next.size;
    this.#finished = [];
    this.#unwritten = '';
  }
}
