/**
 * `list_tasks`, `open_task`, `new_task`: the commands /tasks, /open and /new in words, with the same rules
 * (conversations/visibility.ts). A conversation switches with its next message.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { listTasks, newTaskId, nextStep, openTask, standOf } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { defineTool } from '../contract/tool.ts';
import { bindingAt } from '../conversations/conversations.ts';
import { findTask, isListedFor, mayOpen, type Viewpoint } from '../conversations/visibility.ts';
import { inConversation } from './offered.ts';
import { addressOfRun, type ToolRun } from './run.ts';

const LISTED = 15;
const MAX_READ = 2_000;
const ELSEWHERE =
  'Every task has a thread of its own here: the person writes in its thread, or mentions the bot for another.';

const listInput = z.object({ words: z.string().describe('only those whose title has them').exactOptional() });
const newInput = z.object({});
const openInput = z.object({ task: z.string().describe('id, or words of its title') });

const has = ({ title }: TaskRecord, words: string) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => title.toLowerCase().includes(word));

export function viewOf(run: ToolRun): Viewpoint {
  const { principal, isDirect = false } = run.order;
  return { principal, address: addressOfRun(run), isDirect, viber: run.scope.viber };
}

/** Other vibers' tasks stay hidden, even if the person may see them. */
const belongsToViber = (task: TaskRecord, { scope }: ToolRun): boolean => task.viber === scope.viber;

function tasksOf(run: ToolRun, words = ''): Promise<TaskRecord[]> {
  const view = viewOf(run);
  return listTasks(run.scope.home, {
    limit: LISTED,
    maxRead: MAX_READ,
    match: (task) => isListedFor(view, task) && has(task, words),
  });
}

const shown =
  ({ scope: { home, viber, taskId } }: ToolRun) =>
  async (task: TaskRecord) => {
    const plan = (await openTask(home, task, viber).plan.read())?.plan;
    const next = plan && nextStep(plan)?.title;
    const state = task.id === taskId ? 'this one' : standOf(task, plan);
    const { id, title, updatedAt } = task;
    return { id, title, state, updatedAt, ...(next === undefined ? {} : { next }) };
  };

async function lead(to: string, run: ToolRun): Promise<void> {
  const { principal, isDirect = false } = run.order;
  const address = addressOfRun(run);
  if (address.thread !== undefined && !isDirect) throw new UserError(ELSEWHERE);
  const bound = { ...bindingAt(principal, address, isDirect), taskId: to, viber: run.scope.viber };
  await run.gw.tasks.conversations.bind(bound);
}

export const listTasksTool = defineTool({
  name: 'list_tasks',
  describe: 'The tasks this person has with you, the newest first, with what is next in each.',
  doing: 'doing.tasks',
  ability: { line: 'tasks', words: 'list their tasks (list_tasks)' },
  offered: inConversation,
  input: listInput,
  effect: 'read',
  async execute({ words }, run: ToolRun) {
    return { tasks: await Promise.all((await tasksOf(run, words)).map(shown(run))) };
  },
});

export const openTaskTool = defineTool({
  name: 'open_task',
  describe: 'Go on with another of their tasks here, from their next message on. Tell them its title.',
  doing: 'doing.openTask',
  ability: { line: 'tasks', words: 'go on with another one (open_task)' },
  offered: inConversation,
  input: openInput,
  effect: 'idempotent',
  consent: 'never',
  async execute({ task }, run: ToolRun) {
    const view = viewOf(run);
    const mayLead = (each: TaskRecord) => belongsToViber(each, run) && mayOpen(view, each);
    const byId = /\d/.test(task) ? await findTask(run.scope.home, task, mayLead) : undefined;
    const found = byId ? [byId] : await tasksOf(run, task);
    const [only, other] = found;
    if (!only) throw new UserError('They have no such task; list_tasks shows theirs.');
    if (other) return { status: 'several', tasks: await Promise.all(found.map(shown(run))) };
    await lead(only.id, run);
    return { status: 'opened', ...(await shown(run)(only)) };
  },
});

export const newTask = defineTool({
  name: 'new_task',
  describe: 'Begin another task with their next message; this one is kept.',
  doing: 'doing.newTask',
  ability: { line: 'tasks', words: 'begin a new one (new_task)' },
  offered: inConversation,
  ownWords: true,
  input: newInput,
  effect: 'idempotent',
  consent: 'never',
  async execute(_input, run: ToolRun) {
    await lead(newTaskId(new Date()), run);
    return { status: 'ready', message: 'Their next message begins the new task.' };
  },
});
