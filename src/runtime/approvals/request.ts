/** Pure functions of a request: whether it is pending, what a press means now, and how the run resumes. */
import { authoriseAction } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey, type InboundMessage } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import type { Json, TaskRecord } from '../../workspace/types.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import type { Entry } from '../contract/entry.ts';
import { placesToAsk } from '../conversations/asked-places.ts';

export const isWaiting = ({ decision, takenAt }: ApprovalRequest): boolean => !takenAt && decision?.verdict !== 'wrote';

/** Returns whether the person who decided was told that it will be done now. */
export const isPromised = ({ decision }: ApprovalRequest): boolean =>
  decision !== undefined && ['approve', 'always', 'answer', 'another'].includes(decision.verdict);

const isLate = ({ expiresAt }: ApprovalRequest, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;

/** `asked`: the message where it was decided comes first. */
export interface RecordedDecision {
  decision: Decision;
  asked?: ApprovalRequest['asked'];
}

/** Returns the expiry of a request that is pending and late; otherwise undefined. */
export function lapse(request: ApprovalRequest, now: number): RecordedDecision | undefined {
  const { decision, otherwise } = request;
  if (decision || !isLate(request, now)) return undefined;
  const nobody = { by: '', name: '', at: new Date(now).toISOString() };
  if (otherwise === undefined) return { decision: { verdict: 'expired', ...nobody } };
  return { decision: { verdict: 'answer', answer: otherwise, ...nobody } };
}

export function resumedEntry(request: ApprovalRequest): Entry | undefined {
  const { id, viber, taskId, run, principal, play, job } = request;
  const [message] = request.asked;
  const resume = { approval: id, run };
  return message && { message, principal, viber, taskId, resume, ...(play && { play: {} }), ...(job && { job }) };
}

/** Returns the message that was answered with the question here. */
export function askedAt(request: ApprovalRequest, address: Address): InboundMessage | undefined {
  const key = conversationKey(address);
  return request.asked.find((message) => conversationKey(message.address) === key);
}

/** Linked direct messages of a person count as one conversation, and so do threads of a direct chat. */
export function isSamePersons(
  { principal, asked }: ApprovalRequest,
  { person }: Principal,
  { address, isDirect }: { address: Address; isDirect: boolean },
): boolean {
  if (!isDirect) return false;
  const chatOf = ({ thread: _thread, ...chat }: Address) => conversationKey(chat);
  const isTheirs = person !== undefined && principal.person === person;
  return asked.some((message) => message.isDirect && (isTheirs || chatOf(message.address) === chatOf(address)));
}

/** Guests answer questions about their own task and can't consent to effects. */
export function mayDecide({ kind, principal: asker }: ApprovalRequest, by: Principal, task: TaskRecord): boolean {
  if (!authoriseAction(by, 'steer', task.people)) return false;
  return by.role !== 'guest' || (asker.role === 'guest' && kind !== 'tool');
}

/** Returns the press's own decision, or expiry if the time was up; undefined if it was decided before. */
export function madeBy(
  request: ApprovalRequest,
  decision: Decision,
  now: number,
  where?: Address,
): RecordedDecision | undefined {
  if (request.decision || isLate(request, now)) return lapse(request, now);
  const [first] = request.asked;
  // The answer moves to the person's other direct chat where they decided.
  const here = where && (askedAt(request, where) ?? (first && { ...first, address: where }));
  return { decision, ...(here && { asked: [here, ...request.asked.filter((message) => message !== here)] }) };
}

/** Another time or other words don't change what a call is about. */
const ABOUT = ['name', 'prompt', 'to', 'path', 'url', 'skill', 'words', 'text', 'title'];

/** Returns whether both ask about the plan, or about a call of the same tool with the same subject. */
export function isSameMatter(before: ApprovalRequest, now: ApprovalRequest): boolean {
  if (before.kind !== now.kind || before.tool !== now.tool) return false;
  if (now.kind === 'plan') return true;
  const [old, fresh] = [objectFields(before.input), objectFields(now.input)];
  const shared = ABOUT.filter((name) => name in old || name in fresh);
  if (shared.length > 0) return shared.some((name) => old[name] === fresh[name]);
  const names = Object.keys(fresh);
  return names.length <= 1 || names.some((name) => JSON.stringify(old[name]) === JSON.stringify(fresh[name]));
}

const objectFields = (input: Json): { [name: string]: Json } =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};

export function insteadOf({ kind }: ApprovalRequest): string {
  if (kind === 'question') return 'The person answers in their own words: see their next message.';
  return 'This has not run: something else was asked about in its place, see below.';
}

/** Leaves out data that only the platform could use, which expires. */
export function askedOf({ message: { message, job } }: QueueItem<Entry>) {
  const { interaction: _interaction, opensThread: _opens, button: _button, command: _command, ...kept } = message;
  const bare = { ...kept, text: '', files: [], facts: [], quotes: [] };
  const places = job ? placesToAsk(bare, job) : [];
  // Even if nobody can be asked, the request must expire.
  return places.length > 0 ? places : [bare];
}
