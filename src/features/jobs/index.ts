/** Scheduled jobs: work at set times, with results that go to the chats they name. */
import type { Feature } from '../gateway.ts';
import { deliverResult } from './answers.ts';
import { jobFilesAt } from './board/files.ts';
import { jobs as command } from './command.ts';
import { notify } from './notify.ts';
import { jobsOf } from './on-demand.ts';
import { changeJob, createJob, deleteJob, listJobs } from './tools.ts';
import { askToMove, moveJobs } from './travel.ts';

export const jobs: Feature = {
  name: 'jobs',
  commands: [command],
  tools: [notify, createJob, listJobs, changeJob, deleteJob],
  delivers: { when: { isJob: true }, send: deliverResult },
  after: {
    when: { isJob: true, state: ['completed', 'error', 'stopped'] },
    note: (outcome, { items: [first] }, _at, gw) => first && jobsOf(gw).ended(first.message, outcome),
  },
  gaveUp: (entry, reason, gw) => entry.job && jobsOf(gw).ended(entry, { state: 'error', text: reason }),
  jobs: (gw) => jobsOf(gw).service(),
  jobFiles: jobFilesAt,
  async routes(at, gw) {
    const [{ jobRoutes }, { listRoutes }] = await Promise.all([import('./board/pages.ts'), import('./board/list.ts')]);
    return [...listRoutes(at), ...jobRoutes(gw)];
  },
  async check(at) {
    const { checkJobs } = await import('./cli/check.ts');
    return checkJobs(at);
  },
  zone: { left: askToMove, move: moveJobs },
  sweep: (now, gw) => void jobsOf(gw).sweep(now),
  start: (gw) => {
    const jobs = jobsOf(gw);
    return () => jobs.stop();
  },
};
