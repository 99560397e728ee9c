/**
 * Gathers the facts of an event, the only step that reads. Facts that no longer count aren't looked up: a stranger
 * causes no file access, and a duplicate doesn't count towards a limit.
 */
import { authoriseAction, authoriseEntry, type EntryDecision } from '../../access/authorise.ts';
import { isMadeName } from '../../access/links.ts';
import { aliasesOf, type Principal, principalText } from '../../access/principal.ts';
import type { InboundMessage } from '../../channels/channel.ts';
import { spoolKey } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { bareAnswer } from '../../messages/bare-answers.ts';
import { hasRoomForWords, newTaskId, openTask } from '../../workspace/tasks/index.ts';
import { typedAnswer } from '../approvals/typed.ts';
import { findCommand } from '../commands/table.ts';
import { dedupeId, taskLane, type Visit } from '../contract/entry.ts';
import { bindingKey, taskOf, viberAt } from '../conversations/conversations.ts';
import type { ExpectedAnswer } from '../conversations/expected.ts';
import type { Gateway } from '../run/gateway.ts';
import { type AnsweredDigest, type Facts, isCounted, isEarly, isPlain, saysStop } from './decide.ts';

export interface Arrival {
  message: InboundMessage;
  raw: unknown;
  visit: Visit;
}

type Event = Pick<InboundMessage, 'address' | 'sender' | 'isDirect' | 'kind' | 'isMention' | 'text'> &
  Partial<InboundMessage>;

export interface Entering {
  principal: Principal;
  entry: EntryDecision;
}

type Gathering = { -readonly [K in keyof Facts]: Facts[K] };

/** @param entering the sender and their rights, if the caller has just determined them */
export async function gather({ message, visit }: Arrival, gw: Gateway, entering?: Entering): Promise<Facts> {
  const { principal, entry } = entering ?? authorise(message, gw, visit.as);
  const facts = factsOfSender(message, visit, { principal, entry }, gw);
  if (!entry.allow || message.kind === 'membership') return facts;
  if (isEarly(facts)) facts.isSeen = await gw.engine.queue.seen(dedupeId(message));
  if (facts.isSeen) return facts;
  if (message.editOf !== undefined) facts.isUnchanged = await saysTheSame(message, message.editOf, gw);
  if (facts.isUnchanged || message.kind === 'migration') return facts;
  if (isCounted(facts)) {
    const sentAt = Math.min(message.sentAt, Date.now());
    facts.rate = visit.rate ??= await gw.tasks.arrivals.limiter.take(principalText(principal), sentAt, message.group);
  }
  if (facts.rate?.ok === false) return facts;
  facts.isFull = isCounted(facts) && !(await hasRoom(message, principal, gw));
  if (facts.isFull) return facts;
  if (message.button) facts.pressed = (await gw.consent.buttons.press(message.button.id, message.address)) ?? 'gone';
  if (facts.pressed === 'gone') return facts;
  if (message.below) facts.message = placed(facts, message.below, gw);
  facts.answer = await answerIn(facts, gw);
  Object.assign(facts, conversationOf(facts, gw));
  if (facts.task && saysStop(facts.message)) facts.task = { ...facts.task, isBusy: await isBusy(facts.task.id, gw) };
  return facts;
}

/** @param as set if somebody else has authorised the sender */
export function authorise(event: Event, gw: Gateway, as?: Principal): Entering {
  const { address, sender, isDirect, kind } = event;
  if (as) return { principal: { ...as, via: kind }, entry: { allow: true } };
  const { channel, account, workspace, chat } = address;
  const who = { channel, account, user: sender.user, name: sender.name, via: kind };
  const { principal, isKnown } = gw.people.resolve({ ...who, ...(workspace !== undefined && { workspace }) });
  const { person } = principal;
  // Use the name from the configuration rather than the one they chose on the platform.
  const named = person === undefined || isMadeName(person) ? principal : { ...principal, name: person };
  const isMove = kind === 'migration';
  return {
    principal: named,
    entry: authoriseEntry(named, {
      rules: gw.people.rulesOf(address),
      isKnown,
      isDirect,
      chat,
      // A group's new ID doesn't come from a bot, and it gives nobody a permission.
      isBot: sender.isBot && !isMove,
      // Nobody needs to mention us for the platform's own news about a listed group, or in a thread that a task lives
      // in.
      isMention: event.isMention || isMove || (event.isThread === true && isInOurThread(event, named, gw)),
      isCommand: event.command !== undefined || (kind === 'edit' && correctsCommand(event, gw)),
      isButton: event.button !== undefined,
    }),
  };
}

function isInOurThread({ address, isDirect, repliesTo }: Event, who: Principal, gw: Gateway): boolean {
  const { conversations, digests } = gw.tasks;
  const bound = conversations.get(bindingKey(who, address, isDirect));
  return (bound ?? digests.of({ address, ...(repliesTo !== undefined && { repliesTo }) })) !== undefined;
}

/** An edit doesn't run the command again, but it is meant for us. */
function correctsCommand({ text }: Event, { features }: Gateway): boolean {
  const name = /^\/(\w+)(?!\S)/.exec(text)?.[1];
  return name !== undefined && findCommand(features.commands, name) !== undefined;
}

function factsOfSender(message: InboundMessage, visit: Visit, { principal, entry }: Entering, gw: Gateway): Gathering {
  const { languages } = gw.people;
  const language = languages.of(principal, message.sender.language);
  return {
    message: {
      ...message,
      sender: visit.as ? message.sender : { ...message.sender, name: principal.name },
      prefix: languages.prefixAt(message.address),
      ...(language !== undefined && { language }),
    },
    principal,
    entry,
    newTaskId: newTaskId(new Date()),
    isSeen: false,
    isUnchanged: false,
    rate: undefined,
    isFull: false,
    pressed: undefined,
    answer: undefined,
    key: '',
    viber: '',
    isViberGone: false,
    task: undefined,
    digest: undefined,
    mode: 'steer',
  };
}

/** Platforms also report an edit when just a link's preview has loaded. */
async function saysTheSame(message: InboundMessage, editOf: string, { tasks, engine }: Gateway): Promise<boolean> {
  const key = spoolKey(dedupeId(message, editOf));
  const newest = tasks.arrivals.edits.get(key);
  if (newest !== undefined) return newest === hashText(message.text);
  return (await engine.queue.find(key))?.message.text === message.text;
}

/** Commands, presses and a stop need no room. */
async function hasRoom(message: InboundMessage, principal: Principal, { home }: Gateway): Promise<boolean> {
  if (message.kind !== 'message' || message.command || message.button || saysStop(message)) return true;
  const who = { key: principalText(principal), aliases: aliasesOf(principal), role: principal.role };
  return hasRoomForWords(home, who, message.text);
}

/** The command of a press may continue below the pressed message. */
function placed(
  { message, pressed }: Facts,
  { address, opens }: NonNullable<InboundMessage['below']>,
  { features }: Gateway,
): InboundMessage {
  const isBelow =
    typeof pressed === 'object' && 'command' in pressed && findCommand(features.commands, pressed.command)?.isBelow;
  return isBelow ? { ...message, address, isThread: true, ...(opens && { opensThread: true }) } : message;
}

/** Words may answer a short question, reword a suggestion, or be a bare yes or no. */
async function answerIn({ message, principal, pressed }: Facts, gw: Gateway): Promise<Facts['answer']> {
  if (pressed || !isPlain(message)) return undefined;
  const open =
    gw.tasks.expected.get(message.address, principalText(principal)) ??
    (principal.role === 'owner' ? await askedBy(message, gw) : undefined);
  if (open) return { command: open.command, args: `${open.args} ${message.text.trim()}` };
  const means = bareAnswer(message.text);
  return means && typedAnswer(message, principal, means, { home: gw.home, ...gw.consent });
}

/** An owner's plain reply to a question of ours rewords a memory. */
async function askedBy({ address, text, repliesTo }: InboundMessage, gw: Gateway): Promise<ExpectedAnswer | undefined> {
  if (repliesTo === undefined) return undefined;
  for (const { replied } of gw.features.on) {
    const answer = await replied?.({ address, text, repliesTo }, gw);
    if (answer) return answer;
  }
  return undefined;
}

function conversationOf({ message, principal }: Facts, gw: Gateway): Partial<Facts> {
  const { address, isDirect } = message;
  const { vibers, settings } = gw.places;
  const { conversations } = gw.tasks;
  const key = bindingKey(principal, address, isDirect);
  const viber = viberAt({ principal, address, isDirect }, vibers, conversations, message.viber);
  const bound = conversations.get(key);
  const id = taskOf(bound, viber);
  return {
    key,
    viber,
    isViberGone: !vibers.has(viber),
    mode: settings.get(address).queue ?? 'steer',
    digest: message.command ? undefined : answeredDigest(message, principal, gw),
    task:
      bound && id !== undefined
        ? {
            id,
            address: bound.address,
            isLeft: bound.viber !== viber,
            mayJoin: mayJoin(id, principal, gw),
            isBusy: false,
          }
        : undefined,
  };
}

/** The task may have been deleted. */
function answeredDigest(message: InboundMessage, principal: Principal, gw: Gateway): AnsweredDigest | undefined {
  const digest = gw.tasks.digests.of(message);
  const isThere = digest !== undefined && mayJoin(digest.taskId, principal, gw) !== undefined;
  return isThere ? { taskId: digest.taskId, viber: digest.viber } : undefined;
}

/**
 * Returns whether this is one of the task's people or an owner (promise 33); undefined while the task has no record.
 */
function mayJoin(taskId: string, principal: Principal, { home }: Gateway): boolean | undefined {
  const task = openTask(home, taskId).record();
  return task && authoriseAction(principal, 'steer', task.people);
}

/** Returns whether the task runs, or waits for a slot or a person. */
async function isBusy(taskId: string, { engine, consent }: Gateway): Promise<boolean> {
  const { busy, depth, stopped = 0 } = await engine.queue.look(taskLane(taskId));
  return busy || depth + stopped > 0 || consent.approvals.open(taskId).length > 0;
}
