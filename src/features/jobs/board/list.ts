/**
 * `/api/jobs`: scheduled jobs for programs. GET lists them; POST creates one from a `job:create` body or the bare job.
 */

import { bodyOf, carriedOut } from '../../../board/api/twin.ts';
import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import { sendJson } from '../../../board/respond.ts';
import { pageOf } from '../../../board/route.ts';
import type { Messages } from '../../../messages/messages.ts';
import { messagesIn } from '../../../messages/messages.ts';
import { scheduleText } from '../../../messages/schedules.ts';
import type { BoardAt, BoardRoute } from '../../../runtime/contract/board.ts';
import type { JobView } from '../../../runtime/contract/job-service.ts';

export function listRoutes({ protocol }: Pick<BoardAt, 'protocol'>): BoardRoute[] {
  const parts = protocol as ProtocolParts;
  return [
    {
      method: 'GET',
      path: '/api/jobs',
      asks: 'owner',
      async handle({ response, url, caller }) {
        const { items, next } = pageOf((await parts.jobs()).list(), ({ id }) => id, url);
        sendJson(response, 200, {
          jobs: items.map((job) => shownJob(job, messagesIn(caller.language))),
          ...(next !== undefined && { next }),
        });
      },
    },
    {
      method: 'POST',
      path: '/api/jobs',
      asks: 'owner',
      async handle(asked) {
        const body = await bodyOf(asked);
        const fields = await carriedOut('job:create', 'job' in body ? body : { job: body }, asked, parts);
        sendJson(asked.response, 201, 'job' in fields ? fields.job : fields);
      },
    },
  ];
}

/** Translates a job's sentences into the caller's language. */
export const shownJob = ({ lacks, wrong: _, ...job }: JobView, messages: Messages) => ({
  ...job,
  words: scheduleText(job.words, messages),
  ...(lacks && { lacks: lacks.map((said) => messages.said(said)) }),
});
