/**
 * Names in `skills/` of the home that aren't skills, and how a start recovers those that a crash left. Loads nothing,
 * since each start runs it.
 *
 *   .adding-PID-HOST-X/      being written                          removed once its process is gone (other host: 1 h)
 *   .before-PID-HOST-X/NAME  moved away for a new one               put back if none came, else .kept
 *   .old-PID-HOST-X/NAME     replaced or removed                    removed after an hour
 *   .kept/NAME-TIME/         edited by hand before it was replaced  stays
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../lib/damage.ts';
import { ownerOf, ownMark } from '../../lib/processes.ts';

const OURS = /^\.(adding|before|old)-(\d+(?:-[0-9a-f]{8})?)-[0-9a-f]{12}$/;
const IN_USE_MS = 3_600_000;
/** Folders that this process is working on. */
export const atWork = new Set<string>();

export const nameFor = (kind: 'adding' | 'before' | 'old'): string =>
  `.${kind}-${ownMark()}-${randomBytes(6).toString('hex')}`;

/** Returns the folder that keeps skills edited by hand. */
const keptFolder = (root: string): string => path.join(root, '.kept');

export function putAway(root: string, aside: string, keeps: boolean): void {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const name = path.basename(aside);
  const to = keeps
    ? path.join(keptFolder(root), `${name}-${stamp}-${randomBytes(2).toString('hex')}`)
    : path.join(root, nameFor('old'), name);
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  fs.renameSync(aside, to);
}

/** Finishes what an earlier process left half done. Cheap if there is nothing. */
export function recover(root: string, now = Date.now()): void {
  for (const entry of namesIn(root)) {
    const [, kind, mark = ''] = OURS.exec(entry) ?? [];
    const folder = path.join(root, entry);
    if (kind === undefined || atWork.has(folder)) continue;
    const owner = ownerOf(mark);
    const isOld = now - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now) > IN_USE_MS;
    if (kind === 'old') {
      if (isOld) removeFolder(folder);
    } else if (owner === 'gone' || owner === 'self' || (owner === 'unknown' && isOld)) {
      if (kind === 'before') for (const name of namesIn(folder)) putBack(root, path.join(folder, name));
      removeFolder(folder);
    }
  }
}

function putBack(root: string, aside: string): void {
  const target = path.join(root, path.basename(aside));
  if (fs.lstatSync(target, { throwIfNoEntry: false })) putAway(root, aside, true);
  else fs.renameSync(aside, target);
}

export const removeFolder = (folder: string): void => fs.rmSync(folder, { recursive: true, force: true });
