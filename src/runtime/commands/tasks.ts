/** /new and /tasks: beginning and finding tasks. */
import type { Home } from '../../workspace/home.ts';
import { readPlan, standOf } from '../../workspace/plan.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { placesOf } from '../conversations/places.ts';
import type { Command, CommandContext } from './command.ts';

const SHOWN = 10;
const BUTTONS = 6;

const MARK: Record<ReturnType<typeof standOf>, string> = {
  pending: '◌',
  running: '▶',
  open: '◐',
  completed: '✓',
  error: '✗',
  stopped: '■',
};

/** How a task stands, in one character. */
export const markOf = async (home: Home, task: TaskRecord): Promise<string> =>
  MARK[standOf(task, (await readPlan(home, task.id, task.viber))?.plan)];

export const fresh: Command = {
  name: 'new',
  description: 'Begin another task (/new GOAL)',
  argument: { name: 'goal', description: 'What I should do' },
  action: 'chat',
  binds: true,
  async run({ opensThread }) {
    if (opensThread)
      return { text: 'Every task has a thread of its own here: send the goal with /new, or mention me with it.' };
    return { text: 'A new task begins with your next message. The old one is kept: /tasks lists it.' };
  },
};

export const tasks: Command = {
  name: 'tasks',
  description: 'List your tasks',
  argument: { name: 'whose', description: 'all: those of others too', pattern: '^all$' },
  action: 'look',
  async run(context) {
    const { taskId, isDirect, principal, args } = context;
    const mayAll = isDirect && principal.role === 'owner';
    const isAll = mayAll && (args.trim().toLowerCase() === 'all' || isOperator(context));
    const { found, looked } = await context.tasks(SHOWN, isAll ? 'all' : 'own');
    const all = mayAll && !isAll ? ' /tasks all lists everybody’s.' : '';
    const hint = `${looked === undefined ? '' : olderWords(looked)}${all}`;
    if (found.length === 0) {
      const whose = isDirect ? 'You have no tasks' : 'There are no tasks here';
      return { text: `${whose}${looked === undefined ? ' yet' : ''}. Write to me to begin one.${hint}` };
    }
    const others = found.filter((task) => task.id !== taskId).slice(0, BUTTONS);
    const whose = isAll ? 'All tasks' : isDirect ? 'Your tasks' : 'The tasks here';
    return {
      text: `${whose}, the newest first:\n\n${(await Promise.all(found.map((task) => lineOf(task, context)))).join('\n')}\n\nContinue one here with /open and its id.${hint}`,
      buttons: others.map((task) => [openButton(task)]),
    };
  },
};

const olderWords = (looked: number): string =>
  ` I looked through the newest ${looked} tasks only: an older one is found by its id, with /open or /status.`;

/** Whoever sits at the machine's own terminal sees everything unless it is linked to a person. */
const isOperator = ({ principal }: CommandContext): boolean =>
  (principal.channel === 'terminal' || principal.channel === 'local') && principal.person === undefined;

async function lineOf(task: TaskRecord, { home, taskId, look, isDirect }: CommandContext): Promise<string> {
  const { view } = await look(task.id);
  const mark = view ? MARK.running : await markOf(home, task);
  const here = task.id === taskId ? ' (here)' : '';
  // In a group nobody learns where else its people talk to me.
  const where = isDirect ? `, ${placesOf(task.conversations)}` : '';
  return `- ${mark} \`${task.id}\` ${task.title}${here}${where}`;
}

const openButton = (task: TaskRecord): ButtonAction => ({
  label: `Open: ${task.title}`.slice(0, 40).toWellFormed(),
  command: 'open',
  args: task.id,
});
