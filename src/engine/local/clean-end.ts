/**
 * Whether the last process ended in order. Then what waits is as the log says; else its last lines may be missing (they are synced
 * with the next put), and whatever waits may have been worked on.
 *
 * `spool/closed` names the segment and its size as they were at the end; whatever was written since, it does not fit any more. One
 * that is missing or damaged costs a look at the session of what waits, nothing else.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { readWhole } from '../../lib/read-json.ts';
import { segmentNames } from './segment.ts';

const fileOf = (root: string): string => path.join(root, 'closed');

function endOf(folder: string): string | undefined {
  const name = segmentNames(folder).at(-1);
  const stat =
    name === undefined ? undefined : fs.statSync(path.join(folder, `${name}.jsonl`), { throwIfNoEntry: false });
  return stat?.isFile() ? `${name} ${stat.size}\n` : undefined;
}

/** Once: the note is gone afterwards. Call it before the log is opened. */
export function takeCleanEnd(root: string, folder: string): { isClean: boolean } {
  const noted = readWhole(fileOf(root))?.text ?? '';
  fs.rmSync(fileOf(root), { recursive: true, force: true });
  return { isClean: noted !== '' && noted === endOf(folder) };
}

/** Call it once the log is on the disk. */
export function noteCleanEnd(root: string, folder: string): void {
  try {
    fs.writeFileSync(fileOf(root), endOf(folder) ?? '', { mode: 0o600 });
  } catch (error) {
    // A full disk: the next start looks closer.
    if (errorCode(error) === undefined) throw error;
  }
}
