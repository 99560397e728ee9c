/** Extracts the text of documents, each in a separate process. */
import { errorCode } from '../../errors.ts';
import { openKept } from '../../lib/files/below.ts';
import { createProcesses, ProcessError, type ProcessLimits } from '../../lib/worker-process.ts';
import { Unreadable } from '../../runtime/contract/reading.ts';

/** The path in the bundled program differs. */
const ENTRY = import.meta.filename.endsWith('.ts') ? './formats/worker.ts' : './document-worker.js';
const WHY = { late: 'It takes too long to read.', broken: 'It is too large or too damaged to read.' };

const LIMITS: ProcessLimits = { timeoutMs: 180_000, cpuSeconds: 30, memoryMb: 768, atOnce: 2 };

export const readDocument = createReader(LIMITS);

export function createReader(limits: Partial<ProcessLimits>) {
  const inProcess = createProcesses<null>(new URL(ENTRY, import.meta.url), { ...LIMITS, ...limits });

  /**
   * @throws {Unreadable}
   * @throws the signal's reason
   */
  return async (path: string, signal: AbortSignal): Promise<string> => {
    const file = await openKept(path).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      throw new Unreadable('unreadable', 'It no longer exists.', { cause: error });
    });
    try {
      return (await inProcess({ input: null, file: file.fd, signal })).bytes.toString();
    } catch (error) {
      if (!(error instanceof ProcessError)) throw error;
      throw new Unreadable('unreadable', error.why === 'refused' ? error.message : WHY[error.why], { cause: error });
    } finally {
      await file.close();
    }
  };
}
