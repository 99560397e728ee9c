/** Decisions of people, with the same rights and stores as in chats, and for exactly what was shown. */

import { principalText } from '../../access/principal.ts';
import { say } from '../../messages/messages.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import type { ApprovalVerdict } from '../../workspace/types.ts';
import { RequestError, wrongField } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';
import { steeredTask } from './refusals.ts';
import type { CommandOf } from './schemas.ts';

type DecisionBody = Readonly<Record<string, unknown>>;

const gone = () => new RequestError(404, 'not_found', 'There is no such question any more.', 'approval');

export async function decideApproval(
  { approval, digest, verdict, answer }: CommandOf<'approval:decide'>,
  { principal: by, kind }: Caller,
  to: ProtocolParts,
): Promise<DecisionBody> {
  const request = to.approvals.get(approval);
  if (!request) throw gone();
  const task = steeredTask(request.taskId, by, to);
  // A guest may answer questions about their own task, but not approve effects.
  if (by.role === 'guest' && (request.principal.role !== 'guest' || request.kind === 'tool'))
    throw new RequestError(403, 'forbidden', 'This is for the people of the task and for owners.');
  if (request.digest !== digest)
    throw new RequestError(409, 'changed', 'It is not what was shown any more; look at it again.', 'digest');
  const chosen = verdictChoice(verdict, answer, request.kind);
  const who = principalText(by);
  const decided = await to.approvals.decide(approval, {
    ...chosen,
    by: who,
    name: by.name,
    ...(kind === 'session' && { place: 'board' }),
  });
  const holds = decided?.request.decision;
  if (!holds) throw gone();
  if (!decided.isFirst && (holds.by !== who || holds.verdict !== chosen.verdict))
    throw new RequestError(409, 'decided', `It was decided already: ${holds.verdict}.`);
  return { approval, taskId: task.id, verdict: holds.verdict };
}

function verdictChoice(
  verdict: CommandOf<'approval:decide'>['verdict'],
  answer: string | undefined,
  kind: 'tool' | 'plan' | 'question',
): { verdict: ApprovalVerdict; answer?: string } {
  const isAnswer = verdict === 'answer';
  if (isAnswer !== (kind === 'question') || (verdict === 'always' && kind !== 'tool'))
    throw wrongField('verdict', say('requests.verdict', { kind }));
  if (!isAnswer) return { verdict: verdict === 'reject' ? 'deny' : verdict };
  if (answer === undefined || answer.trim() === '') throw wrongField('answer', say('requests.empty'));
  return { verdict, answer: answer.trim() };
}
