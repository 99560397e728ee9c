/**
 * What becomes of an event, out of facts alone: nothing here reads, writes or waits. People who are not let in are turned away first;
 * a duplicate is known before anything has an effect; and messages count before their buttons are looked at.
 */
import type { EntryDecision } from '../../access/authorise.ts';
import type { Taken } from '../../access/limits.ts';
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage, type InboundOutcome } from '../../channels/channel.ts';
import { type Said, say } from '../../messages/messages.ts';
import type { TypedAnswer } from '../approvals/typed.ts';
import type { Command } from '../commands/command.ts';
import { findCommand } from '../commands/table.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { CommandTable } from '../contract/command.ts';
import type { Entry, InjectionMode } from '../contract/entry.ts';
import { type ExpectedAnswer, isShortAnswer } from '../conversations/expected.ts';
import type { Gateway } from '../run/gateway.ts';

/** The task a conversation is bound to, as the sender of an event meets it. */
export interface BoundTask {
  id: string;
  /** Where the binding was used last. */
  address: Address;
  /** The conversation is about another viber's task now. */
  isLeft: boolean;
  /** One of its people, or an owner; undefined while it has no record. */
  mayJoin: boolean | undefined;
  /** Somebody works on it, or something waits in it. Looked up for words that may stop it. */
  isBusy: boolean;
}

/** The task of the digest that a message answers. */
export interface AnsweredDigest {
  taskId: string;
  viber: string;
}

/**
 * Plain values, in the order in which they count; what comes after one that decides is not looked up. Invariant: nothing that an event of
 * the same conversation changes has changed since they were gathered (`accept.ts`).
 */
export interface Facts {
  /** Where it takes place, in the language of its sender. */
  readonly message: InboundMessage;
  readonly principal: Principal;
  readonly entry: EntryDecision;
  /** For a task that begins here. */
  readonly newTaskId: string;
  /** The queue has had the event already. For plain messages it finds that out by itself. */
  readonly isSeen: boolean;
  /** An edit left the words as they were. */
  readonly isUnchanged: boolean;
  /** What came of counting it towards its sender's limit; undefined for owners. */
  readonly rate: Taken | undefined;
  /** What the button means. */
  readonly pressed: ButtonAction | 'gone' | undefined;
  /** The command that the words stand for, as the answer to a question; `several`: one of several questions. */
  readonly answer: TypedAnswer | undefined;
  /** The binding of the conversation. */
  readonly key: string;
  /** Who answers there. */
  readonly viber: string;
  /** Somebody has removed it since it was chosen or configured. */
  readonly isViberGone: boolean;
  readonly task: BoundTask | undefined;
  readonly digest: AnsweredDigest | undefined;
  /** Chosen for the conversation. */
  readonly mode: InjectionMode;
}

type Refusal = Extract<EntryDecision, { allow: false }>['reason'];

export type Decision =
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
  | { kind: 'store'; entry: Entry; rebind: boolean };

const GONE = say('failures.buttonGone', { hint: say('commands.hint') });
const OF_OTHERS = say('failures.othersThread');
const gone = (viber: string): Said => say('vibers.gone', { name: viber });

/** @param commands those that there are, of the gateway and of its features */
export function decide(facts: Facts, commands: CommandTable<Gateway>): Decision {
  const { message, entry, rate, pressed, answer } = facts;
  if (!entry.allow) return turnAway(message, entry);
  if (message.kind === 'membership') return { kind: 'ignore', outcome: 'accepted' };
  if (facts.isSeen && isEarly(facts)) return { kind: 'duplicate' };
  if (facts.isUnchanged) return { kind: 'ignore', outcome: 'duplicate' };
  if (message.kind === 'migration') return { kind: 'moved' };
  if (rate?.ok === false) return tooMuch(message, rate.first);
  if (pressed === 'gone') return { kind: 'notice', said: GONE };
  if (answer === 'several') return { kind: 'notice', said: say('questions.which') };
  return decideTask(facts, meant(facts, answer, commands));
}

/** Owners could change the limit; everybody else meets it. */
export const isCounted = ({ principal }: Pick<Facts, 'principal'>): boolean => principal.role !== 'owner';

/** Whether it has effects before it gets to the queue, which must not happen twice. */
export const isEarly = ({ message, principal }: Pick<Facts, 'message' | 'principal'>): boolean =>
  isCounted({ principal }) || Boolean(message.command ?? message.button ?? message.opensThread);

/** Whether the message can be the answer to a question. */
export const isPlain = (message: InboundMessage): boolean =>
  message.kind === 'message' && !message.command && isShortAnswer(message);

/** The word alone, in a few languages: whoever says it while work is under way means it. */
const STOP =
  /^(stop|stopp|halt|abort|cancel|arr[eê]te|alto|para|detente|ferma|basta|стоп|停|停止|止まれ|ストップ)[.!。！]*$/iu;

/** Whether the whole message says to stop. */
export const saysStop = ({ text, files, kind }: InboundMessage): boolean =>
  files.length === 0 && kind === 'message' && text.length <= 20 && STOP.test(text.trim());

function turnAway(
  { kind, command }: InboundMessage,
  { reason, pair }: Extract<EntryDecision, { allow: false }>,
): Decision {
  const pairs = pair && kind !== 'edit' && kind !== 'membership';
  // The second account of somebody who is known comes in with a code of the first.
  if (reason === 'stranger' && command?.name === 'link' && command.args !== '')
    return { kind: 'redeem', reason, code: command.args, pairs };
  return { kind: pairs ? 'pair' : 'refuse', reason };
}

function tooMuch({ interaction }: InboundMessage, isFirst: boolean): Decision {
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
  // `/steer TEXT` and `/followup TEXT` are messages that say themselves what becomes of them (promise 21).
  if (command && spec?.says && command.args.trim() !== '')
    return { message: { ...rest, text: command.args }, spec: undefined, mode: spec.says };
  return { message, spec, mode: undefined };
}

/** Whoever gets here is let in, and it is known what they mean: to which task it goes. */
function decideTask(facts: Facts, { message, spec, mode }: Meaning): Decision {
  const { principal, viber, newTaskId } = facts;
  const { isDirect } = message;
  // A bare command that is not ours belongs to another bot of the group.
  if (message.command && !spec && !isDirect && !message.isMention) return { kind: 'ignore', outcome: 'refused' };
  const digest = message.command ? undefined : facts.digest;
  if (digest && digest.taskId !== facts.task?.id) return goOn(facts, message, digest);
  // Words for one are never given to another.
  if (!message.command && facts.isViberGone) return { kind: 'notice', said: gone(viber) };
  // A message that begins a thread begins a task; commands look at what is here.
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
  return { kind: 'store', entry, rebind };
}

/** In the task of a digest, with a turn of its own: it leads the conversation there, but for a thread of one's own or of others. */
function goOn({ principal, task, viber }: Facts, message: InboundMessage, digest: AnsweredDigest): Decision {
  const entry: Entry = { message, principal, ...digest };
  const { address, isDirect, isThread } = message;
  const stays = isDirect ? isThread === true && address.thread !== undefined : isThread && task?.mayJoin === false;
  if (stays || message.opensThread) return { kind: 'store', entry, rebind: false };
  return { kind: 'bind', entry, begins: false, chooses: digest.viber !== viber };
}

/** Commands that move the conversation take effect before anything that follows them is looked at. */
function leadElsewhere(entry: Entry, newTaskId: string, args: string): Decision {
  const { message } = entry;
  const stored = (stays: Entry): Decision => ({ kind: 'store', entry: stays, rebind: false });
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
