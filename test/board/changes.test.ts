/** What people change by hand while somebody is connected: told over `/ws`, once for each change, whoever made it. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { hashText } from '../../src/lib/files.ts';
import { openWorld } from '../dialogs/harness.ts';
import { quiet } from '../kit/quiet.ts';
import { openWire, type Wire } from './wire.ts';

const TOKEN = 'the-token-of-the-owner';
const PLAN = '# Current Task\n\n## Goal\nShip it\n\n## Plan\n- [ ] Draft\n- [ ] Publish\n';

interface Jobs {
  jobs: { lastRun?: { state: string }; lacks?: string[] }[];
}
const read = async <T>(asked: Promise<Response>): Promise<T> => JSON.parse(await (await asked).text());

async function open() {
  const world = await openWorld({ config: { http: { port: 0, token: TOKEN } } });
  const wire = await openWire(world.app.port, TOKEN);
  onTestFinished(() => wire.socket.terminate());
  const call = (method: string, at: string, body?: object) =>
    fetch(`http://127.0.0.1:${world.app.port}${at}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { world, wire, call };
}

const plans = ({ frames }: Wire) => frames.filter(({ type }) => type === 'plan:changed').map(({ hash }) => hash);
const told = (wire: Wire, text: string) =>
  wire.until(({ type, hash }) => type === 'plan:changed' && hash === hashText(text));

async function planned() {
  const { world, wire, call } = await open();
  world.llm.script([{ text: 'Begun.' }]);
  const ack = await wire.command({ type: 'task:submit', goal: 'Ship it', messages: [], plan: PLAN });
  await wire.until(({ type }) => type === 'task:completed');
  const taskId = String(ack.taskId);
  return { world, wire, call, taskId, file: path.join(world.home, 'artifacts', taskId, 'task.md') };
}

it('a plan saved by hand is told of with its hash, however the editor saves', async () => {
  const { wire, taskId, file } = await planned();
  const inPlace = PLAN.replace('- [ ] Draft', '- [x] Draft');
  fs.writeFileSync(file, inPlace);
  expect(await told(wire, inPlace)).toMatchObject({ taskId });
  const replaced = `${inPlace}- [ ] Celebrate\n`;
  fs.writeFileSync(`${file}.tmp`, replaced);
  fs.renameSync(`${file}.tmp`, file);
  await told(wire, replaced);
  // Emptied first, as some editors do, and written a moment later.
  const slowly = replaced.replace('Celebrate', 'Rest');
  fs.writeFileSync(file, '');
  // The editor takes its time.
  await sleep(300);
  fs.writeFileSync(file, slowly);
  await told(wire, slowly);
  expect(plans(wire)).not.toContain(hashText(''));
});

it("a plan saved in the viber's folder, through the link or in its place, is told of as well", async () => {
  const { world, wire, taskId } = await planned();
  const link = path.join(world.home, 'workspace', 'task.md');
  const through = PLAN.replace('- [ ] Publish', '- [x] Publish');
  fs.writeFileSync(link, through);
  expect(await told(wire, through)).toMatchObject({ taskId });
  const instead = `${through}- [ ] Thank everybody\n`;
  fs.writeFileSync(`${link}.swp`, instead);
  fs.renameSync(`${link}.swp`, link);
  expect(await told(wire, instead)).toMatchObject({ taskId });
  expect(world.read(`artifacts/${taskId}/task.md`)).toBe(instead);
});

it('a plan written by the gateway itself is told of once', async () => {
  const { wire, taskId, call } = await planned();
  const { plan } = await read<{ plan: { hash: string } }>(call('GET', `/api/tasks/${taskId}`));
  const text = PLAN.replace('- [ ] Draft', '- [x] Draft');
  await wire.command({ type: 'plan:write', taskId, text, baseHash: plan.hash });
  await told(wire, text);
  await quiet();
  expect(plans(wire).filter((hash) => hash === hashText(text))).toHaveLength(1);
});

it('a task with steps left is listed as open, and is no more once they are done', async () => {
  const { wire, taskId, call } = await planned();
  const rows = async () => (await read<{ tasks: object[] }>(call('GET', '/api/tasks?state=completed'))).tasks;
  expect(await rows()).toMatchObject([{ taskId, state: 'completed', open: true }]);
  const one = await read<{ open: boolean; plan: { hash: string } }>(call('GET', `/api/tasks/${taskId}`));
  expect(one.open).toBe(true);
  const text = PLAN.replaceAll('- [ ]', '- [x]');
  await wire.command({ type: 'plan:write', taskId, text, baseHash: one.plan.hash });
  expect(await rows()).toEqual([expect.not.objectContaining({ open: true })]);
});

it('a job is told of when it is made, changed, paused, run, edited by hand and deleted', async () => {
  const { world, wire, call } = await open();
  await wire.command({ type: 'task:subscribe', taskIds: '*' });
  const count = () => wire.frames.filter(({ type, job }) => type === 'job:changed' && job === 'digest').length;
  const changed = async (work: () => unknown) => {
    const before = count();
    await work();
    await expect.poll(count).toBeGreaterThan(before);
  };
  const job = { name: 'Digest', schedule: 'every weekday at 9', prompt: 'Write it', timezone: 'UTC' };
  await changed(() => wire.command({ type: 'job:create', job }));
  await changed(() => call('POST', '/api/jobs/digest/pause'));
  await changed(() => call('POST', '/api/jobs/digest/resume'));
  world.llm.script([{ text: 'Written.' }]);
  await changed(() => call('POST', '/api/jobs/digest/run'));
  const ran = async () => (await read<Jobs>(call('GET', '/api/jobs'))).jobs[0]?.lastRun?.state;
  await expect.poll(ran).toBe('completed');
  const file = path.join(world.home, 'jobs', 'digest.yaml');
  await changed(() => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('Write it', 'Write all of it')));
  await changed(() => call('DELETE', '/api/jobs/digest'));
});

it('a job whose chat is switched off says so, in the list and in its own page', async () => {
  const { world, wire, call } = await open();
  await wire.command({ type: 'job:create', job: { name: 'Digest', schedule: 'daily', prompt: 'Write it' } });
  const first = (await read<Jobs>(call('GET', '/api/jobs'))).jobs[0];
  expect(first?.lacks).toBeUndefined();
  const file = path.join(world.home, 'jobs', 'digest.yaml');
  fs.writeFileSync(file, `name: Digest\nschedule: daily\nprompt: Write it\ndeliver: [slack:C024BE91L]\n`);
  const said = [expect.stringContaining("Nothing can be sent to slack:C024BE91L: slack isn't on.")];
  await expect.poll(async () => (await read<Jobs>(call('GET', '/api/jobs'))).jobs[0]?.lacks).toEqual(said);
  const one = await read<{ view: { lacks: string[] } }>(call('GET', '/api/jobs/digest'));
  expect(one.view.lacks).toEqual(said);
});

it('a job is told of at each end of a run, so that a list that shows its last run is right', async () => {
  const { world, wire, call } = await open();
  await wire.command({ type: 'task:subscribe', taskIds: '*' });
  await wire.command({ type: 'job:create', job: { name: 'Digest', schedule: 'daily', prompt: 'Write it' } });
  world.llm.script([{ text: 'Written.', delayMs: 300 }]);
  await call('POST', '/api/jobs/digest/run');
  const done = await wire.until(({ type }) => type === 'task:completed');
  const at = wire.frames.indexOf(done);
  await wire.until((frame) => frame.type === 'job:changed' && wire.frames.indexOf(frame) > at);
  const { jobs } = await read<Jobs>(call('GET', '/api/jobs'));
  expect(jobs[0]?.lastRun).toMatchObject({ state: 'completed' });
});
