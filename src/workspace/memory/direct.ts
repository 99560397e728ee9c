/**
 * Search without an index: the files are read, and their pieces ranked by BM25 as the index's words are. For small memories (M15),
 * for those who want no index, and where there can be none. Read files are kept for the next search while they are unchanged.
 */
import { setImmediate as pause } from 'node:timers/promises';
import { createLru } from '../../lib/lru.ts';
import type { Chunk } from './chunks.ts';
import { chunksOf, wordsOf } from './index/update.ts';
import { type MemoryFile, readMemoryFile } from './memory-files.ts';
import { fuse, type MemoryHit, type Piece, type Ranked } from './rank.ts';
import { queryTerms, type Term } from './words.ts';

interface Entry {
  chunk: Chunk;
  counts: ReadonlyMap<string, number>;
  length: number;
}

interface Parsed {
  stamp: string;
  size: number;
  entries: readonly Entry[];
}

const SLICE_MS = 10;
const MAX_BYTES = 2 * 1024 * 1024;
const KEPT_CHARS = 512 * 1024;
const parsed = createLru<Parsed>(KEPT_CHARS, ({ size }) => size + 100);
const [K1, B] = [1.2, 0.75];

export interface DirectResult {
  hits: MemoryHit[];
  /** Older files that were not looked at, to keep it bounded. */
  left: number;
}

/** @param files the newest first; as many as 2 MB hold are read */
export async function searchDirect(files: readonly MemoryFile[], query: string, limit: number): Promise<DirectResult> {
  const terms = queryTerms(query);
  const pieces: Piece[] = [];
  const entries: Entry[] = [];
  let bytes = 0;
  let read = 0;
  let began = performance.now();
  for (const file of files) {
    if (bytes + file.size > MAX_BYTES) break;
    bytes += file.size;
    read++;
    for (const entry of parse(file)) {
      const { text, ...metadata } = entry.chunk;
      entries.push(entry);
      pieces.push({ content: text, source_file: file.source, metadata, day: file.day });
    }
    if (performance.now() - began < SLICE_MS) continue;
    await pause();
    began = performance.now();
  }
  const ranked = rank(entries, terms);
  return { hits: fuse([ranked], (id) => pieces[id], limit), left: files.length - read };
}

function parse(file: MemoryFile): readonly Entry[] {
  const known = parsed.get(file.file);
  if (known && file.stamp !== '' && known.stamp === file.stamp) return known.entries;
  const chunks = chunksOf(readMemoryFile(file) ?? '');
  const entries = chunks.map((chunk): Entry => {
    const words = wordsOf(file.source, chunk.section, chunk.text);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { chunk, counts, length: words.length };
  });
  parsed.set(file.file, { stamp: file.stamp, size: file.size, entries });
  return entries;
}

function rank(entries: readonly Entry[], terms: readonly Term[]): Ranked[] {
  const average = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, entries.length);
  const scores = new Float64Array(entries.length);
  for (const term of terms) {
    const counts = entries.map((entry) => countOf(entry, term));
    const holding = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
    const weight = Math.log(1 + (entries.length - holding + 0.5) / (holding + 0.5));
    for (const [id, count] of counts.entries()) {
      if (count === 0) continue;
      const norm = K1 * (1 - B + (B * (entries[id]?.length ?? 0)) / average);
      scores[id] = (scores[id] ?? 0) + (weight * count * (K1 + 1)) / (count + norm);
    }
  }
  return [...scores.entries()]
    .filter(([, score]) => score > 0)
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 200);
}

function countOf({ counts }: Entry, { text, isPrefix }: Term): number {
  if (!isPrefix) return counts.get(text) ?? 0;
  let sum = 0;
  for (const [word, count] of counts) if (word.startsWith(text)) sum += count;
  return sum;
}
