/**
 * Gives each task its own git worktree of a project whose folder is allowed with `worktree: true`. The home stores it
 * in `worktrees/{task}-{project}/`, beside its record `about.json`. Only git adds and removes worktrees, and runs no
 * code of the repository. The record is written before git starts and updated when it has finished, so that an
 * interrupted step is repeated. Invariant: no work is removed that isn't stored elsewhere too.
 */
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { errorCode, UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { parseJson } from '../../lib/json.ts';
import { exclusively } from '../../lib/locks.ts';
import { writeJson } from '../../lib/write-json.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { deletedTask, openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { branchName, changeGit, readGit } from './commands/git.ts';
import { findGitFolder } from './commands/git-folder.ts';
import type { Project } from './find.ts';

const worktree = z.object({
  task: z.string(),
  /** The folder of its project. */
  project: z.string(),
  branch: z.string(),
  /** The folder with the worktree's HEAD and index in the repository; absent until git has added it. */
  git: z.string().exactOptional(),
});
export type Worktree = z.infer<typeof worktree>;

const ABOUT = 'about.json';
/** The most branch names to try. */
const MAX_SAME = 9;
const BRANCH = /^ref: refs\/heads\/([\w.@+][\w./@+-]*)\n?$/;

const worktreesIn = ({ root }: Home): string => path.join(fs.realpathSync.native(root), 'worktrees');

const worktreePlace = (home: Home, taskId: string, project: string): string =>
  path.join(worktreesIn(home), `${taskId}-${hashText(project).slice(0, 10)}`);

/** Returns the folder of a task's worktree, whether or not it exists. */
export const worktreeFolder = (home: Home, taskId: string, project: string): string =>
  path.join(worktreePlace(home, taskId, project), path.basename(project));

export const whyNoWorktree = ({ name, folder }: Project): Wording | undefined =>
  findGitFolder(folder) ? undefined : say('projects.noRepository', { name });

/** Returns the task's worktree of this project, or why it can't be used; undefined if it hasn't been added. */
export function worktreeOf(taskId: string, project: Project, home: Home): Project | { why: Wording } | undefined {
  const folder = worktreeFolder(home, taskId, project.folder);
  const known = readWorktree(path.dirname(folder));
  if (known?.git === undefined || !fs.lstatSync(folder, { throwIfNoEntry: false })) return undefined;
  const found = fs.lstatSync(folder).isDirectory() ? findGitFolder(folder) : undefined;
  if (found?.git !== known.git || found.common !== findGitFolder(project.folder)?.common)
    return { why: say('projects.worktreeChanged', { folder }) };
  return { name: project.name, folder, origin: project.folder, repository: found };
}

/** Returns the branch that was created with the task's worktree. */
export const branchOfWorktree = (home: Home, taskId: string, project: string): string | undefined =>
  readWorktree(worktreePlace(home, taskId, project))?.branch;

/** Returns the task's worktree of this project, adding it if necessary. */
export function openWorktree(task: TaskRecord, project: Project, home: Home): Promise<Project | { why: Wording }> {
  return exclusively(worktreePlace(home, task.id, project.folder), async () => {
    const there = worktreeOf(task.id, project, home);
    if (there) return there;
    const why = whyNoWorktree(project);
    if (why !== undefined) return { why };
    try {
      await addWorktree(task, project, home);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { why: say('projects.worktreeFailed', { why: error.message }) };
    }
    const folder = worktreeFolder(home, task.id, project.folder);
    return worktreeOf(task.id, project, home) ?? { why: say('projects.worktreeChanged', { folder }) };
  });
}

/** @throws UserError with git's message */
async function addWorktree({ id, title }: TaskRecord, { folder: project }: Project, home: Home): Promise<void> {
  const folder = worktreeFolder(home, id, project);
  const about = path.join(path.dirname(folder), ABOUT);
  const known = readWorktree(path.dirname(folder));
  // Without the record, nobody can tell whether the folder contains work.
  if (!known && fs.lstatSync(folder, { throwIfNoEntry: false })) throw new UserError(`${about} is missing or damaged`);
  const branch = known ? branchNow(known) : await freeBranch(project, branchName(id, title));
  fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  writeJson(about, { task: id, project, branch } satisfies Worktree);
  // Git was interrupted while adding the worktree, so no run has worked in it.
  await rm(folder, { recursive: true, force: true });
  if (known) await forgetInGit(project, folder);
  const isThere = (await readGit(project, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])) !== undefined;
  const what = isThere ? [folder, branch] : ['-b', branch, folder, 'HEAD'];
  // Lock it: commands that can't see this folder would take it for a stale worktree and prune it.
  await changeGit(project, ['-c', 'worktree.useRelativePaths=false', 'worktree', 'add', '--quiet', '--lock', ...what]);
  const added = findGitFolder(folder);
  if (!added) throw new UserError('git has added it elsewhere');
  writeJson(about, { task: id, project, branch, git: added.git } satisfies Worktree);
}

/**
 * Returns the branch of a worktree whose folder is gone.
 * @throws UserError if none was checked out: its commits may be on no other branch
 */
function branchNow({ git, branch }: Worktree): string {
  const head = git === undefined ? undefined : readOrNone(path.join(git, 'HEAD'));
  if (head === undefined) return branch;
  const [, name] = BRANCH.exec(head) ?? [];
  if (name === undefined) throw new UserError(`its folder is gone, and ${git} has no branch checked out`);
  return name;
}

/** @throws UserError if the repository has no commit, or no name is free */
async function freeBranch(project: string, wanted: string): Promise<string> {
  const has = async (ref: string) => (await readGit(project, ['rev-parse', '--verify', '--quiet', ref])) !== undefined;
  if (!(await has('HEAD^{commit}'))) throw new UserError('the repository has no commit yet');
  for (let number = 1; number <= MAX_SAME; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!(await has(`refs/heads/${name}`))) return name;
  }
  throw new UserError(`there are too many branches named ${wanted}`);
}

/** Makes git forget a worktree that wasn't added completely, if git knows it. */
async function forgetInGit(project: string, folder: string): Promise<void> {
  try {
    await changeGit(project, ['worktree', 'remove', '--force', '--force', folder]);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}

/** Lists the worktrees of tasks that are deleted for good. */
export function leftWorktrees(home: Home): (Worktree & { folder: string })[] {
  return listFolders(worktreesIn(home)).flatMap((name) => {
    const known = readWorktree(path.join(worktreesIn(home), name));
    if (!known || fs.existsSync(openTask(home, known.task).folder) || deletedTask(home, known.task)) return [];
    return [{ ...known, folder: worktreeFolder(home, known.task, known.project) }];
  });
}

/** Removes the worktrees of deleted tasks. Returns those that stay because their work is stored nowhere else. */
export async function sweepWorktrees(home: Home): Promise<{ folder: string; why: string }[]> {
  const kept: { folder: string; why: string }[] = [];
  for (const left of leftWorktrees(home)) {
    const at = path.dirname(left.folder);
    await exclusively(at, async () => {
      try {
        await removeWorktree(left);
        await rm(at, { recursive: true });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        kept.push({ folder: left.folder, why: error.message });
      }
    });
  }
  return kept;
}

/** @throws UserError with the reason why the worktree stays */
async function removeWorktree(left: Worktree & { folder: string }): Promise<void> {
  const { project, branch, git, folder } = left;
  const isThere = fs.lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (git !== undefined && isThere) {
    if (findGitFolder(folder)?.git !== git) throw new UserError('it was changed or replaced');
    const changes = await readGit(folder, ['status', '--porcelain', '--untracked-files=all']);
    if (changes !== '') throw new UserError('it has uncommitted changes');
    const marked = await readGit(folder, ['ls-files', '-v', '-z']);
    // Git doesn't report changes in files that are marked as unchanged.
    if (marked === undefined || marked.split('\0').some((line) => line !== '' && !line.startsWith('H ')))
      throw new UserError('some of its files are marked as unchanged');
    const others = ['--not', `--exclude=${branch}`, '--branches', '--remotes', '--tags'];
    const own = await readGit(folder, ['rev-list', '--count', 'HEAD', ...others]);
    if (own?.trim() !== '0') throw new UserError('it has commits that are on no other branch');
    const head = await readGit(folder, ['symbolic-ref', '--quiet', 'HEAD']);
    // It is already unlocked if an earlier removal was interrupted.
    if (fs.existsSync(path.join(git, 'locked'))) await changeGit(project, ['worktree', 'unlock', folder]);
    try {
      // Without --force, git itself checks again for work that would be lost.
      await changeGit(project, ['worktree', 'remove', folder]);
    } catch (error) {
      await changeGit(project, ['worktree', 'lock', folder]);
      throw error;
    }
    if (head?.trim() === `refs/heads/${branch}`) await changeGit(project, ['branch', '-D', '--quiet', branch]);
  } else if (!isThere || git === undefined) {
    branchNow(left);
    await forgetInGit(project, folder);
  }
}

function readWorktree(at: string): Worktree | undefined {
  return worktree.safeParse(parseJson(readOrNone(path.join(at, ABOUT)) ?? '')).data;
}

function readOrNone(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

const listFolders = (folder: string): string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
