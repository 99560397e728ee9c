/** Lists pending approvals that the caller may decide. */

import { authoriseAction } from '../../../access/authorise.ts';
import { answerOptions } from '../../../board/protocol/decisions.ts';
import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import { pageOf, route } from '../../../board/route.ts';
import type { Approval } from '../../../client/shapes.ts';
import type { ApprovalRequest } from '../../../runtime/contract/approval.ts';
import type { BoardRoute, Caller } from '../../../runtime/contract/board.ts';
import { openTask } from '../../../workspace/tasks/index.ts';

export function approvalRoutes({ approvals, home, maySee }: ProtocolParts): BoardRoute[] {
  function shown(request: ApprovalRequest, { principal }: Caller): Approval[] {
    const task = openTask(home, request.taskId).record();
    if (!task || !maySee(principal, task) || !authoriseAction(principal, 'steer', task.people)) return [];
    const { id, taskId, kind, sentence, details, tool, digest, askedAt, expiresAt, labels } = request;
    const options = answerOptions(request) ?? [];
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
        ...(labels && { labels }),
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
  ];
}
