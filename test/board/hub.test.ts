/** A hub that is dialled: what it submits enters as from any program, and how that ended is told until it is acknowledged. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openWorld } from '../dialogs/harness.ts';
import { HubEmulator } from '../emulators/hub.ts';

const withDev = (home: string) => void fs.mkdirSync(path.join(home, 'vibers/dev'), { recursive: true });
const TOKEN = 'the-token-of-the-hub';

async function open({
  hub: own = {},
  token = TOKEN,
  limits = {},
  ...options
}: {
  hub?: object;
  token?: string;
  limits?: object;
  prepare?: (home: string) => void;
} = {}) {
  const hub = new HubEmulator({ token: TOKEN });
  await hub.start();
  onTestFinished(() => hub.stop());
  const world = await openWorld({
    config: {
      http: { port: 0 },
      hub: { url: hub.url, token, ...own },
      limits: { freeBytes: 0, messagesPerMinute: 1000, ...limits },
    },
    ...options,
  });
  const ready = () => expect.poll(() => hub.isConnected).toBe(true);
  const submit = (goal: string, id = goal) => hub.send({ type: 'task:submit', id, goal, messages: [] });
  /** What waits to be told. */
  const statuses = async () => (await world.app.readiness()).channels.hub;
  return { hub, world, ready, submit, statuses };
}

describe('a hub', () => {
  test('submits a task and is told of its start and its end, once', async () => {
    const { hub, world, ready, submit, statuses } = await open();
    world.llm.script([{ text: 'The notes are out.' }]);
    await ready();
    await expect.poll(() => hub.frames[0]).toMatchObject({ type: 'connected', protocol: 1, viber: { id: 'default' } });
    submit('Publish the notes');
    await expect.poll(() => hub.sent('ack')).toMatchObject([{ ok: true, taskId: expect.any(String) }]);
    await expect.poll(() => hub.sent('task:completed').length).toBe(1);
    const { taskId, runId, result } = hub.sent('task:completed')[0] ?? {};
    expect(hub.sent('task:started')).toMatchObject([{ taskId, runId }]);
    expect(result).toMatchObject({ text: 'The notes are out.', artifactRefs: [] });
    expect(JSON.parse(world.read(`artifacts/${taskId}/task.json`)).people).toEqual(['hub:hub']);
    // Nothing is left that would be told again.
    await expect.poll(async () => (await world.app.readiness()).waiting).toBe(0);
    expect([hub.sent('task:completed').length, await statuses()]).toEqual([1, { state: 'connected' }]);
  });

  test('that submits a task with the handshake is heard, by a gateway that has just started', async () => {
    const { hub, world } = await open();
    await expect.poll(() => hub.isConnected).toBe(true);
    hub.greeting = { type: 'task:submit', id: 'at-once', goal: 'Say it', messages: [] };
    await world.restart();
    await expect.poll(() => hub.sent('ack')).toMatchObject([{ ok: true, id: 'at-once' }]);
  });

  test('that does not acknowledge is told again, of the same run, until it does', async () => {
    const { hub, world, ready, submit } = await open();
    hub.acknowledges = false;
    await ready();
    submit('Say it');
    await expect.poll(() => hub.sent('task:completed').length).toBe(1);
    hub.drop();
    await expect.poll(() => hub.sent('task:completed').length).toBe(2);
    expect((await world.app.readiness()).waiting).toBe(1);
    await world.restart();
    await expect.poll(() => hub.sent('task:completed').length).toBe(3);
    const runs = hub.sent('task:completed').map(({ runId }) => runId);
    expect(new Set(runs).size).toBe(1);
    hub.acknowledge(runs[0]);
    await expect.poll(async () => (await world.app.readiness()).waiting).toBe(0);
  });

  test('that is away while the work ends is told once it is back, also by a gateway that was restarted', async () => {
    const { hub, world, ready, submit, statuses } = await open();
    world.llm.script([{ text: 'First.' }, { text: 'Second.' }]);
    await ready();
    submit('one');
    submit('two');
    await expect.poll(() => hub.sent('ack').length).toBe(2);
    hub.stop();
    await expect.poll(async () => (await statuses())?.state).toBe('reconnecting');
    await world.restart();
    await hub.start();
    await expect.poll(() => new Set(hub.sent('task:completed').map(({ runId }) => runId)).size).toBe(2);
    await expect.poll(async () => (await world.app.readiness()).waiting).toBe(0);
  });

  test('that repeats a command has it carried out once', async () => {
    const { hub, world, ready, submit } = await open();
    await ready();
    submit('once', 'same');
    submit('once', 'same');
    await expect.poll(() => hub.sent('task:completed').length).toBe(1);
    hub.drop();
    await expect.poll(() => hub.dialled.length).toBe(2);
    await ready();
    submit('once', 'same');
    await expect.poll(() => hub.sent('ack').length).toBe(3);
    expect(new Set(hub.sent('ack').map(({ taskId }) => taskId)).size).toBe(1);
    expect(fs.readdirSync(path.join(world.home, 'artifacts')).length).toBe(1);
  });

  test('is told of work that failed', async () => {
    const { hub, world, ready, submit } = await open();
    world.llm.fault('unauthorized');
    await ready();
    submit('Fail');
    await expect.poll(() => hub.sent('task:error').length).toBe(1);
    expect(hub.sent('task:error')[0]?.error).toMatchObject({ message: expect.any(String), trace: expect.any(String) });
    await expect.poll(async () => (await world.app.readiness()).waiting).toBe(0);
  });

  test('has the role and the viber that the configuration gives it', async () => {
    const { hub, world, ready, submit } = await open({
      hub: { viberId: 'dev' },
      prepare: withDev,
    });
    await ready();
    submit('Build');
    await expect.poll(() => hub.sent('task:completed').length).toBe(1);
    const { taskId } = hub.sent('task:completed')[0] ?? {};
    expect(JSON.parse(world.read(`artifacts/${taskId}/task.json`)).viber).toBe('dev');
    const job = { name: 'Digest', schedule: 'every day at 9', prompt: 'Write', role: 'owner' };
    hub.send({ type: 'job:create', id: 'j', job, role: 'owner' });
    await expect.poll(() => hub.sent('ack').find(({ id }) => id === 'j')).toMatchObject({ ok: false });
    expect(fs.existsSync(path.join(world.home, 'jobs/digest.yaml'))).toBe(false);
  });

  test('that refuses the token says which setting is wrong, and is not dialled ever faster', async () => {
    const { hub, statuses } = await open({ token: 'an-old-token' });
    await expect.poll(() => hub.dialled.length).toBeGreaterThan(2);
    expect(await statuses()).toEqual({ state: 'reconnecting', detail: 'The hub rejected hub.token (401).' });
    const [first = 0, second = 0, third = 0] = hub.dialled;
    expect(second - first).toBeGreaterThan(200);
    expect(third - second).toBeGreaterThan(400);
  });

  test('gives files in pieces, which are attachments of what it says; refused ones say which', async () => {
    const { hub, world, ready } = await open({ limits: { freeBytes: 0, downloadBytes: 1_500_000 } });
    await ready();
    const acked = async (frame: { id: string; [field: string]: unknown }) => {
      hub.send(frame);
      await expect.poll(() => hub.sent('ack').some(({ id }) => id === frame.id)).toBe(true);
      return hub.sent('ack').find(({ id }) => id === frame.id) ?? { type: 'ack' };
    };
    const bytes = Buffer.from('All of it, from the first word to the last. '.repeat(30_000));
    const piece = (offset: number, more = {}) => ({
      ...{ type: 'upload', id: `p${offset}`, name: 'notes.txt', contentType: 'text/plain', size: bytes.length, offset },
      ...{ data: bytes.subarray(offset, offset + 600_000).toString('base64'), ...more },
    });
    expect(await acked(piece(0))).toMatchObject({ ok: true, next: 600_000 });
    expect(await acked(piece(600_000))).toMatchObject({ ok: true, next: 1_200_000 });
    // One that does not follow is refused, and the file goes on.
    expect(await acked(piece(0, { id: 'gap', offset: 5 }))).toMatchObject({ ok: false, error: { field: 'offset' } });
    const { ref, ok } = await acked(piece(1_200_000));
    expect([ok, ref]).toEqual([true, expect.stringMatching(/^uploads\//)]);
    expect(await acked({ ...piece(0), id: 'big', name: 'big.txt', size: 1_500_001 })).toMatchObject({
      error: { code: 'too_large', message: expect.stringContaining('big.txt') },
    });
    const submitted = { type: 'task:submit', id: 'with', goal: 'Read them', messages: [], files: [ref] };
    const { taskId } = await acked(submitted);
    await expect.poll(() => hub.sent('task:completed').length).toBe(1);
    const kept = fs.globSync(`artifacts/${taskId}/*.txt`, { cwd: world.home });
    expect(kept.map((file) => world.read(file))).toEqual([String(bytes)]);
    await acked({ ...submitted, ...{ type: 'task:message', id: 'more', taskId, message: 'Again', files: [ref] } });
    await expect.poll(() => hub.sent('task:completed').length).toBe(2);
    expect(await acked({ ...submitted, id: 'none', files: ['uploads/none'] })).toMatchObject({
      error: { code: 'not_found', message: expect.stringContaining('uploads/none') },
    });
  });
});
