/** /new and /tasks: begin and find tasks. */

import {
  labelOf,
  lines,
  type MessageKey,
  type Messages,
  sentences,
  type Text,
  words,
} from '../../../messages/messages.ts';
import type { Home } from '../../../workspace/home.ts';
import { openTask, standOf } from '../../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../../workspace/types.ts';
import type { ButtonAction } from '../../contract/buttons.ts';
import { taskLane } from '../../contract/entry.ts';
import { placesOf } from '../../conversations/places.ts';
import type { Command, Invocation } from '../command.ts';

const SHOWN = 10;
const BUTTONS = 6;

const MARK: Record<ReturnType<typeof standOf>, string> & { waiting: string } = {
  pending: '◌',
  running: '▶',
  waiting: '◔',
  open: '◐',
  completed: '✓',
  error: '✗',
  stopped: '■',
};

export const STANDS = {
  pending: 'tasks.pending',
  running: 'tasks.running',
  waiting: 'tasks.waiting',
  open: 'tasks.unfinished',
  completed: 'tasks.completed',
  error: 'tasks.error',
  stopped: 'tasks.stopped',
} as const satisfies Record<ReturnType<typeof standOf> | 'waiting', MessageKey>;

export const markOf = async (home: Home, task: TaskRecord): Promise<string> =>
  MARK[standOf(task, (await openTask(home, task).plan.read())?.plan)];

export const fresh: Command = {
  name: 'new',
  aliases: ['task'],
  help: { group: 'tasks', does: 'does.new' },
  description: 'Begin another task (/new GOAL)',
  argument: { name: 'goal', description: 'What I should do' },
  action: 'chat',
  binds: true,
  run: async ({ message, messages }) => ({
    text: messages.text(message.opensThread ? 'tasks.threadEach' : 'tasks.fresh'),
  }),
};

export const tasks: Command = {
  name: 'tasks',
  help: { group: 'tasks', does: 'does.tasks' },
  description: 'List your tasks',
  argument: { name: 'whose', description: 'all: those of others too', pattern: '^all$' },
  action: 'look',
  async run(context) {
    const { taskId, isDirect, principal, args, messages } = context;
    const mayAll = isDirect && principal.role === 'owner';
    const isAll = mayAll && (args.trim().toLowerCase() === 'all' || isOperator(context));
    const { found, looked } = await context.tasks(SHOWN, isAll ? 'all' : 'own');
    const hints = [
      looked === undefined ? '' : messages.text('tasks.older', { n: looked }),
      mayAll && !isAll ? messages.text('tasks.ofEverybody') : '',
      isDirect ? '' : messages.text('tasks.morePrivately'),
    ] as const;
    if (found.length === 0) {
      const none: MessageKey =
        looked !== undefined ? 'tasks.noneFound' : isDirect ? 'tasks.noneYours' : 'tasks.noneHere';
      return { text: sentences(messages.text(none), ...hints) };
    }
    const others = found.filter((task) => task.id !== taskId).slice(0, BUTTONS);
    const heading = messages.text(isAll ? 'tasks.all' : isDirect ? 'tasks.yours' : 'tasks.here');
    const listed = await Promise.all(found.map((task) => taskLine(task, context)));
    return {
      text: lines(heading, '', ...listed, '', sentences(messages.text('tasks.continueHere'), ...hints)),
      buttons: others.map((task) => [openButton(task, messages)]),
    };
  },
};

/** The machine's own terminal, unless linked to a person, sees every task. */
const isOperator = ({ principal }: Invocation): boolean =>
  (principal.channel === 'terminal' || principal.channel === 'local') && principal.person === undefined;

/** A task that waits for a person isn't running, whatever its record says. */
export async function standNow(task: TaskRecord, { gw }: Invocation): Promise<keyof typeof STANDS> {
  const { view } = await gw.engine.queue.look(taskLane(task.id));
  if (view) return 'running';
  if (gw.consent.approvals.open(task.id).length > 0) return 'waiting';
  return standOf(task, (await openTask(gw.home, task).plan.read())?.plan);
}

async function taskLine(task: TaskRecord, context: Invocation): Promise<Text> {
  const { viber, taskId, isDirect, messages } = context;
  const stand = await standNow(task, context);
  const here = task.id === taskId ? ` ${messages.text('tasks.thisOne')}` : '';
  // Groups don't show where else their people talk to the viber.
  const places = isDirect ? placesOf(task.conversations, messages) : '';
  const where = places === '' ? '' : `, ${places}`;
  const whose = task.viber === viber ? '' : `, ${task.viber}`;
  const state = messages.text(STANDS[stand]);
  return words(`- ${MARK[stand]} ${state}: \`${task.id}\` ${task.title}${here}${whose}${where}`);
}

const openButton = (task: TaskRecord, messages: Messages): ButtonAction => ({
  label: labelOf(messages.text('tasks.open', { title: task.title })),
  command: 'open',
  args: task.id,
});
