/**
 * Sessions: `agents/{viber}/sessions/{taskId}.jsonl`, one JSON object per line, the first one a header, never
 * rewritten. One writer per file. Reading costs only what is read, from the end or from an offset, and nothing while
 * the end is in memory.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { quarantine, reportOnce } from '../../lib/damage.ts';
import { appendLinesSync, ensureDir, syncFile, syncFolder } from '../../lib/files.ts';
import { createLru } from '../../lib/lru.ts';
import type { Home } from '../home.ts';
import type { SessionEntry } from '../types.ts';
import { NEWLINE, type OnCorrupt, parseLines, quarantineTail, readRange, type SessionLine } from './session-lines.ts';

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

/** How much of one session stays in memory, and of all together, in bytes of the files. */
const KEPT_BYTES = 512 * 1024;
const KEPT_ALL_BYTES = 8 * 1024 * 1024;

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = fs.constants;
/** Error codes when its folder was removed, or a pipe, a folder or another user's file took its place. */
const LOST = ['ENOENT', 'ENXIO', 'EISDIR', 'EACCES'];
/**
 * Keeps the ends of sessions in memory, in step with their files: reading costs nothing while nobody else has written,
 * and appending costs one write.
 */
export const windows = createLru<SessionWindow>(KEPT_ALL_BYTES, (window) => window.end - window.start + 1024);

/** The end of a session, read backwards, from the start of a line on. Offsets are bytes. */
interface SessionWindow {
  start: number;
  end: number;
  ctimeMs: number;
  ino: number;
  /** Whether the file ends with a line break, so that the next line can be appended directly. */
  isWhole: boolean;
  lines: SessionLine[];
}

/**
 * Appends in the common case: the end of the file is in memory and nobody else has written. Returns false otherwise.
 */
function appendInStep(file: string, entries: SessionEntry[]): boolean {
  const window = windows.get(file);
  if (!window?.isWhole || window.end === 0) return false;
  const fd = openToAppend(file);
  if (fd === undefined) return false;
  try {
    if (!isInStep(window, fs.fstatSync(fd))) return false;
    const texts = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    windows.delete(file);
    writeAt(fd, texts.join(''), window.end);
    let at = window.end;
    for (const [index, entry] of entries.entries()) {
      window.lines.push({ offset: at, entry });
      at += Buffer.byteLength(texts[index] ?? '');
    }
    keep(file, window, fs.fstatSync(fd));
    return true;
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Opens the file, creating a missing one empty, to be started like any new one; returns undefined when it can't be
 * opened as a file.
 */
function openToAppend(file: string): number | undefined {
  try {
    return fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  } catch (error) {
    if (!LOST.includes(errorCode(error) ?? '')) throw error;
    windows.delete(file);
    return undefined;
  }
}

/** Writes all of the text at the end of the file, or nothing when the disk is full. */
function writeAt(fd: number, text: string, end: number): void {
  const data = Buffer.from(text);
  try {
    for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at, data.length - at);
  } catch (error) {
    fs.ftruncateSync(fd, end);
    throw error;
  }
}

const ABOUT = { lost: 'what was said and done in a task', next: 'Its plan and artifacts are still there.', tell: true };

/** Returns the status of a file that can be read and appended to; quarantines anything else in its place. */
function statOwn(file: string): fs.Stats | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  const window = windows.get(file);
  // A file that was read before and is unchanged, including its mode, can be read.
  if (stat && window && stat.size > 0 && isInStep(window, stat)) return stat;
  const why = stat
    ? whyUnusable(file, stat)
    : fs.lstatSync(file, { throwIfNoEntry: false }) && 'is a link that leads nowhere';
  if (stat?.size === 0) reportOnce(`${file} is empty`, { ...ABOUT, file, why: 'is empty' });
  if (why === undefined) return stat;
  quarantine(file, why, ABOUT);
  return undefined;
}

function whyUnusable(file: string, stat: fs.Stats): string | undefined {
  if (!stat.isFile()) return 'is no regular file';
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'EACCES') return 'may not be read by this user';
    throw error;
  }
}

interface Tail {
  /** Returns the lines that begin in the last `bytes` of the file. */
  last(bytes: number): SessionLine[];
  /** Size of the whole file in bytes. */
  size: number;
  keep(): void;
}

function openTail(file: string, onCorrupt?: OnCorrupt): Tail | undefined {
  const stat = statOwn(file);
  if (stat === undefined || stat.size === 0) return undefined;
  const cached = windows.get(file);
  const window = cached && isInStep(cached, stat) ? cached : emptyWindow(stat);
  return {
    last(bytes) {
      extendWindow(file, window, stat.size - bytes, onCorrupt);
      const from = stat.size - bytes;
      // Searched from the end, so earlier lines cost nothing. One line longer than `bytes` is better than none.
      const lines = withoutStale(window.lines);
      const first = lines.findLastIndex(({ offset }) => offset < from) + 1;
      return lines.slice(Math.min(first, Math.max(0, lines.length - 1)));
    },
    size: stat.size,
    keep: () => keep(file, window, stat),
  };
}

/** Caches the window in step with the file, without its oldest lines if it has grown too long. */
export function keep(file: string, window: SessionWindow, stat: fs.Stats): void {
  const oldest = stat.size - KEPT_BYTES;
  const first = window.start < oldest ? window.lines.findIndex(({ offset }) => offset >= oldest) : 0;
  const lines = first === 0 ? window.lines : first === -1 ? window.lines.slice(-1) : window.lines.slice(first);
  const start = first === 0 ? window.start : (lines[0]?.offset ?? stat.size);
  windows.set(file, { ...window, start, lines, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino });
}

function emptyWindow(stat: fs.Stats): SessionWindow {
  return { start: stat.size, end: stat.size, ctimeMs: stat.ctimeMs, ino: stat.ino, isWhole: true, lines: [] };
}

/** Returns whether nobody else has written to the file since the window was made. */
function isInStep(window: SessionWindow, stat: fs.Stats): boolean {
  return window.end === stat.size && window.ctimeMs === stat.ctimeMs && window.ino === stat.ino;
}

/** Extends the window backwards until it begins at or before `wanted`, or at the first whole line after it. */
function extendWindow(file: string, window: SessionWindow, wanted: number, onCorrupt?: OnCorrupt): void {
  if (window.start <= wanted || window.start === 0) return;
  const fd = fs.openSync(file, 'r');
  try {
    let from = Math.max(0, wanted);
    let data = readRange(fd, from, window.start);
    // A line may be longer than requested: continue until one begins.
    while (from > 0 && [-1, data.length - 1].includes(data.indexOf(NEWLINE))) {
      const earlier = Math.max(0, from - Math.max(data.length, 4096));
      data = Buffer.concat([readRange(fd, earlier, from), data]);
      from = earlier;
    }
    const skip = from === 0 ? 0 : data.indexOf(NEWLINE) + 1;
    if (window.lines.length === 0 && window.start === window.end)
      window.isWhole = data.length === 0 || data.at(-1) === NEWLINE;
    window.lines = [...parseLines(file, data, skip, from, onCorrupt), ...window.lines];
    window.start = from + skip;
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Removes lines that an owner of the lane wrote after the next one began: a line with an epoch is void after one with a
 * higher epoch. Lines without an epoch always count. Returns the same array if nothing is void, as is nearly always the
 * case.
 */
function withoutStale(lines: SessionLine[]): SessionLine[] {
  let newest = 0;
  // Every message scans the lines in memory, so the usual case costs one comparison per line.
  for (const { entry } of lines) {
    if (typeof entry.epoch !== 'number') continue;
    if (entry.epoch < newest) return lines.filter(standing());
    newest = entry.epoch;
  }
  return lines;
}

function standing(): (line: SessionLine) => boolean {
  let newest = 0;
  return ({ entry: { epoch } }) => {
    if (typeof epoch !== 'number') return true;
    if (epoch < newest) return false;
    newest = epoch;
    return true;
  };
}

type CompactionEntry = Extract<SessionEntry, { type: 'compaction' }>;

interface SessionSpan {
  lines: SessionLine[];
  /** The start of the line after the span. */
  end: number;
  /** Size of the whole file. */
  size: number;
}

const CHUNK = 256 * 1024;
/** How far back to search for a compaction that may not exist, in bytes. */
const COMPACTION_BYTES = 16 * 1024 * 1024;

function readSpan(file: string, from: number, maxBytes: number): SessionSpan | undefined {
  return withFile(file, (fd, { size }) => {
    if (from > size || (from > 0 && readRange(fd, from - 1, from)[0] !== NEWLINE)) return undefined;
    let data = readRange(fd, from, Math.min(size, from + maxBytes));
    while (from + data.length < size && !data.includes(NEWLINE)) {
      const end = from + data.length;
      data = Buffer.concat([data, readRange(fd, end, Math.min(size, end + maxBytes))]);
    }
    const whole = from + data.length < size ? data.subarray(0, data.lastIndexOf(NEWLINE) + 1) : data;
    return { lines: withoutStale(parseLines(file, whole, 0, from)), end: from + whole.length, size };
  });
}

export interface Compaction {
  offset: number;
  entry: CompactionEntry;
}

interface KnownCompaction {
  ino: number;
  /** How many bytes were searched. */
  size: number;
  found: Compaction | undefined;
}

const compactions = createLru<KnownCompaction>(1_000);
const MARK = '\n{"type":"compaction"';

function findCompaction(file: string): Compaction | undefined {
  const result = withFile(file, (fd, { size, ino }) => {
    const before = compactions.get(file);
    const isSame = before !== undefined && before.ino === ino && before.size <= size;
    const from = isSame ? Math.max(0, before.size - 1) : Math.max(0, size - COMPACTION_BYTES);
    let found = isSame ? before.found : undefined;
    for (let at = lastIndexOf(fd, MARK, from, size); at !== undefined; at = lastIndexOf(fd, MARK, from, at)) {
      const entry = readSpan(file, at + 1, 64 * 1024)?.lines[0]?.entry;
      if (entry?.type !== 'compaction') continue;
      found = { offset: at + 1, entry };
      break;
    }
    compactions.set(file, { ino, size, found });
    return { found };
  });
  return result?.found;
}

export function uncoveredFrom(file: string, { offset, entry }: Compaction): number {
  const { covers = -1 } = entry;
  if (Number.isInteger(covers) && covers > 0 && covers <= offset && readSpan(file, covers, 1)) return covers;
  const ends = ['run', 'id'].map((name) =>
    withFile(file, (fd) => {
      const text = `"${name}":${JSON.stringify(entry.through)}`;
      const at = lastIndexOf(fd, text, Math.max(0, offset - COMPACTION_BYTES), offset);
      if (at === undefined) return undefined;
      const rest = readRange(fd, at, offset);
      const end = rest.indexOf(NEWLINE);
      return end === -1 ? offset : at + end + 1;
    }),
  );
  return Math.max(0, ...ends.filter((end) => end !== undefined));
}

/** Returns the last position in [from, to) where the text begins, reading backwards. */
function lastIndexOf(fd: number, text: string, from: number, to: number): number | undefined {
  const overlap = Buffer.byteLength(text) - 1;
  for (let end = to; end > from; end = Math.max(from, end - CHUNK)) {
    const start = Math.max(from, end - CHUNK);
    const at = readRange(fd, start, Math.min(to, end + overlap)).lastIndexOf(text);
    if (at !== -1) return start + at;
  }
  return undefined;
}

function withFile<T>(file: string, work: (fd: number, stat: fs.Stats) => T): T | undefined {
  if (!fs.existsSync(file)) return undefined;
  const fd = fs.openSync(file, 'r');
  try {
    return work(fd, fs.fstatSync(fd));
  } finally {
    fs.closeSync(fd);
  }
}
