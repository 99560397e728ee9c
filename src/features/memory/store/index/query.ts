/** Queries an index by words with SQLite's FTS5 and by meaning over the vectors, and fuses the two lists. */

import type { SQLOutputValue } from 'node:sqlite';
import { queryTerms } from '../../../../lib/words.ts';
import type { MemoryHit, Piece } from '../../../../runtime/contract/memory.ts';
import { fuse, type RankedPiece, toMetadata } from '../rank.ts';
import { cosine, fromBlob, type Vectors } from '../vectors.ts';
import type { IndexDb } from './db.ts';

export interface IndexQuery {
  query: string;
  /** The query's vector and the model that made it. */
  by: { vector: Float32Array; model: string } | undefined;
  /** The files that may be shown. Rows of other files are outdated. */
  sources: ReadonlySet<string>;
  limit: number;
}

/** Without vectors, searches words only. */
interface QuerySource {
  db: IndexDb;
  vectors?(model: string): Promise<Vectors | undefined>;
}

/** The length of each list: more than are shown, because one piece may be in several files. */
const CANDIDATES = 60;
/** How many candidates are compared exactly. */
const NEAREST = 60;

export async function queryIndex(index: QuerySource, { query, by, sources, limit }: IndexQuery): Promise<MemoryHit[]> {
  const words = await byWords(index, query);
  const meanings = by ? await byMeaning(index, by.vector, by.model) : [];
  const pieces = await readPieces(
    index,
    [...words, ...meanings].map(({ id }) => id),
  );
  const shown = (id: number) => {
    const piece = pieces.get(id);
    return piece && sources.has(piece.source_file) ? piece : undefined;
  };
  return fuse([words, meanings], shown, limit);
}

async function byWords({ db }: QuerySource, query: string): Promise<RankedPiece[]> {
  // The words are quoted and contain only letters and digits, so none is syntax.
  const terms = queryTerms(query).map(({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`);
  if (terms.length === 0) return [];
  const rows = await db.read(() =>
    db
      .sql('SELECT rowid AS id, rank FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rank, rowid DESC LIMIT ?')
      .all(terms.join(' OR '), CANDIDATES),
  );
  return rows.map(({ id, rank }) => ({ id: Number(id), score: -Number(rank) }));
}

async function byMeaning(index: QuerySource, vector: Float32Array, model: string): Promise<RankedPiece[]> {
  const vectors = await index.vectors?.(model);
  if (vectors?.dimensions !== vector.length) return [];
  const ids = await vectors.nearest(vector, NEAREST);
  const exact = await index.db.read(() =>
    ids.map((id) => ({ id, row: index.db.sql('SELECT embedding FROM chunks WHERE id = ?').get(id) })),
  );
  const ranked = exact.map(({ id, row }) => ({ id, score: similarity(row?.embedding, vector) }));
  return ranked.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}

function similarity(blob: SQLOutputValue | undefined, vector: Float32Array): number {
  return blob instanceof Uint8Array && blob.length === vector.length * 4 ? cosine(fromBlob(blob), vector) : 0;
}

function readPieces({ db }: QuerySource, ids: readonly number[]): Promise<Map<number, Piece>> {
  const query = `SELECT content, source_file, metadata, (SELECT day FROM files f WHERE f.source_file = c.source_file) AS day
    FROM chunks c WHERE id = ?`;
  return db.read(() => {
    const pieces = new Map<number, Piece>();
    for (const id of ids) {
      const row = db.sql(query).get(id);
      if (!row) continue;
      const { content, source_file: source, day } = row;
      const piece = { content: String(content), source_file: String(source), metadata: toMetadata(row.metadata) };
      pieces.set(id, { ...piece, day: String(day ?? '') });
    }
    return pieces;
  });
}
