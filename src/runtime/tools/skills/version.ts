/**
 * What exactly of a skill is consented to (promise 36): its file, the files beside it as they stand when the call is looked at, and where
 * it works. Whatever changes in one of them makes another version, and the consent to the first one does not hold for it.
 */
import { hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { errorCode, UserError } from '../../../errors.ts';
import type { Skill } from '../../../skills/skill.ts';

/** Files and folders looked at; a bundle is not that large. */
const MAX_ENTRIES = 20_000;
/** Folders of packages that a person has installed; looked into down to the packages themselves. */
const PACKAGES = ['.venv', 'node_modules'];
const PACKAGES_DEPTH = 4;
const SLASH = Buffer.from('/');

/**
 * @throws UserError for a bundle that is too large to be looked at whole
 * @param place what else belongs to it, for example the folder it works in
 */
export function versionOf(skill: Skill, place: readonly string[]): string {
  const files = skill.folder === undefined ? [] : stampsOf(skill.folder);
  return hash('sha256', JSON.stringify([skill.digest, place, files])).slice(0, 16);
}

/** One entry a file or folder. The time of a change of the inode cannot be set back, unlike that of the content. */
function stampsOf(folder: string): string[] {
  const stamps: string[] = [];
  // As bytes: a name that is no text leads to a file all the same. `depth` counts within packages.
  const left = [{ dir: Buffer.from(folder), depth: 0 }];
  let seen = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { dir, depth } = next;
    for (const entry of namesIn(dir)) {
      if (++seen > MAX_ENTRIES) {
        // What is not looked at could be anything by the time it runs.
        throw new UserError(
          `The skill in ${folder} has more than ${MAX_ENTRIES} files: remove those it does not need.`,
        );
      }
      const file = Buffer.concat([dir, SLASH, entry]);
      const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      const isPackages = depth > 0 || PACKAGES.includes(entry.toString());
      const isDeep = depth >= PACKAGES_DEPTH;
      if (stat?.isDirectory() && !isDeep) left.push({ dir: file, depth: isPackages ? depth + 1 : 0 });
      // A folder's own time changes with what is in it, which is looked at itself.
      else if (stat) stamps.push(`${file.toString('latin1')} ${stat.ino} ${stat.size} ${stat.ctimeNs}`);
    }
  }
  return stamps.sort();
}

function namesIn(dir: Buffer): Buffer[] {
  try {
    return readdirSync(dir, { encoding: 'buffer' });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EACCES') return [];
    throw error;
  }
}
