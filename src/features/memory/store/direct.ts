/**
 * Searches without an index file, if none is wanted or possible: builds the same index in this process's memory and
 * updates it from the files before each search, so that the results are the same.
 */

import { createLru } from '../../../lib/lru.ts';
import type { MemoryHit } from '../../../runtime/contract/memory.ts';
import { type IndexDb, openIndexInMemory } from './index/db.ts';
import { queryIndex } from './index/query.ts';
import { updateIndex } from './index/update.ts';
import type { MemoryFile } from './memory-files.ts';

const MAX_BYTES = 2 * 1024 * 1024;
/** The total size of files whose indexes are kept for the next search, in bytes. */
const KEPT_BYTES = 2 * MAX_BYTES;
const kept = createLru<{ db: Promise<IndexDb>; bytes: number }>(KEPT_BYTES, ({ bytes }) => bytes + 1);

/**
 * Returns the hits, and how many older files were left out to limit the cost.
 * @param folder identifies the memory
 * @param files newest first; read up to 2 MB
 */
export async function searchDirect(
  folder: string,
  files: readonly MemoryFile[],
  query: string,
  limit: number,
): Promise<{ hits: MemoryHit[]; left: number }> {
  let bytes = 0;
  let count = 0;
  for (const { size } of files) {
    if (bytes + size > MAX_BYTES) break;
    bytes += size;
    count++;
  }
  const read = files.slice(0, count);
  const opened = kept.get(folder)?.db ?? openIndexInMemory();
  kept.set(folder, { db: opened, bytes });
  const db = await opened;
  await updateIndex(db, read);
  const sources = new Set(read.map(({ source }) => source));
  const hits = await queryIndex({ db }, { query, by: undefined, sources, limit });
  return { hits, left: files.length - count };
}
