/** Projects: folders of this machine in which a viber works when somebody asks it in a chat. */
import { openTask } from '../../workspace/tasks/index.ts';
import { configOf, type Feature } from '../gateway.ts';
import { isPlaceAllowed } from './access.ts';
import { removeStaging } from './clone.ts';
import { project } from './command.ts';
import { isProjectOffered, offerProject, PROJECT_TOOLS } from './offer.ts';
import { projectRules, rootsOf } from './open.ts';
import { processesStatus, stopProcesses, sweepProjectCaches, watchProcesses } from './processes.ts';
import { useProject } from './tools/use-project.ts';
import { sweepWorktrees } from './worktrees.ts';

export const projects: Feature = {
  name: 'projects',
  commands: [project],
  isSetUp: (at) => configOf(at).projects.roots.length > 0,
  offers: {
    known: [useProject, ...PROJECT_TOOLS.filter(({ replaces }) => !replaces)],
    when: isProjectOffered,
    tools: offerProject,
  },
  mayTell: ({ task }, to, gw) =>
    openTask(gw.home, task.id).record()?.project === undefined || isPlaceAllowed(to, projectRules(gw)),
  sweep(now, gw) {
    const yesterday = now.getTime() - 24 * 3_600_000;
    const clean = async () => {
      for (const root of rootsOf(gw)) await removeStaging(root, yesterday);
      await sweepProjectCaches(gw);
      for (const { folder, why } of await sweepWorktrees(gw.home))
        gw.log.warn({ folder }, `kept the worktree of a deleted task: ${why}`);
    };
    clean().catch((error: unknown) =>
      gw.log.warn({ err: error }, 'files left by clones and commands could not be removed'),
    );
  },
  async setup(at) {
    return (await import('./setup.ts')).askForRoot(at);
  },
  status: processesStatus,
  stop: stopProcesses,
  start: watchProcesses,
  async check(at) {
    return (await import('./check.ts')).checkRoots(at);
  },
};
