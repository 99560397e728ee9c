/** Puts the board together: who speaks, what is answered, and the page. Loaded at the first request for any of it. */

import type { Board, BoardRoute } from '../board/contract.ts';
import { createJobsApi } from '../board/jobs.ts';
import { createPages } from '../board/static.ts';
import type { Work } from './work.ts';

export interface BoardParts {
  jobs: Work['jobs'];
}

export async function openBoard({ jobs }: BoardParts): Promise<Board> {
  const jobsApi = createJobsApi({ service: jobs });
  const routes: BoardRoute[] = [
    { method: 'GET', path: '/api/jobs', asks: 'owner', handle: ({ request, response }) => jobsApi(request, response) },
    { method: 'POST', path: '/api/jobs', asks: 'owner', handle: ({ request, response }) => jobsApi(request, response) },
  ];
  return {
    routes,
    open: createPages(),
    session: () => ({ status: 401, code: 'unauthorized', message: 'Nobody is logged in here.' }),
    close: async () => undefined,
  };
}
