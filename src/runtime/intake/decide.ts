/**
 * What becomes of an event, out of facts alone: nothing here reads, writes or waits. Whoever is not let in is turned away first;
 * a duplicate is known before anything has an effect; messages count before their buttons are looked up; and while the
 * conversation is being bound to another task everything else waits.
 */
import type { EntryDecision } from '../../access/authorise.ts';
import type { RateLimiter } from '../../access/limits.ts';
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage, type InboundOutcome } from '../../channels/channel.ts';
import { type BareAnswer, bareAnswer } from '../../messages/bare-answers.ts';
import { type Messages, type Said, say } from '../../messages/messages.ts';
import type { TypedAnswer } from '../approvals/typed.ts';
import type { Command } from '../commands/command.ts';
import { findCommand } from '../commands/table.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { CommandTable } from '../contract/command.ts';
import type { Entry, InjectionMode } from '../contract/entry.ts';
import { type ExpectedAnswer, isShortAnswer } from '../conversations/expected.ts';
import type { Gateway } from '../run/gateway.ts';
import { saysStop, spoken } from './injection.ts';

/** The task a conversation is bound to, as the sender of an event meets it. */
export interface BoundTask {
  id: string;
  /** Where the binding was used last. */
  address: Address;
  /** The conversation is about another viber's task now. */
  isLeft: boolean;
  /** One of its people, or an owner; undefined while it has no record. */
  mayJoin: boolean | undefined;
  /** The sender's message began it. */
  hasBegun: boolean;
  /** Somebody works on it, or something waits in it, for a slot or for a person; undefined until it was looked up. */
  isBusy: boolean | undefined;
}

/** The task of the digest that a message answers. */
export interface AnsweredDigest {
  taskId: string;
  viber: string;
}

/** Each is looked up when it is asked for, so that a stranger costs no look at a file. */
export interface Facts {
  readonly message: InboundMessage;
  /** In the sender's language. */
  readonly messages: Messages;
  readonly principal: Principal;
  /** Who answers there. */
  readonly viber: string;
  /** Somebody has removed it since it was chosen or configured. */
  readonly isViberGone: boolean;
  /** For a task that begins here. */
  readonly newTaskId: string;
  readonly entry: EntryDecision;
  /** The queue has had the event already; undefined until it was asked. */
  readonly isSeen: boolean | undefined;
  /** An edit that left the words as they were; undefined until they were looked up. */
  readonly isUnchanged: boolean | undefined;
  /** Undefined until the message was counted towards its sender's limit. */
  readonly rate: ReturnType<RateLimiter['take']> | undefined;
  /** What the button means; undefined until it was looked up. */
  readonly pressed: ButtonAction | 'gone' | undefined;
  /** The conversation is being bound to a task. */
  readonly isChanging: boolean;
  readonly task: BoundTask | undefined;
  readonly digest: AnsweredDigest | undefined;
  /** The commands that there are. */
  readonly commands: CommandTable<Gateway>;
  /** What the person's next words here answer. */
  readonly expected: ExpectedAnswer | undefined;
  /** What an owner's reply to a message of ours stands for; undefined until it was looked up. */
  readonly replied: ExpectedAnswer | 'nothing' | undefined;
  /** What a bare yes or no answers; undefined until it was looked up. */
  readonly typed: TypedAnswer | 'nothing' | undefined;
  /** Chosen for the conversation. */
  readonly mode: InjectionMode;
}

type Refusal = Extract<EntryDecision, { allow: false }>['reason'];

/** A fact is missing: what finds it out costs something, or takes time. */
export type Step =
  | { kind: 'count' | 'wait' | 'seen' }
  | { kind: 'press'; id: string }
  /** What the message that this one replies to asks. */
  | { kind: 'replied'; repliesTo: string }
  /** Which question a bare yes or no answers. */
  | { kind: 'typed'; means: BareAnswer }
  /** Compare with what was said before. */
  | { kind: 'compare'; editOf: string }
  | { kind: 'look'; taskId: string };

export type Action =
  | { kind: 'refuse'; reason: Refusal }
  /** A stranger who may ask to be let in gets a code. */
  | { kind: 'pair'; reason: Refusal }
  /** A stranger who enters a code of somebody who is known; where the code is none they are paired or refused. */
  | { kind: 'redeem'; reason: Refusal; code: string; pairs: boolean }
  /** There is nothing to do and nobody to tell. */
  | { kind: 'ignore'; outcome: InboundOutcome }
  /** It counts as taken in once the first of its kind is durable. */
  | { kind: 'duplicate' }
  /** A group has a new id. */
  | { kind: 'moved' }
  /** Too many messages: told so that it arrives, told once, or not at all. */
  | { kind: 'limit'; tell: 'notice' | 'once' | 'nothing' }
  /** A short answer outside any task. */
  | { kind: 'notice'; said: Said }
  /** The conversation is bound to the entry's task, then the entry is stored. `chooses`: its viber stays. */
  | { kind: 'bind'; entry: Entry; begins: boolean; chooses?: boolean }
  /** The same with the task that an id means, which has to be looked for. */
  | { kind: 'open'; entry: Entry; id: string }
  /** The conversation goes on with the viber of that name, if there is one and they may; then the entry is stored. */
  | { kind: 'use'; entry: Entry; name: string }
  /** `rebind`: the binding notes where the person was last. */
  | { kind: 'store'; entry: Entry; begins: boolean; rebind: boolean };

export type Decision = Step | Action;

const STEPS: readonly Decision['kind'][] = [
  'count',
  'wait',
  'seen',
  'press',
  'replied',
  'typed',
  'compare',
  'look',
] satisfies Step['kind'][];

export const isStep = (decision: Decision): decision is Step => STEPS.includes(decision.kind);

const GONE = say('failures.buttonGone', { hint: say('commands.hint') });
const OF_OTHERS = say('failures.othersThread');
const gone = (viber: string): Said => say('vibers.gone', { name: viber });

export function decide(facts: Facts): Decision {
  const { message, entry, principal } = facts;
  if (!entry.allow) return turnAway(message, entry);
  if (message.kind === 'membership') return { kind: 'ignore', outcome: 'accepted' };
  // Owners could change the limit; everybody else meets it.
  const isCounted = principal.role !== 'owner';
  // For plain messages the queue finds out by itself; others have effects before they get there, and nothing counts twice.
  const isEarly = isCounted || message.command || message.button || message.opensThread;
  if (isEarly && facts.isSeen === undefined) return { kind: 'seen' };
  if (isEarly && facts.isSeen) return { kind: 'duplicate' };
  // Platforms tell of an edit also when only a link's preview has come.
  if (facts.isUnchanged === undefined) return { kind: 'compare', editOf: message.editOf ?? '' };
  if (facts.isUnchanged) return { kind: 'ignore', outcome: 'duplicate' };
  if (message.kind === 'migration') return { kind: 'moved' };
  if (isCounted && !facts.rate) return { kind: 'count' };
  if (isCounted && facts.rate?.ok === false) return tooMuch(message, facts.rate.first);
  if (message.button && !facts.pressed) return { kind: 'press', id: message.button.id };
  if (facts.pressed === 'gone') return { kind: 'notice', said: GONE };
  if (mayReword(facts)) return { kind: 'replied', repliesTo: message.repliesTo ?? '' };
  const means = isAnswering(facts) ? bareAnswer(message.text) : undefined;
  if (means && facts.typed === undefined) return { kind: 'typed', means };
  if (facts.typed === 'several') return { kind: 'notice', said: say('questions.which') };
  return decideTask(facts, meant(message, facts.pressed, facts));
}

/** Owners reword what is to be remembered by a plain reply to the question. */
function mayReword({ message, principal, pressed, expected, replied }: Facts): boolean {
  if (message.repliesTo === undefined || principal.role !== 'owner' || replied !== undefined) return false;
  return isPlain(message) && !pressed && expected === undefined;
}

const isAnswering = ({ message, pressed, expected, replied }: Facts): boolean =>
  isPlain(message) && !pressed && expected === undefined && (replied === undefined || replied === 'nothing');

const isPlain = (message: InboundMessage): boolean =>
  message.kind === 'message' && !message.command && isShortAnswer(message);

function turnAway(
  { kind, command }: InboundMessage,
  { reason, pair }: Extract<EntryDecision, { allow: false }>,
): Action {
  const pairs = pair && kind !== 'edit' && kind !== 'membership';
  // The second account of somebody who is known comes in with a code of the first.
  if (reason === 'stranger' && command?.name === 'link' && command.args !== '')
    return { kind: 'redeem', reason, code: command.args, pairs };
  return { kind: pairs ? 'pair' : 'refuse', reason };
}

function tooMuch({ interaction }: InboundMessage, isFirst: boolean): Action {
  if (isFirst) return { kind: 'limit', tell: 'notice' };
  // The platform shows an answer to each of these, and without one of ours it would be a wrong one.
  return { kind: 'limit', tell: interaction === undefined ? 'nothing' : 'once' };
}

/** What was written or pressed, in one form. */
interface Meaning {
  message: InboundMessage;
  /** The table's entry of its command, if it is one of ours. */
  spec: Command | undefined;
  /** What the words themselves say becomes of them. */
  mode: InjectionMode | undefined;
}

function meant(
  original: InboundMessage,
  action: ButtonAction | undefined,
  asked: Pick<Facts, 'commands' | 'expected' | 'replied' | 'typed'>,
): Meaning {
  let message = original;
  if (typeof asked.typed === 'object') {
    const { command: name, args } = asked.typed;
    return {
      message: { ...message, command: { name, args } },
      spec: findCommand(asked.commands, name),
      mode: undefined,
    };
  }
  const replied = asked.replied === 'nothing' ? undefined : asked.replied;
  const expected = isPlain(message) && !action ? (asked.expected ?? replied) : undefined;
  if (expected) {
    const command = { name: expected.command, args: `${expected.args} ${message.text.trim()}` };
    return { message: { ...message, command }, spec: findCommand(asked.commands, expected.command), mode: undefined };
  }
  if (action && 'say' in action) message = { ...message, text: action.say };
  else if (action) message = { ...message, command: { name: action.command, args: action.args } };
  const spec = message.command && findCommand(asked.commands, message.command.name);
  const said = spoken(message, spec);
  return said ? { ...said, spec: undefined } : { message, spec, mode: undefined };
}

/** Whoever gets here is let in, and it is known what they mean: to which task it goes. */
function decideTask(facts: Facts, { message, spec, mode }: Meaning): Decision {
  const { principal, viber, newTaskId } = facts;
  const { isDirect } = message;
  // A bare command that is not ours belongs to another bot of the group.
  if (message.command && !spec && !isDirect && !message.isMention) return { kind: 'ignore', outcome: 'refused' };
  if (facts.isChanging) return { kind: 'wait' };
  const digest = message.command ? undefined : facts.digest;
  if (digest && digest.taskId !== facts.task?.id) return goOn(facts, message, digest);
  // Words for one are never given to another.
  if (!message.command && facts.isViberGone) return { kind: 'notice', said: gone(viber) };
  // A message that begins a thread begins a task; commands look at what is here.
  const isOwnThread = message.opensThread === true && (!message.command || spec?.begins === true);
  const task = isOwnThread ? undefined : facts.task;
  const mayJoin = task === undefined || (task.mayJoin ?? (isDirect || task.hasBegun));
  const mayStop = !message.command && mayJoin && saysStop(message);
  if (mayStop && task && task.isBusy === undefined) return { kind: 'look', taskId: task.id };
  const isStop = mayStop && task?.isBusy === true;
  const command = isStop ? { name: 'stop', args: '' } : message.command;
  const entry: Entry = { message, principal, viber, taskId: task?.id ?? newTaskId };
  if (command) entry.command = { name: spec?.name ?? command.name, args: command.args };
  else if (mayJoin) {
    const chosen = mode ?? message.given?.mode ?? facts.mode;
    if (chosen !== 'followup') entry.mode = chosen;
  }
  if (command && spec?.binds) {
    // A thread is its task's: leading it to another is for those who may steer it (promise 33).
    const isThere = task?.id === command.args.trim();
    if (message.isThread && !isDirect && task?.mayJoin === false && !isThere)
      return { kind: 'notice', said: OF_OTHERS };
    return leadElsewhere(entry, newTaskId, command.args.trim());
  }
  const begins = task === undefined;
  // A command alone begins nothing; a thread that is still to come is bound when it is there.
  const isToCome = message.opensThread === true && message.address.thread === undefined;
  if (begins && !command && !isToCome) return { kind: 'bind', entry, begins };
  // Several chats may share a binding: it tells where the person was last.
  const isMoved = task !== undefined && conversationKey(task.address) !== conversationKey(message.address);
  // Whoever has said which viber is meant has it from then on.
  const rebind = message.viber !== undefined || (task !== undefined && (isMoved || (task.isLeft && !command)));
  return { kind: 'store', entry, begins, rebind };
}

/** In the task of a digest, with a turn of its own: it leads the conversation there, but for a thread of one's own or of others. */
function goOn({ principal, task, viber }: Facts, message: InboundMessage, digest: AnsweredDigest): Action {
  const entry: Entry = { message, principal, ...digest };
  const { address, isDirect, isThread } = message;
  const stays = isDirect ? isThread === true && address.thread !== undefined : isThread && task?.mayJoin === false;
  if (stays || message.opensThread) return { kind: 'store', entry, begins: false, rebind: false };
  return { kind: 'bind', entry, begins: false, chooses: digest.viber !== viber };
}

/** Commands that move the conversation take effect before anything that follows them is looked at. */
function leadElsewhere(entry: Entry, newTaskId: string, args: string): Action {
  const { message } = entry;
  const stored = (stays: Entry): Action => ({ kind: 'store', entry: stays, begins: false, rebind: false });
  if (entry.command?.name === 'use') return args === '' ? stored(entry) : { kind: 'use', entry, name: args };
  if (entry.command?.name !== 'new') return { kind: 'open', entry, id: args };
  // Where every task has its thread, only a goal begins one.
  if (args === '' && message.opensThread) return stored(entry);
  const { command, ...rest } = entry;
  const moved: Entry = { ...rest, taskId: newTaskId, moves: true };
  // `/new GOAL` is the first message of the new task.
  if (args === '' && command) moved.command = command;
  else moved.message = { ...message, text: args };
  // Where every task has a thread of its own, that thread is bound once it is there.
  return message.opensThread ? stored(moved) : { kind: 'bind', entry: moved, begins: false };
}
