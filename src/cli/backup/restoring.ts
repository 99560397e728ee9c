/**
 * A restore that was cut off: finished, where the whole home was ready, or refused, at the next start. Its record stands beside the
 * home (`HOME.restoring.json`) from before the first file is unpacked until the home is in place.
 */
import fs from 'node:fs';
import path from 'node:path';
import { crashPoint } from '../../crash-points.ts';
import { errorCode, WorkspaceError } from '../../errors.ts';
import { syncFolder, writeFileAtomic } from '../../lib/files.ts';
import { isRecord } from '../../lib/json.ts';

export interface Restoring {
  /** The folder beside the home into which it is unpacked. */
  stage: string;
  /** Where what stands in the home is moved; absent where there is nothing. */
  aside?: string;
  /** Everything is unpacked and on the disk. */
  isWhole: boolean;
  pid: number;
}

const recordOf = (target: string) => `${target}.restoring.json`;

/** Behind a link the folder itself is exchanged, and the link goes on leading there, also while nothing is there. */
export function realHome(home: string): string {
  let real = path.resolve(home);
  for (let links = 0; links < 40; links++) {
    const stat = fs.lstatSync(real, { throwIfNoEntry: false });
    if (!stat?.isSymbolicLink()) break;
    real = path.resolve(path.dirname(real), fs.readlinkSync(real));
  }
  const parent = path.dirname(real);
  return fs.existsSync(parent) ? path.join(fs.realpathSync(parent), path.basename(real)) : real;
}

export const noteRestoring = (target: string, restoring: Restoring): Promise<void> =>
  writeFileAtomic(recordOf(target), `${JSON.stringify(restoring)}\n`);

export const forgetRestoring = (target: string): void => fs.rmSync(recordOf(target), { force: true });

/** Undefined where no restore was cut off. Throws WorkspaceError for a record that cannot be read. */
export function readRestoring(target: string): Restoring | undefined {
  const file = recordOf(target);
  if (!fs.existsSync(file)) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const { stage, aside, isWhole, pid } = isRecord(data) ? data : {};
  const isOurs = (folder: unknown): folder is string =>
    typeof folder === 'string' && folder.startsWith(`${target}.`) && path.dirname(folder) === path.dirname(target);
  if (
    !isOurs(stage) ||
    (aside !== undefined && !isOurs(aside)) ||
    typeof isWhole !== 'boolean' ||
    typeof pid !== 'number'
  )
    throw new WorkspaceError(
      `A restore into ${target} was cut off, and ${file} cannot be read: delete it, and restore again.`,
    );
  return { stage, ...(aside !== undefined && { aside }), isWhole, pid };
}

/** Each step may have been done already: by the restore that was cut off, or by another who finishes it at this moment. */
export async function putInPlace(target: string, { stage, aside }: Restoring): Promise<void> {
  if (fs.existsSync(stage)) {
    if (aside !== undefined && fs.existsSync(target) && !fs.existsSync(aside)) move(target, aside);
    crashPoint('restore:aside');
    move(stage, target);
    crashPoint('restore:placed');
    await syncFolder(path.dirname(target));
  }
  forgetRestoring(target);
}

function move(from: string, to: string): void {
  try {
    // Takes the place of nothing, or of an empty folder.
    fs.renameSync(from, to);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && !fs.existsSync(from)) return;
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    throw new WorkspaceError(`${to} was empty and is not any more: move it away, then start again.`, { cause: error });
  }
}

/** Before anything of the home is read. Throws WorkspaceError where the restore has to be repeated. */
export async function settleRestoring(home: string): Promise<void> {
  const target = realHome(home);
  const restoring = readRestoring(target);
  if (!restoring) return;
  if (restoring.isWhole) return putInPlace(target, restoring);
  throw new WorkspaceError(
    `A restore into ${target} is under way or was cut off; the home is as it was before. Run viber restore again, or delete ${recordOf(target)} to go on without it.`,
  );
}
