/**
 * Sessions: `agents/{viber}/sessions/{taskId}.jsonl`, one JSON object per line, the first one a header, never
 * rewritten. Reading costs only what is read, from the end or from an offset.
 */
import fs from 'node:fs';
import path from 'node:path';
import { appendInFolder, syncFile, syncFolder } from '../../lib/files.ts';
import type { Home } from '../home.ts';
import type { SessionEntry } from '../types.ts';
import { type OnCorrupt, quarantineTail, type SessionLine } from './session-lines.ts';
import { type Compaction, findCompaction, readSpan, type SessionSpan, uncoveredFrom } from './session-search.ts';
import { addLines, appendInStep, emptyWindow, isInStep, keep, openTail, statOwn, windows } from './session-window.ts';

const FIRST_BYTES = 32 * 1024;
const DEFAULT_BYTES = 256 * 1024;
/** The part that requests look at, for each `WINDOW_TOKENS` of their history: results of tools are stored whole. */
const WINDOW = { maxBytes: DEFAULT_BYTES, maxEntries: 200 };
const WINDOW_TOKENS = 25_000;
/** How far back to search for a run that may not exist, in bytes. */
const SEARCH_BYTES = 8 * 1024 * 1024;

export interface SessionTail {
  entries: readonly SessionEntry[];
  isWhole: boolean;
}

interface TailOptions {
  maxBytes?: number;
  maxEntries?: number;
  onCorrupt?: OnCorrupt;
}

export class Session {
  readonly file: string;
  readonly #taskId: string;
  readonly #viber: string;

  /** @param part the run that this session is for, if that run works on a part of another one */
  constructor(home: Home, taskId: string, viber: string, part?: string) {
    this.file = home.sessionPath(viber, taskId, part);
    this.#taskId = taskId;
    this.#viber = viber;
  }

  /** Moves a line torn by a crash to `<file>.bad` first. The entries stay in memory: don't change them afterwards. */
  async append(entries: SessionEntry[], options: { sync?: boolean; onCorrupt?: OnCorrupt } = {}): Promise<void> {
    if (entries.length === 0) return;
    const { file } = this;
    if (await appendInStep(file, entries, options.sync)) return;
    const before = statOwn(file);
    let window = before && windows.get(file);
    if (window && before && !isInStep(window, before)) window = undefined;
    if (before && !window?.isWhole) {
      quarantineTail(file, options.onCorrupt);
      window = undefined;
    }
    const isNew = !before || (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
    const createdAt = new Date().toISOString();
    const header: SessionEntry = { type: 'session', version: 1, taskId: this.#taskId, viber: this.#viber, createdAt };
    const all = isNew ? [header, ...entries] : entries;
    const texts = all.map((entry) => JSON.stringify(entry));
    windows.delete(file);
    const { offset } = appendInFolder(file, texts);
    const after = fs.statSync(file);
    const kept = window ?? { ...emptyWindow(after), start: offset };
    addLines(kept, all, texts, offset);
    keep(file, kept, after);
    if (!options.sync) return;
    await syncFile(file);
    if (isNew) await syncFolder(path.dirname(file));
  }

  /**
   * Returns the last entries without the header: from the last `maxBytes` (but at least one line), at most
   * `maxEntries`. They are shared: don't change them.
   */
  tail(options: TailOptions = {}): SessionEntry[] {
    return this.#end(options).entries;
  }

  /**
   * Returns the part that a request looks at: the end, the last compaction wherever it is, and all of `run`. The cost
   * doesn't depend on the session's length.
   * @param maxTokens how much of it may go into a request
   */
  window(run?: string, maxTokens = WINDOW_TOKENS): SessionTail {
    const parts = Math.max(1, Math.ceil(maxTokens / WINDOW_TOKENS));
    const most = { maxBytes: parts * WINDOW.maxBytes, maxEntries: parts * WINDOW.maxEntries };
    const { entries, size } = this.#end(most);
    const isWhole = entries.length < most.maxEntries && size <= most.maxBytes;
    if (isWhole) return { entries, isWhole };
    // A compaction may precede one very long run, or be old because models failed to make a newer one.
    const last = entries.some((entry) => entry.type === 'compaction') ? undefined : this.compaction();
    const all = last ? [last.entry, ...entries] : entries;
    const own = all.filter((entry) => 'run' in entry && entry.run === run);
    // The run is long, or was interrupted while a person thought about it.
    const isCut = run !== undefined && own.length > 0 && !own.some((entry) => entry.type === 'message');
    return { entries: isCut ? [...all.filter((entry) => !own.includes(entry)), ...this.run(run)] : all, isWhole };
  }

  /** Returns the entries of a run, however long it is. A run without an entry in the last 8 MB counts as missing. */
  run(run: string): SessionEntry[] {
    const tail = openTail(this.file);
    if (tail === undefined) return [];
    for (let bytes = FIRST_BYTES; ; bytes *= 4) {
      const lines: SessionLine[] = tail.last(bytes);
      const first = lines.findIndex(({ entry }) => 'run' in entry && entry.run === run);
      // A run begins with a message. Others may come between its entries while it waits for a person, so an earlier
      // entry of another run isn't enough.
      const begins = lines[first]?.entry.type === 'message';
      const hasStart = begins && lines.slice(0, first).some(({ entry }) => 'run' in entry);
      if (hasStart || bytes >= tail.size || (first === -1 && bytes >= SEARCH_BYTES)) {
        tail.keep();
        return lines.flatMap(({ entry }) => ('run' in entry && entry.run === run ? [entry] : []));
      }
    }
  }

  /** Returns whole lines from `from` on, within `maxBytes` but at least one; undefined if no line begins there. */
  span(from: number, maxBytes: number): SessionSpan | undefined {
    return readSpan(this.file, from, maxBytes);
  }

  /** Each part of the file is searched only once. */
  compaction(): Compaction | undefined {
    return findCompaction(this.file);
  }

  /**
   * Returns the offset after which entries aren't covered; 0 when neither `covers` nor the run it names leads there.
   */
  uncoveredFrom(compaction: Compaction): number {
    return uncoveredFrom(this.file, compaction);
  }

  #end(options: TailOptions): { entries: SessionEntry[]; size: number } {
    const { maxBytes = DEFAULT_BYTES, maxEntries = Number.POSITIVE_INFINITY } = options;
    const tail = openTail(this.file, options.onCorrupt);
    if (tail === undefined) return { entries: [], size: 0 };
    // Don't read more of the file than it takes to find that many.
    const isRead = maxEntries !== Number.POSITIVE_INFINITY && !tail.covers(maxBytes);
    for (let bytes = isRead ? Math.min(FIRST_BYTES, maxBytes) : maxBytes; ; bytes = Math.min(bytes * 2, maxBytes)) {
      const lines = tail.last(bytes);
      const entries: SessionEntry[] = [];
      for (let at = lines.length - 1; at >= 0 && entries.length < maxEntries; at--) {
        const entry = lines[at]?.entry;
        if (entry && entry.type !== 'session') entries.push(entry);
      }
      if (entries.length >= maxEntries || bytes >= maxBytes || bytes >= tail.size) {
        tail.keep();
        return { entries: entries.reverse(), size: tail.size };
      }
    }
  }
}
