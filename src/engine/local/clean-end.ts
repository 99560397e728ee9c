/**
 * Records whether the last process shut down cleanly. If it did, the log shows exactly what is pending. If not, its
 * last lines may be missing (they are synced with the next put), and anything waiting may have been run.
 *
 * `spool/closed` holds the name and size of the last segment, so it stops matching after any later write. A missing or
 * damaged file costs only a look at the sessions of waiting messages.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { statOf } from '../../lib/files/cache.ts';
import { readWhole } from '../../lib/json.ts';
import { segmentNames } from './segment.ts';

const closedFile = (root: string): string => path.join(root, 'closed');

function lastSegmentEnd(folder: string): string | undefined {
  const name = segmentNames(folder).at(-1);
  const stat = name === undefined ? undefined : statOf(path.join(folder, `${name}.jsonl`));
  return stat?.isFile() ? `${name} ${stat.size}\n` : undefined;
}

/** Reads and deletes the note. Call it before the log is opened. */
export function takeCleanEnd(root: string, folder: string): { isClean: boolean } {
  const noted = readWhole(closedFile(root))?.text ?? '';
  fs.rmSync(closedFile(root), { recursive: true, force: true });
  return { isClean: noted !== '' && noted === lastSegmentEnd(folder) };
}

/** Call it once the log is on disk. */
export function noteCleanEnd(root: string, folder: string): void {
  try {
    fs.writeFileSync(closedFile(root), lastSegmentEnd(folder) ?? '', { mode: 0o600 });
  } catch (error) {
    // The disk is full: the next start checks more thoroughly.
    if (errorCode(error) === undefined) throw error;
  }
}
