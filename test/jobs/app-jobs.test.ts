/** Jobs as the gateway opens them: how the end of a run reaches the record of its job, what owners are told, folders that fail. */

import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { alone } from '../../src/channels/lead.ts';
import { jobsOf } from '../../src/features/jobs/on-demand.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Logger, silentLog } from '../../src/log.ts';
import { messagesIn, type Wording } from '../../src/messages/messages.ts';
import type { Entry } from '../../src/runtime/contract/entry.ts';
import type { Gateway } from '../../src/runtime/run/gateway.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { tempFolder } from '../helpers/temp.ts';
import { manualClock } from './manual-clock.ts';

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
  const { jobs } = open(home, 'duplicate', { told });
  onTestFinished(() => jobs.stop());
  const entry = { taskId: '20260101-aaaaa', job: { id: 'digest', name: 'Digest' } } as unknown as Entry;
  jobs.ended(entry, { state: 'error', error: 'failed', text: 'It broke.' });
  await expect.poll(() => JSON.parse(fs.readFileSync(state, 'utf8')).lastRun.state).toBe('error');
  await expect.poll(() => told).toEqual([expect.stringContaining('It broke.')]);
});

test('a job for one time that was missed for too long is told to the owners before it goes', async () => {
  const home = await openHome(tempFolder());
  const [made, due] = [72, 48].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString());
  const file = path.join(home.jobs, 'call.yaml');
  const by = `createdBy: "telegram:1001"\ncreatedAt: ${made}\n`;
  fs.writeFileSync(file, `name: Call Kim\nschedule: ${due?.slice(0, 19)}Z\ntimezone: UTC\nprompt: x\n${by}`);
  const told: string[] = [];
  const clock = manualClock(Date.now());
  const { jobs } = open(home, 'accepted', { told, clock });
  onTestFinished(() => jobs.stop());
  await jobs.start();
  await expect
    .poll(() => told)
    .toEqual([expect.stringMatching(/^The job "Call Kim" was due .* at \d\d:\d\d .* Ask me once more/)]);
  expect(fs.existsSync(file)).toBe(true);
  // The clock by which it was missed may have been wrong: it is kept for a day.
  await clock.advance(25 * 3_600_000, () => new Promise((resolve) => setImmediate(resolve)));
  await expect.poll(() => fs.existsSync(file)).toBe(false);
  expect(told).toHaveLength(1);
});

test('a folder of jobs that cannot be used ends nothing, and is used once it is mended', async () => {
  const home = await openHome(tempFolder());
  const folder = path.join(home.root, 'elsewhere');
  fs.writeFileSync(folder, '');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed: unknown[] = [];
  const log = { ...silentLog(), info: () => undefined, error: (fields: unknown) => void failed.push(fields) };
  const { jobs } = open(home, 'accepted', { log, folder });
  onTestFinished(() => jobs.stop());
  vi.advanceTimersByTime(1_000);
  vi.useRealTimers();
  await expect.poll(() => failed).toEqual([expect.objectContaining({ folder })]);
  expect(await jobs.service()).toBeUndefined();
  fs.rmSync(folder);
  expect((await jobs.service())?.list()).toEqual([]);
});

test('a job of an older home whose schedule was German runs at its times, and a restart changes nothing', async () => {
  const home = await openHome(tempFolder());
  const [text, schedule] = [
    'name: Digest\nschedule: jede Stunde\nprompt: x\n',
    { kind: 'cron', pattern: '0 * * * *', timezone: 'UTC' },
  ];
  const records = path.join(home.spool, 'jobs');
  for (const folder of [home.jobs, path.join(records, 'good')]) fs.mkdirSync(folder, { recursive: true });
  for (const folder of [home.jobs, path.join(records, 'good')])
    fs.writeFileSync(path.join(folder, 'digest.yaml'), text);
  const state = { schedule: JSON.stringify(schedule), since: Date.now() - 1_000, failures: 0 };
  fs.writeFileSync(path.join(records, 'digest.json'), JSON.stringify(state));
  for (let start = 0; start < 2; start += 1) {
    const enqueued: unknown[] = [];
    const clock = manualClock(Date.now());
    const { jobs } = open(home, 'accepted', { clock, onQueued: () => enqueued.push(0) });
    await jobs.start();
    const [view] = (await jobs.service())?.list() ?? [];
    expect(view?.next).toHaveLength(3);
    expect(view?.problem).toContain('write schedule: 0 * * * *');
    await clock.advance(3_700_000, () => new Promise((resolve) => setImmediate(resolve)));
    await expect.poll(() => enqueued.length).toBeGreaterThanOrEqual(1);
    await jobs.stop();
  }
});

test('jobs of an older home whose files mean nothing any more are told to the owners, once', async () => {
  const home = await openHome(tempFolder());
  const records = path.join(home.spool, 'jobs');
  for (const folder of [home.jobs, path.join(records, 'good')]) fs.mkdirSync(folder, { recursive: true });
  const schedule = JSON.stringify({ kind: 'cron', pattern: '*/5 * * * *', timezone: 'UTC' });
  const old: Record<string, string> = {
    star: 'name: Star\nschedule: */5 * * * *\nprompt: x\n',
    city: 'name: City\nschedule: every hour\ntimezone: Berlin\nprompt: x\n',
  };
  for (const [id, text] of Object.entries(old)) {
    for (const folder of [home.jobs, path.join(records, 'good')])
      fs.writeFileSync(path.join(folder, `${id}.yaml`), text);
    fs.writeFileSync(
      path.join(records, `${id}.json`),
      JSON.stringify({ schedule, since: Date.now() - 1_000, failures: 0 }),
    );
  }
  // It was never active, and an active one may have a broken file beside its own.
  fs.writeFileSync(path.join(home.jobs, 'new.yaml'), 'schedule: whenever\n');
  fs.writeFileSync(path.join(home.jobs, 'fine.yaml'), 'name: Fine\nschedule: daily\nprompt: x\n');
  fs.writeFileSync(path.join(home.jobs, 'fine.yml'), 'name: Fine\nschedule: whenever\nprompt: x\n');
  for (const expected of [1, 0]) {
    const told: string[] = [];
    const { jobs } = open(home, 'accepted', { told });
    await jobs.start();
    await expect.poll(() => fs.readFileSync(path.join(records, 'star.json'), 'utf8')).toContain('goneSince');
    await jobs.stop();
    expect(told).toEqual(
      Array(expected).fill(
        "2 jobs have stopped, as this version can't read their files: city, star. /jobs shows what to change.",
      ),
    );
  }
});

interface Opened {
  told?: string[];
  folder?: string;
  clock?: Clock;
  log?: Logger;
  onQueued?: () => void;
}

/** One process of its own, with a queue that takes whatever comes. */
function open(home: Home, outcome: string, { told = [], folder, clock, log = silentLog(), onQueued }: Opened) {
  const enqueue = async () => {
    onQueued?.();
    return outcome;
  };
  const lookUp = () => Promise.reject(new Error('nothing is looked up here'));
  const env = folder === undefined ? {} : { OPENVIBER_JOBS_DIR: folder };
  const gw = {
    ...{ home, log, clock, features: { lead: alone, env }, tools: { names: lookUp } },
    config: { jobs: { minMinutes: 5, max: 50, keepDays: 30 } },
    engine: {
      queue: { enqueue, look: async () => ({ depth: 0, busy: false }) },
      lock: (_name: string, work: () => Promise<unknown>) => work(),
      ...{ publish: () => undefined, subscribe: () => async () => undefined },
    },
    people: {
      languages: { of: () => undefined, at: () => messagesIn('en') },
      owners: {
        tellOwners: async (_id: string, said: Wording) => void told.push(messagesIn('en').said(said)),
        ownerAddresses: () => [],
      },
    },
    ...{ tasks: { news: { emit: () => undefined } }, places: { targets: {} } },
  };
  return { jobs: jobsOf(gw as unknown as Gateway) };
}
