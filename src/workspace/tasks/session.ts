/**
 * Sessions: `agents/{viber}/sessions/{taskId}.jsonl`, one JSON object per line, the first one a header, never
 * rewritten. One writer per file. Reading costs only what is read, from the end or from an offset, and nothing while
 * the end is in memory.
 */
import fs from 'node:fs';
import path from 'node:path';
import { appendLinesSync, ensureDir, syncFile, syncFolder } from '../../lib/files.ts';
import type { Home } from '../home.ts';
import type { SessionEntry } from '../types.ts';
import { type OnCorrupt, quarantineTail, type SessionLine } from './session-lines.ts';
import { type Compaction, findCompaction, readSpan, type SessionSpan, uncoveredFrom } from './session-search.ts';
import { appendInStep, emptyWindow, isInStep, keep, openTail, statOwn, windows } from './session-window.ts';

const FIRST_BYTES = 32 * 1024;
const DEFAULT_BYTES = 256 * 1024;
/** The part that requests look at. */
const WINDOW = { maxBytes: DEFAULT_BYTES, maxEntries: 200 };
/** How far back to search for a run that may not exist, in bytes. */
const SEARCH_BYTES = 8 * 1024 * 1024;

/** The tail of a session, in the order of the file. */
export interface SessionTail {
  entries: readonly SessionEntry[];
  /** True when the session has no earlier entries. */
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

  constructor(home: Home, taskId: string, viber: string) {
    this.file = home.sessionPath(viber, taskId);
    this.#taskId = taskId;
    this.#viber = viber;
  }

  /**
   * Appends entries in one write, with the header first in a new file. Moves a line torn by a crash to `<file>.bad`
   * first. The entries stay in memory: don't change them afterwards.
   * @param options.sync whether they must survive a power cut when it resolves
   */
  async append(entries: SessionEntry[], options: { sync?: boolean; onCorrupt?: OnCorrupt } = {}): Promise<void> {
    if (entries.length === 0) return;
    const { file } = this;
    if (appendInStep(file, entries)) {
      if (options.sync) await syncFile(file);
      return;
    }
    const before = statOwn(file);
    let window = before && windows.get(file);
    if (window && before && !isInStep(window, before)) window = undefined;
    if (!before) await ensureDir(path.dirname(file));
    else if (!window?.isWhole) {
      quarantineTail(file, options.onCorrupt);
      window = undefined;
    }
    const isNew = (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
    const createdAt = new Date().toISOString();
    const header: SessionEntry = { type: 'session', version: 1, taskId: this.#taskId, viber: this.#viber, createdAt };
    const all = isNew ? [header, ...entries] : entries;
    const texts = all.map((entry) => JSON.stringify(entry));
    windows.delete(file);
    const { offset } = appendLinesSync(file, texts);
    const after = fs.statSync(file);
    const kept = window ?? { ...emptyWindow(after), start: offset };
    let at = offset;
    for (const [index, entry] of all.entries()) {
      kept.lines.push({ offset: at, entry });
      at += Buffer.byteLength(texts[index] ?? '') + 1;
    }
    keep(file, kept, after);
    if (!options.sync) return;
    await syncFile(file);
    if (isNew) await syncFolder(path.dirname(file));
  }

  /**
   * Returns the last entries in the order they were written, without the header: from the last `maxBytes` (but at least
   * one line), at most `maxEntries`. Damaged lines are skipped and reported to `onCorrupt`. The entries are shared:
   * don't change them.
   */
  tail(options: TailOptions = {}): SessionEntry[] {
    return this.#end(options).entries;
  }

  /**
   * Returns the part that requests look at: the end, the last compaction wherever it is, and all of `run`, even if it
   * began before the end. The cost doesn't depend on the session's length.
   */
  window(run?: string): SessionTail {
    const { entries, size } = this.#end(WINDOW);
    const isWhole = entries.length < WINDOW.maxEntries && size <= WINDOW.maxBytes;
    if (isWhole) return { entries, isWhole };
    // A compaction may precede one very long run, or be old because models failed to make a newer one.
    const last = entries.some((entry) => entry.type === 'compaction') ? undefined : this.compaction();
    const all = last ? [last.entry, ...entries] : entries;
    const own = all.filter((entry) => 'run' in entry && entry.run === run);
    // The run is long, or was interrupted while a person thought about it.
    const isCut = run !== undefined && own.length > 0 && !own.some((entry) => entry.type === 'message');
    return { entries: isCut ? [...all.filter((entry) => !own.includes(entry)), ...this.run(run)] : all, isWhole };
  }

  /**
   * Returns the entries of one run, in order. Runs are near the end of their session; one that isn't in the last 8 MB
   * counts as missing. A run that is found is read from its first entry, however long it is.
   */
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

  /**
   * Returns the whole lines that begin at `from` and end within `maxBytes` of it, but at least one. Undefined when
   * there is no such file, or no line begins there.
   */
  span(from: number, maxBytes: number): SessionSpan | undefined {
    return readSpan(this.file, from, maxBytes);
  }

  /** Returns the last compaction. Each part of the file is searched only once. */
  compaction(): Compaction | undefined {
    return findCompaction(this.file);
  }

  /**
   * Returns the offset after which entries aren't covered by a compaction; 0 when neither its `covers` nor the run it
   * names leads there.
   */
  uncoveredFrom(compaction: Compaction): number {
    return uncoveredFrom(this.file, compaction);
  }

  #end(options: TailOptions): { entries: SessionEntry[]; size: number } {
    const { maxBytes = DEFAULT_BYTES, maxEntries = Number.POSITIVE_INFINITY } = options;
    const tail = openTail(this.file, options.onCorrupt);
    if (tail === undefined) return { entries: [], size: 0 };
    const isCounted = maxEntries !== Number.POSITIVE_INFINITY;
    for (let bytes = isCounted ? Math.min(FIRST_BYTES, maxBytes) : maxBytes; ; bytes = Math.min(bytes * 2, maxBytes)) {
      const entries: SessionEntry[] = [];
      for (const { entry } of tail.last(bytes)) if (entry.type !== 'session') entries.push(entry);
      if (entries.length >= maxEntries || bytes >= maxBytes || bytes >= tail.size) {
        tail.keep();
        return { entries: entries.slice(Math.max(0, entries.length - maxEntries)), size: tail.size };
      }
    }
  }
}
