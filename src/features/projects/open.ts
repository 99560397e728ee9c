/** Checks a task's project before each use, because its folder and the configuration may have changed. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { whyNoScripts } from '../../workspace/own-files.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { configOf, type Gateway } from '../gateway.ts';
import type { ProjectRules } from './access.ts';
import { findGitFolder, type GitFolder } from './commands/git-folder.ts';
import type { Network } from './commands/registries.ts';
import type { Project } from './find.ts';
import { checkRoot, folderIn, hasWorktrees, liesIn, networkOfRoot, type RootSetting, usableRoots } from './roots.ts';
import { openWorktree, whyNoWorktree, worktreeOf } from './worktrees.ts';

export const projectRules = (gw: Gateway): ProjectRules => configOf(gw).projects;

/** Returns the innermost allowed folder that contains a project. */
function innermostRoot(folder: string, gw: Gateway): RootSetting | undefined {
  let best: { folder: string; setting: RootSetting } | undefined;
  for (const setting of projectRules(gw).roots) {
    const { folder: root } = checkRoot(folderIn(setting), gw.home);
    if (root === undefined || !liesIn(folder, root) || (best && liesIn(best.folder, root))) continue;
    best = { folder: root, setting };
  }
  return best?.setting;
}

/** Returns which network commands in a project may reach. */
export const networkOf = (folder: string, gw: Gateway): Network => networkOfRoot(innermostRoot(folder, gw) ?? folder);

export const rootsOf = (gw: Gateway): string[] => usableRoots(projectRules(gw).roots, gw.home);

/** Returns the project in this folder, or why it can't be used. */
export function openProject(folder: string, gw: Gateway): Project | { why: Wording } {
  const why = whyNot(folder, gw.home, rootsOf(gw));
  return why === undefined ? { name: path.basename(folder), folder, ...repositoryOutside(folder, gw) } : { why };
}

/** Returns the repository of a worktree or submodule if it is in an allowed folder too. */
function repositoryOutside(folder: string, gw: Gateway): { repository?: GitFolder } {
  const found = findGitFolder(folder);
  if (!found || liesIn(found.common, folder)) return {};
  return rootsOf(gw).some((root) => liesIn(found.common, root)) ? { repository: found } : {};
}

/** Returns why no task may choose this project, even though it can be opened. */
export const whyNotChosen = (project: Project, gw: Gateway): Wording | undefined =>
  hasWorktrees(innermostRoot(project.folder, gw) ?? '') ? whyNoWorktree(project) : undefined;

/**
 * Opens the folder in which a task works: the project's, or the task's own worktree of it.
 * @param folder the task's project
 */
export async function openPlace(task: TaskRecord, folder: string, gw: Gateway): Promise<Project | { why: Wording }> {
  const opened = openProject(folder, gw);
  if ('why' in opened || !hasWorktrees(innermostRoot(folder, gw) ?? '')) return opened;
  return openWorktree(task, opened, gw.home);
}

/** Like `openPlace`, but synchronous and without adding a worktree: it existed when the run began. */
export function placeNow(taskId: string, folder: string, gw: Gateway): Project | { why: Wording } {
  const opened = openProject(folder, gw);
  if ('why' in opened || !hasWorktrees(innermostRoot(folder, gw) ?? '')) return opened;
  return worktreeOf(taskId, opened, gw.home) ?? { why: say('projects.moved', { name: opened.name }) };
}

function whyNot(folder: string, home: Home, roots: readonly string[]): Wording | undefined {
  const name = path.basename(folder);
  try {
    // Somebody may have replaced the folder with a link.
    if (fs.realpathSync.native(folder) !== folder || !fs.statSync(folder).isDirectory())
      return say('projects.moved', { name });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return say('projects.moved', { name });
  }
  if (!roots.some((root) => liesIn(folder, root))) return say('projects.notAllowed', { name });
  const why = whyNoScripts(home, folder);
  return why === undefined ? undefined : say('projects.holdsOwn', { why });
}
