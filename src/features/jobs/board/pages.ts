/** Serves one job: the text of its file, a check of a changed text, and its times. */

import path from 'node:path';
import { z } from 'zod';
import { Conflict, RequestError, readBody } from '../../../board/respond.ts';
import { orNotFound, route } from '../../../board/route.ts';
import type { JobText } from '../../../client/shapes.ts';
import { editText, hashText, readTextSync } from '../../../lib/files.ts';
import { exclusively } from '../../../lib/locks.ts';
import { messagesIn, say } from '../../../messages/messages.ts';
import { scheduleText } from '../../../messages/schedules.ts';
import type { BoardRequest, BoardRoute } from '../../../runtime/contract/board.ts';
import type { JobService, JobView } from '../../../runtime/contract/job-service.ts';
import type { Gateway } from '../../gateway.ts';
import { jobsOf } from '../on-demand.ts';
import { jobFilesAt } from './files.ts';
import { shownJob } from './list.ts';

const MAX_TEXT = 64 * 1024;
const checkBody = z.object({ text: z.string().max(MAX_TEXT) });
const writeBody = z.object({ text: z.string().max(MAX_TEXT), baseHash: z.string().max(128) });

export function jobRoutes(gw: Gateway): BoardRoute[] {
  const { home, features, config } = gw;
  const jobs = jobFilesAt({ home: home.root, env: features.env, timezone: config.jobs.timezone });

  async function service(): Promise<JobService> {
    const ready = await jobsOf(gw).service();
    if (ready) return ready;
    throw new RequestError(503, 'busy', say('requests.jobsReading'));
  }

  /** Finds a job by its full ID; a prefix does not match. */
  async function viewOf({ params }: BoardRequest): Promise<JobView> {
    return orNotFound(
      (await service()).list().find(({ id }) => id === params.id),
      say('requests.noJob'),
    );
  }

  const fileOf = (id: string): string => path.join(jobs.folder, orNotFound(jobs.fileOf(id), say('requests.noJob')));

  async function detail(asked: BoardRequest) {
    const view = await viewOf(asked);
    const text = readTextSync(fileOf(view.id)) ?? '';
    const shown = shownJob(view, messagesIn(asked.caller.language));
    return { view: shown, text, hash: hashText(text) } satisfies JobText;
  }

  async function write(asked: BoardRequest) {
    const { id } = await viewOf(asked);
    const { text, baseHash } = await readBody(asked, writeBody);
    const file = fileOf(id);
    const { ok, problems = [] } = await jobs.check(path.basename(file), text);
    if (!ok) throw new RequestError(400, 'invalid', problems.join('\n'), 'text');
    await exclusively(file, async () => {
      let current: string | undefined;
      const change = (stored: string | undefined) => {
        current = stored;
        return stored !== undefined && (hashText(stored) === baseHash || stored === text) ? text : undefined;
      };
      if ((await editText(file, change, { read: () => readTextSync(file) })) === text) return;
      throw new Conflict({ text: current ?? '', hash: current === undefined ? '' : hashText(current) });
    });
    return detail(asked);
  }

  const act = (what: 'runNow' | 'pause' | 'resume' | 'remove') => async (asked: BoardRequest) => {
    const { id } = await viewOf(asked);
    return { view: await (await service())[what](id, asked.caller.principal) };
  };

  return [
    route('POST', '/api/jobs/check', 'owner', async (asked) => {
      const { text } = await readBody(asked, checkBody);
      const check = await jobs.check('job.yaml', text);
      if (check.words === undefined) return check;
      return { ...check, words: scheduleText(check.words, messagesIn(asked.caller.language)) };
    }),
    route('GET', '/api/jobs/:id', 'owner', detail),
    route('PUT', '/api/jobs/:id', 'owner', write),
    route('DELETE', '/api/jobs/:id', 'owner', act('remove')),
    route('POST', '/api/jobs/:id/run', 'owner', act('runNow')),
    route('POST', '/api/jobs/:id/pause', 'owner', act('pause')),
    route('POST', '/api/jobs/:id/resume', 'owner', act('resume')),
  ];
}
