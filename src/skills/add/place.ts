/**
 * Places and removes skills in `skills/` of the home. Invariant: a reader, and a start after a crash, finds a skill
 * complete, old or new; an old one is never lost because the new one couldn't be placed. Files that a run is using stay
 * readable for an hour. Two processes may work at once: the second one for the same name is refused.
 */
import fs from 'node:fs';
import path from 'node:path';
import { crashPoint } from '../../crash-points.ts';
import { errorCode, UserError } from '../../errors.ts';
import { namesIn } from '../../lib/damage.ts';
import { putFile } from '../../lib/files/below.ts';
import { pathNames } from '../../lib/files/path-names.ts';
import { syncFolder } from '../../lib/files.ts';
import { say } from '../../messages/messages.ts';
import { bundleSum, type Files } from './bundle.ts';
import { PIN, type Pin, readInstalled } from './pin.ts';
import { atWork, nameFor, putAway, recover, removeFolder } from './recover.ts';

/**
 * Writes files into a new folder.
 * @param sync whether they must survive a power cut
 * @throws UserError for an invalid name
 */
export async function writeFiles(folder: string, files: Files, sync: boolean): Promise<void> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, { bytes, isExecutable }] of files)
    await putFile(folder, pathNames(name), bytes, { mode: isExecutable ? 0o700 : 0o600, sync, isNew: true });
  if (sync) await syncFolder(folder);
}

/**
 * @param replaces hash of the installed skill to replace; absent if none may be there
 * @param keeps whether to keep the replaced one, since it was edited by hand
 * @throws UserError when something else is there
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
    // A bundle has no hidden files, so this note is ours.
    await writeFiles(staged, new Map([...files, [PIN, note]]), true);
    crashPoint('skill:written');
    if (replaces === undefined) {
      moveIn(staged, target, name);
    } else {
      if (bundleSum(await readInstalled(target)) !== replaces)
        throw new UserError(say('adding.changedSince', { name }));
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

/** Carries hidden files that a skill created, such as its Python packages, over to the new one. */
function carryHidden(from: string, to: string): void {
  for (const name of fs.readdirSync(from)) {
    const target = path.join(to, name);
    if (!name.startsWith('.') || name === PIN || fs.lstatSync(target, { throwIfNoEntry: false })) continue;
    fs.renameSync(path.join(from, name), target);
  }
}

/** @throws UserError when it isn't there */
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

/** Puts the new folder in place. It never replaces a folder with contents: the file system refuses. */
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
    // Anything that couldn't be put back now is put back later.
    if (kind === 'adding' || namesIn(folder).length === 0) removeFolder(folder);
  }
}
