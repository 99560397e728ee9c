/** Describes the project to the model. */
import { useFile, useFolder } from '../../lib/files/below.ts';
import { cutText } from '../../lib/text.ts';
import { clip, clipLine, dataBlock, visibleText } from '../../runtime/context/turn.ts';
import type { Order } from '../../runtime/contract/order.ts';
import { maySee } from '../../runtime/conversations/visibility.ts';
import { listTasks } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';
import { branchName } from './commands/git.ts';
import { personsIdentity } from './commands/identity.ts';
import { type ProjectFacts, projectFacts } from './facts.ts';
import { decodeFile, unlessRefused } from './files.ts';
import type { Project } from './find.ts';

/** Files with instructions for agents; the first one that exists is used. */
const GUIDES = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'] as const;
const MAX_GUIDE = 20_000;
/** Number of newest tasks that are searched for others in the same project. */
const LOOKED_AT = 200;
const MAX_OTHERS = 3;

export interface Brief {
  /** Rarely changes. */
  instructions: string;
  /** Changes with every run. */
  standing: string;
}

export async function briefOf(project: Project, order: Order, viber: string, gw: Gateway): Promise<Brief> {
  const [facts, guide, others, { signs }] = await Promise.all([
    projectFacts(project.folder, order.signal),
    guideOf(project),
    othersIn(project, order, viber, gw),
    personsIdentity(),
  ]);
  return {
    instructions: [aboutProject(project, facts, branchName(order.task.id, order.task.title), signs), guide]
      .filter(Boolean)
      .join('\n\n'),
    standing: state(project, facts, others),
  };
}

const aboutProject = (
  { name, folder, origin }: Project,
  { languages, commands, branch }: ProjectFacts,
  own: string,
  signs: boolean,
): string =>
  [
    `You work in the project ${clipLine(name, 200)}, ${clipLine(folder, 1_000)}. Paths of your file tools are relative to it.`,
    'Explore first and follow its style; plan; make small changes; check each step; report what changed and what the checks say.',
    ...(origin === undefined
      ? []
      : [
          `This folder is a git worktree of ${clipLine(origin, 1_000)}, made for this task alone: its branch is ${branch}.`,
        ]),
    ...(branch === undefined ? [] : [aboutCommits(origin === undefined ? own : undefined, signs)]),
    ...(languages.length > 0 ? [`Languages: ${languages.join(', ')}.`] : []),
    ...(commands.length > 0 ? [`Its commands: ${commands.map((one) => `\`${one}\``).join(', ')}.`] : []),
  ].join('\n');

/** @param own the branch to create; undefined if the task's branch is checked out already */
const aboutCommits = (own: string | undefined, signs: boolean): string =>
  [
    own === undefined
      ? 'Commit only if the person wants it, and to this branch, unless they name another one.'
      : `Commit only if the person wants it, and to a new branch: \`git switch -c ${own}\`, unless they name another one.`,
    'Read-only commands run at once; the person is asked about others. `git push REMOTE BRANCH` must be a separate call.',
    ...(signs ? ["Your commits aren't signed, although the person signs theirs: say so when you commit."] : []),
  ].join(' ');

function state({ name }: Project, { branch, changed }: ProjectFacts, others: readonly string[]): string {
  const parts = [
    `Project ${clipLine(name, 200)}`,
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(changed === undefined
      ? []
      : [changed === 0 ? 'no uncommitted changes' : `${changed} files with uncommitted changes`]),
    ...(others.length > 0 ? [`other tasks at work here: ${others.join(', ')}`] : []),
  ];
  return `[${parts.join('; ')}]`;
}

/** Returns the project's own instructions. They come from its files, so what the person says takes precedence. */
async function guideOf({ folder }: Project): Promise<string> {
  const names =
    (await useFolder(folder, [], (held) => held.entries().flatMap(({ name, isFile }) => (isFile ? [name] : [])))) ?? [];
  const file = GUIDES.find((name) => names.includes(name));
  if (file === undefined) return '';
  const text = await unlessRefused(useFile(folder, [file], ({ fd }) => decodeFile(fd, file)));
  if (!text?.trim()) return '';
  const block = dataBlock('project_instructions', clip(visibleText(text), MAX_GUIDE), { from: file });
  return `${block}\nThese are the project's own instructions. Follow them for work in it, unless the person says otherwise.`;
}

/** Lists other tasks that are running in the same project, if the person may see them from this conversation. */
async function othersIn(
  { folder, origin = folder }: Project,
  { task, principal, address, isDirect = false }: Order,
  viber: string,
  { home }: Gateway,
): Promise<string[]> {
  if (!address) return [];
  const match = (record: TaskRecord) =>
    record.project === origin &&
    record.id !== task.id &&
    record.state === 'running' &&
    maySee({ principal, address, isDirect, viber }, record);
  const found = await listTasks(home, { limit: MAX_OTHERS, maxRead: LOOKED_AT, match });
  return found.map(({ title }) => `"${cutText(title, 60)}"`);
}
