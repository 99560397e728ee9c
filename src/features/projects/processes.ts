/** Connects the processes of tasks to the gateway: lists them for people and runs, and ends them in time. */
import { type Messages, messagesIn, type Text } from '../../messages/messages.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import { oneLine } from './commands/output.ts';
import { Processes } from './commands/processes.ts';
import { openProject, rootsOf } from './open.ts';
import { liesIn } from './roots.ts';
import { worktreeFolder } from './worktrees.ts';

export const processesOf = perGateway(
  (gw) => new Processes(gw.home, { by: configOf(gw).engine.kind === 'redis' ? gw.engine : undefined }),
);

/** The interval of checks: no event reports that a task was deleted or that its project changed. */
const CHECK_MS = 2_000;

export function processesText(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `[Processes in the background: ${lines.join('; ')}]`;
}

export async function stopProcesses(taskId: string, gw: Gateway): Promise<boolean> {
  return (await processesOf(gw).endEverywhere(taskId)) > 0;
}

/** Lists a task's processes for people. */
export function processesStatus(taskId: string, messages: Messages, gw: Gateway): Text[] {
  const running = processesOf(gw)
    .running(taskId)
    .map(({ id, command }) => `\`${oneLine(command).replaceAll('`', "'")}\` (${id})`);
  return running.length === 0 ? [] : [messages.text('projects.processes', { what: messages.list(running) })];
}

/** Ends processes whose task or project is gone. The returned function stops watching and ends all processes. */
export function watchProcesses(gw: Gateway): () => Promise<void> {
  const processes = processesOf(gw);
  const check = () => {
    for (const { taskId, folder } of processes.places()) {
      const why = whyOver(taskId, folder, gw);
      if (why === undefined) continue;
      gw.log.info({ task: taskId }, `commands of a task were ended: ${why}`);
      void processes.end(taskId);
    }
    void tidyCaches(gw);
  };
  const timer = setInterval(check, CHECK_MS).unref();
  return async () => {
    clearInterval(timer);
    await processes.close();
  };
}

/** The minimum interval between two checks of the same cache. */
const TIDY_MS = 5 * 60_000;
const tidiedAt = perGateway(() => new Map<string, number>());

async function tidyCaches(gw: Gateway): Promise<void> {
  const tidied = tidiedAt(gw);
  const isDue = (folder: string) => performance.now() - (tidied.get(folder) ?? Number.NEGATIVE_INFINITY) >= TIDY_MS;
  for (const folder of processesOf(gw).takeUsedCaches(isDue)) {
    tidied.set(folder, performance.now());
    try {
      const { tidyCache } = await import('./commands/cache.ts');
      await tidyCache({ folder });
    } catch (error) {
      gw.log.warn({ err: error }, 'the cache of a project could not be measured');
    }
  }
}

/** Removes old caches and those of projects that are no longer allowed. */
export async function sweepProjectCaches(gw: Gateway): Promise<void> {
  const { sweepCaches } = await import('./commands/cache.ts');
  const roots = rootsOf(gw);
  const isUsed = (folder: string) => processesOf(gw).usesCache(folder);
  await sweepCaches(gw.home, (project) => roots.some((root) => liesIn(project, root)), { isUsed });
}

function whyOver(taskId: string, folder: string, gw: Gateway): string | undefined {
  const record = openTask(gw.home, taskId).record();
  if (!record) return 'the task was deleted';
  const { project } = record;
  if (project === undefined || ![project, worktreeFolder(gw.home, taskId, project)].includes(folder))
    return 'the task left the project';
  const opened = openProject(project, gw);
  return 'why' in opened ? messagesIn('en').said(opened.why) : undefined;
}
