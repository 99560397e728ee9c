/**
 * `list_tasks`, `open_task`, `new_task`: what /tasks, /open and /new do, for those who say it in words. Who sees which task is decided as
 * for the commands (conversations/visibility.ts). A conversation is led elsewhere from its next message on.
 */
import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import { nextStep, readPlan, standOf } from '../../workspace/plan/plan.ts';
import { listTasks, newTaskId } from '../../workspace/tasks.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import { bindingAt, type Conversations } from '../conversations/conversations.ts';
import { findTask, isOwnTask, mayOpen, maySee, type Viewpoint } from '../conversations/visibility.ts';

export interface OwnTasksDeps {
  principal: Principal;
  address: Address;
  isDirect: boolean;
  conversations: Pick<Conversations, 'bind'>;
}

const LISTED = 15;
const MAX_READ = 2_000;
const ELSEWHERE =
  'Every task has a thread of its own here: the person writes in its thread, or mentions the bot for another.';

const listInput = z.object({ words: z.string().describe('only those whose title has them').exactOptional() });
const newInput = z.object({});
const openInput = z.object({ task: z.string().describe('id, or words of its title') });

/** Whether all the words stand in its title. */
const has = ({ title }: TaskRecord, words: string) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => title.toLowerCase().includes(word));

export function ownTaskTools({ home, viber, taskId }: ToolScope, deps: OwnTasksDeps): RuntimeTool[] {
  const { principal, address, isDirect, conversations } = deps;
  const view: Viewpoint = { principal, address, isDirect, viber };
  // Whatever its person may see: a viber is told of no other one's tasks.
  const isOurs = (task: TaskRecord) => task.viber === viber;
  const theirs = (words = '') =>
    listTasks(home, {
      ...{ limit: LISTED, maxRead: MAX_READ },
      match: (task) =>
        task.job === undefined &&
        isOurs(task) &&
        maySee(view, task) &&
        (!isDirect || isOwnTask(view, task)) &&
        has(task, words),
    });

  async function shown(task: TaskRecord) {
    const plan = (await readPlan(home, task.id, viber))?.plan;
    const next = plan && nextStep(plan)?.title;
    const state = task.id === taskId ? 'this one' : standOf(task, plan);
    return {
      id: task.id,
      title: task.title,
      state,
      updatedAt: task.updatedAt,
      ...(next === undefined ? {} : { next }),
    };
  }

  async function lead(to: string): Promise<void> {
    if (address.thread !== undefined && !isDirect) throw new UserError(ELSEWHERE);
    await conversations.bind({ ...bindingAt(principal, address, isDirect), taskId: to, viber });
  }

  return [
    defineTool({
      name: 'list_tasks',
      description: 'The tasks this person has with you, the newest first, with what is next in each.',
      input: listInput,
      effect: 'read',
      async execute({ words }) {
        return { tasks: await Promise.all((await theirs(words)).map(shown)) };
      },
    }),
    defineTool({
      name: 'open_task',
      description: 'Go on with another of their tasks here, from their next message on. Tell them its title.',
      input: openInput,
      effect: 'idempotent',
      consent: 'never',
      async execute({ task }) {
        const byId = /\d/.test(task)
          ? await findTask(home, task, (each) => isOurs(each) && mayOpen(view, each))
          : undefined;
        const found = byId ? [byId] : await theirs(task);
        const [only, other] = found;
        if (!only) throw new UserError('They have no such task; list_tasks tells which there are.');
        if (other) return { status: 'several', tasks: await Promise.all(found.map(shown)) };
        await lead(only.id);
        return { status: 'opened', ...(await shown(only)) };
      },
    }),
    defineTool({
      name: 'new_task',
      description: 'Begin another task with their next message; this one is kept.',
      input: newInput,
      effect: 'idempotent',
      consent: 'never',
      async execute() {
        await lead(newTaskId(new Date()));
        return { status: 'ready', message: 'Their next message begins the new task.' };
      },
    }),
  ];
}
