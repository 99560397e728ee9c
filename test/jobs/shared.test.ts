/** Jobs of three gateways over one engine and one home: each slot runs once, and what one changes the others know. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { alone, type Lead, never } from '../../src/channels/lead.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { jobsOf } from '../../src/features/jobs/on-demand.ts';
import { shareLocks } from '../../src/lib/locks.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import type { Entry } from '../../src/runtime/contract/entry.ts';
import type { Gateway } from '../../src/runtime/run/gateway.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { memberOf, openSharedEngine } from '../helpers/shared-engine.ts';
import { tempFolder } from '../helpers/temp.ts';
import { quiet } from '../kit/quiet.ts';
import { manualClock } from './manual-clock.ts';

const OWNER = { channel: 'telegram', account: 'bot', user: '1', role: 'owner', via: 'message', name: 'Alex' } as const;
const START = '2026-03-02T08:00:00Z';

function node(home: Home, engine: Engine<Entry>, lead: Lead, clock = manualClock(START)) {
  const known = { vibers: new Set(['default']), models: new Set<string>(), skills: new Map() };
  const gw = {
    ...{ home, engine, log: silentLog(), clock, features: { lead, env: {} }, tools: { names: async () => known } },
    config: { jobs: { minMinutes: 1, max: 500, keepDays: 30 } },
    people: {
      resolve: () => ({ principal: OWNER }),
      languages: { of: () => undefined, at: () => messagesIn('en') },
      owners: { tellOwners: async () => undefined, ownerAddresses: () => [], directOf: () => [] },
    },
    ...{ tasks: { news: { emit: () => undefined } }, places: { targets: {} } },
  };
  onTestFinished(shareLocks(home.root, (name, work) => engine.lock(name, work)));
  const jobs = jobsOf(gw as unknown as Gateway);
  onTestFinished(() => jobs.stop());
  return { jobs, clock };
}

function write(home: Home, id: string, schedule = '* * * * *'): void {
  fs.mkdirSync(home.jobs, { recursive: true });
  fs.writeFileSync(
    path.join(home.jobs, `${id}.yaml`),
    `name: ${id}\nschedule: "${schedule}"\ntimezone: UTC\nprompt: x\n`,
  );
}

const runsIn = async ({ queue }: Engine<Entry>) =>
  (await queue.unfinished()).map(({ message }) => `${message.job?.id} ${message.job?.slot}`);

test('300 slots of three nodes of which two believe to lead give exactly 300 runs', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  for (let n = 0; n < 300; n++) write(home, `j${n}`);
  const engine = await openSharedEngine<Entry>();
  const nodes = [node(home, engine, alone), node(home, engine, alone), node(home, engine, never)];
  await Promise.all(nodes.map(({ jobs }) => jobs.service()));
  await Promise.all(nodes.map(({ clock }) => clock.advance(60_000)));
  await expect.poll(async () => (await runsIn(engine)).length).toBe(300);
  await quiet();
  const runs = await runsIn(engine);
  expect([runs.length, new Set(runs).size]).toEqual([300, 300]);
});

test('one fires, and when it is gone another goes on with what the first has fired', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  write(home, 'a');
  const engine = await openSharedEngine<Entry>();
  const members = [memberOf(engine), memberOf(engine)];
  const [one, two] = members.map(({ lead }) => node(home, engine, lead));
  await one?.jobs.service();
  await two?.jobs.service();
  await Promise.all([one?.clock.advance(60_000), two?.clock.advance(60_000)]);
  await expect.poll(() => runsIn(engine)).toEqual(['a 2026-03-02T08:01:00.000Z']);
  const state = path.join(home.spool, 'jobs', 'a.json');
  await expect.poll(() => JSON.parse(fs.readFileSync(state, 'utf8')).lastRun?.state).toBe('running');
  const [first] = await engine.queue.unfinished();
  // It ends on the node that does not schedule.
  const lease = await engine.queue.claim('task:');
  if (lease) await engine.queue.ack(lease, [first?.id ?? '']);
  two?.jobs.ended(first?.message as Entry, { state: 'error', error: 'failed', text: 'It broke.' });
  await expect
    .poll(() => JSON.parse(fs.readFileSync(state, 'utf8')))
    .toMatchObject({ failures: 1, lastRun: { state: 'error' } });
  members[0]?.lose();
  await quiet();
  // Resting after the failure, as the second has it from the first and its own word.
  await two?.clock.advance(60_000);
  await expect
    .poll(() => JSON.parse(fs.readFileSync(state, 'utf8')).lastSkip)
    .toMatchObject({ reason: 'resting', slot: Date.parse('2026-03-02T08:02:00Z') });
  expect((await runsIn(engine)).length).toBe(0);
});

test('a job changed on one node is known to the others, which are told', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  write(home, 'digest', '0 0 1 1 *');
  const engine = await openSharedEngine<Entry>();
  const told: string[] = [];
  engine.subscribe('jobs', (text) => told.push(text));
  const [one, two] = [node(home, engine, alone), node(home, engine, never)];
  const [here, there] = [await one.jobs.service(), await two.jobs.service()];
  const states = () => here?.list().map(({ id, state }) => `${id} ${state}`);
  expect(states()).toEqual(['digest on']);
  await expect.poll(() => told.length).toBeGreaterThan(0);
  told.length = 0;
  await there?.pause('digest', OWNER);
  await expect.poll(() => told).toContainEqual(expect.stringMatching(/^[0-9a-f]{16} $/));
  await expect.poll(states).toEqual(['digest paused']);
  await there?.remove('digest', OWNER);
  await expect.poll(states).toEqual([]);
});

const MINUTE = 60_000;

test.each([
  ['the node that fires', 'create'],
  ['the node that fires', 'change'],
  ['another node', 'create'],
  ['another node', 'change'],
])('"in 5 minutes", and a yes after 7 on %s: it runs at once (%s)', async (where, kind) => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  if (kind === 'change') write(home, 'call', '0 9 1 1 *');
  const engine = await openSharedEngine<Entry>();
  const [one, two] = [node(home, engine, alone), node(home, engine, never)];
  const services = [await one.jobs.service(), await two.jobs.service()];
  await Promise.all([one, two].map(({ clock }) => clock.advance(7 * MINUTE)));
  const service = where === 'another node' ? services[1] : services[0];
  if (kind === 'change') await service?.change('call', { schedule: 'in 5 minutes' }, OWNER, 7 * MINUTE);
  else {
    const job = { name: 'call', schedule: 'in 5 minutes', timezone: 'UTC', prompt: 'x', deliver: [] };
    await service?.create(job, OWNER, { channel: 'local', account: 'local', chat: 'x' }, 7 * MINUTE);
  }
  await expect.poll(() => runsIn(engine)).toEqual(['call 2026-03-02T08:05:00.000Z']);
});

test('a job whose file has a mistake goes on, also in the next process', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  write(home, 'a');
  const engine = await openSharedEngine<Entry>();
  const first = node(home, engine, alone);
  await first.jobs.service();
  await first.jobs.stop();
  fs.appendFileSync(path.join(home.jobs, 'a.yaml'), 'delver: telegram:1\n');
  const next = node(home, engine, alone);
  const [shown] = (await next.jobs.service())?.list() ?? [];
  expect([shown?.state, shown?.problem]).toEqual(['on', expect.stringContaining('delver')]);
  await next.clock.advance(60_000);
  await expect.poll(() => runsIn(engine)).toEqual(['a 2026-03-02T08:01:00.000Z']);
});

test('pressed on two nodes at once a job begins once', async () => {
  const home = await openHome(path.join(tempFolder(), 'home'));
  write(home, 'a', '0 0 1 1 *');
  const engine = await openSharedEngine<Entry>();
  const nodes = [node(home, engine, alone), node(home, engine, never)];
  const services = await Promise.all(nodes.map(({ jobs }) => jobs.service()));
  const outcomes = await Promise.allSettled(services.map((service) => service?.runNow('a', OWNER)));
  expect((await runsIn(engine)).length).toBe(1);
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
});
