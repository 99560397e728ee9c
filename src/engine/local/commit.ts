/**
 * One commit of the spool: files written and renamed into place, then files and directories synced side by side; on a
 * journaling file system that is one commit of the journal. Runs in the disk thread, and in this one until that is up.
 */
import fs from 'node:fs';
import { errorCode, errorMessage } from '../../errors.ts';

export interface Batch {
  /** Written to `temp`, renamed to `target`. */
  files: { temp: string; target: string; data: string }[];
  /** Existing files whose contents must be durable. */
  sync: string[];
  /** Directories of the targets. */
  directories: string[];
}

/** What went wrong, as plain data that crosses threads. */
export interface Failure {
  code: string | undefined;
  message: string;
}

export interface Committed {
  /** In the order of `files`; undefined where all is well. */
  files: (Failure | undefined)[];
  sync: (Failure | undefined)[];
}

const failure = (error: unknown): Failure => ({ code: errorCode(error), message: errorMessage(error) });

/**
 * Never rejects. A file that failed is not left in place.
 * @param wait whether this thread waits for the files itself instead of the pool
 */
export async function commit(batch: Batch, wait = false): Promise<Committed> {
  const files = batch.files.map(({ temp, target, data }) => {
    try {
      const fd = writeTemp(temp, data);
      try {
        fs.renameSync(temp, target);
      } catch (error) {
        fs.closeSync(fd);
        throw error;
      }
      return { fd, failed: undefined };
    } catch (error) {
      return { fd: undefined, failed: failure(error) };
    }
  });
  // The pool has the directories while this thread waits for the files.
  const folders = Promise.all(batch.directories.map(syncPath));
  const synced = Promise.all(batch.sync.map(syncPath));
  const sync = wait ? syncAndCloseHere : syncAndClose;
  const writing = files.map(async ({ fd, failed }) => (fd === undefined ? failed : sync(fd)));
  const written = await Promise.all(writing);
  const folder = (await folders).find((failed) => failed !== undefined);
  const results = written.map((failed, index) => {
    const reason = failed ?? folder;
    const target = batch.files[index]?.target;
    if (reason && !files[index]?.failed && target !== undefined) fs.rmSync(target, { force: true });
    return reason;
  });
  return { files: results, sync: await synced };
}

/** Writes all of `data`: `writeSync` may write short without an error. Leaves nothing behind when it fails. */
function writeTemp(temp: string, text: string): number {
  const data = Buffer.from(text);
  const fd = fs.openSync(temp, 'w', 0o600);
  try {
    for (let offset = 0; offset < data.length; ) offset += fs.writeSync(fd, data, offset);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(temp, { force: true });
    throw error;
  }
}

function syncAndClose(fd: number): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    fs.fsync(fd, (error) => {
      fs.closeSync(fd);
      resolve(error ? failure(error) : undefined);
    });
  });
}

async function syncAndCloseHere(fd: number): Promise<Failure | undefined> {
  try {
    fs.fsyncSync(fd);
    return undefined;
  } catch (error) {
    return failure(error);
  } finally {
    fs.closeSync(fd);
  }
}

async function syncPath(path: string): Promise<Failure | undefined> {
  try {
    return await syncAndClose(fs.openSync(path, 'r'));
  } catch (error) {
    return failure(error);
  }
}
