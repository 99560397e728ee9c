/**
 * Protects repositories in a folder that a script may write. Git runs a repository's hooks and settings with the
 * rights of the caller, later and outside any sandbox, so both are read-only to a script. Their folder is a separate
 * mount, so that it can't be replaced.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import { type HeldFolder, holdFolder } from '../lib/files/below.ts';
import { disarm } from './disarm.ts';
import type { Guard } from './gate.ts';

/** A repository outside of the folder that a script works in, whose own folder this is: a worktree or a submodule. */
export interface LinkedRepository {
  /** With HEAD and index of this worktree. Absolute, without links. */
  git: string;
  /** With objects, branches and settings; for a submodule the same. */
  common: string;
}

export interface Repositories {
  /** What is mounted, in order. */
  guards: readonly Guard[];
  /** Removes what would point git to other hooks and settings, and returns what it put aside of new repositories. */
  tidy(): Promise<string[]>;
}

/** How many folders are searched for repositories, and how deep, before a script runs and after it. */
const MAX_FOLDERS = 1_000;
const MAX_DEPTH = 5;
/** File systems round the time at which a file was made. */
const ROUNDING_MS = 1_000;

/** @param folder absolute, without links */
export function repositoriesIn(folder: string): Repositories {
  const find = () =>
    [...new Set([...gitEntries(folder)].flatMap((entry) => gitFoldersOf(entry, folder)))].filter(isFolder);
  const gits = find();
  const all = gits.flatMap((git) => [git, ...modulesOf(git)]);
  return {
    guards: [
      ...gits.filter((git) => git !== folder).map((at) => ({ at, isReadOnly: false })),
      ...readOnly([...gitEntries(folder)].filter(isFile), all, folder),
    ],
    tidy: watchGits(folder, all, find),
  };
}

/** Protects what a script sees of a linked repository. Other worktrees of it are none of its business. */
export function repositoryOf({ git, common }: LinkedRepository): Repositories {
  const above = path.dirname(common);
  const others = path.join(common, 'worktrees');
  const isOthers = (one: string) => git !== common && one !== git && one.startsWith(`${others}/`);
  const all = [common, ...modulesOf(common)].filter((one) => !isOthers(one));
  return {
    guards: [
      { at: common, isReadOnly: false },
      ...(git === common
        ? []
        : [
            { at: others, isReadOnly: true },
            { at: git, isReadOnly: false },
          ]),
      ...readOnly([], all, above),
    ],
    tidy: watchGits(above, all, () => [common]),
  };
}

const readOnly = (files: readonly string[], gits: readonly string[], folder: string): Guard[] =>
  [...new Set([...files, ...gits.flatMap((git) => readOnlyOf(git, folder))])].map((at) => ({ at, isReadOnly: true }));

/**
 * @param all the repositories before the script runs
 * @param find lists them anew, without those inside of others
 */
function watchGits(folder: string, all: readonly string[], find: () => string[]): Repositories['tidy'] {
  const before = new Set(all.map(identityOf));
  const since = Date.now() - ROUNDING_MS;
  // One that wasn't found before may be a person's own.
  const isNew = (git: string) =>
    !before.has(identityOf(git)) && (statSync(git, { throwIfNoEntry: false })?.birthtimeMs ?? 0) >= since;
  const free = all.filter((git) => !isThere(path.join(git, 'commondir')));
  return async () => {
    for (const git of free) changeBelow(folder, git, removeCommon);
    const done: string[] = [];
    // The file system may have replaced one by another under the same name.
    for (const git of new Set(find().flatMap((each) => [each, ...modulesOf(each)])))
      if (isNew(git)) done.push(...(await disarm(folder, git, /\/worktrees\/[^/]+$/.test(git))));
    return done;
  };
}

const identityOf = (file: string): string => {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return `${stat?.dev}:${stat?.ino}`;
};

/** Whatever has been swapped for a link, nothing outside of the folder is changed. */
function changeBelow(folder: string, git: string, change: (held: HeldFolder) => void): void {
  let held: HeldFolder | undefined;
  try {
    held = holdFolder(folder, path.relative(folder, git).split(path.sep).filter(Boolean));
    if (held) change(held);
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof UserError)) throw error;
  } finally {
    held?.close();
  }
}

const removeCommon = (git: HeldFolder): void => {
  if (git.stat('commondir')) rmSync(git.at('commondir'), { force: true, recursive: true });
};

/** Yields `.git` of the folder and of those in it, and those that are bare repositories. */
function* gitEntries(folder: string): Generator<string> {
  const left = [{ dir: folder, depth: MAX_DEPTH }];
  for (let seen = 0; seen < Math.min(left.length, MAX_FOLDERS); seen++) {
    const { dir, depth } = left[seen] ?? { dir: folder, depth: 0 };
    const entries = readFolder(dir);
    if (['HEAD', 'refs', 'objects'].every((name) => entries.some((entry) => entry.name === name))) yield dir;
    for (const entry of entries) {
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

function readOnlyOf(git: string, folder: string): string[] {
  const hooks = path.join(git, 'hooks');
  // If there is none, a script could create it.
  if (!isThere(hooks)) changeBelow(folder, git, (held) => void held.make('hooks', 0o755));
  if (hasOwnSettings(git)) changeBelow(folder, git, makeOwnSettings);
  const files = ['config', 'config.worktree', 'commondir', 'gitdir'].map((name) => path.join(git, name));
  return [...files.filter(isFile), ...[hooks].filter(isFolder)];
}

/** Whether git reads settings of this worktree alone, from a file that may not be there yet. */
const hasOwnSettings = (git: string): boolean =>
  [git, path.dirname(path.dirname(git))].some((at) => {
    const config = path.join(at, 'config');
    return isFile(config) && /worktreeconfig/i.test(readFileSync(config, 'utf8'));
  });

const makeOwnSettings = (git: HeldFolder): void => {
  if (!git.stat('config.worktree')) writeFileSync(git.at('config.worktree'), '', { flag: 'wx' });
};

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
