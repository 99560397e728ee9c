/** Explains one answer, for the Board and for programs. */
import { authoriseAction } from '../../access/authorise.ts';
import type { ProtocolParts } from '../../board/protocol/parts.ts';
import { seenTask } from '../../board/protocol/refusals.ts';
import { route } from '../../board/route.ts';
import type { Explanation } from '../../client/shapes.ts';
import { messagesIn } from '../../messages/messages.ts';
import type { BoardAt, BoardRoute } from '../../runtime/contract/board.ts';
import type { Gateway } from '../gateway.ts';
import { explainRun } from './explain.ts';

const SHOWN = 50;

export const whyRoutes = ({ protocol }: BoardAt, gw: Gateway): BoardRoute[] => [
  route('GET', '/api/tasks/:id/why', 'caller', async ({ params, caller, url }) => {
    const { principal } = caller;
    const task = seenTask(params.id ?? '', principal, protocol as ProtocolParts);
    const isOwner = principal.role === 'owner';
    return {
      sections: await explainRun(
        task,
        url.searchParams.get('run') ?? '',
        {
          principal,
          messages: messagesIn(caller.language),
          isAlone: true,
          // As on the other pages, only owners see memory and the viber's files.
          tellsMemory: isOwner,
          seesResults: authoriseAction(principal, 'steer', task.people),
          shown: SHOWN,
        },
        gw,
      ),
    } satisfies Explanation;
  }),
];
