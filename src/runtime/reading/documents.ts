/** Documents to text, each in a thread of its own. */
import { createThreads, ThreadError } from '../../lib/thread.ts';
import { Unreadable } from '../contract/reading.ts';

/** Where the bundled program keeps it. */
const FILE = import.meta.filename.endsWith('.ts') ? './documents/worker.ts' : './document-worker.js';
const WHY = { late: 'It takes too long to be read.', broken: 'It is too large or too damaged to be read.' };

const inThread = createThreads<{ path: string }, string>(new URL(FILE, import.meta.url), {
  ...{ timeoutMs: 30_000, memoryMb: 384, atOnce: 2 },
});

/** @throws Unreadable; the signal's reason */
export async function readDocument(path: string, signal: AbortSignal, timeoutMs?: number): Promise<string> {
  try {
    return await inThread({ path }, signal, timeoutMs);
  } catch (error) {
    if (!(error instanceof ThreadError)) throw error;
    throw new Unreadable('unreadable', error.why === 'refused' ? error.message : WHY[error.why], { cause: error });
  }
}
