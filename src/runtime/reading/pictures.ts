/** Redraws pictures to fit a model, each in a separate process, since their content is untrusted. */
import type { FileHandle } from 'node:fs/promises';
import { createLru } from '../../lib/lru.ts';
import { createProcesses, ProcessError, type ProcessLimits } from '../../lib/worker-process.ts';

export interface Redrawing {
  /** The type by the file's content. */
  type: string;
  /** The drawn size in pixels, before the picture is turned. */
  width: number;
  height: number;
  /** The orientation from the camera, see `Picture`. The drawing is upright, because this information gets lost. */
  turn?: number;
}

/** The path differs in the bundled program. */
const ENTRY = import.meta.filename.endsWith('.ts') ? './pictures/worker.ts' : './picture-worker.js';

const LIMITS: ProcessLimits = { timeoutMs: 120_000, cpuSeconds: 20, memoryMb: 1024, atOnce: 1 };

/** Limit of the cache: an earlier picture is shown again with each message for a while. */
const MAX_KEPT_BYTES = 20_000_000;
/** When a picture that could not be drawn is tried again: each try may cost all the time it may take. */
const AGAIN_MS = 3_600_000;
/** Pictures of a run that may use up their time: the pictures of all runs wait for each other. */
const MAX_LATE = 2;

export const redrawn = createRedrawing(LIMITS);

export function createRedrawing(limits: Partial<ProcessLimits>) {
  const inProcess = createProcesses<Redrawing>(new URL(ENTRY, import.meta.url), { ...LIMITS, ...limits });
  const kept = createLru<Buffer>(MAX_KEPT_BYTES, ({ length }) => length);
  /** Until when, by the same key. */
  const refused = createLru<number>(1_000);
  const late = new WeakMap<AbortSignal, number>();

  /**
   * Returns a PNG of that size; undefined if the file contains no picture, or drawing it takes too much time or memory.
   * @param signal of the run
   */
  return async (file: FileHandle, picture: Redrawing, signal: AbortSignal): Promise<Buffer | undefined> => {
    const { dev, ino, mtimeMs, size } = await file.stat();
    const key = JSON.stringify([picture, dev, ino, mtimeMs, size]);
    const before = kept.get(key);
    if (before) return before;
    const soFar = late.get(signal) ?? 0;
    if (soFar >= MAX_LATE || (refused.get(key) ?? 0) > Date.now()) return undefined;
    try {
      const { bytes: drawn } = await inProcess({ input: picture, file: file.fd, signal });
      kept.set(key, drawn);
      return drawn;
    } catch (error) {
      if (!(error instanceof ProcessError)) throw error;
      refused.set(key, Date.now() + AGAIN_MS);
      if (error.why === 'late') late.set(signal, soFar + 1);
      return undefined;
    }
  };
}
