/**
 * Brings an older home to the format of today. Before anything is changed, what changes is copied whole into
 * `before-format-2/` of the home. Each step looks whether it is still to be done, so a migration that was cut off
 * anywhere goes on at the next command; the format is written last. A gateway that holds the home is left alone.
 */
import fs from 'node:fs';
import path from 'node:path';
import { crashPoint } from '../crash-points.ts';
import { acquireLock } from '../engine/local/lock.ts';
import { errorCode, LockedError, UserError } from '../errors.ts';
import { quarantine } from '../lib/damage.ts';
import { syncFolder, writeFileAtomic } from '../lib/files.ts';
import { say, type Wording } from '../messages/messages.ts';
import { FORMAT_FILE, HOME_FORMAT, homeFormat, homeFormatText } from '../workspace/format.ts';
import { DEFAULT_VIBER } from '../workspace/home.ts';

const COPY = `before-format-${HOME_FORMAT}`;
const DAMAGED = { lost: 'the format of this home', next: 'Whatever was of an older one has been brought up to date.' };
/** Kept free beyond the copy. */
const SPARE = 50_000_000;

/** Returns what to say; undefined if there was nothing to copy, or the home is in use. */
export async function migrateHome(home: string): Promise<Wording | undefined> {
  const lock = lockIdle(home);
  if (lock === 'used') return undefined;
  try {
    // Another command may have done it before this one had the lock.
    if (homeFormat(home) === HOME_FORMAT) return undefined;
    crashPoint('migrate:begun');
    const copy = await copyFirst(home, changedIn(home));
    crashPoint('migrate:copied');
    moveWorkspace(home);
    const file = path.join(home, FORMAT_FILE);
    if (fs.lstatSync(file, { throwIfNoEntry: false })) quarantine(file, 'names no format', DAMAGED);
    await writeFileAtomic(file, homeFormatText());
    crashPoint('migrate:done');
    return copy === undefined ? undefined : say('cli.migrated', { home, format: String(HOME_FORMAT), copy });
  } finally {
    lock?.release();
  }
}

function lockIdle(home: string): ReturnType<typeof acquireLock> | 'used' | undefined {
  const run = path.join(home, 'run');
  if (!fs.existsSync(run)) return undefined;
  try {
    return acquireLock(run);
  } catch (error) {
    if (error instanceof LockedError) return 'used';
    throw error;
  }
}

const olderFolder = (home: string) => path.join(home, 'vibers', DEFAULT_VIBER);
const isRealFolder = (folder: string): boolean =>
  fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isSymlink = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
const linkOrNothing = (file: string): boolean => isSymlink(file) || !fs.existsSync(file);

/** Returns what a migration changes: here, and in the spool when the gateway starts. */
function changedIn(home: string): string[] {
  const isOlder = isRealFolder(olderFolder(home)) && linkOrNothing(path.join(home, 'workspace'));
  const states = ['new', 'cur', 'out'].map((state) => `spool/${state}`);
  return [
    ...(isOlder ? [`vibers/${DEFAULT_VIBER}`] : []),
    ...states.filter((name) => isRealFolder(path.join(home, name))),
  ];
}

/** Returns the folder of the copy; undefined if there is nothing to copy. It gets its name when it is whole and synced. */
async function copyFirst(home: string, names: readonly string[]): Promise<string | undefined> {
  const copy = path.join(home, COPY);
  // An earlier try, which was cut off after it.
  if (fs.existsSync(copy)) return copy;
  if (names.length === 0) return undefined;
  await refuseFullDisk(home, names);
  const temp = `${copy}.tmp`;
  fs.rmSync(temp, { recursive: true, force: true });
  for (const name of names) {
    fs.cpSync(path.join(home, name), path.join(temp, name), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      mode: fs.constants.COPYFILE_FICLONE,
    });
    crashPoint('migrate:copying');
  }
  fs.chmodSync(temp, 0o700);
  await syncAll(temp);
  fs.renameSync(temp, copy);
  await syncFolder(home);
  return copy;
}

/** @throws {UserError} */
async function refuseFullDisk(home: string, names: readonly string[]): Promise<void> {
  const size = names.reduce((sum, name) => sum + bytesBelow(path.join(home, name)), 0);
  const { bavail, bsize } = await fs.promises.statfs(home);
  if (bavail * bsize < size + SPARE)
    throw new UserError(say('cli.migrationSpace', { home, size: String(Math.ceil((size + SPARE) / 1e6)) }));
}

const bytesBelow = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .reduce((sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0), 0);

async function syncAll(folder: string): Promise<void> {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) await syncAll(at);
    else if (entry.isFile()) {
      const file = await fs.promises.open(at, 'r');
      await file.sync().finally(() => file.close());
    }
  }
  await syncFolder(folder);
}

/** Makes `workspace/` the folder and `vibers/default` the link. One that can't be moved, as a mount point, stays. */
function moveWorkspace(home: string): void {
  const [older, workspace] = [olderFolder(home), path.join(home, 'workspace')];
  if (isRealFolder(older) && linkOrNothing(workspace)) {
    if (isSymlink(workspace)) fs.unlinkSync(workspace);
    crashPoint('migrate:unlinked');
    try {
      fs.renameSync(older, workspace);
    } catch (error) {
      if (!['EBUSY', 'EXDEV', 'EPERM', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
      fs.symlinkSync(`vibers/${DEFAULT_VIBER}`, workspace);
      return;
    }
  }
  crashPoint('migrate:moved');
  if (!isRealFolder(workspace)) return;
  if (fs.existsSync(path.dirname(older)) && fs.lstatSync(older, { throwIfNoEntry: false }) === undefined)
    fs.symlinkSync('../workspace', older);
  correctLinks(workspace);
  crashPoint('migrate:linked');
}

/** Links that led out of `vibers/default/` lead one folder too far up from `workspace/`. */
function correctLinks(workspace: string): void {
  for (const name of fs.readdirSync(workspace)) {
    const link = path.join(workspace, name);
    if (!isSymlink(link) || fs.existsSync(link)) continue;
    const target = fs.readlinkSync(link);
    const nearer = target.replace(/^\.\.\/(?=\.\.\/)/, '');
    if (nearer === target || !fs.existsSync(path.resolve(workspace, nearer))) continue;
    const temp = `${link}.${process.pid}.tmp`;
    fs.rmSync(temp, { force: true });
    fs.symlinkSync(nearer, temp);
    fs.renameSync(temp, link);
  }
}
