/**
 * Finds where a project's repository keeps its data. A `.git` file is an ordinary file of the project, so whoever can
 * write to the project can point it at any repository on this machine. Invariant: a repository is only used if its own
 * data names this folder, which only those who can write to that repository can arrange.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';

export interface GitFolder {
  /** Holds HEAD and the index of this folder. Absolute, with links resolved. */
  git: string;
  /** Holds objects, branches and settings. The same as `git`, except in a linked worktree. */
  common: string;
}

const MAX_POINTER = 4_096;
const MAX_CONFIG = 100_000;

/**
 * Returns undefined if there is no repository, or the one that `.git` names doesn't know the folder.
 * @param folder absolute, with links resolved
 */
export function findGitFolder(folder: string): GitFolder | undefined {
  try {
    const entry = path.join(folder, '.git');
    const stat = fs.lstatSync(entry);
    if (stat.isDirectory()) return hasOwnCommon(entry) ? { git: entry, common: entry } : undefined;
    const named = /^gitdir: (.+)\n?$/.exec(readPointer(entry, MAX_POINTER))?.[1];
    if (named === undefined) return undefined;
    const git = path.resolve(folder, named);
    if (fs.realpathSync.native(git) !== git) return undefined;
    return linkedWorktree(git, folder) ?? submoduleIn(git, folder) ?? insideOf(git, folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** A `commondir` file would take objects, branches and settings from another repository. */
const hasOwnCommon = (git: string): boolean =>
  fs.lstatSync(path.join(git, 'commondir'), { throwIfNoEntry: false }) === undefined;

/** Returns undefined unless this is a linked worktree whose data names the folder. */
function linkedWorktree(git: string, folder: string): GitFolder | undefined {
  if (path.basename(path.dirname(git)) !== 'worktrees') return undefined;
  const common = path.dirname(path.dirname(git));
  const says = (name: string) => path.resolve(git, readPointer(path.join(git, name), MAX_POINTER).replace(/\n$/, ''));
  return says('gitdir') === path.join(folder, '.git') && says('commondir') === common ? { git, common } : undefined;
}

function submoduleIn(git: string, folder: string): GitFolder | undefined {
  if (!/\/modules\/./.test(git) || !hasOwnCommon(git)) return undefined;
  const [, tree] = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(readPointer(path.join(git, 'config'), MAX_CONFIG)) ?? [];
  if (tree === undefined || fs.realpathSync.native(path.resolve(git, tree)) !== folder) return undefined;
  return { git, common: git };
}

/** Git data in another folder of the project belongs to the project too. */
const insideOf = (git: string, folder: string): GitFolder | undefined =>
  git.startsWith(`${folder}/`) && hasOwnCommon(git) ? { git, common: git } : undefined;

/**
 * Returns the content of a small file that isn't a link, '' for anything else.
 * @throws a system error if it can't be opened
 */
function readPointer(file: string, most: number): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFile() && stat.size <= most ? fs.readFileSync(fd, 'utf8') : '';
  } finally {
    fs.closeSync(fd);
  }
}
