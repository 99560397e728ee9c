/** Pictures made fit for a model, each in a process of its own: what is in them is anybody's. */
import type { FileHandle } from 'node:fs/promises';
import { createLru } from '../../lib/lru.ts';
import { createProcesses, ProcessError } from '../../lib/worker-process.ts';

export interface Redrawing {
  /** As its bytes have it. */
  type: string;
  /** To be drawn as, before it is turned. */
  width: number;
  height: number;
  /** As cameras note it, see `Picture`: what is drawn stands upright, since that note is lost. */
  turn?: number;
}

/** Where the bundled program keeps it. */
const ENTRY = import.meta.filename.endsWith('.ts') ? './pictures/worker.ts' : './picture-worker.js';

const inProcess = createProcesses<Redrawing>(new URL(ENTRY, import.meta.url), {
  timeoutMs: 20_000,
  memoryMb: 1024,
  atOnce: 1,
});

/** A picture of before is shown again with each message for a while. */
const MAX_KEPT_BYTES = 20_000_000;
const kept = createLru<Buffer>(MAX_KEPT_BYTES, ({ length }) => length);

/** A PNG of that size; undefined when there is no picture in the file, or it takes too much to draw it. */
export async function redrawn(file: FileHandle, picture: Redrawing, signal: AbortSignal): Promise<Buffer | undefined> {
  const { dev, ino, mtimeMs, size } = await file.stat();
  const key = JSON.stringify([picture, dev, ino, mtimeMs, size]);
  const before = kept.get(key);
  if (before) return before;
  try {
    const { bytes: drawn } = await inProcess({ input: picture, file: file.fd, signal });
    kept.set(key, drawn);
    return drawn;
  } catch (error) {
    if (error instanceof ProcessError) return undefined;
    throw error;
  }
}
