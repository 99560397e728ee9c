/**
 * Computes the version of a skill that consent covers (promise 36): its file, the current files beside it, and where it
 * works. Any change makes another version, which the earlier consent doesn't cover.
 */
import { hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { errorCode, UserError } from '../../../errors.ts';
import type { Skill } from '../../../skills/skill.ts';

/** The most files and folders of a bundle; bundles aren't that large. */
const MAX_ENTRIES = 20_000;
/** Folders of packages that a person has installed; scanned down to the packages themselves. */
const PACKAGES = ['.venv', 'node_modules'];
const PACKAGES_DEPTH = 4;
const SLASH = Buffer.from('/');

/**
 * @throws UserError for a bundle that is too large to scan completely
 * @param place what else belongs to the version, for example the folder it works in
 */
export function versionOf(skill: Skill, place: readonly string[]): string {
  const files = skill.folder === undefined ? [] : stampsOf(skill.folder);
  return hash('sha256', JSON.stringify([skill.digest, place, files])).slice(0, 16);
}

/** Returns one entry per file or folder. Unlike the modification time, an inode's change time cannot be set back. */
function stampsOf(folder: string): string[] {
  const stamps: string[] = [];
  // Names are read as bytes: a name that isn't valid text still leads to a file. `depth` counts within packages.
  const left = [{ dir: Buffer.from(folder), depth: 0 }];
  let seen = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { dir, depth } = next;
    for (const entry of rawNames(dir)) {
      if (++seen > MAX_ENTRIES) {
        // A file that isn't scanned could be anything by the time it runs.
        throw new UserError(
          `The skill in ${folder} has more than ${MAX_ENTRIES} files: remove those it does not need.`,
        );
      }
      const file = Buffer.concat([dir, SLASH, entry]);
      const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      const isPackages = depth > 0 || PACKAGES.includes(entry.toString());
      const isDeep = depth >= PACKAGES_DEPTH;
      if (stat?.isDirectory() && !isDeep) left.push({ dir: file, depth: isPackages ? depth + 1 : 0 });
      // A folder's own time changes with its contents, which are scanned themselves.
      else if (stat) stamps.push(`${file.toString('latin1')} ${stat.ino} ${stat.size} ${stat.ctimeNs}`);
    }
  }
  return stamps.sort();
}

function rawNames(dir: Buffer): Buffer[] {
  try {
    return readdirSync(dir, { encoding: 'buffer' });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EACCES') return [];
    throw error;
  }
}
