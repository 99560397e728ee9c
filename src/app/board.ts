/** Puts the board together: who speaks, what is answered, and the page. Loaded at the first request for any of it. */

import type { Principal } from '../access/principal.ts';
import { artifactRoute } from '../board/api/artifacts.ts';
import { uploadRoute } from '../board/api/uploads.ts';
import type { Board, BoardRoute } from '../board/contract.ts';
import { createJobsApi } from '../board/jobs.ts';
import { createPages } from '../board/static.ts';
import type { Address } from '../channels/channel.ts';
import type { Config } from '../config.ts';
import { maySee as maySeeFrom } from '../runtime/conversations/visibility.ts';
import type { Home } from '../workspace/home.ts';
import type { TaskRecord } from '../workspace/types.ts';
import type { Uploads } from '../workspace/uploads.ts';
import type { Work } from './work.ts';

export interface BoardParts {
  home: Home;
  config: Pick<Config, 'limits'>;
  uploads: Uploads;
  jobs: Work['jobs'];
}

/** A caller reads alone, as in direct messages, with whichever viber. */
const maySee = (principal: Principal, task: TaskRecord): boolean =>
  maySeeFrom({ principal, address: NOWHERE, isDirect: true, viber: task.viber }, task);
const NOWHERE: Address = { channel: 'api', account: 'api', chat: '' };

export async function openBoard({ jobs, home, config, uploads }: BoardParts): Promise<Board> {
  const jobsApi = createJobsApi({ service: jobs });
  const routes: BoardRoute[] = [
    { method: 'GET', path: '/api/jobs', asks: 'owner', handle: ({ request, response }) => jobsApi(request, response) },
    { method: 'POST', path: '/api/jobs', asks: 'owner', handle: ({ request, response }) => jobsApi(request, response) },
    artifactRoute({ home, maySee }),
    uploadRoute({ uploads, maxBytes: config.limits.downloadBytes }),
  ];
  return {
    routes,
    open: createPages(),
    session: () => ({ status: 401, code: 'unauthorized', message: 'Nobody is logged in here.' }),
    close: async () => undefined,
  };
}
