/**
 * Updates an index from its files. Each short transaction works out the next step from the rows, so an update may be
 * interrupted anywhere, or done by two processes at once. A piece with unchanged text keeps its row and its vector.
 */
import { setImmediate as pause } from 'node:timers/promises';
import { hashText } from '../../../../lib/files.ts';
import { indexWords } from '../../../../lib/words.ts';
import { type Chunk, splitIntoChunks } from '../chunks.ts';
import { type MemoryFile, readMemoryFile } from '../memory-files.ts';
import type { IndexDb } from './db.ts';

/** How long the event loop may be blocked, in ms. */
const SLICE_MS = 12;

export interface Update {
  /** The number of files that were read again. */
  changed: number;
  /** IDs of deleted rows. */
  removed: number[];
}

interface IndexedFile {
  stamp: string;
  hash: string;
}

/** Indexes new and changed files, oldest first, and removes deleted ones. Completed steps stay when `signal` aborts. */
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
          .map((row): [string, IndexedFile] => [
            String(row.source_file),
            { stamp: String(row.stamp), hash: String(row.hash) },
          ]),
      ),
  );
  const sources = new Set(files.map(({ source }) => source));
  const update: Update = { changed: 0, removed: [] };
  let began = performance.now();
  // Also needed after many small steps that never wait.
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

export type VectorOf = (source: string, content: string) => Uint8Array | undefined;

/**
 * Indexes one file. Returns the IDs of removed rows, or undefined if the text was unchanged.
 * @param hash of the indexed text
 */
async function indexMemoryFile(
  db: IndexDb,
  file: MemoryFile,
  hash?: string,
  vectorOf?: VectorOf,
): Promise<number[] | undefined> {
  const text = readMemoryFile(file);
  // Deleted since the folder was listed: the next update removes it.
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

/** Applies as much as fits into a slice. The file counts as indexed after the last slice. */
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
    // Rows never exist without their file's row, so that a deleted file takes its rows along.
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
    removePiece(db, id);
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
  sql('INSERT INTO chunks_fts (rowid, words) VALUES (?, ?)').run(id, pieceWords(source, section, text).join(' '));
}

/** A limit per file, so that one doesn't crowd out the others: four times as many as a file of full pieces has. */
const MAX_CHUNKS = 5_000;

/** Splits a file into pieces. Comments are for people: no prompt contains them, so no search finds them. */
export const chunksOf = (text: string): Chunk[] => splitIntoChunks(blankComments(text)).slice(0, MAX_CHUNKS);

/** Keeps line breaks, so that line numbers don't change. */
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

/** Returns the words by which a piece is found, including its file name and heading. */
export function pieceWords(source: string, section: string | undefined, text: string): string[] {
  const heading = section !== undefined && !text.startsWith('#') ? `${section}\n` : '';
  return indexWords(`${source.replace(/\.md$/i, '')}\n${heading}${text}`);
}

function removePiece({ sql }: IndexDb, id: number): void {
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
        removePiece(db, Number(row.id));
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
