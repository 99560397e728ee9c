/** Decisions of people, with the same rights and stores as in chats, and for exactly what was shown. */

import { principalText } from '../../access/principal.ts';
import { isRecord } from '../../lib/json.ts';
import { say } from '../../messages/messages.ts';
import { type ApprovalRequest, allowedFor } from '../../runtime/contract/approval.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import type { ApprovalVerdict } from '../../workspace/types.ts';
import { RequestError, wrongField } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';
import { notTheirs, steeredTask } from './refusals.ts';
import type { CommandOf } from './schemas.ts';

type DecisionBody = Readonly<Record<string, unknown>>;

const gone = () => new RequestError(404, 'not_found', say('requests.noQuestion'), 'approval');

export async function decideApproval(
  { approval, digest, verdict, answer }: CommandOf<'approval:decide'>,
  { principal: by, kind }: Caller,
  to: ProtocolParts,
): Promise<DecisionBody> {
  const request = to.approvals.get(approval);
  if (!request) throw gone();
  const task = steeredTask(request.taskId, by, to);
  // A guest may answer questions about their own task, but not approve effects.
  if (by.role === 'guest' && (request.principal.role !== 'guest' || request.kind === 'tool')) throw notTheirs();
  if (request.digest !== digest) throw new RequestError(409, 'changed', say('requests.changed'), 'digest');
  const chosen = verdictChoice(verdict, answer, request);
  const who = principalText(by);
  const decided = await to.approvals.decide(approval, {
    ...chosen,
    by: who,
    name: by.name,
    ...(kind === 'session' && { place: 'board' }),
  });
  const holds = decided?.request.decision;
  if (!holds) throw gone();
  const isSame = holds.by === who && holds.verdict === chosen.verdict && holds.isWide === chosen.isWide;
  if (!decided.isFirst && !isSame)
    throw new RequestError(409, 'decided', say('requests.decided', { verdict: holds.verdict }));
  return { approval, taskId: task.id, verdict: holds.verdict };
}

function verdictChoice(
  verdict: CommandOf<'approval:decide'>['verdict'],
  answer: string | undefined,
  request: ApprovalRequest,
): { verdict: ApprovalVerdict; answer?: string; isWide?: true } {
  const { kind } = request;
  const isAnswer = verdict === 'answer';
  const allowed = verdict === 'always' || verdict === 'all' ? allowedFor(request, verdict) : undefined;
  if (allowed) return allowed;
  if (isAnswer !== (kind === 'question') || verdict === 'always' || verdict === 'all')
    throw wrongField('verdict', say('requests.verdict', { kind }));
  if (!isAnswer) return { verdict: verdict === 'reject' ? 'deny' : verdict };
  if (answer === undefined || answer.trim() === '') throw wrongField('answer', say('requests.empty'));
  return { verdict, answer: answer.trim() };
}

/** Returns the answers that a question offers; undefined if it offers none. */
export function answerOptions({ kind, input }: ApprovalRequest): string[] | undefined {
  if (kind !== 'question' || !isRecord(input) || !Array.isArray(input.options)) return undefined;
  return input.options.filter((option) => typeof option === 'string');
}
