/** /open: continues a task here, wherever it was before (promise 22), with a recap and its files. */
import { type Attachment, formatAddress } from '../../../channels/channel.ts';
import { cutText } from '../../../lib/text.ts';
import { lines, type Messages, type Text, words } from '../../../messages/messages.ts';
import type { Home } from '../../../workspace/home.ts';
import { nextStep, openTask, planProgress } from '../../../workspace/tasks/index.ts';
import type { Plan, TaskRecord } from '../../../workspace/types.ts';
import type { ButtonAction } from '../../contract/buttons.ts';
import { addressName, unknownTask } from '../../conversations/places.ts';
import { getButton } from '../../reply/attachments.ts';
import type { Command, Invocation } from '../command.ts';
import { attachable } from './artifacts.ts';
import { othersAt, whoText } from './elsewhere.ts';

const MAX_FILES = 10;
const MAX_BUTTONS = 6;
const QUOTED = 600;

export const open: Command = {
  name: 'open',
  help: { group: 'tasks', does: 'does.open' },
  description: 'Continue another task here (/open ID)',
  argument: {
    name: 'task',
    description: 'The id of the task, or its title as you type',
    suggests: true,
    pattern: '^\\S+$',
  },
  action: 'look',
  binds: true,
  async run(context) {
    const { gw, args, task, moves, isDirect, messages } = context;
    if (args.trim() === '') return { text: messages.text('tasks.whichToOpen') };
    if (!moves || !task) return { text: messages.said(unknownTask(args, isDirect)) };
    if (context.principal.role === 'owner') await openTask(gw.home, task).show();
    const { told, ...files } = await recap(context, task);
    if (!isDirect && isFromElsewhere(context, task)) told.push('', messages.text('tasks.seenHere'));
    await noteConversation(context, task);
    return { text: lines(...told), ...files, elsewhere: notes(context) };
  },
};

const placeText = ({ address }: Invocation): string => formatAddress(address, { account: true });
const isFromElsewhere = (context: Invocation, task: TaskRecord): boolean =>
  task.conversations.some((place) => place !== placeText(context));

async function recap(
  { gw, address, messages }: Invocation,
  task: TaskRecord,
): Promise<{ told: (Text | '')[]; files: Attachment[]; buttons: ButtonAction[][] }> {
  const { home } = gw;
  const [plan, all, answer] = await Promise.all([
    openTask(home, task).plan.read(),
    openTask(home, task).artifacts.list(),
    lastAnswer(home, task.viber, task.id),
  ]);
  const newest = all.reverse();
  const { mode, maxBytes } = gw.places.attachRules(address);
  const fitting = newest.filter((file) => mode === 'auto' && file.size <= maxBytes).slice(0, MAX_FILES);
  const { files, sent } = attachable(home, task.id, fitting);
  const told: (Text | '')[] = [messages.text('tasks.continues', { title: task.title })];
  if (plan) told.push(planLine(plan.plan, messages));
  if (newest.length > 0) {
    const names = newest.slice(0, MAX_FILES).map((file) => file.name);
    const rest = newest.length - names.length;
    const all = rest > 0 ? [...names, messages.text('tasks.morePlaces', { n: rest })] : names;
    told.push(messages.text('tasks.files', { names: messages.list(all) }));
  }
  if (answer !== '') told.push('', messages.text('tasks.saidLast'), words(answer.replace(/^/gm, '> ')));
  const rest = newest.filter((file) => !sent.includes(file)).slice(0, MAX_BUTTONS);
  return { told, files, buttons: rest.map((file) => [getButton(file, messages, task.id)]) };
}

function planLine(plan: Plan, messages: Messages): Text {
  const { done, total } = planProgress(plan);
  const next = nextStep(plan);
  return next
    ? messages.text('tasks.planNext', { done, total, next: cutText(next.title, 200) })
    : messages.text('tasks.planNow', { done, total });
}

async function lastAnswer(home: Home, viber: string, taskId: string): Promise<string> {
  const entries = openTask(home, taskId, viber).session.tail({ maxEntries: 30 });
  const result = entries.findLast((entry) => entry.type === 'result' && entry.text !== '');
  return result?.type === 'result' ? cutText(closeFence(result.text), QUOTED) : '';
}

/** An open code block in a cut text would swallow what comes after the quote. */
const closeFence = (text: string): string => (text.length > QUOTED ? text.replace(/^\s*(```+|~~~+).*$/gm, '') : text);

/** Everyone in these conversations can look at the task. */
export async function noteConversation(context: Invocation, task: TaskRecord): Promise<void> {
  const place = placeText(context);
  if (task.conversations.includes(place)) return;
  await openTask(context.gw.home, task).update((record) =>
    record.conversations.includes(place) ? record : { ...record, conversations: [...record.conversations, place] },
  );
}

/** The person who moved the task knows. */
function notes(context: Invocation) {
  const { address, principal, taskId, messages } = context;
  const place = addressName(address, messages);
  const text = messages.text('tasks.goesOnIn', { place, who: whoText(principal) });
  return othersAt(context, taskId).map((other) => ({ address: other, text }));
}
