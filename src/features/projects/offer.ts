/** Lets the model choose a project, and adds the tools for its files once one is chosen. */
import { principalText } from '../../access/principal.ts';
import { parseAddress } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import { createLru } from '../../lib/lru.ts';
import { messagesIn } from '../../messages/messages.ts';
import { clipLine } from '../../runtime/context/turn.ts';
import type { FeatureOffer, Order } from '../../runtime/contract/order.ts';
import type { OwnSettings } from '../../runtime/contract/settings.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import { mayUse } from '../../runtime/tools/asked.ts';
import { bind } from '../../runtime/tools/bind.ts';
import { hasSandbox } from '../../skills/sandbox.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { type Gateway, perGateway } from '../gateway.ts';
import { isPlaceAllowed, mayWork } from './access.ts';
import { briefOf } from './brief.ts';
import type { SeenFiles } from './files.ts';
import { findProjects, matchProject, type Project } from './find.ts';
import { takeNext } from './next.ts';
import { networkOf, openPlace, placeNow, projectRules, rootsOf } from './open.ts';
import { processesOf, processesText } from './processes.ts';
import { editFile } from './tools/edit-file.ts';
import { listFiles } from './tools/list-files.ts';
import { processTool } from './tools/process.ts';
import { readFile } from './tools/read-file.ts';
import type { ProjectRun } from './tools/run.ts';
import { runCommand } from './tools/run-command.ts';
import { searchFiles } from './tools/search-files.ts';
import { showChanges } from './tools/show-changes.ts';
import { useProject } from './tools/use-project.ts';
import { writeFile } from './tools/write-file.ts';

export const PROJECT_TOOLS = [
  readFile,
  listFiles,
  searchFiles,
  editFile,
  writeFile,
  runCommand,
  showChanges,
  processTool,
];

/** Limit of model calls in one run. Work in a project needs more than the usual limit. */
const STEPS = 60;
const MAX_SEEN = 10_000;

/** The files that tasks have read since the start. */
const seenFiles = perGateway(() => createLru<string>(MAX_SEEN));

export const isProjectOffered = (order: Order, _own: OwnSettings, gw: Gateway): boolean =>
  (order.asked === undefined || order.asked.part !== undefined) &&
  (order.job?.project !== undefined || mayWork(order, projectRules(gw)));

/** Returns whether projects may be used everywhere the job's result goes. The job's own run is in no group. */
async function isResultAllowed({ job }: Order, gw: Gateway): Promise<boolean> {
  const isAllowed = async (to: string) => {
    const address = parseAddress(to);
    if (!address) return false;
    const isDirect = await gw.places.targets.isDirect(to);
    return isPlaceAllowed({ address: { account: '', ...address }, isDirect }, projectRules(gw));
  };
  return (await Promise.all((job?.deliver ?? []).map(isAllowed))).every(Boolean);
}

export async function offerProject(
  given: Order,
  own: OwnSettings,
  scope: ToolScope,
  gw: Gateway,
): Promise<FeatureOffer> {
  if (!mayWork(given, projectRules(gw)) || !(await isResultAllowed(given, gw)))
    return { tools: [], ...noteForJob(given, 'its author may not, or those who read its result may not') };
  const { task, why } = given.job ? await projectOfJob(given, gw) : { task: await takeNext(given, gw) };
  const order = { ...given, task };
  const choose = bind(useProject, { gw, scope, order, own, mayUse: (name) => mayUse(own, order.asked)({ name }) });
  if (task.project === undefined) return { tools: [choose], ...(why !== undefined && noteForJob(given, why)) };
  const folder = task.project;
  const opened = await openPlace(task, folder, gw);
  if ('why' in opened) {
    const why = messagesIn('en').said(opened.why);
    return { tools: [choose], standing: `[The project of this task can't be used: ${why}]` };
  }
  const processes = processesOf(gw);
  const run: ProjectRun = {
    scope,
    seen: seenBy(task.id, opened.folder, gw),
    project: () => usableProject(task.id, folder, gw),
    isSandboxed: await hasSandbox(),
    words: order.words,
    person: principalText(order.principal),
    network: () => networkOf(folder, gw),
    writable: () => [gw.home.root, ...rootsOf(gw)],
    processes,
  };
  const tools = PROJECT_TOOLS.map((tool) => bind(tool, run)).filter(mayUse(own, order.asked));
  const { instructions, standing } = await briefOf(opened, order, scope.viber, gw);
  const running = processesText(await processes.tell(task.id, scope.runId));
  return {
    tools: [choose, ...tools],
    instructions,
    standing: [standing, running].filter(Boolean).join('\n'),
    maxSteps: STEPS,
  };
}

/** Makes a job that can't use its project say so in its result. */
const noteForJob = ({ job }: Order, why: string): { standing?: string } =>
  job?.project === undefined
    ? {}
    : { standing: `[The project of this job (${clipLine(job.project, 200)}) can't be used: ${why}]` };

/** Sets the task's project to the one that the job's file names. */
async function projectOfJob({ job, task }: Order, gw: Gateway): Promise<{ task: TaskRecord; why?: string }> {
  if (job?.project === undefined || task.project !== undefined) return { task };
  const { found, near } = matchProject(job.project, await findProjects(rootsOf(gw)));
  const [only, ...others] = found;
  if (!only) return { task, why: `there is none with this name${near === undefined ? '' : `; did you mean ${near}?`}` };
  if (others.length > 0) return { task, why: 'several have this name: the job must name its path' };
  await openTask(gw.home, task.id).update((record) => ({ ...record, project: only.folder }));
  return { task: { ...task, project: only.folder } };
}

function usableProject(taskId: string, folder: string, gw: Gateway): Project {
  const opened = placeNow(taskId, folder, gw);
  if ('why' in opened) throw new UserError(opened.why);
  return opened;
}

function seenBy(taskId: string, folder: string, gw: Gateway): SeenFiles {
  const kept = seenFiles(gw);
  const keyOf = (label: string) => `${taskId}\0${folder}\0${label}`;
  return { get: (label) => kept.get(keyOf(label)), note: (label, sum) => kept.set(keyOf(label), sum) };
}
