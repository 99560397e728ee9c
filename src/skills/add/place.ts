/**
 * Skills put in place and taken away in `skills/` of the home. Invariant: whoever looks, and a start after a crash, finds a skill whole as
 * it was or whole as it is; a skill that was there never goes because a new one could not come. What a run is using stays readable for
 * an hour. Two processes may do it at once: the second of one name is refused.
 *
 *   .adding-PID-X/       being written                                     removed once its process is gone
 *   .before-PID-X/NAME   taken out of the way for a new one                put back if that never came, else .old
 *   .old-PID-X/NAME      replaced or removed                               removed after an hour
 *   .kept/NAME-TIME/     was changed by hand before it was replaced        stays
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { crashPoint } from '../../crash-points.ts';
import { errorCode, UserError } from '../../errors.ts';
import { guardPath, syncFolder } from '../../lib/files.ts';
import { writeAll } from '../../lib/staged-file.ts';
import { say } from '../../messages/messages.ts';
import { type Files, sumOf } from './bundle.ts';
import { PIN, type Pin, readInstalled } from './pin.ts';

const OURS = /^\.(adding|before|old)-(\d+)-[0-9a-f]{12}$/;
const IN_USE_MS = 3_600_000;
/** Names that this process is at work on. */
const atWork = new Set<string>();

/** Writes files into a folder that is not there yet, each synced. Throws UserError for a name that cannot be one. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const folders = new Set([folder]);
  for (const [name, { bytes, isExecutable }] of files) {
    const file = await guardPath(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    for (let at = path.dirname(file); at.length > folder.length; at = path.dirname(at)) folders.add(at);
    const fd = fs.openSync(file, 'wx', isExecutable ? 0o700 : 0o600);
    try {
      writeAll(fd, bytes, 0);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
  for (const each of folders) await syncFolder(each);
}

/**
 * @param replaces the sum of what stands there under this name and gives way; absent: nothing may
 * @param keeps what stands there was changed by hand, and is kept
 * @throws UserError when something else stands there
 */
export async function putSkill(
  root: string,
  { name, files, pin }: { name: string; files: Files; pin: Pin },
  { replaces, keeps = false }: { replaces?: string | undefined; keeps?: boolean } = {},
): Promise<void> {
  recover(root);
  const target = path.join(root, name);
  await withFolder(root, 'adding', async (stage) => {
    const staged = path.join(stage, name);
    const note = { bytes: Buffer.from(`${JSON.stringify(pin, null, 2)}\n`), isExecutable: false };
    // Not by the guard alone: a bundle has no hidden files, so the note is ours.
    await writeFiles(staged, new Map([...files, [PIN, note]]));
    crashPoint('skill:written');
    if (replaces === undefined) {
      moveIn(staged, target, name);
    } else {
      if (sumOf(await readInstalled(target)) !== replaces) throw new UserError(say('adding.changedSince', { name }));
      await exchange(root, target, staged, keeps);
    }
    await syncFolder(root);
  });
}

async function exchange(root: string, target: string, staged: string, keeps: boolean): Promise<void> {
  const name = path.basename(target);
  await withFolder(root, 'before', async (before) => {
    const aside = path.join(before, name);
    moveOut(target, aside, name);
    crashPoint('skill:moved');
    try {
      moveIn(staged, target, name);
    } catch (error) {
      fs.renameSync(aside, target);
      throw error;
    }
    crashPoint('skill:placed');
    carryHidden(aside, target);
    putAway(root, aside, keeps);
  });
}

/** What a skill has made for itself, such as a folder of Python's packages, goes on with the new one. */
function carryHidden(from: string, to: string): void {
  for (const name of fs.readdirSync(from)) {
    const target = path.join(to, name);
    if (!name.startsWith('.') || name === PIN || fs.lstatSync(target, { throwIfNoEntry: false })) continue;
    fs.renameSync(path.join(from, name), target);
  }
}

/** @throws UserError when it is not there */
export async function removeSkill(root: string, name: string, keeps: boolean): Promise<void> {
  recover(root);
  const target = path.join(root, name);
  const aside = path.join(root, nameFor('old'), name);
  fs.mkdirSync(path.dirname(aside), { mode: 0o700 });
  try {
    moveOut(target, aside, name);
    if (keeps) putAway(root, aside, true);
  } finally {
    if (fs.readdirSync(path.dirname(aside)).length === 0) fs.rmdirSync(path.dirname(aside));
  }
  await syncFolder(root);
}

/** Where what was changed by hand is kept. */
export const keptFolder = (root: string): string => path.join(root, '.kept');

function putAway(root: string, aside: string, keeps: boolean): void {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const name = path.basename(aside);
  const to = keeps
    ? path.join(keptFolder(root), `${name}-${stamp}-${randomBytes(2).toString('hex')}`)
    : path.join(root, nameFor('old'), name);
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  fs.renameSync(aside, to);
}

/** A folder that has something in it is never replaced by this: the file system refuses. */
function moveIn(staged: string, target: string, name: string): void {
  try {
    if (fs.lstatSync(target, { throwIfNoEntry: false })) throw new UserError(say('adding.taken', { name }));
    fs.renameSync(staged, target);
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? ''))
      throw new UserError(say('adding.taken', { name }), { cause: error });
    throw error;
  }
}

function moveOut(target: string, aside: string, name: string): void {
  try {
    fs.renameSync(target, aside);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new UserError(say('adding.noSkill', { name }), { cause: error });
  }
}

const nameFor = (kind: 'adding' | 'before' | 'old'): string =>
  `.${kind}-${process.pid}-${randomBytes(6).toString('hex')}`;

async function withFolder(
  root: string,
  kind: 'adding' | 'before',
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const name = nameFor(kind);
  const folder = path.join(root, name);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  atWork.add(folder);
  try {
    await use(folder);
  } finally {
    atWork.delete(folder);
    // What could not be put back is put back later.
    if (kind === 'adding' || namesIn(folder).length === 0) remove(folder);
  }
}

/** Ends what an earlier process has left half done. Cheap where there is nothing. */
export function recover(root: string, now = Date.now()): void {
  for (const entry of namesIn(root)) {
    const [, kind, pid] = OURS.exec(entry) ?? [];
    const folder = path.join(root, entry);
    if (kind === undefined || atWork.has(folder)) continue;
    if (kind === 'old') {
      if (now - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now) > IN_USE_MS) remove(folder);
    } else if (!isAlive(Number(pid))) {
      if (kind === 'before') for (const name of namesIn(folder)) putBack(root, path.join(folder, name));
      remove(folder);
    }
  }
}

function putBack(root: string, aside: string): void {
  const target = path.join(root, path.basename(aside));
  if (fs.lstatSync(target, { throwIfNoEntry: false })) putAway(root, aside, true);
  else fs.renameSync(aside, target);
}

const remove = (folder: string): void => fs.rmSync(folder, { recursive: true, force: true });

/** A number that is ours now was another's before this start. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
