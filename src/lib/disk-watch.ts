/**
 * Ends a program that fills a disk, since a gateway can't keep anything once it is full. The kernel has no limit for
 * what all processes of a program write together, so free space is measured while it runs.
 */
import { statfs } from 'node:fs/promises';
import { errorCode } from '../errors.ts';

const TICK_MS = 100;
const MB = 1024 * 1024;
/** What must stay free: a share of the disk, and no more than this. */
const RESERVE = { share: 0.05, bytes: 1024 * MB };
/** A disk that was nearly full before isn't the program's doing. */
const LEAST_USED = { bytes: 64 * MB, files: 10_000 };

interface Space {
  bytes: number;
  files: number;
  reserveBytes: number;
  reserveFiles: number;
}

/**
 * @param onLow called once, with what it did, such as "left less than 1,024 MB free on the disk"
 * @returns a function that stops watching
 */
export function watchDisk(folders: readonly string[], onLow: (what: string) => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const before = Promise.all(folders.map(spaceOf));
  const measureDisk = async () => {
    for (const [at, was] of (await before).entries()) {
      const now = await spaceOf(folders[at] ?? '/');
      if (isOver || !was || !now) continue;
      const isFull = now.bytes < now.reserveBytes && was.bytes - now.bytes > LEAST_USED.bytes;
      const isCrammed = now.files < now.reserveFiles && was.files - now.files > LEAST_USED.files;
      if (!isFull && !isCrammed) continue;
      isOver = true;
      onLow(
        isFull
          ? `left less than ${Math.floor(now.reserveBytes / MB).toLocaleString('en')} MB free on the disk`
          : 'left hardly any room for more files on the disk',
      );
    }
    if (!isOver) timer = setTimeout(() => void measureDisk(), TICK_MS).unref();
  };
  void measureDisk();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Returns undefined for a folder that is gone. */
async function spaceOf(folder: string): Promise<Space | undefined> {
  try {
    const { blocks, bavail, bsize, files, ffree } = await statfs(folder);
    const reserveBytes = Math.min(RESERVE.bytes, blocks * bsize * RESERVE.share);
    // Some file systems have no fixed number of files.
    const count = files > 0 ? ffree : Number.POSITIVE_INFINITY;
    return { bytes: bavail * bsize, files: count, reserveBytes, reserveFiles: files * RESERVE.share };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
