/**
 * Handles an interrupted restore at the next start: finishes it if the home was complete, and refuses to start
 * otherwise. Its record, `HOME.restoring.json` beside the home, exists from before the first file is unpacked until the
 * home is in place.
 */
import fs from 'node:fs';
import path from 'node:path';
import { crashPoint } from '../../crash-points.ts';
import { errorCode, UserError } from '../../errors.ts';
import { namesIn } from '../../lib/damage.ts';
import { syncFolder, writeFileAtomic } from '../../lib/files.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { isRecord } from '../../lib/json.ts';
import { say } from '../../messages/messages.ts';

export interface Restoring {
  /** The folder beside the home to unpack into. */
  stage: string;
  /** The folder to move the existing home to; absent if no home exists. */
  aside?: string;
  /** True once everything is unpacked and synced. */
  isWhole: boolean;
  pid: number;
}

const recordOf = (target: string) => `${target}.restoring.json`;

/** Resolves links, also to a missing folder: the folder behind a link is replaced, and the link stays. */
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

/** Returns the homes that restores have moved aside, beside this one. */
export const homesAside = (target: string): string[] =>
  namesIn(path.dirname(target))
    .filter((name) => name.startsWith(asideOf(path.basename(target))))
    .map((name) => path.join(path.dirname(target), name));

/** A time follows. */
export const asideOf = (target: string): string => `${target}.before-`;

export const noteRestoring = (target: string, restoring: Restoring): Promise<void> =>
  writeFileAtomic(recordOf(target), `${JSON.stringify(restoring)}\n`);

export const forgetRestoring = (target: string): void => fs.rmSync(recordOf(target), { force: true });

/**
 * Returns undefined if no restore was interrupted.
 * @throws {UserError} for a record that can't be read
 */
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
    throw new UserError(say('backup.unreadableRecord', { target, file }));
  return { stage, ...(aside !== undefined && { aside }), isWhole, pid };
}

/** Every step may already be done, by the interrupted restore or by another process that is finishing it. */
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
    // Replaces nothing but an empty folder.
    fs.renameSync(from, to);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && !fs.existsSync(from)) return;
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    throw new UserError(say('backup.filledMeanwhile', { folder: to }), { cause: error });
  }
}

/**
 * Must run before anything in the home is read.
 * @throws {UserError} if the restore has to be repeated
 */
export async function settleRestoring(home: string): Promise<void> {
  const target = realHome(home);
  const restoring = readRestoring(target);
  if (!restoring) return;
  if (restoring.isWhole) return putInPlace(target, restoring);
  throw new UserError(say('backup.interrupted', { target, command: viberCommand('restore'), file: recordOf(target) }));
}
