/** What is said by a request alone: whether it waits, what a press means now, and with what the run goes on. */
import { type Address, conversationKey, type InboundMessage } from '../../channels/channel.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import type { Entry } from '../contract/entry.ts';

/** No run has gone on with it. */
export const isWaiting = ({ decision, takenAt }: ApprovalRequest): boolean => !takenAt && decision?.verdict !== 'wrote';

export const isLate = ({ expiresAt }: ApprovalRequest, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;

/** What a press means: a request is decided once, and a time that is up decides before any press. */
export function pressOf(request: ApprovalRequest, now: number): 'decides' | 'too late' | 'again' {
  if (request.decision) return 'again';
  return isLate(request, now) ? 'too late' : 'decides';
}

/** The decision of a request whose time is up. */
export function timeUp({ otherwise }: ApprovalRequest, now: number): Decision {
  const at = new Date(now).toISOString();
  if (otherwise === undefined) return { verdict: 'expired', by: '', name: '', at };
  return { verdict: 'answer', answer: otherwise, by: '', name: '', at };
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
    ...{ message, principal, viber, taskId, resume: { approval: id, run } },
    ...(play && { play: {} }),
    ...(job && { job }),
  };
}

/** Where the request may be decided: the message that was answered with it there. */
export function askedAt(request: ApprovalRequest, address: Address): InboundMessage | undefined {
  const key = conversationKey(address);
  return request.asked.find((message) => conversationKey(message.address) === key);
}
