/** Answers a command: checks the permission, finds the task, and builds the context that the command runs in. */
import { conversationKey } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import { cutText } from '../../lib/text.ts';
import { isPolite } from '../../messages/bare-answers.ts';
import { type Messages, messagesFor, paragraphs, say, type Text, words } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { listTasks, openTask, taskIds } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { type Entry, shareOf, taskLane } from '../contract/entry.ts';
import { plainName, unknownTask } from '../conversations/places.ts';
import { findTask, isOwnTask, maySee, type Viewpoint } from '../conversations/visibility.ts';
import type { Gateway } from '../run/gateway.ts';
import { type Command, type CommandReply, type EntryAddition, type Invocation, mayUse } from './command.ts';
import { commandSpecs, findCommand } from './table.ts';

/** The most records, newest first, that a list searches for matches. */
const MAX_READ = 5_000;
const MIN_GOAL = 2;
const MAX_GOAL = 120;

export interface Answering {
  /** Ends the task's run, and drops messages that are pending in it. */
  stop(taskId: string): Promise<boolean>;
  /** Called with each message that the command adds to a lane. */
  add(...message: Parameters<Gateway['engine']['queue']['enqueue']>): Promise<unknown>;
  maxRead?: number;
}

/** Replies with refusals and errors that people can fix; anything else is thrown. */
export async function answerCommand(
  entry: Entry,
  gw: Gateway,
  { stop, add, maxRead = MAX_READ }: Answering,
): Promise<CommandReply> {
  const name = entry.command?.name ?? '';
  const messages = messagesFor(entry.message);
  const known = findCommand(gw.features.commands, name);
  const command = known ?? (await commandFor(entry, gw));
  if (!command) return unknown(name.slice(0, 32), messages, gw);
  try {
    const context = await invocationOf(entry, command, gw, { stop, add, maxRead });
    if (!known) context.args = `use ${name} ${context.args}`;
    if (!mayUse(context.principal, command.action, context.task)) return { text: refusalText(command, context) };
    // After the name of a skill, say, all words are for the skill.
    const hint = known ? goalHint(entry, command, messages) : '';
    if (hint !== '' && command.isEnd) return { text: hint };
    const reply = await command.run(context);
    return hint === '' ? reply : { ...reply, text: paragraphs(reply.text, hint) };
  } catch (error) {
    if (error instanceof UserError) return { text: messages.said(error.said) };
    throw error;
  }
}

/**
 * A typed command ignores words that aren't its arguments; the hint says how to begin a goal that starts with a
 * command's name.
 */
function goalHint(
  { message, command }: Entry,
  { name, argument, hidden, says }: Command,
  messages: Messages,
): Text | '' {
  const args = command?.args.trim() ?? '';
  if (message.kind !== 'command' || hidden || says || args === '' || name === 'new') return '';
  const pattern = argument ? (argument.pattern ?? '') : '^$';
  if (new RegExp(pattern, 'i').test(args) || args.split(/\s+/).length < MIN_GOAL || isPolite(args)) return '';
  const goal = plainName(cutText(`${command?.name ?? name} ${args}`, MAX_GOAL));
  return messages.text('commands.goalHint', { name, goal });
}

/** Finds the command for a name that a feature knows, such as a skill's. */
async function commandFor({ command, viber }: Entry, gw: Gateway): Promise<Command | undefined> {
  if (!command) return undefined;
  const { on, commands } = gw.features;
  const found = await Promise.all(on.map(({ called }) => called?.(command.name, viber, gw)));
  const name = found.find((each) => each !== undefined);
  return name === undefined ? undefined : findCommand(commands, name);
}

function unknown(name: string, messages: Messages, { features }: Gateway): CommandReply {
  const names = commandSpecs(features.commands).map((spec) => spec.name);
  const near = nearest(name, names);
  if (near === undefined)
    return { text: messages.text('commands.unknown', { name, hint: say('commands.hint') }), isUnknown: true };
  return {
    text: messages.text('commands.nearly', { name, near }),
    buttons: [[{ label: words(`${messages.prefix}${near}`), command: near, args: '' }]],
    isUnknown: true,
  };
}

function refusalText({ name, action }: Command, { task, messages }: Invocation): Text {
  if (action === 'steer' && task) return messages.text('commands.peopleOnly', { title: task.title, name });
  return messages.text('commands.notAllowed', { name });
}

async function invocationOf(
  entry: Entry,
  command: Command,
  gw: Gateway,
  { stop, add, maxRead }: Required<Answering>,
): Promise<Invocation> {
  const { principal, message, viber } = entry;
  const { home } = gw;
  const { address, isDirect } = message;
  const view: Viewpoint = { principal, address, isDirect, viber };
  const target = await targetOf(entry, command, home, view);
  return {
    gw,
    messages: messagesFor(message),
    viber,
    principal,
    message,
    address,
    isDirect,
    moves: entry.moves === true,
    ...target,
    stop,
    tasks: async (limit, whose = 'own') => {
      // Runs of jobs are left out: nobody started them, and they would hide what people have started.
      const isListed = (task: TaskRecord) =>
        task.job === undefined && task.archived === undefined && (!isDirect || isOwnTask(view, task));
      const match = (task: TaskRecord) => maySee(view, task) && (whose === 'all' || isListed(task));
      const found = await listTasks(home, { limit, match, maxRead });
      if (found.length >= limit) return { found };
      const all = taskIds(home).length;
      return all > maxRead ? { found, looked: maxRead } : { found };
    },
    async put(taskId, text, order) {
      // A task that was named by its ID keeps its viber.
      const of = target.task?.id === taskId ? { ...entry, viber: target.task.viber } : entry;
      const put = orderEntry(of, taskId, text, order);
      const kind = 'play' in order ? 'play' : 'skill' in order ? 'skill' : 'say';
      const dedupeId = `${kind} ${conversationKey(address)} ${message.id}`;
      await add(taskLane(taskId), put, { dedupeId, by: shareOf(put) });
    },
  };
}

function orderEntry({ message, principal, viber }: Entry, taskId: string, text: string, order: EntryAddition): Entry {
  const { command: _command, button: _button, ...said } = message;
  const { quote, ...ordered } = 'quote' in order ? order : { quote: undefined, ...order };
  const quotes = quote ? { quotes: [quote] } : {};
  return { message: { ...said, kind: 'message', text, ...quotes }, principal, viber, taskId, ...ordered };
}

const FULL_ID = /^#?\d{8}-[2-9a-km-np-z]{5,8}$/;
/** The end of an ID as people shorten it; without a digit it is a word. */
const SHORT_ID = /^#?(?=[a-z]*\d)[2-9a-km-np-z]{5}$/;

/**
 * Prefers the task whose ID comes first in the arguments to the conversation's own.
 * @throws UserError for an ID under which this person can't see a task: nobody must stop a task by mistyping the ID of
 * another
 */
async function targetOf(
  { command, taskId }: Entry,
  { takesTask }: Command,
  home: Home,
  view: Viewpoint,
): Promise<{ taskId: string; task: TaskRecord | undefined; args: string }> {
  const args = command?.args ?? '';
  const [, first = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(args) ?? [];
  const typed = first.toLowerCase();
  const isId = FULL_ID.test(typed) || (SHORT_ID.test(typed) && takesTask === 'any');
  if (takesTask && isId) {
    const found = await findTask(home, typed, (task) => maySee(view, task));
    if (!found) throw new UserError(unknownTask(typed, view.isDirect));
    return { taskId: found.id, task: found, args: rest };
  }
  return { taskId, task: openTask(home, taskId).record(), args };
}
