/**
 * Protects repositories in a folder that a script may write. Git runs a repository's hooks and settings with the
 * rights of the caller, later and outside any sandbox, so both are read-only to a script. Their folder is a separate
 * mount, so that it can't be replaced.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';

export interface Repositories {
  /** Arguments for the sandbox, after those that mount the folder. */
  args: readonly string[];
  /** Removes files that would point git to other hooks and settings. */
  tidy(): void;
}

/** How many folders are searched for repositories, and how deep. */
const MAX_FOLDERS = 500;
const MAX_DEPTH = 3;

/** @param folder absolute, without links */
export function repositoriesIn(folder: string): Repositories {
  const found = [...gitEntries(folder)];
  const gits = [...new Set(found.flatMap((entry) => gitFoldersOf(entry, folder)))].filter((git) => isFolder(git));
  const all = gits.flatMap((git) => [git, ...modulesOf(git)]);
  const free = all.filter((git) => !isThere(path.join(git, 'commondir')));
  return {
    args: [
      ...gits.filter((git) => git !== folder).flatMap((git) => ['--bind', git, git]),
      ...found.filter(isFile).flatMap((link) => ['--ro-bind', link, link]),
      ...all.flatMap(readOnlyOf),
    ],
    tidy: () => {
      for (const git of free) rmSync(path.join(git, 'commondir'), { force: true, recursive: true });
    },
  };
}

/** Yields `.git` of the folder and of those in it; the folder itself if it is a bare repository. */
function* gitEntries(folder: string): Generator<string> {
  if (['HEAD', 'config', 'objects'].every((name) => isThere(path.join(folder, name)))) yield folder;
  const left = [{ dir: folder, depth: MAX_DEPTH }];
  for (let seen = 0; left.length > 0 && seen < MAX_FOLDERS; seen++) {
    const { dir, depth } = left.shift() ?? { dir: folder, depth: 0 };
    for (const entry of readFolder(dir)) {
      const file = path.join(dir, entry.name);
      if (entry.name.toLowerCase() === '.git') yield file;
      else if (entry.isDirectory() && depth > 0 && entry.name !== 'node_modules')
        left.push({ dir: file, depth: depth - 1 });
    }
  }
}

/**
 * Returns where a repository keeps its data: `.git`, or, for a worktree or submodule, the folder named in that file.
 */
function gitFoldersOf(entry: string, folder: string): string[] {
  if (isFolder(entry)) return [entry];
  const [, named] = /^gitdir: (.+)$/m.exec(isFile(entry) ? readFileSync(entry, 'utf8').slice(0, 4096) : '') ?? [];
  if (named === undefined) return [];
  const git = path.resolve(path.dirname(entry), named.trim());
  // A path outside the folder is out of reach anyway.
  return isThere(git) && `${realpathSync(git)}/`.startsWith(`${folder}/`) ? [realpathSync(git)] : [];
}

/** Returns the data folders of a repository's submodules and worktrees, at any depth. */
function modulesOf(git: string): string[] {
  const folders: string[] = [];
  const left = ['modules', 'worktrees'].map((name) => path.join(git, name));
  for (let seen = 0; left.length > 0 && seen < MAX_FOLDERS; seen++) {
    const dir = left.shift() ?? git;
    if (isThere(path.join(dir, 'HEAD'))) folders.push(dir);
    for (const entry of readFolder(dir))
      if (entry.isDirectory() && !['objects', 'refs', 'logs', 'hooks'].includes(entry.name))
        left.push(path.join(dir, entry.name));
  }
  return folders;
}

function readOnlyOf(git: string): string[] {
  const hooks = path.join(git, 'hooks');
  // If there is none, a script could create it.
  if (!isThere(hooks)) makeFolder(hooks);
  const files = ['config', 'config.worktree', 'commondir', 'gitdir'].map((name) => path.join(git, name));
  return [...files.filter(isFile), ...[hooks].filter(isFolder)].flatMap((file) => ['--ro-bind', file, file]);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!['EEXIST', 'EACCES', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
  }
}

function readFolder(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
const isFile = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
const isFolder = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
