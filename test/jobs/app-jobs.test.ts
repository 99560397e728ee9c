/** How the end of a run reaches the record of its job, also when the jobs have not been read yet. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AppJobsOptions, openAppJobs } from '../../src/app/jobs.ts';
import { silentLog } from '../../src/log.ts';
import type { Entry } from '../../src/runtime/entry.ts';
import { openHome } from '../../src/workspace/home.ts';
import { tempFolder } from '../helpers/temp.ts';

test('a run that ends before the jobs have been read after a restart is noted, and its failure told', async () => {
  const home = await openHome(tempFolder());
  const slot = Date.now() - 60_000;
  const schedule = { kind: 'cron', pattern: '0 0 1 1 *', timezone: 'UTC' };
  fs.mkdirSync(home.jobs, { recursive: true });
  fs.writeFileSync(
    path.join(home.jobs, 'digest.yaml'),
    'name: Digest\nschedule: "0 0 1 1 *"\ntimezone: UTC\nprompt: x\n',
  );
  const state = path.join(home.spool, 'jobs', 'digest.json');
  fs.mkdirSync(path.dirname(state), { recursive: true });
  const lastRun = { slot, at: slot, state: 'running' };
  fs.writeFileSync(
    state,
    JSON.stringify({ schedule: JSON.stringify(schedule), since: slot - 1, lastSlot: slot, failures: 0, lastRun }),
  );
  const told: string[] = [];
  const jobs = openAppJobs({
    config: { jobs: { min_minutes: 5, max: 50, keep_days: 30 } },
    ...{ home, folder: undefined, viber: 'default', clock: undefined, log: silentLog(), channelOf: () => undefined },
    queue: { enqueue: async () => 'duplicate', depth: () => 0, isBusy: () => false },
    reception: { tellOwners: async (_id: string, text: string) => void told.push(text), ownerAddress: () => undefined },
  } as unknown as AppJobsOptions);
  onTestFinished(() => jobs.stop());
  const entry = { taskId: '20260101-aaaaa', job: { id: 'digest', name: 'Digest' } } as unknown as Entry;
  jobs.ended(entry, { state: 'error', error: 'failed', text: 'It broke.' });
  await expect.poll(() => JSON.parse(fs.readFileSync(state, 'utf8')).lastRun.state).toBe('error');
  await expect.poll(() => told).toEqual([expect.stringContaining('It broke.')]);
});
