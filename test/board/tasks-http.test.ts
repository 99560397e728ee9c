/** The same over HTTP: bodies in place of frames, an Idempotency-Key in place of the id, and events as they happen. */
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { openWorld } from '../dialogs/harness.ts';

const TOKEN = 'the-token-of-the-owner';
const clients = { builder: { token: 'token-of-builder' }, other: { token: 'token-of-other' } };

async function open() {
  const world = await openWorld({ config: { http: { port: 0, token: TOKEN, clients } } });
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    token = 'token-of-builder',
  ) => {
    const response = await fetch(`http://127.0.0.1:${world.app.port}${path}`, {
      ...{ method, headers: { authorization: `Bearer ${token}`, ...headers } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
  };
  const ended = async (taskId: string) => (await call('GET', `/api/tasks/${taskId}/events`)).text;
  return { world, call, ended };
}

describe('tasks over HTTP', () => {
  it('ask a question anew: the model sees it once, without the answer that makes way, and both stay on record', async () => {
    const { world, call, ended } = await open();
    world.llm.script([{ text: 'The first attempt.' }, { text: 'The second attempt.' }, { text: 'And on.' }]);
    const { taskId } = (await call('POST', '/api/tasks', { goal: 'Which is it?', messages: [] })).body;
    await ended(taskId);
    const list = async () => (await call('GET', `/api/tasks/${taskId}/messages`)).body.messages;
    const [, { runId: again }] = await list();
    const say = (message: string, more = {}, key = message) =>
      call('POST', `/api/tasks/${taskId}/messages`, { message, ...more }, { 'idempotency-key': key });
    // Repeated after its answer, it is still one attempt.
    for (let times = 0; times < 3; times++) {
      expect(await say('Which is it?', { again }, 'again')).toMatchObject({ status: 202, body: { taskId } });
      await ended(taskId);
    }
    await expect
      .poll(async () => (await list()).map(({ text }: { text: string }) => text))
      .toEqual([...['Which is it?', 'The first attempt.', 'Which is it?', 'The second attempt.']]);
    expect((await list())[2]).toMatchObject({ again });
    await say('And then?');
    await expect.poll(() => world.llm.requests().length).toBe(3);
    const told = world.llm.requests().map(({ messages }) => JSON.stringify(messages));
    expect(told[1]).not.toContain('The first attempt.');
    expect(told[1]?.match(/Which is it\?/g)).toHaveLength(1);
    expect(told[2]).not.toContain('The first attempt.');
    expect(told[2]).toContain('The second attempt.');
    expect((await call('POST', `/api/tasks/${taskId}/messages`, { message: 'x', again: '../x' })).status).toBe(400);
    // Only the same question of the same person is asked anew.
    for (const [message, run, token] of [
      ['Which is it?', 'nowhere'],
      ['Other words', again],
      ['Which is it?', again, TOKEN],
    ])
      expect(await call('POST', `/api/tasks/${taskId}/messages`, { message, again: run }, {}, token)).toMatchObject({
        status: 400,
        body: { error: { code: 'bad_request', field: 'again' } },
      });
  });

  it('keep an answer in its place if the attempt failed, or was not of the same person', async () => {
    const { world, call, ended } = await open();
    world.llm.script([{ text: 'Good.' }]);
    const { taskId } = (await call('POST', '/api/tasks', { goal: 'Which is it?', messages: [] })).body;
    await ended(taskId);
    const list = async () => (await call('GET', `/api/tasks/${taskId}/messages`)).body.messages;
    const [, { runId: again }] = await list();
    const { session } = openTask(await openHome(world.home), taskId);
    const [line] = session.tail().filter((entry) => entry.type === 'message');
    const [result] = session.tail().filter((entry) => entry.type === 'result');
    if (!line || !result) throw new Error('nothing is on record');
    const from = { ...line.from, user: 'telegram:1' };
    await session.append([
      { ...line, id: 'm2', run: 'r2', again },
      { ...result, run: 'r2', state: 'error', text: 'That failed.' },
      { ...line, id: 'm3', run: 'r3', again, isGroup: true, from },
      { ...result, run: 'r3', text: 'Of another.' },
    ]);
    expect((await list()).map((one: { again?: string; text: string }) => [one.text, one.again])).toEqual([
      ...[['Which is it?'], ['Good.'], ['Which is it?'], ['That failed.'], ['Which is it?'], ['Of another.']].map(
        ([text]) => [text, undefined],
      ),
    ]);
    await session.append([{ ...line, id: 'm4', run: 'r4', again }]);
    expect((await list()).at(-1)).toMatchObject({ again });
  });

  it('are submitted once by key, watched to their end, read, and gone on with', async () => {
    const { world, call, ended } = await open();
    world.llm.script([
      {
        toolCalls: [
          { name: 'create_artifact', arguments: { title: 'notes.md', type: 'text/markdown', content: '# Notes' } },
        ],
      },
      { text: 'Here they are.' },
      { text: 'Shorter.' },
    ]);
    const key = { 'idempotency-key': 'k-1' };
    const goal = 'Write the notes';
    const plan = { goal, steps: [{ id: '1', title: 'Write', status: 'pending' }] };
    const made = await call('POST', '/api/tasks', { goal, messages: [], plan }, key);
    expect(made).toMatchObject({ status: 202, body: { taskId: expect.any(String) } });
    const { taskId } = made.body;
    expect((await call('POST', '/api/tasks', { goal, messages: [] }, key)).body).toEqual({ taskId });
    const events = await ended(taskId);
    expect(events).toMatch(/event: task:completed\nid: \S+\ndata: \{"type":"task:completed"/);
    // Asked for after its end, it tells that end.
    expect(await ended(taskId)).toContain('"text":"Here they are."');
    expect((await call('GET', '/api/tasks')).body).toMatchObject({
      tasks: [{ taskId, goal, state: 'completed', channel: 'api', person: 'api:builder', viberId: 'default' }],
    });
    const detail = await call('GET', `/api/tasks/${taskId}`);
    expect(detail.body).toMatchObject({
      taskId,
      plan: { hash: expect.any(String), plan: { steps: [{ title: 'Write' }] } },
      artifacts: [{ title: 'notes.md', ref: expect.stringContaining(taskId) }],
    });
    const [artifact] = detail.body.artifacts;
    expect((await call('GET', `/api/${artifact.ref}`)).text).toBe('# Notes');
    expect((await call('POST', `/api/tasks/${taskId}/messages`, { message: 'Shorter, please' })).status).toBe(202);
    await expect
      .poll(async () =>
        (await call('GET', `/api/tasks/${taskId}/messages`)).body.messages.map(
          ({ role, text }: { role: string; text: string }) => [role, text],
        ),
      )
      .toEqual([
        ['user', goal],
        ['assistant', 'Here they are.'],
        ['user', 'Shorter, please'],
        ['assistant', 'Shorter.'],
      ]);
    expect(world.llm.requests()).toHaveLength(3);
  });

  it('name the project that they work in, but not its folder', async () => {
    const { world, call, ended } = await open();
    world.llm.script([{ text: 'Done.' }]);
    const { taskId } = (await call('POST', '/api/tasks', { goal: 'Write', messages: [] })).body;
    await ended(taskId);
    const home = await openHome(world.home);
    await openTask(home, taskId).update((record) => ({ ...record, project: '/srv/code/shop' }));
    const answers = [await call('GET', '/api/tasks'), await call('GET', `/api/tasks/${taskId}`)];
    expect(answers[0]?.body.tasks).toMatchObject([{ taskId, project: 'shop' }]);
    expect(answers[1]?.body).toMatchObject({ taskId, project: 'shop' });
    expect(JSON.stringify(answers)).not.toContain('/srv/code');
  });

  it.each(['while it ran', 'after its end'])(
    'end for a listener who connects again and again, heard of %s',
    async (when) => {
      const { world, call, ended } = await open();
      world.llm.script([
        { text: 'Done.', delayMs: 200 },
        { text: 'Shorter.', delayMs: 200 },
      ]);
      const { taskId } = (await call('POST', '/api/tasks', { goal: 'Write', messages: [] })).body;
      if (when === 'after its end') await ended(taskId);
      const path = `/api/tasks/${taskId}/events`;
      const lastOf = (text: string) => ({ 'last-event-id': [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '' });
      const heard = lastOf((await call('GET', path)).text);
      expect(await call('GET', path, undefined, heard)).toMatchObject({ status: 204, text: '' });
      // What an earlier start of the gateway has counted is told once, from the state.
      const again = await call('GET', path, undefined, { 'last-event-id': '0-5' });
      expect(again).toMatchObject({ status: 200, text: expect.stringContaining('event: task:completed') });
      expect((await call('GET', path, undefined, lastOf(again.text))).status).toBe(204);
      await call('POST', `${path.replace('/events', '/messages')}`, { message: 'Shorter, please' });
      const more = await call('GET', path, undefined, heard);
      expect(more).toMatchObject({ status: 200, text: expect.stringContaining('"text":"Shorter."') });
    },
  );

  it('are of those who begun them: others find nothing, and owners all', async () => {
    const { world, call, ended } = await open();
    world.llm.script([{ text: 'Mine.' }]);
    const { taskId } = (await call('POST', '/api/tasks', { goal: 'Private', messages: [] })).body;
    await ended(taskId);
    for (const path of ['', '/messages', '/events'])
      expect((await call('GET', `/api/tasks/${taskId}${path}`, undefined, {}, 'token-of-other')).status).toBe(404);
    expect((await call('POST', `/api/tasks/${taskId}/stop`, {}, {}, 'token-of-other')).status).toBe(404);
    expect((await call('GET', '/api/tasks', undefined, {}, 'token-of-other')).body).toEqual({
      tasks: [],
      cursor: expect.any(String),
    });
    expect((await call('GET', '/api/tasks', undefined, {}, TOKEN)).body.tasks).toHaveLength(1);
  });

  it('keep a plan that was changed meanwhile, and say what stands there', async () => {
    const { world, call, ended } = await open();
    world.llm.script([{ text: 'Ready.' }]);
    const text = '# Current Task\n\n## Goal\nShip\n\n## Plan\n- [ ] One\n';
    const { taskId } = (await call('POST', '/api/tasks', { goal: 'Ship', messages: [], plan: text })).body;
    await ended(taskId);
    const path = `/api/tasks/${taskId}/plan`;
    const { plan } = (await call('GET', `/api/tasks/${taskId}`)).body;
    const mine = await call('PUT', path, { text: text.replace('[ ] One', '[x] One'), baseHash: plan.hash });
    expect(mine).toMatchObject({ status: 200, body: { hash: expect.any(String) } });
    const late = await call('PUT', path, { text: text.replace('One', 'Two'), baseHash: plan.hash });
    expect(late).toMatchObject({
      status: 409,
      body: {
        error: { code: 'conflict' },
        current: { text: expect.stringContaining('[x] One'), hash: mine.body.hash },
      },
    });
    expect(world.read(`artifacts/${taskId}/task.md`)).toContain('[x] One');
    expect(await call('POST', '/api/tasks', { goal: '' })).toMatchObject({
      status: 400,
      body: { error: { code: 'bad_request', field: 'goal' } },
    });
  });
});
