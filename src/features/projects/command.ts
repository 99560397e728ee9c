/** `/project`: shows or chooses the project of this task. */
import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { lines, say, type Text, words } from '../../messages/messages.ts';
import { type Command, type Invocation, mayUse } from '../../runtime/commands/command.ts';
import { escapeMarkdown } from '../../runtime/conversations/places.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { configOf } from '../gateway.ts';
import { isPersonAllowed, isPlaceAllowed } from './access.ts';
import { findProjects, matchProject, type Project } from './find.ts';
import { chooseNext, nextProject } from './next.ts';
import { openProject, projectRules, rootsOf, whyNotChosen } from './open.ts';
import { folderIn } from './roots.ts';
import { branchOfWorktree, leftWorktrees, worktreeFolder } from './worktrees.ts';

const LISTED = 20;
const WITH_BUTTONS = 6;

export const project: Command = {
  name: 'project',
  help: { group: 'tasks', does: 'does.project' },
  description: 'The project this task works in (/project NAME)',
  argument: { name: 'name', description: 'Its name, or none' },
  action: 'chat',
  hidden: (config) => configOf({ config }).projects.roots.length === 0,
  async run(context) {
    const { gw, args, principal, task, messages } = context;
    const rules = projectRules(gw);
    if (!isPersonAllowed(principal, rules)) throw new UserError(say('projects.peopleOnly'));
    if (!isPlaceAllowed(context, rules)) throw new UserError(say('projects.directOnly'));
    if (rules.roots.length === 0)
      return { text: messages.text('projects.notSetUp', { command: viberCommand('project allow FOLDER') }) };
    const wanted = args.trim();
    if (wanted === '') return listProjects(context);
    if (task && !mayUse(principal, 'steer', task))
      return { text: messages.text('commands.peopleOnly', { title: task.title, name: 'project' }) };
    if (/^(none|off)$/i.test(wanted)) {
      if ((await current(context)) === undefined) return { text: messages.text('projects.none') };
      await change(context, undefined);
      return { text: messages.text(task ? 'projects.left' : 'projects.leftNext') };
    }
    const chosen = choose(wanted, await findProjects(rootsOf(gw)));
    const why = whyNotChosen(chosen, gw);
    if (why !== undefined) throw new UserError(say('projects.cantChoose', { why }));
    await change(context, chosen.folder);
    return { text: messages.text(task ? 'projects.set' : 'projects.setNext', shown(chosen)) };
  },
};

const shown = ({ name, folder }: Project) => ({ name: escapeMarkdown(name), folder: escapeMarkdown(folder) });

/** Returns the folder of the task's project or, without a task, the one chosen for the next task. */
const current = async (context: Invocation): Promise<string | undefined> =>
  context.task ? context.task.project : nextProject(context, context.gw);

async function change(context: Invocation, folder: string | undefined): Promise<void> {
  const { gw, taskId, task } = context;
  if (!task) return chooseNext(context, folder, gw);
  await openTask(gw.home, taskId).update(({ project: _before, ...record }) =>
    folder === undefined ? record : { ...record, project: folder },
  );
}

/** @throws UserError */
function choose(wanted: string, projects: readonly Project[]): Project {
  const { found, near } = matchProject(wanted, projects);
  const [only, ...others] = found;
  const name = escapeMarkdown(wanted.slice(0, 60));
  if (only && others.length === 0) return only;
  if (only)
    throw new UserError(
      say('projects.several', { name, folders: found.map((one) => escapeMarkdown(one.folder)).join(', ') }),
    );
  if (near !== undefined) throw new UserError(say('projects.nearly', { name, near: escapeMarkdown(near) }));
  throw new UserError(say('projects.unknown', { name }));
}

/** Says where this task's worktree is, and which worktrees of deleted tasks remain. */
function worktreeLines(
  { gw, taskId, task, messages }: Invocation,
  folder: string | undefined,
  projects: readonly Project[],
): Text[] {
  const branch = folder !== undefined && task ? branchOfWorktree(gw.home, taskId, folder) : undefined;
  const left = leftWorktrees(gw.home).filter(({ project: of }) => projects.some((one) => one.folder === of));
  return [
    ...(folder !== undefined && branch !== undefined
      ? [
          messages.text('projects.worktree', {
            folder: escapeMarkdown(worktreeFolder(gw.home, taskId, folder)),
            branch: escapeMarkdown(branch),
          }),
        ]
      : []),
    ...(left.length > 0
      ? [
          messages.text('projects.leftWorktrees', {
            folders: messages.list(left.slice(0, LISTED).map((one) => escapeMarkdown(one.folder))),
          }),
        ]
      : []),
  ];
}

async function listProjects(context: Invocation) {
  const { gw, task, messages } = context;
  const projects = await findProjects(rootsOf(gw));
  const folder = await current(context);
  const opened = folder === undefined ? undefined : openProject(folder, gw);
  const now =
    opened === undefined
      ? messages.text('projects.none')
      : 'why' in opened
        ? messages.text('projects.cant', { why: opened.why })
        : messages.text(task ? 'projects.now' : 'projects.next', shown(opened));
  const apart = worktreeLines(context, folder, projects);
  if (projects.length === 0)
    return {
      text: lines(
        now,
        '',
        messages.text('projects.empty', { folders: messages.list(projectRules(gw).roots.map(folderIn)) }),
      ),
    };
  const names = messages.list(projects.slice(0, LISTED).map(({ name }) => escapeMarkdown(name)));
  const rest = projects.length - LISTED;
  const all = rest > 0 ? say('projects.more', { names, n: rest }) : names;
  const buttons = projects
    .slice(0, WITH_BUTTONS)
    .map(({ name }) => [{ label: words(name), command: 'project', args: name }]);
  return {
    text: lines(now, ...apart, '', messages.text('projects.list', { names: all })),
    ...(buttons.length > 0 && { buttons }),
  };
}
