/**
 * Decides what happens to an event from facts alone. People without access are turned away first; a duplicate is
 * recognised before anything has an effect; messages count towards the limit before their buttons are looked up.
 */
import type { EntryDecision } from '../../access/authorise.ts';
import type { LimitResult } from '../../access/limits.ts';
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage, type InboundOutcome } from '../../channels/channel.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { TypedAnswer } from '../approvals/typed.ts';
import type { Command } from '../commands/command.ts';
import { findCommand } from '../commands/table.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { CommandTable } from '../contract/command.ts';
import type { Entry, InjectionMode } from '../contract/entry.ts';
import { type ExpectedAnswer, isShortAnswer } from '../conversations/expected.ts';
import type { Gateway } from '../run/gateway.ts';

export interface BoundTask {
  id: string;
  address: Address;
  /** The conversation's viber isn't the one that this task belongs to. */
  isLeft: boolean;
  /** The sender is one of its people, or an owner; undefined without a record. */
  mayJoin: boolean | undefined;
  /** Running, or something is pending. Looked up only for words that may stop it. */
  isBusy: boolean;
}

export interface AnsweredDigest {
  taskId: string;
  viber: string;
}

/**
 * Plain values; after one that decides, the rest isn't looked up. Invariant: no other event of the conversation has
 * changed any since they were gathered (`accept.ts`).
 */
export interface Facts {
  /** The message at the place where it counts, with its sender's language. */
  readonly message: InboundMessage;
  readonly principal: Principal;
  readonly entry: EntryDecision;
  /** A task that begins here gets this ID. */
  readonly newTaskId: string;
  /** The queue has the event already; for plain messages it detects that itself. */
  readonly isSeen: boolean;
  /** An edit left the words unchanged. */
  readonly isUnchanged: boolean;
  /** Undefined for owners. */
  readonly rate: LimitResult | undefined;
  /** Their conversations have used up their disk space. */
  readonly isFull: boolean;
  readonly pressed: ButtonAction | 'gone' | undefined;
  /** The command that the words stand for; `several`: they could answer several questions. */
  readonly answer: TypedAnswer | undefined;
  readonly key: string;
  readonly viber: string;
  /** The viber was removed after it was chosen or configured. */
  readonly isViberGone: boolean;
  readonly task: BoundTask | undefined;
  readonly digest: AnsweredDigest | undefined;
  readonly mode: InjectionMode;
}

type Refusal = Extract<EntryDecision, { allow: false }>['reason'];

export type Decision =
  | { kind: 'refuse'; reason: Refusal }
  /** A stranger who may ask for access gets a code. */
  | { kind: 'pair'; reason: Refusal }
  /** A stranger enters a code of a known person; if the code is invalid they are paired or refused. */
  | { kind: 'redeem'; reason: Refusal; code: string; pairs: boolean }
  /** There is nothing to do and nobody to tell. */
  | { kind: 'ignore'; outcome: InboundOutcome }
  /** Counts as accepted once the first copy is durable. */
  | { kind: 'duplicate' }
  | { kind: 'moved' }
  /** The sender is told durably, told once, or not told. */
  | { kind: 'limit'; tell: 'notice' | 'once' | 'nothing' }
  /** A short reply outside any task. */
  | { kind: 'notice'; said: Wording }
  /** Binds the conversation, then stores the entry. `chooses`: it keeps its viber. */
  | { kind: 'bind'; entry: Entry; begins: boolean; chooses?: boolean }
  /** The same for the task of an ID, which must be looked up first. */
  | { kind: 'open'; entry: Entry; id: string }
  /** Moves the conversation to that viber, if the person may use it; then stores the entry. */
  | { kind: 'use'; entry: Entry; name: string }
  /** `rebind`: the binding records where the person was last. */
  | { kind: 'store'; entry: Entry; rebind: boolean };

const GONE = say('failures.buttonGone', { hint: say('commands.hint') });
const OF_OTHERS = say('failures.othersThread');
const gone = (viber: string): Wording => say('vibers.gone', { name: viber });

export function decide(facts: Facts, commands: CommandTable<Gateway>): Decision {
  const { message, entry, rate, pressed, answer } = facts;
  if (!entry.allow) return turnAway(message, entry);
  if (message.kind === 'membership') return { kind: 'ignore', outcome: 'accepted' };
  if (facts.isSeen && isEarly(facts)) return { kind: 'duplicate' };
  if (facts.isUnchanged) return { kind: 'ignore', outcome: 'duplicate' };
  if (message.kind === 'migration') return { kind: 'moved' };
  if (rate?.ok === false) return tooMuch(message, rate.first);
  if (facts.isFull) return { kind: 'notice', said: say('failures.noRoomForWords') };
  if (pressed === 'gone') return { kind: 'notice', said: GONE };
  if (answer === 'several') return { kind: 'notice', said: say('questions.which') };
  return decideTask(facts, meant(facts, answer, commands));
}

/** Returns whether the message counts towards the limit. Owners are exempt: they could change it. */
export const isCounted = ({ principal }: { principal: Principal }): boolean => principal.role !== 'owner';

/** Returns whether the event has effects before it reaches the queue, which must not happen twice. */
export const isEarly = ({ message, principal }: { message: InboundMessage; principal: Principal }): boolean =>
  isCounted({ principal }) || Boolean(message.command ?? message.button ?? message.opensThread);

export const isPlain = (message: InboundMessage): boolean =>
  message.kind === 'message' && !message.command && isShortAnswer(message);

/** While work is running, the bare word always means to stop. */
const STOP =
  /^(stop|stopp|halt|abort|cancel|arr[eê]te|alto|para|detente|ferma|basta|стоп|停|停止|止まれ|ストップ)[.!。！]*$/iu;

export const saysStop = ({ text, files, kind }: InboundMessage): boolean =>
  files.length === 0 && kind === 'message' && text.length <= 20 && STOP.test(text.trim());

function turnAway(
  { kind, command }: InboundMessage,
  { reason, pair }: Extract<EntryDecision, { allow: false }>,
): Decision {
  const pairs = pair && kind !== 'edit' && kind !== 'membership';
  // The second account of a known person gets access with a code of the first.
  if (reason === 'stranger' && command?.name === 'link' && command.args !== '')
    return { kind: 'redeem', reason, code: command.args, pairs };
  return { kind: pairs ? 'pair' : 'refuse', reason };
}

function tooMuch({ interaction }: InboundMessage, isFirst: boolean): Decision {
  if (isFirst) return { kind: 'limit', tell: 'notice' };
  // The platform shows a reply to each of these, and without ours it would show a wrong one.
  return { kind: 'limit', tell: interaction === undefined ? 'nothing' : 'once' };
}

interface Meaning {
  message: InboundMessage;
  /** The table's entry, if the command is ours. */
  spec: Command | undefined;
  /** The mode that the words themselves ask for. */
  mode: InjectionMode | undefined;
}

function meant(
  { message: original, pressed }: Facts,
  answer: ExpectedAnswer | undefined,
  commands: CommandTable<Gateway>,
): Meaning {
  let message = original;
  if (answer) message = { ...message, command: { name: answer.command, args: answer.args } };
  else if (typeof pressed === 'object' && 'say' in pressed) message = { ...message, text: pressed.say };
  else if (typeof pressed === 'object')
    message = { ...message, command: { name: pressed.command, args: pressed.args } };
  const spec = message.command && findCommand(commands, message.command.name);
  const { command, ...rest } = message;
  // `/steer TEXT` and `/followup TEXT` are messages that specify their own mode (promise 21).
  if (command && spec?.says && command.args.trim() !== '')
    return { message: { ...rest, text: command.args }, spec: undefined, mode: spec.says };
  return { message, spec, mode: undefined };
}

/** Decides what to do once access and meaning are settled. */
function decideTask(facts: Facts, { message, spec, mode }: Meaning): Decision {
  const { principal, viber, newTaskId } = facts;
  const { isDirect } = message;
  // A bare command that isn't ours belongs to another bot of the group.
  if (message.command && !spec && !isDirect && !message.isMention) return { kind: 'ignore', outcome: 'refused' };
  const digest = message.command ? undefined : facts.digest;
  if (digest && digest.taskId !== facts.task?.id) return continueTask(facts, message, digest);
  // Words for one viber never go to another.
  if (!message.command && facts.isViberGone) return { kind: 'notice', said: gone(viber) };
  // A message that opens a thread begins a task; commands apply to the current one.
  const isOwnThread = message.opensThread === true && (!message.command || spec?.begins === true);
  const task = isOwnThread ? undefined : facts.task;
  const mayJoin = task === undefined || (task.mayJoin ?? isDirect);
  const isStop = !message.command && mayJoin && task?.isBusy === true && saysStop(message);
  const command = isStop ? { name: 'stop', args: '' } : message.command;
  const entry: Entry = { message, principal, viber, taskId: task?.id ?? newTaskId };
  if (command) entry.command = { name: spec?.name ?? command.name, args: command.args };
  else if (mayJoin) {
    const chosen = mode ?? message.given?.mode ?? facts.mode;
    if (chosen !== 'followup') entry.mode = chosen;
  }
  if (command && spec?.binds) {
    // A thread belongs to its task: only people who may steer the task can move the thread to another (promise 33).
    const isThere = task?.id === command.args.trim();
    if (message.isThread && !isDirect && task?.mayJoin === false && !isThere)
      return { kind: 'notice', said: OF_OTHERS };
    return leadElsewhere(entry, newTaskId, command.args.trim());
  }
  const begins = task === undefined;
  // A command alone doesn't begin a task; a thread that doesn't exist yet is bound once it does.
  const isToCome = message.opensThread === true && message.address.thread === undefined;
  if (begins && !command && !isToCome) return { kind: 'bind', entry, begins };
  // Several chats may share a binding, which records where the person was last.
  const isMoved = task !== undefined && conversationKey(task.address) !== conversationKey(message.address);
  // A person who addresses a viber by name keeps it from then on.
  const rebind = message.viber !== undefined || (task !== undefined && (isMoved || (task.isLeft && !command)));
  return { kind: 'store', entry, rebind };
}

/** The conversation moves to the digest's task, unless it is a separate thread or belongs to others. */
function continueTask({ principal, task, viber }: Facts, message: InboundMessage, digest: AnsweredDigest): Decision {
  const entry: Entry = { message, principal, ...digest };
  const { address, isDirect, isThread } = message;
  const stays = isDirect ? isThread === true && address.thread !== undefined : isThread && task?.mayJoin === false;
  if (stays || message.opensThread) return { kind: 'store', entry, rebind: false };
  return { kind: 'bind', entry, begins: false, chooses: digest.viber !== viber };
}

/** These take effect before later messages are processed. */
function leadElsewhere(entry: Entry, newTaskId: string, args: string): Decision {
  const { message } = entry;
  const stored = (stays: Entry): Decision => ({ kind: 'store', entry: stays, rebind: false });
  if (entry.command?.name === 'use') return args === '' ? stored(entry) : { kind: 'use', entry, name: args };
  if (entry.command?.name !== 'new') return { kind: 'open', entry, id: args };
  // If every task has its thread, only a goal begins one.
  if (args === '' && message.opensThread) return stored(entry);
  const { command, ...rest } = entry;
  const moved: Entry = { ...rest, taskId: newTaskId, moves: true };
  // `/new GOAL` is the first message of the new task.
  if (args === '' && command) moved.command = command;
  else moved.message = { ...message, text: args };
  // If every task has its own thread, that thread is bound once it exists.
  return message.opensThread ? stored(moved) : { kind: 'bind', entry: moved, begins: false };
}
