/**
 * Brings an index up to its files. What is done is found out anew from the rows in every short transaction, so it may be cut off
 * anywhere, and done by two processes at once. A piece whose words have not changed keeps its row and its vector.
 */
import { setImmediate as pause } from 'node:timers/promises';
import { hashText } from '../../../lib/files.ts';
import { type Chunk, splitIntoChunks } from '../chunks.ts';
import { type MemoryFile, readMemoryFile } from '../memory-files.ts';
import { indexWords } from '../words.ts';
import type { IndexDb } from './db.ts';

/** How long the event loop is held at once. */
const SLICE_MS = 12;

export interface Update {
  /** Files read anew. */
  changed: number;
  /** Ids of rows that are no more. */
  removed: number[];
}

interface Known {
  stamp: string;
  hash: string;
}

/** Indexes what is new or changed, the oldest first, and forgets what is gone; what was done stays when `signal` cuts it off. */
export async function updateIndex(
  db: IndexDb,
  files: readonly MemoryFile[],
  { vectorOf, signal }: { vectorOf?: VectorOf | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Update> {
  const known = await db.read(
    () =>
      new Map(
        db
          .sql('SELECT source_file, stamp, hash FROM files')
          .all()
          .map((row): [string, Known] => [
            String(row.source_file),
            { stamp: String(row.stamp), hash: String(row.hash) },
          ]),
      ),
  );
  const sources = new Set(files.map(({ source }) => source));
  const update: Update = { changed: 0, removed: [] };
  let began = performance.now();
  // Also of many small steps, none of which waits for anything.
  const breathe = async () => {
    signal?.throwIfAborted();
    if (performance.now() - began < SLICE_MS) return;
    await pause();
    began = performance.now();
  };
  for (const source of known.keys()) {
    if (sources.has(source)) continue;
    update.removed.push(...(await forget(db, source)));
    await breathe();
  }
  for (const file of files.toReversed()) {
    const before = known.get(file.source);
    if (file.stamp !== '' && before?.stamp === file.stamp) continue;
    const removed = await indexMemoryFile(db, file, before?.hash, vectorOf);
    await breathe();
    if (removed === undefined) continue;
    update.changed++;
    update.removed.push(...removed);
  }
  return update;
}

/** A vector that is known for a piece already. */
export type VectorOf = (source: string, content: string) => Uint8Array | undefined;

/**
 * Indexes one file. Gives the ids of rows it removed, undefined when the text was known.
 * @param hash of the text that is indexed
 */
async function indexMemoryFile(
  db: IndexDb,
  file: MemoryFile,
  hash?: string,
  vectorOf?: VectorOf,
): Promise<number[] | undefined> {
  const text = readMemoryFile(file);
  // Gone since the folder was looked at: the next look forgets it.
  if (text === undefined) return undefined;
  const actual = hashText(text);
  if (actual === hash) {
    if (file.stamp !== '') await db.write(() => setFile(db, file, actual));
    return undefined;
  }
  const chunks = chunksOf(text);
  const removed: number[] = [];
  for (;;) {
    const slice = await db.write(() => applySlice(db, file, actual, chunks, vectorOf));
    removed.push(...slice.removed);
    if (slice.isDone) return removed;
    await pause();
  }
}

function setFile({ sql }: IndexDb, { source, stamp, day }: MemoryFile, hash: string): void {
  sql(
    `INSERT INTO files VALUES (?, ?, ?, ?)
     ON CONFLICT (source_file) DO UPDATE SET stamp = excluded.stamp, hash = excluded.hash, day = excluded.day`,
  ).run(source, stamp, hash, day);
}

interface Slice {
  isDone: boolean;
  removed: number[];
}

/** As much as fits into a slice; the file counts as indexed with the last one. */
function applySlice(
  db: IndexDb,
  file: MemoryFile,
  hash: string,
  chunks: readonly Chunk[],
  vectorOf: VectorOf | undefined,
): Slice {
  const { sql } = db;
  const began = performance.now();
  const isOver = () => performance.now() - began > SLICE_MS;
  const unfinished = (removed: number[]): Slice => {
    // Rows never stand without their file: a file that is gone takes them with it.
    setFile(db, { ...file, stamp: '' }, '');
    return { isDone: false, removed };
  };
  const rows = new Map<string, { id: number; metadata: string }[]>();
  for (const row of sql('SELECT id, content, metadata FROM chunks WHERE source_file = ?').all(file.source)) {
    const entry = { id: Number(row.id), metadata: String(row.metadata) };
    const same = rows.get(String(row.content));
    if (same) same.push(entry);
    else rows.set(String(row.content), [entry]);
  }
  for (const { text, line, section } of chunks) {
    const metadata = JSON.stringify(section === undefined ? { line } : { section, line });
    const row = rows.get(text)?.shift();
    if (row?.metadata === metadata) continue;
    if (isOver()) return unfinished([]);
    if (row) sql('UPDATE chunks SET metadata = ? WHERE id = ?').run(metadata, row.id);
    else insert(db, file.source, text, section, metadata, vectorOf?.(file.source, text) ?? NO_VECTOR);
  }
  const removed: number[] = [];
  for (const { id } of [...rows.values()].flat()) {
    if (isOver()) return unfinished(removed);
    remove(db, id);
    removed.push(id);
  }
  setFile(db, file, hash);
  return { isDone: true, removed };
}

const NO_VECTOR = new Uint8Array();

function insert(
  { sql }: IndexDb,
  source: string,
  text: string,
  section: string | undefined,
  metadata: string,
  vector: Uint8Array,
): void {
  const { lastInsertRowid: id } = sql(
    'INSERT INTO chunks (source_file, content, embedding, metadata) VALUES (?, ?, ?, ?)',
  ).run(source, text, vector, metadata);
  sql('INSERT INTO chunks_fts (rowid, words) VALUES (?, ?)').run(id, wordsOf(source, section, text).join(' '));
}

/** No file takes the place of the others: four times what one of full pieces has. */
const MAX_CHUNKS = 5_000;

/** The pieces of a file. What stands in a comment is for people: no prompt has it, so no search finds it. */
export const chunksOf = (text: string): Chunk[] => splitIntoChunks(blankComments(text)).slice(0, MAX_CHUNKS);

/** Line breaks stay, so that lines keep their numbers. */
function blankComments(text: string): string {
  let kept = '';
  let from = 0;
  for (let open = text.indexOf('<!--'); open !== -1; open = text.indexOf('<!--', from)) {
    const close = text.indexOf('-->', open + 4);
    if (close === -1) break;
    kept += text.slice(from, open) + text.slice(open, close).replace(/[^\n]+/g, '');
    from = close + 3;
  }
  return kept + text.slice(from);
}

/** A piece is found by the name of its file and its heading as well. */
export function wordsOf(source: string, section: string | undefined, text: string): string[] {
  const heading = section !== undefined && !text.startsWith('#') ? `${section}\n` : '';
  return indexWords(`${source.replace(/\.md$/i, '')}\n${heading}${text}`);
}

function remove({ sql }: IndexDb, id: number): void {
  sql('DELETE FROM chunks WHERE id = ?').run(id);
  sql('DELETE FROM chunks_fts WHERE rowid = ?').run(id);
}

async function forget(db: IndexDb, source: string): Promise<number[]> {
  const removed: number[] = [];
  for (;;) {
    const slice = await db.write((): Slice => {
      const began = performance.now();
      const gone: number[] = [];
      for (const row of db.sql('SELECT id FROM chunks WHERE source_file = ? LIMIT 1000').all(source)) {
        if (performance.now() - began > SLICE_MS) return { isDone: false, removed: gone };
        remove(db, Number(row.id));
        gone.push(Number(row.id));
      }
      if (gone.length > 0) return { isDone: false, removed: gone };
      db.sql('DELETE FROM files WHERE source_file = ?').run(source);
      return { isDone: true, removed: gone };
    });
    removed.push(...slice.removed);
    if (slice.isDone) return removed;
    await pause();
  }
}
