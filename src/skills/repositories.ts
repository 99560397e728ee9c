/**
 * The repositories in a folder that a script may write. Git runs the hooks and the settings of a repository as whoever calls it there,
 * later and outside any sandbox: both are read-only to a script. Their folder is a mount of its own, so that no other is put in its place.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';

export interface Repositories {
  /** Arguments of the sandbox, after those that show the folder. */
  args: readonly string[];
  /** Takes away what would lead git to other hooks and settings. */
  tidy(): void;
}

/** Folders that are looked into for repositories, and how deep. */
const MAX_FOLDERS = 500;
const MAX_DEPTH = 3;

/** @param folder absolute, without links */
export function repositoriesIn(folder: string): Repositories {
  const found = [...entriesOf(folder)];
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

/** `.git` of the folder and of those in it; the folder itself where it is a repository without files. */
function* entriesOf(folder: string): Generator<string> {
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

/** Where a repository keeps its own: in `.git`, or, for a worktree and a module of another, where the file of that name says. */
function gitFoldersOf(entry: string, folder: string): string[] {
  if (isFolder(entry)) return [entry];
  const [, named] = /^gitdir: (.+)$/m.exec(isFile(entry) ? readFileSync(entry, 'utf8').slice(0, 4096) : '') ?? [];
  if (named === undefined) return [];
  const git = path.resolve(path.dirname(entry), named.trim());
  // What is not in the folder is out of reach there.
  return isThere(git) && `${realpathSync(git)}/`.startsWith(`${folder}/`) ? [realpathSync(git)] : [];
}

/** Of the modules in a repository and of its further worktrees, at any depth. */
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
  // Where there is none a script could make one.
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
