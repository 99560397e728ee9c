/**
 * One connection to a derived index, such as a viber's `memory.sqlite`. Because the file is derived, anybody may
 * delete, damage or replace it at any time, even another process. The caller then gets StaleIndex or DamagedIndex and
 * starts over. Transactions are short and never held across a pause; waiting for another process's transaction never
 * blocks this process's event loop. A rollback journal instead of a write-ahead log leaves only one file beside the
 * memory.
 */
import fs from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, errorMessage } from '../../../../errors.ts';
import { isDamagedDb, sqliteCode } from '../../../../lib/damage.ts';
import { freeSides, unusable } from '../../../../lib/database-places.ts';

/** Thrown if the file was deleted or replaced while this connection was open. */
export class StaleIndex extends Error {
  override name = 'StaleIndex';
}

/** Thrown if the file isn't a complete index of this program. */
export class DamagedIndex extends Error {
  override name = 'DamagedIndex';
}

export interface IndexDb {
  /** Prepares a statement, cached by its text. */
  sql(text: string): StatementSync;
  /** Runs the synchronous `work`; repeats it if another process was writing. */
  read<T>(work: () => T): Promise<T>;
  /** Like `read`, in one transaction: all or nothing. */
  write<T>(work: () => T): Promise<T>;
  /** Returns whether the path still leads to the file that this connection has open. */
  isCurrent(): boolean;
  close(): void;
}

/**
 * `chunks` and `idx_source` are the documented schema. The vectors are float32 in `embedding`, empty where missing;
 * vectors.ts compares them without loading an extension (10,000 vectors of 1,536 numbers take about 10 ms). `words`
 * holds the output of words.ts, so the tokenizer only splits at spaces.
 */
const MEMORY: readonly string[] = [
  `CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  source_file TEXT NOT NULL,
  content TEXT NOT NULL,
  embedding BLOB NOT NULL,
  created_at TEXT DEFAULT CURRENT_TIMESTAMP,
  metadata JSON
)`,
  'CREATE INDEX idx_source ON chunks(source_file)',
  'CREATE INDEX idx_unembedded ON chunks(id) WHERE length(embedding) = 0',
  wordTable('chunks_fts'),
  'CREATE TABLE files (source_file TEXT PRIMARY KEY, stamp TEXT NOT NULL, hash TEXT NOT NULL, day TEXT NOT NULL)',
  'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)',
];

/** A table that finds rows by the words of `lib/words.ts`, without storing them. */
export function wordTable(name: string): string {
  return `CREATE VIRTUAL TABLE ${name} USING fts5(words, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2 categories 'L* N* M* Co'")`;
}

/** Losing the files beside the index does no harm. */
const SIDES = { lost: 'nothing', next: 'Search still works.' };

const BUSY = 5;
const DB_MOVED = 1032;
const BUSY_STEP_MS = 4;
const BUSY_MAX_MS = 10_000;

function translate(error: unknown): unknown {
  if (error instanceof StaleIndex || error instanceof DamagedIndex) return error;
  const code = sqliteCode(error);
  // If another call of this process closed the connection, it reports ERR_INVALID_STATE.
  if (code === DB_MOVED || errorCode(error) === 'ERR_INVALID_STATE')
    return new StaleIndex(errorMessage(error), { cause: error });
  if (isDamagedDb(error)) return new DamagedIndex(errorMessage(error), { cause: error });
  return error;
}

/** Retries `work` while another process is writing, and translates errors to those of this module. */
async function patiently<T>(work: () => T): Promise<T> {
  const until = Date.now() + BUSY_MAX_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const code = sqliteCode(error);
      if (code === undefined || (code & 0xff) !== BUSY || Date.now() > until) throw translate(error);
    }
    await sleep(BUSY_STEP_MS);
  }
}

/**
 * Opens the file, creating it (0600) if missing. With `isScratch`, nobody else knows of it, and it is worthless until
 * it is complete.
 * @throws DamagedIndex, or an error of the system or SQLite if the place can't be written
 */
export async function openIndexDb(
  file: string,
  { isScratch = false, schema = MEMORY }: { isScratch?: boolean; schema?: readonly string[] } = {},
): Promise<IndexDb> {
  const { DatabaseSync } = await import('node:sqlite');
  const why = unusable(file);
  if (why !== undefined) throw new DamagedIndex(`it ${why}`);
  freeSides(file, SIDES);
  const { O_CREAT, O_RDWR, O_NOFOLLOW } = fs.constants;
  const fd = fs.openSync(file, O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
  const { ino, dev, size } = fs.fstatSync(fd);
  fs.closeSync(fd);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0, defensive: true });
    const opened = wrapDatabase(db, () => {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      return stat?.ino === ino && stat.dev === dev;
    });
    // Not synced: at worst, a power cut damages the file, which is then rebuilt. Deleted text is overwritten.
    const journal = isScratch ? 'OFF' : 'DELETE';
    const pragmas = `PRAGMA journal_mode = ${journal}; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON`;
    await patiently(() => db?.exec(`PRAGMA trusted_schema = OFF; ${pragmas}`));
    await opened.write(() => prepareSchema(opened, size, schema));
    return opened;
  } catch (error) {
    db?.close();
    throw translate(error);
  }
}

export async function openIndexInMemory(): Promise<IndexDb> {
  const { DatabaseSync } = await import('node:sqlite');
  const opened = wrapDatabase(new DatabaseSync(':memory:', { defensive: true }), () => true);
  await opened.write(() => prepareSchema(opened, 0, MEMORY));
  return opened;
}

/** @param isInPlace whether the file is still the one that was opened */
function wrapDatabase(db: DatabaseSync, isInPlace: () => boolean): IndexDb {
  const statements = new Map<string, StatementSync>();
  let isOpen = true;

  const isCurrent = () => isOpen && isInPlace();

  function transaction<T>(work: () => T): T {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Replacing the file takes this same lock, so from here on it stays in place.
      if (!isCurrent()) throw new StaleIndex('the index was replaced');
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  return {
    sql(text) {
      const known = statements.get(text);
      if (known) return known;
      const made = db.prepare(text);
      statements.set(text, made);
      return made;
    },
    read: (work) => patiently(work),
    write: (work) => patiently(() => transaction(work)),
    isCurrent,
    close() {
      if (!isOpen) return;
      isOpen = false;
      db.close();
    },
  };
}

/** Creates the tables in an empty file. A file with anything else, such as a trigger or a view, isn't ours. */
function prepareSchema({ sql }: IndexDb, sizeBefore: number, schema: readonly string[]): void {
  const rows = sql("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").all();
  if (rows.length === 0 && sizeBefore === 0) {
    for (const statement of schema) sql(statement).run();
    return;
  }
  const isShadow = (row: (typeof rows)[number]) => row.type === 'table' && /^\w+_fts_\w+$/.test(String(row.name));
  const own = rows.filter((row) => !isShadow(row)).map((row) => String(row.sql));
  const isOurs = own.length === schema.length && schema.every((statement) => own.includes(statement));
  const pages = Number(sql('PRAGMA page_count').get()?.page_count) * Number(sql('PRAGMA page_size').get()?.page_size);
  if (!isOurs || (sizeBefore > 0 && pages > sizeBefore)) throw new DamagedIndex('it has other tables, or is cut short');
}

export function readMeta({ sql }: IndexDb, key: string): string | undefined {
  const value = sql('SELECT value FROM meta WHERE key = ?').get(key)?.value;
  return typeof value === 'string' ? value : undefined;
}

export function writeMeta({ sql }: IndexDb, key: string, value: string): void {
  sql('INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value').run(key, value);
}
