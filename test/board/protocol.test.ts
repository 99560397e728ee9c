/** Programs over a WebSocket, against a whole gateway: submit, progress, end, stop, resume, and whose is whose. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openWorld } from '../dialogs/harness.ts';
import type { LlmRequest } from '../emulators/llm.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempFolder } from '../helpers/temp.ts';
import { quiet, RUNNING } from '../kit/quiet.ts';
import { openWire } from './wire.ts';

const POST = path.resolve('test/fixtures/mcp/post.mjs');
const TOKEN = 'the-token-of-the-owner';
const CLIENTS = {
  builder: { token: 'token-of-builder' },
  other: { token: 'token-of-other', role: 'member' },
  shy: { token: 'token-of-shy', role: 'guest' },
};

/** All that the model was told. */
const said = (request: LlmRequest | undefined) => [request?.system, request?.messages];

async function open(options: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld({
    ...options,
    config: { http: { port: 0, token: TOKEN, clients: CLIENTS }, ...options.config },
  });
  const wire = async (token = 'token-of-builder') => {
    const opened = await openWire(world.app.port, token);
    onTestFinished(() => opened.socket.terminate());
    return opened;
  };
  return { world, wire };
}

describe('a submitted task', () => {
  it('is acknowledged once it is durable, and told of from its start to its result', async () => {
    const { world, wire } = await open();
    world.llm.script([{ text: 'The notes are out.' }]);
    const client = await wire();
    const hello = await client.until(({ type }) => type === 'connected');
    expect(hello).toMatchObject({ protocol: 1, viber: { id: 'default', runningTasks: [] } });
    const ack = await client.command(
      { type: 'task:submit', goal: 'Publish the notes', messages: [], unknown: 1 },
      'one',
    );
    expect(ack).toMatchObject({ type: 'ack', id: 'one', ok: true, taskId: expect.stringMatching(/^\d{8}-/) });
    const { taskId } = ack;
    const done = await client.until(({ type }) => type === 'task:completed');
    expect(done).toMatchObject({
      taskId,
      result: { text: 'The notes are out.', summary: 'The notes are out.', artifactRefs: [] },
    });
    const started = client.frames.findIndex(({ type }) => type === 'task:started');
    expect(client.frames[started]).toMatchObject({ taskId, runId: done.runId });
    expect(started).toBeLessThan(client.frames.indexOf(done));
    // Nobody asked for it.
    expect(client.frames.some(({ type }) => type === 'task:progress')).toBe(false);
    expect(JSON.parse(world.read(`artifacts/${taskId}/task.json`))).toMatchObject({
      people: ['api:builder'],
      goal: 'Publish the notes',
    });
  });

  it('is begun once however often its id comes, also after a restart', async () => {
    const { world, wire } = await open();
    world.llm.script([{ text: 'Done once.' }]);
    const client = await wire();
    const submit = { type: 'task:submit', goal: 'Do it once', messages: [] };
    const acks = await Promise.all([1, 2].map(() => client.command(submit, 'same')));
    await client.until(({ type }) => type === 'task:completed');
    acks.push(await client.command(submit, 'same'));
    await world.restart();
    expect(await client.closed).toBe(1012);
    const again = await wire();
    acks.push(await again.command(submit, 'same'));
    expect(new Set(acks.map(({ ok, taskId }) => `${ok} ${taskId}`)).size).toBe(1);
    expect(world.llm.requests()).toHaveLength(1);
    expect(fs.readdirSync(path.join(world.home, 'artifacts'))).toHaveLength(1);
  });

  it('is worked on with the plan, the memory, the files and the words that came with it', async () => {
    const { world, wire } = await open({
      prepare: (home) => {
        fs.mkdirSync(path.join(home, 'workspace'), { recursive: true });
        fs.writeFileSync(
          path.join(home, 'workspace', 'MEMORY.md'),
          '# Memory\n\n## User Preferences\n- Likes purple prose\n',
        );
      },
    });
    world.llm.script([{ text: 'Understood.' }, { text: 'And on.' }]);
    const client = await wire();
    const { taskId } = await client.command({
      type: 'task:submit',
      goal: 'Write the release notes',
      messages: [
        { role: 'user', text: 'Please write them' },
        { role: 'assistant', text: 'For which audience?' },
        { role: 'user', text: 'Customers' },
      ],
      plan: {
        goal: 'Release notes',
        steps: [
          { id: '1', title: 'Collect the changes', status: 'done' },
          { id: '2', title: 'Draft them', status: 'pending' },
        ],
      },
      memory: '## User Preferences\n- Short sentences only',
      artifacts: [{ id: 'board-17', title: 'changes.md', type: 'text/markdown' }],
      context: { currentFile: 'src/api.ts', selection: 'export const secretSauce = 1;' },
    });
    await client.until(({ type }) => type === 'task:completed');
    const asked = JSON.stringify(said(world.llm.requests()[0]));
    expect(asked).toContain('Short sentences only');
    expect(asked).not.toContain('purple prose');
    for (const words of [
      'Draft them',
      'board-17',
      'For which audience?',
      'Customers',
      'src/api.ts',
      'secretSauce',
      'Write the release notes',
    ])
      expect(asked).toContain(words);
    expect(world.read(`artifacts/${taskId}/task.md`)).toContain('- [x] Collect the changes');
    // What was said before stays said.
    await client.command({ type: 'task:message', taskId, message: 'Go on' });
    await client.until((frame) => frame.type === 'task:completed' && frame.result?.text === 'And on.');
    expect(JSON.stringify(said(world.llm.requests()[1]))).toContain('For which audience?');
  });

  it('shows its text while it grows to whoever asked for it', async () => {
    const { world, wire } = await open();
    world.llm.script([{ text: 'One two three four five.' }]);
    const client = await wire();
    await client.command({ type: 'task:submit', goal: 'Count', messages: [], live: 'text' });
    const done = await client.until(({ type }) => type === 'task:completed');
    const deltas = client.frames.filter(({ type }) => type === 'task:progress');
    expect(deltas.every(({ event, runId }) => event?.type === 'text-delta' && runId === done.runId)).toBe(true);
    expect(deltas.map(({ event }) => event?.content).join('')).toContain('One two three');
  });

  it.each([
    ['task:stop', (taskId: string) => ({ taskId })],
    ['interrupt', () => ({ targetAgentId: '*' })],
  ])('is answered by %s with what was begun and may still take effect', async (type, fields) => {
    const marks = path.join(tempFolder(), 'marks.txt');
    const { world, wire } = await open({
      config: { mcp: { post: { command: process.execPath, args: [POST, marks] } } },
      prepare(home) {
        fs.mkdirSync(path.join(home, 'agents'), { recursive: true });
        fs.writeFileSync(path.join(home, 'agents/default.yaml'), 'mode: execute\n');
      },
    });
    world.llm.script([{ text: 'I post it.', toolCalls: [{ name: 'post_hold', arguments: { word: 'held' } }] }]);
    const client = await wire();
    const { taskId } = await client.command({ type: 'task:submit', goal: 'Post it', messages: [] });
    await eventually(() => expect(fs.existsSync(marks)).toBe(true));
    expect(await client.command({ type, ...fields(String(taskId)) }, 'stop')).toMatchObject({
      ok: true,
      notice: 'I was already using post hold, and that may still take effect.',
    });
    const again = await client.command({ type, ...fields(String(taskId)) }, 'again');
    expect(again).not.toHaveProperty('notice');
  });

  it('ends as stopped when it is stopped, and never as completed', async () => {
    const { world, wire } = await open();
    world.llm.script([{ text: 'Too late.', delayMs: 5_000 }]);
    const client = await wire();
    const { taskId } = await client.command({ type: 'task:submit', goal: 'Take your time', messages: [] });
    await client.until(({ type }) => type === 'task:started');
    await quiet({ except: RUNNING });
    expect(await client.command({ type: 'task:stop', taskId })).toMatchObject({ ok: true, state: 'stopped' });
    await client.until((frame) => frame.type === 'task:state' && frame.state === 'stopped');
    expect(client.frames.some(({ type }) => type === 'task:completed')).toBe(false);
  });
});

describe('a client that was away', () => {
  it('is told what it missed, and after a restart how things stand', async () => {
    const { world, wire } = await open();
    const first = await wire();
    const { cursor } = await first.until(({ type }) => type === 'connected');
    world.llm.script([{ text: 'While you were away.', delayMs: 300 }]);
    const { taskId } = await first.command({ type: 'task:submit', goal: 'Work alone', messages: [] });
    first.socket.terminate();
    const watcher = await wire();
    await watcher.command({ type: 'task:subscribe', taskIds: [taskId] });
    await watcher.until(({ type }) => type === 'task:completed');
    const second = await wire();
    await second.command({ type: 'task:subscribe', taskIds: [taskId], after: cursor });
    const replayed = await second.until(({ type }) => type === 'task:completed');
    expect(second.frames.some(({ type }) => type === 'resync')).toBe(false);
    await world.restart();
    const third = await wire();
    await third.command({ type: 'task:subscribe', taskIds: [taskId], after: cursor });
    const resync = await third.until(({ type }) => type === 'resync');
    const told = await third.until(({ type }) => type === 'task:completed');
    expect(third.frames.indexOf(resync)).toBeLessThan(third.frames.indexOf(told));
    expect(third.frames.find(({ type }) => type === 'task:state')).toMatchObject({ taskId, state: 'completed' });
    expect([told.runId, told.result]).toEqual([replayed.runId, replayed.result]);
  });
});

describe('rights', () => {
  it('come from the token alone: nobody sees, steers or stops the task of another, whatever a frame says', async () => {
    const { world, wire } = await open();
    world.llm.script([{ text: 'Mine.' }]);
    const mine = await wire();
    const other = await wire('token-of-other');
    await other.command({
      type: 'task:subscribe',
      taskIds: '*',
      live: 'events',
      role: 'owner',
      principal: { role: 'owner' },
    });
    const { taskId } = await mine.command({ type: 'task:submit', goal: 'Keep it private', messages: [] });
    await mine.until(({ type }) => type === 'task:completed');
    const refused = { ok: false, error: { code: 'not_found' } };
    expect(await other.command({ type: 'task:message', taskId, message: 'hello', role: 'owner' })).toMatchObject(
      refused,
    );
    expect(await other.command({ type: 'task:stop', taskId, role: 'owner' })).toMatchObject(refused);
    expect(await other.command({ type: 'plan:write', taskId, text: '# x', baseHash: '' })).toMatchObject(refused);
    expect(
      await other.command({ type: 'job:create', role: 'owner', job: { name: 'n', schedule: 'daily', prompt: 'p' } }),
    ).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(other.frames.filter(({ type }) => type !== 'ack' && type !== 'connected')).toEqual([]);
    const owner = await wire(TOKEN);
    await owner.command({ type: 'task:subscribe', taskIds: [taskId], after: '0.0' });
    expect(await owner.until(({ type }) => type === 'task:completed')).toMatchObject({ taskId });
  });

  it('refuses what is no frame, and tells of one it does not know', async () => {
    const { wire } = await open();
    const client = await wire();
    expect(await client.command({ type: 'task:dance' })).toMatchObject({ ok: false, error: { code: 'unknown_type' } });
    expect(await client.command({ type: 'task:submit', messages: [] })).toMatchObject({
      ok: false,
      error: { code: 'bad_request', field: 'goal' },
    });
    client.socket.send('not json');
    expect(await client.closed).toBe(4400);
  });
});
