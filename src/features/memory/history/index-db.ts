/**
 * Indexes the conversations with one viber: which words are in which lines of which sessions. The index is derived and
 * holds no text: the search reads what it shows from the session. Each short transaction continues from the position in
 * the session's row, so an update may be interrupted anywhere, or done by two processes at once.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import { setImmediate as pause } from 'node:timers/promises';
import { hashText } from '../../../lib/files.ts';
import { indexWords } from '../../../lib/words.ts';
import type { Session, SessionLine } from '../../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../../workspace/types.ts';
import { type IndexDb, wordTable } from '../store/index/db.ts';

/** `read` is the offset up to which a session is indexed, `tail` a hash of what is before it. */
export const HISTORY: readonly string[] = [
  `CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  task TEXT NOT NULL UNIQUE,
  stamp TEXT NOT NULL,
  read INTEGER NOT NULL,
  tail TEXT NOT NULL,
  epoch INTEGER NOT NULL
)`,
  `CREATE TABLE lines (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  place INTEGER NOT NULL,
  at INTEGER NOT NULL,
  run TEXT NOT NULL,
  kind TEXT NOT NULL,
  person TEXT NOT NULL,
  shared INTEGER NOT NULL
)`,
  'CREATE INDEX lines_of ON lines(session, run)',
  wordTable('lines_fts'),
  'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)',
];

/** How long the event loop may be blocked, in ms. */
const SLICE_MS = 12;
const SPAN_BYTES = 128 * 1024;
const TAIL_BYTES = 256;
/** The most words of a line to index. */
const MAX_TEXT = 100_000;
/** The most lines that one transaction removes. */
const FORGOTTEN = 200;
const NEWLINE = 0x0a;
/** The stamp of a session that isn't completely indexed. */
const UNFINISHED = '0 0 0';
/** The number of IDs per millisecond, and how many of them to try. */
const [SLOTS, TRIES] = [1_000, 8];
/** IDs must remain safe integers. */
const LATEST = 4_000_000_000_000;

export interface KnownSession {
  id: number;
  stamp: string;
  read: number;
  tail: string;
  epoch: number;
}

/** Returns what a person or the viber said; undefined for lines that aren't searched. */
export function wordsOfLine(entry: SessionEntry): string | undefined {
  if (entry.type === 'result') return entry.text === '' ? undefined : entry.text.slice(0, MAX_TEXT);
  if (entry.type !== 'message' || entry.isJob || entry.from.channel === 'agent') return undefined;
  const titles = entry.files.map(({ title }) => title);
  return [(entry.said ?? entry.text).slice(0, MAX_TEXT), ...titles].join('\n');
}

const sessionRow = ({ sql }: IndexDb, task: string): KnownSession | undefined => {
  const row = sql('SELECT id, stamp, read, tail, epoch FROM sessions WHERE task = ?').get(task);
  return row && toKnown(row);
};

const toKnown = (row: Record<string, unknown>): KnownSession => ({
  id: Number(row.id),
  stamp: String(row.stamp),
  read: Number(row.read),
  tail: String(row.tail),
  epoch: Number(row.epoch),
});

export function knownSessions(db: IndexDb): Promise<Map<string, KnownSession>> {
  return db.read(
    () =>
      new Map(
        db
          .sql('SELECT * FROM sessions')
          .all()
          .map((row) => [String(row.task), toKnown(row)]),
      ),
  );
}

const stampOf = ({ ino, size, mtimeMs }: fs.Stats): string => `${ino} ${size} ${mtimeMs}`;

/**
 * Brings the rows of one session up to date; removes those of a session that is gone.
 * @param isDoubted whether to rebuild its rows even if its stamp is unchanged
 */
export async function updateSession(
  db: IndexDb,
  task: string,
  session: Session,
  { signal, isDoubted = false }: { signal?: AbortSignal; isDoubted?: boolean } = {},
): Promise<void> {
  const stat = fs.statSync(session.file, { throwIfNoEntry: false });
  let row = await db.read(() => sessionRow(db, task));
  if (!stat?.isFile()) return row && forgetSession(db, task, signal);
  if (row && !isDoubted && row.stamp === stampOf(stat)) return;
  const hasGrown = row && stat.size > Number(row.stamp.split(' ')[1]);
  if (row && (isDoubted || !hasGrown || row.tail !== tailOf(session.file, row.read))) {
    await forgetSession(db, task, signal);
    row = undefined;
  }
  for (;;) {
    signal?.throwIfAborted();
    if (row && row.read < 0) {
      await forgetSession(db, task, signal);
      row = undefined;
    }
    const from = row?.read ?? 0;
    const span = session.span(from, SPAN_BYTES);
    const end = span ? wholeEnd(session.file, from, span.end) : from;
    const isLast = !span || end === from || span.end >= span.size;
    const stamp = isLast ? stampOf(stat) : UNFINISHED;
    const lines = (span?.lines ?? []).filter(({ offset }) => offset < end);
    row = await db.write(() => putLines(db, { task, file: session.file, from, lines, stamp, end }));
    // Another process may have got further.
    if (isLast && row.read === end) return;
    await pause();
  }
}

interface LineBatch {
  task: string;
  file: string;
  from: number;
  end: number;
  lines: readonly SessionLine[];
  /** The file's stamp, once all of it is indexed. */
  stamp: string;
}

/** Returns the session's updated row. */
function putLines(db: IndexDb, { task, file, from, end, lines, stamp }: LineBatch): KnownSession {
  const { sql } = db;
  const before = sessionRow(db, task);
  if ((before?.read ?? 0) !== from) return before ?? { id: 0, stamp: '', read: 0, tail: '', epoch: 0 };
  const began = performance.now();
  sql(
    `INSERT INTO sessions (task, stamp, read, tail, epoch) VALUES (?, '', ?, '', 0) ON CONFLICT (task) DO NOTHING`,
  ).run(task, from);
  const { id, epoch } = sessionRow(db, task) ?? { id: 0, epoch: 0 };
  let newest = epoch;
  const note = (read: number, seen: string): KnownSession => {
    const row = { id, stamp: seen, read, tail: tailOf(file, read), epoch: newest };
    sql('UPDATE sessions SET stamp = ?, read = ?, tail = ?, epoch = ? WHERE id = ?').run(
      ...[row.stamp, row.read, row.tail, row.epoch, id],
    );
    return row;
  };
  for (const [index, { offset, entry }] of lines.entries()) {
    // The next transaction continues at this line's offset.
    if (index > 0 && performance.now() - began > SLICE_MS) return note(offset, UNFINISHED);
    // As everywhere, a line from a former owner of the lane doesn't count.
    if ((entry.epoch ?? newest) < newest) continue;
    newest = entry.epoch ?? newest;
    putLine(db, id, offset, entry);
  }
  return note(end, stamp);
}

function putLine({ sql }: IndexDb, session: number, place: number, entry: SessionEntry): void {
  if (entry.type !== 'message' && entry.type !== 'result') return;
  const text = wordsOfLine(entry);
  const isJob = entry.type === 'message' && entry.isJob === true;
  if (text === undefined && !isJob) return;
  const at = Math.min(LATEST, Math.max(0, Date.parse(entry.at) || 0));
  const [person, shared] = entry.type === 'message' ? [entry.from.user, entry.isGroup === true ? 1 : 0] : ['', 0];
  const kind = isJob ? 'job' : entry.type;
  const put = sql('INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING');
  const isPut = (id: number) => put.run(id, session, place, at, entry.run, kind, person, shared).changes > 0;
  // IDs grow with time, so that the newest lines are found first.
  let id = at * SLOTS;
  for (let tries = 0; tries < TRIES && !isPut(id); tries++) id = at * SLOTS + randomInt(SLOTS);
  if (sql('SELECT place FROM lines WHERE id = ? AND session = ? AND place = ?').get(id, session, place) === undefined) {
    id = Number(sql('SELECT max(id) AS id FROM lines').get()?.id ?? 0) + 1;
    isPut(id);
  }
  if (text !== undefined) sql('INSERT INTO lines_fts (rowid, words) VALUES (?, ?)').run(id, indexWords(text).join(' '));
}

async function forgetSession(db: IndexDb, task: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const isDone = await db.write(() => {
      const { sql } = db;
      const row = sessionRow(db, task);
      if (!row) return true;
      // If another process is indexing it, it starts over.
      sql(`UPDATE sessions SET stamp = '${UNFINISHED}', read = -1 WHERE id = ?`).run(row.id);
      const lines = sql('SELECT id FROM lines WHERE session = ? LIMIT ?').all(row.id, FORGOTTEN);
      for (const { id } of lines) {
        sql('DELETE FROM lines_fts WHERE rowid = ?').run(Number(id));
        sql('DELETE FROM lines WHERE id = ?').run(Number(id));
      }
      if (lines.length === FORGOTTEN) return false;
      sql('DELETE FROM sessions WHERE id = ?').run(row.id);
      return true;
    });
    if (isDone) return;
    await pause();
  }
}

/** Returns a hash of the bytes before the offset. If it has changed, the file was rewritten. */
const tailOf = (file: string, end: number): string =>
  hashText(bytesOf(file, Math.max(0, end - TAIL_BYTES), end).toString('latin1'));

/** Returns the end of the last complete line: the next one may be half-written. */
function wholeEnd(file: string, from: number, end: number): number {
  if (bytesOf(file, end - 1, end)[0] === NEWLINE) return end;
  return from + bytesOf(file, from, end).lastIndexOf(NEWLINE) + 1;
}

function bytesOf(file: string, from: number, to: number): Buffer {
  if (to <= from || !fs.existsSync(file)) return Buffer.alloc(0);
  const fd = fs.openSync(file, 'r');
  try {
    const data = Buffer.alloc(to - from);
    return data.subarray(0, fs.readSync(fd, data, 0, data.length, from));
  } finally {
    fs.closeSync(fd);
  }
}
