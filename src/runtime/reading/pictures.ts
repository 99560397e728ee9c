/** Pictures made fit for a model, each in a thread of its own: what is in them is anybody's. */
import { stat } from 'node:fs/promises';
import { createLru } from '../../lib/lru.ts';
import { createThreads, ThreadError } from '../../lib/thread.ts';

export interface Redrawing {
  path: string;
  /** As its bytes have it. */
  type: string;
  /** To be drawn as, before it is turned. */
  width: number;
  height: number;
  /** As cameras note it, see `Picture`: what is drawn stands upright, since that note is lost. */
  turn?: number;
}

/** Where the bundled program keeps it. */
const FILE = import.meta.filename.endsWith('.ts') ? './pictures/worker.ts' : './picture-worker.js';

const inThread = createThreads<Redrawing, Uint8Array>(new URL(FILE, import.meta.url), {
  ...{ timeoutMs: 20_000, memoryMb: 256, atOnce: 1 },
});

/** A picture of before is shown again with each message for a while. */
const MAX_KEPT_BYTES = 20_000_000;
const kept = createLru<Buffer>(MAX_KEPT_BYTES, ({ length }) => length);

/** A PNG of that size; undefined when there is no picture in the file, or it takes too much to draw it. */
export async function redrawn(picture: Redrawing, signal: AbortSignal): Promise<Buffer | undefined> {
  const { mtimeMs, size } = await stat(picture.path);
  const key = JSON.stringify([picture, mtimeMs, size]);
  const before = kept.get(key);
  if (before) return before;
  try {
    const drawn = Buffer.from(await inThread(picture, signal));
    kept.set(key, drawn);
    return drawn;
  } catch (error) {
    if (error instanceof ThreadError) return undefined;
    throw error;
  }
}
