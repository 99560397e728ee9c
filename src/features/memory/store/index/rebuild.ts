/**
 * Builds a new index beside the old one and swaps them atomically: a search sees one or the other. Only vectors of
 * pieces with the same text are kept, because vectors cost money. The file is replaced under the old one's write lock,
 * so no other process is in the middle of a transaction on it.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { errorCode } from '../../../../errors.ts';
import { syncFile } from '../../../../lib/files.ts';
import { ownerOf, ownMark } from '../../../../lib/processes.ts';
import type { MemoryFile } from '../memory-files.ts';
import { DamagedIndex, type IndexDb, openIndexDb, readMeta, StaleIndex, writeMeta } from './db.ts';
import { updateIndex, type VectorOf } from './update.ts';

const SCRATCH = /^memory\.sqlite\.new-(\d+(?:-[0-9a-f]{8})?)-[0-9a-f]+(-journal)?$/;
const BAD = '.bad';
const BAD_DAYS = 7;

/** @param now time of the build, in milliseconds since the epoch */
export async function rebuildInto(
  file: string,
  files: readonly MemoryFile[],
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const scratch = `${file}.new-${ownMark()}-${randomBytes(4).toString('hex')}`;
  const old = await openOld(file);
  try {
    const made = await openIndexDb(scratch, { isScratch: true });
    try {
      await updateIndex(made, files, { vectorOf: old && vectorsOf(old), signal });
      const names = ['model', 'dimensions'].map((key) => [key, old && readMeta(old, key)] as const);
      await made.write(() => {
        for (const [key, value] of names) if (value !== undefined) writeMeta(made, key, value);
        writeMeta(made, 'built_at', String(now));
      });
      await pause();
    } finally {
      made.close();
    }
    // Otherwise the rename would wait for the disk on the main thread.
    await syncFile(scratch);
    if (old) await old.write(() => fs.renameSync(scratch, file));
    else fs.renameSync(scratch, file);
  } catch (error) {
    fs.rmSync(scratch, { force: true });
    throw error;
  } finally {
    old?.close();
  }
}

/** Returns undefined if it is missing or damaged: there is nothing to keep, and nobody to wait for. */
async function openOld(file: string): Promise<IndexDb | undefined> {
  if (!fs.existsSync(file)) return undefined;
  try {
    return await openIndexDb(file);
  } catch (error) {
    if (!(error instanceof DamagedIndex) && !(error instanceof StaleIndex)) throw error;
    moveAside(file);
    return undefined;
  }
}

/** Looks up vectors by file and text. A damaged page loses the vectors on it, but not the new index. */
function vectorsOf(old: IndexDb): VectorOf {
  let current: { source: string; vectors: Map<string, Uint8Array> } | undefined;
  return (source, content) => {
    if (current?.source !== source) current = { source, vectors: readVectors(old, source) };
    return current.vectors.get(content);
  };
}

function readVectors({ sql }: IndexDb, source: string): Map<string, Uint8Array> {
  const vectors = new Map<string, Uint8Array>();
  const rows = sql('SELECT content, embedding FROM chunks WHERE source_file = ? AND length(embedding) > 0').all(source);
  for (const { content, embedding } of rows) {
    if (embedding instanceof Uint8Array) vectors.set(String(content), embedding);
  }
  return vectors;
}

/** Moves a damaged index to `memory.sqlite.bad`, replacing an earlier one. */
export function moveAside(file: string): void {
  for (const [from, to] of [
    [file, file + BAD],
    // If the journal stayed, SQLite would roll it back into the next file with that name.
    [`${file}-journal`, `${file}${BAD}-journal`],
  ] as const) {
    try {
      // A folder can't replace a file, nor a file a folder.
      if (fs.lstatSync(from, { throwIfNoEntry: false })) fs.rmSync(to, { recursive: true, force: true });
      fs.renameSync(from, to);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
}

/** Removes leftovers of interrupted rebuilds, and old damaged files; with `isAll`, the index itself too. */
export function clearLeftovers(file: string, now: number, isAll = false): void {
  const folder = path.dirname(file);
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    if (!name.startsWith(path.basename(file))) continue;
    const full = path.join(folder, name);
    const mark = SCRATCH.exec(name)?.[1];
    const ageDays = (now - (fs.statSync(full, { throwIfNoEntry: false })?.mtimeMs ?? now)) / 86_400_000;
    const isBad = name.startsWith(path.basename(file) + BAD) && ageDays > BAD_DAYS;
    const isLeft = mark !== undefined && (ownerOf(mark) === 'gone' || ageDays > 1);
    const isIndex = isAll && /^memory\.sqlite(-journal|\.bad(-journal)?)?$/.test(name);
    if (isBad || isLeft || isIndex) fs.rmSync(full, { recursive: true, force: true });
  }
}
