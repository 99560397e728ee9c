/** Pending approvals that the caller may decide, and the HTTP counterpart of `approval:decide`. */

import { z } from 'zod';
import { authoriseAction } from '../../../access/authorise.ts';
import { decideApproval } from '../../../board/protocol/decisions.ts';
import { approvalSchema } from '../../../board/protocol/schemas.ts';
import { parsedBy, readBody } from '../../../board/respond.ts';
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
      const decision = parsedBy(approvalSchema, { ...body, approval: asked.params.id });
      return decideApproval(decision, asked.caller, protocol);
    }),
  ];
}

function answerOptions(input: unknown): string[] {
  const parsed = z.object({ options: z.array(z.string()) }).safeParse(input);
  return parsed.success ? parsed.data.options : [];
}
