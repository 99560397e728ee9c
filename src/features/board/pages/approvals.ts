/** Pending approvals that the caller may decide, and the HTTP counterpart of `approval:decide`. */

import { z } from 'zod';
import { authoriseAction } from '../../../access/authorise.ts';
import { decideApproval } from '../../../board/protocol/decisions.ts';
import { approvalSchema } from '../../../board/protocol/schemas.ts';
import { RequestError, readBody } from '../../../board/respond.ts';
import { pageOf, route } from '../../../board/route.ts';
import type { Approval } from '../../../client/shapes.ts';
import type { ApprovalRequest } from '../../../runtime/contract/approval.ts';
import type { BoardRoute, Caller } from '../../../runtime/contract/board.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { PageParts } from './parts.ts';

/** Chats say `deny`, the protocol says `reject`. */
const decisionBody = z.looseObject({
  verdict: z.preprocess((verdict) => (verdict === 'deny' ? 'reject' : verdict), z.unknown()),
});

export function approvalRoutes({ protocol }: PageParts): BoardRoute[] {
  const { approvals, home, maySee } = protocol;

  function shown(request: ApprovalRequest, { principal }: Caller): Approval[] {
    const task = openTask(home, request.taskId).record();
    if (!task || !maySee(principal, task) || !authoriseAction(principal, 'steer', task.people)) return [];
    const { id, taskId, kind, sentence, details, tool, digest, askedAt, expiresAt, input } = request;
    const options = kind === 'question' ? answerOptions(input) : [];
    return [
      {
        id,
        taskId,
        title: task.title,
        kind,
        tool,
        digest,
        askedAt,
        ...(sentence !== undefined && { sentence }),
        ...(details !== undefined && { details }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(options.length > 0 && { options }),
      },
    ];
  }

  return [
    route('GET', '/api/approvals', 'caller', async ({ url, caller }) => {
      const may = approvals.all().filter((request) => shown(request, caller).length > 0);
      const { items, next } = pageOf(may, ({ id }) => id, url);
      return { approvals: items.flatMap((request) => shown(request, caller)), ...(next !== undefined && { next }) };
    }),
    route('POST', '/api/approvals/:id', 'caller', async (asked) => {
      const body = await readBody(asked, decisionBody);
      const parsed = approvalSchema.safeParse({ ...body, approval: asked.params.id });
      if (!parsed.success) throw badDecision(parsed.error);
      return decideApproval(parsed.data, asked.caller, protocol);
    }),
  ];
}

function answerOptions(input: unknown): string[] {
  const parsed = z.object({ options: z.array(z.string()) }).safeParse(input);
  return parsed.success ? parsed.data.options : [];
}

function badDecision({ issues }: z.ZodError): Error {
  const { path = [], message = 'it is not what it must be' } = issues[0] ?? {};
  const field = path.join('.');
  return new RequestError(400, 'bad_request', `${field}: ${message}`, field);
}
