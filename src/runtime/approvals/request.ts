/** What is said by a request alone: whether it waits, what a press means now, and with what the run goes on. */
import { authoriseAction } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import type { Json, TaskRecord } from '../../workspace/types.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import type { Entry } from '../contract/entry.ts';
import { placesToAsk } from '../conversations/asked-places.ts';

/** No run has gone on with it. */
export const isWaiting = ({ decision, takenAt }: ApprovalRequest): boolean => !takenAt && decision?.verdict !== 'wrote';

/** Whoever decided was told that it is done now. */
export const isPromised = ({ decision }: ApprovalRequest): boolean =>
  decision !== undefined && ['approve', 'always', 'answer', 'another'].includes(decision.verdict);

const isLate = ({ expiresAt }: ApprovalRequest, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;

/** A decision, and the messages that were answered with the question, the one first under which it was made. */
export interface Made {
  decision: Decision;
  asked?: ApprovalRequest['asked'];
}

/** What the time that is up decides; undefined: it is not up, or the request was decided before. */
export function lapse(request: ApprovalRequest, now: number): Made | undefined {
  const { decision, otherwise } = request;
  if (decision || !isLate(request, now)) return undefined;
  const at = new Date(now).toISOString();
  if (otherwise === undefined) return { decision: { verdict: 'expired', by: '', name: '', at } };
  return { decision: { verdict: 'answer', answer: otherwise, by: '', name: '', at } };
}

/** With what the run goes on in its task's lane. */
export function resumedEntry({
  id,
  viber,
  taskId,
  run,
  principal,
  play,
  job,
  asked,
}: ApprovalRequest): Entry | undefined {
  const [message] = asked;
  if (!message) return undefined;
  return {
    message,
    principal,
    viber,
    taskId,
    resume: { approval: id, run },
    ...(play && { play: {} }),
    ...(job && { job }),
  };
}

/** Where the request may be decided: the message that was answered with it there. */
export function askedAt(request: ApprovalRequest, address: Address): InboundMessage | undefined {
  const key = conversationKey(address);
  return request.asked.find((message) => conversationKey(message.address) === key);
}

/** In the linked direct messages of one person, which are one conversation, or in a thread of the one where it was asked. */
export function isSamePersons(
  { principal, asked }: ApprovalRequest,
  { person }: Principal,
  { address, isDirect }: Pick<InboundMessage, 'address' | 'isDirect'>,
): boolean {
  if (!isDirect) return false;
  const chatOf = ({ thread: _thread, ...chat }: Address) => conversationKey(chat);
  const isTheirs = person !== undefined && principal.person === person;
  return asked.some((message) => message.isDirect && (isTheirs || chatOf(message.address) === chatOf(address)));
}

/** One of the task's people; a guest answers questions about their own task, and consents to no effect. */
export function mayDecide({ kind, principal: asker }: ApprovalRequest, by: Principal, task: TaskRecord): boolean {
  if (!authoriseAction(by, 'steer', task.people)) return false;
  return by.role !== 'guest' || (asker.role === 'guest' && kind !== 'tool');
}

/** What was decided in another direct message of theirs goes on there. */
function fromElsewhere({ asked: [first] }: ApprovalRequest, address: Address): InboundMessage | undefined {
  return first && { ...first, address };
}

/** What a press decides: itself, or that the time was up before it; undefined: nothing, the request was decided before. */
export function madeBy(request: ApprovalRequest, decision: Decision, now: number, where?: Address): Made | undefined {
  if (request.decision || isLate(request, now)) return lapse(request, now);
  const here = where && (askedAt(request, where) ?? fromElsewhere(request, where));
  return { decision, ...(here && { asked: [here, ...request.asked.filter((message) => message !== here)] }) };
}

/** Arguments that say what a call is about: with another time, or other words, it is still about that. */
const ABOUT = ['name', 'prompt', 'to', 'path', 'url', 'skill', 'words', 'text', 'title'];

/** The plan, or a call of the same tool that shares what it is about; one that takes no such argument has one matter. */
export function isSameMatter(before: ApprovalRequest, now: ApprovalRequest): boolean {
  if (before.kind !== now.kind || before.tool !== now.tool) return false;
  if (now.kind === 'plan') return true;
  const [old, fresh] = [fieldsOf(before.input), fieldsOf(now.input)];
  const shared = ABOUT.filter((name) => name in old || name in fresh);
  if (shared.length > 0) return shared.some((name) => old[name] === fresh[name]);
  const names = Object.keys(fresh);
  return names.length <= 1 || names.some((name) => JSON.stringify(old[name]) === JSON.stringify(fresh[name]));
}

const fieldsOf = (input: Json): { [name: string]: Json } =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};

/** What the call of a question that was withdrawn got as its result. */
export function insteadOf({ kind }: ApprovalRequest): string {
  if (kind === 'question') return 'The person answers in their own words: see their next message.';
  return 'This has not run: something else was asked about in its place, see below.';
}

/** As they are kept until the decision: without what the platform alone could use, and its time with it. */
export function askedOf({ message: { message, job } }: QueueItem<Entry>) {
  const { interaction: _interaction, opensThread: _opens, button: _button, command: _command, ...kept } = message;
  const bare = { ...kept, text: '', files: [], facts: [], quotes: [] };
  const places = job ? placesToAsk(bare, job) : [];
  // Where nobody can be asked the time goes by all the same.
  return places.length > 0 ? places : [bare];
}
