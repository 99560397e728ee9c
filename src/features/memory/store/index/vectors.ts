/**
 * The vectors of an index: finds pieces without one, and loads the copy in memory that is searched. Invariant: all
 * vectors of a file come from the model that its `meta` names, with the dimensions that it names; while that isn't so,
 * it names none.
 */

import { setImmediate as pause } from 'node:timers/promises';
import type { Embedder } from '../../../../runtime/contract/memory.ts';
import { fromBlob, toBlob, Vectors } from '../vectors.ts';
import { type IndexDb, readMeta, writeMeta } from './db.ts';

/** Pieces per request. 128 stay far below the providers' limits in any script. */
const BATCH = 128;
const ROWS = 250;
const NOTHING = new Uint8Array();

/**
 * Requests the missing vectors, newest pieces first, and stores each batch. Stored batches stay if it rejects.
 * @param onVector called with each vector that is now in the file
 */
export async function embedMissing(
  db: IndexDb,
  embedder: Embedder,
  options: { signal: AbortSignal; onVector?: (id: number, vector: Float32Array) => void },
): Promise<number> {
  const { signal, onVector } = options;
  let count = 0;
  let isCleared = false;
  await adoptModel(db, embedder.name);
  for (;;) {
    signal.throwIfAborted();
    const rows = await db.read(() =>
      db.sql('SELECT id, content FROM chunks WHERE length(embedding) = 0 ORDER BY id DESC LIMIT ?').all(BATCH),
    );
    if (rows.length === 0) return count;
    const texts = rows.map((row) => String(row.content));
    const vectors = await embedder.embed(texts, { signal });
    // Otherwise a missing vector would be requested forever.
    if (vectors.length !== texts.length)
      throw new Error(`the provider gave ${vectors.length} vectors for ${texts.length} texts`);
    const given = vectors.find((vector) => vector !== undefined)?.length;
    // If the provider changes dimensions with each call, keep the first and store the others as zeros.
    const dimensions = isCleared ? dimensionsOf(db) || given : (given ?? dimensionsOf(db));
    if (!dimensions) throw new Error('the provider refused every text');
    if (!(await db.write(() => hasDimensions(db, dimensions)))) {
      await clear(db, embedder.name);
      isCleared = true;
      continue;
    }
    // A refused text is never retried: zeros match nothing.
    const stored = vectors.map((vector) => (vector?.length === dimensions ? vector : new Float32Array(dimensions)));
    await db.write(() => {
      if (readMeta(db, 'model') !== embedder.name) return;
      const update = db.sql('UPDATE chunks SET embedding = ? WHERE id = ? AND content = ?');
      for (const [index, vector] of stored.entries()) {
        update.run(toBlob(vector), Number(rows[index]?.id), texts[index] ?? '');
      }
    });
    for (const [index, vector] of stored.entries()) onVector?.(Number(rows[index]?.id), vector);
    count += rows.length;
    await pause();
  }
}

export const dimensionsOf = (db: IndexDb): number => Number(readMeta(db, 'dimensions') ?? 0);

/** Sets the dimensions with the first vectors, then checks them. */
function hasDimensions(db: IndexDb, dimensions: number): boolean {
  const known = dimensionsOf(db);
  if (known === 0) writeMeta(db, 'dimensions', String(dimensions));
  return known === 0 || known === dimensions;
}

async function adoptModel(db: IndexDb, model: string): Promise<void> {
  if ((await db.read(() => readMeta(db, 'model'))) !== model) await clear(db, model);
}

/** Deletes every vector. If interrupted, the file names no model, and the deletion is repeated. */
async function clear(db: IndexDb, model: string): Promise<void> {
  await db.write(() => {
    writeMeta(db, 'model', '');
    writeMeta(db, 'dimensions', '0');
  });
  for (let after = 0; ; ) {
    const last = await db.write(() => {
      const page = db.sql('SELECT max(id) AS last FROM (SELECT id FROM chunks WHERE id > ? ORDER BY id LIMIT ?)');
      const id = page.get(after, ROWS)?.last;
      if (typeof id !== 'number') return undefined;
      db.sql('UPDATE chunks SET embedding = ? WHERE id > ? AND id <= ?').run(NOTHING, after, id);
      return id;
    });
    if (last === undefined) break;
    after = last;
    await pause();
  }
  await db.write(() => writeMeta(db, 'model', model));
}

/** Loads the vectors of the file, a page at a time. Returns undefined if it has none of this model. */
export async function loadVectors(db: IndexDb, model: string): Promise<Vectors | undefined> {
  const dimensions = await db.read(() => (readMeta(db, 'model') === model ? dimensionsOf(db) : 0));
  if (dimensions === 0) return undefined;
  const held = await db.read(() => Number(db.sql('SELECT count(*) AS n FROM chunks').get()?.n));
  const vectors = new Vectors(dimensions, held + ROWS);
  const page = 'SELECT id, embedding FROM chunks WHERE id > ? AND length(embedding) = ? ORDER BY id LIMIT ?';
  for (let after = 0; ; ) {
    const rows = await db.read(() => db.sql(page).all(after, dimensions * 4, ROWS));
    for (const { id, embedding } of rows) {
      after = Number(id);
      if (embedding instanceof Uint8Array) vectors.set(after, fromBlob(embedding));
    }
    if (rows.length < ROWS) return vectors;
    await pause();
  }
}
