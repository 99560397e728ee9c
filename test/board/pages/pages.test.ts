/** What the pages read and write, asked as a browser does, and as those who may not. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ALEX, STRANGER, type WorldOptions } from '../../dialogs/harness.ts';
import { PROGRAM } from '../../helpers/program.ts';
import { put as write } from '../../helpers/temp.ts';
import { type Reply, request } from '../browser.ts';
import { openOwned } from '../owner.ts';

const run = promisify(execFile);
const OWNER = 'the-token-of-the-owner';
const MEMBER = 'the-token-of-a-member';

async function open(options: WorldOptions = {}) {
  const http = { port: 0, token: OWNER, clients: { plain: { token: MEMBER } } };
  const opened = await openOwned({ ...options, config: { http, ...options.config } });
  /** A program asks, by its token. */
  const by = (token: string, method: string, page: string, body?: object, more = {}): Promise<Reply> => {
    const headers = { host: `127.0.0.1:${opened.port}`, authorization: `Bearer ${token}`, ...more };
    return request(opened.port, method, `/api/${page}`, headers, body && JSON.stringify(body));
  };
  return { ...opened, by };
}

describe('the message box', () => {
  it('offers the commands of this person, in their language, and what they may choose', async () => {
    const { board, by } = await open();
    const asked = (await board.ask('GET', '/api/composer')).body as {
      commands: { name: string; description: string }[];
      model: { id: string };
    };
    const names = asked.commands.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['new', 'stop', 'model', 'think']));
    expect(asked.model.id).not.toBe('');
    const german = { 'accept-language': 'de' };
    const there = (await board.ask('GET', '/api/composer', undefined, german)).body as typeof asked;
    expect(there.commands.find(({ name }) => name === 'stop')?.description).not.toBe(
      asked.commands.find(({ name }) => name === 'stop')?.description,
    );
    const members = (await by(MEMBER, 'GET', 'composer')).body as typeof asked;
    expect(members.commands.length).toBeLessThan(names.length);
    expect((await by(MEMBER, 'GET', 'composer?task=20260101-nobody')).status).toBe(404);
  });
});

describe('the search', () => {
  it('finds tasks, what was said and files, for those who may see them, and no others', async () => {
    const { world, board, by } = await open();
    world.llm.script([{ text: 'The **penguin** lives in the `south`.' }]);
    await world.ask('Where does the penguin live?');
    const find = async (q: string) =>
      (await board.ask('GET', `/api/find?q=${q}`)).body as { tasks: { taskId: string }[] };
    const said = async (q: string) =>
      (await board.ask('GET', `/api/find/messages?q=${q}`)).body as {
        messages: { id: string; text: string; who?: string; marks: [number, number][] }[];
      };
    expect((await find('PENGUIN')).tasks.map(({ taskId }) => taskId)).toEqual([path.basename(world.task())]);
    expect((await find('penguin%20zebra')).tasks).toEqual([]);
    expect(await find('')).toEqual({ tasks: [], files: [] });
    await expect
      .poll(async () => (await said('south')).messages.map(({ text }) => text))
      .toEqual(['The penguin lives in the south.']);
    const { messages: found } = await said('penguin');
    const list = await board.ask('GET', `/api/tasks/${path.basename(world.task())}/messages`);
    const { messages } = list.body as { messages: { id: string }[] };
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(messages.map(({ id }) => id)));
    for (const { text, marks } of found)
      expect(marks.map(([at, length]) => text.slice(at, at + length))).toEqual(['penguin']);
    for (const place of ['find', 'find/messages'])
      expect((await by(MEMBER, 'GET', `${place}?q=penguin`)).text).not.toContain('enguin');
  });
});

describe('whoever may not', () => {
  it('gets no page of an owner, and changes nothing', async () => {
    const { by, world } = await open();
    const asked = {
      GET: 'health letters files files/USER.md jobs/x memory memory/search?q=x usage logs people skills skills/x agents config',
      PUT: 'files/USER.md jobs/x',
      POST: 'jobs/x/run letters/retry pairing/ABCD2345 memory/undo memory/suggestions/x',
      DELETE: 'jobs/x',
    };
    for (const [method, pages] of Object.entries(asked))
      for (const page of pages.split(' ')) {
        const body = method.startsWith('P') ? {} : undefined;
        expect([page, (await by(MEMBER, method, page, body)).status]).toEqual([page, 403]);
      }
    expect(await by(MEMBER, 'GET', 'approvals')).toMatchObject({ status: 200, body: { approvals: [] } });
    expect((await by(MEMBER, 'GET', 'me')).body).toMatchObject({ name: 'plain', role: 'member' });
    expect(world.read('workspace/USER.md')).not.toContain('{}');
  });
});

describe('a browser in another language', () => {
  it('reads what the gateway says in it, and programs read English', async () => {
    const { board, by } = await open();
    const german = { 'accept-language': 'fr-FR, de-AT;q=0.8, en;q=0.5' };
    const job = { name: 'Digest', schedule: 'every monday at 9', prompt: 'Sum up', timezone: 'Europe/Vienna' };
    expect((await board.ask('POST', '/api/jobs', job)).status).toBe(201);
    expect((await board.ask('GET', '/api/me')).body.language ?? 'en').toBe('en');
    expect((await board.ask('GET', '/api/me', undefined, german)).body.language).toBe('de');
    expect((await board.ask('GET', '/api/jobs', undefined, german)).text).toContain('jeden Montag um 09:00');
    expect((await by(OWNER, 'GET', 'jobs', undefined, german)).text).toContain('every Monday at 09:00');
    const unknown = { ...job, schedule: 'every full moon' };
    expect((await board.ask('POST', '/api/jobs', unknown, german)).text).toMatch(/verstehe|versteht/);
    const refused = await by(OWNER, 'POST', 'jobs', unknown, german);
    expect(refused.status).toBe(400);
    expect(refused.text).not.toMatch(/verstehe|versteht/);
  });
});

describe('an owner', () => {
  it('sees who they are, and the task of their own conversation', async () => {
    const { world, board } = await open();
    await world.ask('hello');
    const { body } = await board.ask('GET', '/api/me');
    expect(body).toMatchObject({
      name: 'alex',
      role: 'owner',
      principal: 'person:alex',
      viber: 'default',
      session: board.id,
      filesPerMessage: 10,
    });
    expect(body.taskId).toBe(path.basename(world.task()));
    expect((await board.ask('GET', '/api/health')).body).toMatchObject({ ready: true, dead: 0 });
  });

  it.each([
    [3, 3],
    [50, 20],
  ])('with %i files allowed in a message is told of %i, which is what is taken', async (filesPerMessage, told) => {
    const { board } = await open({ config: { limits: { filesPerMessage } } });
    expect((await board.ask('GET', '/api/me')).body.filesPerMessage).toBe(told);
  });

  it('let in by pairing goes on here with what was begun in the chat, though the link was made on the machine', async () => {
    const { world, board } = await open({ config: { people: [] } });
    await world.ask('hello');
    const { stdout } = await run(process.execPath, [PROGRAM, 'pair', 'list', '--json', '--home', world.home]);
    const { code } = JSON.parse(stdout).pending[0];
    await run(process.execPath, [PROGRAM, 'pair', 'approve', code, 'owner', '--home', world.home]);
    await expect.poll(async () => (await board.ask('GET', '/api/me')).body.taskId).toBeDefined();
    const { taskId } = (await board.ask('GET', '/api/me')).body;
    expect(`artifacts/${taskId}`).toBe(world.task());
    const said = { type: 'message', content: 'and here' };
    expect((await board.ask('POST', '/api/messages', said)).body).toMatchObject({ taskId });
  });

  it('edits a file, and is told when it was changed by hand meanwhile', async () => {
    const { world, board } = await open();
    const { body: files } = await board.ask('GET', '/api/files');
    expect(JSON.stringify(files)).toContain('MEMORY.md');
    const { body: before } = await board.ask('GET', '/api/files/USER.md');
    const saved = await board.ask('PUT', '/api/files/USER.md', { text: 'Alex likes tea.\n', baseHash: before.hash });
    expect(saved).toMatchObject({ status: 200, body: { text: 'Alex likes tea.\n' } });
    expect(world.read('workspace/USER.md') || world.read('USER.md')).toBe('Alex likes tea.\n');
    const { body: now } = await board.ask('GET', '/api/files/USER.md');
    write(world.home, String(now.place), 'By hand.\n');
    const refused = await board.ask('PUT', '/api/files/USER.md', { text: 'From the Board.\n', baseHash: now.hash });
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' }, current: { text: 'By hand.\n' } },
    });
    expect(world.read(String(now.place))).toBe('By hand.\n');
  });

  it('loses no edit, by hand or here, in 100 interleavings', async () => {
    const { world, board } = await open();
    const { body } = await board.ask('GET', '/api/files/SOUL.md');
    await board.ask('PUT', '/api/files/SOUL.md', { text: 'begin\n', baseHash: body.hash });
    const file = path.join(world.home, String(body.place));
    let conflicts = 0;
    // As long as the last save took: the edit by hand comes before it, meanwhile or after it, on any machine.
    let took = 3;
    for (let n = 0; n < 100; n++) {
      const { body: now } = await board.ask('GET', '/api/files/SOUL.md');
      const begun = performance.now();
      const put = board.ask('PUT', '/api/files/SOUL.md', { text: `${now.text}board ${n}\n`, baseHash: now.hash });
      const saving = put.finally(() => {
        took = performance.now() - begun;
      });
      const byHand = new Promise<void>((resolve) =>
        setTimeout(
          () => {
            fs.appendFileSync(file, `hand ${n}\n`);
            resolve();
          },
          Math.random() * 2 * took,
        ),
      );
      const [saved] = await Promise.all([saving, byHand]);
      const text = fs.readFileSync(file, 'utf8');
      expect(text).toContain(`hand ${n}\n`);
      expect([saved.status, text.includes(`board ${n}\n`)]).toEqual(saved.status === 200 ? [200, true] : [409, false]);
      if (saved.status === 409) conflicts += 1;
    }
    expect(conflicts).toBeGreaterThan(0);
    expect(conflicts).toBeLessThan(100);
  });

  it('reads no other file', async () => {
    const { board } = await open();
    for (const name of '../config.json ..%2fconfig.json config.yaml memory/../../config.json .env memory/x.md'.split(
      ' ',
    )) {
      expect([name, (await board.ask('GET', `/api/files/${name}`)).status]).toEqual([name, 404]);
      const written = await board.ask('PUT', `/api/files/${name}`, { text: 'x', baseHash: '' });
      expect([name, written.status]).toEqual([name, 404]);
    }
  });

  it('makes, checks, edits, pauses, runs and removes a job', async () => {
    const { world, board } = await open();
    const job = { name: 'Digest', schedule: 'every weekday at 9', prompt: 'Write the digest' };
    expect((await board.ask('POST', '/api/jobs', job)).status).toBe(201);
    const { body: one } = await board.ask('GET', '/api/jobs/digest');
    expect(one).toMatchObject({
      view: { id: 'digest', state: 'on' },
      text: expect.stringContaining('Write the digest'),
    });
    const text = String(one.text).replace('Write the digest', 'Write a poem');
    expect((await board.ask('POST', '/api/jobs/check', { text })).body).toMatchObject({
      ok: true,
      next: [{}, {}, {}].map(() => expect.any(String)),
    });
    const wrong = await board.ask('POST', '/api/jobs/check', { text: 'name: "A' });
    expect(wrong.body).toMatchObject({ ok: false, problems: [expect.any(String)] });
    expect((await board.ask('PUT', '/api/jobs/digest', { text: 'name: "A', baseHash: one.hash })).status).toBe(400);
    expect((await board.ask('PUT', '/api/jobs/digest', { text, baseHash: 'another' })).status).toBe(409);
    expect((await board.ask('PUT', '/api/jobs/digest', { text, baseHash: one.hash })).status).toBe(200);
    expect(world.read('jobs/digest.yaml')).toContain('Write a poem');
    expect((await board.ask('POST', '/api/jobs/digest/pause')).body).toMatchObject({ view: { state: 'paused' } });
    expect((await board.ask('POST', '/api/jobs/digest/resume')).body).toMatchObject({ view: { state: 'on' } });
    expect((await board.ask('POST', '/api/jobs/digest/run')).status).toBe(200);
    expect((await board.ask('DELETE', '/api/jobs/digest')).status).toBe(200);
    expect((await board.ask('GET', '/api/jobs/digest')).status).toBe(404);
    expect((await board.ask('GET', '/api/jobs/%2e%2e')).status).toBe(404);
  });

  it('looks into memory, decides what waits, and takes it back', async () => {
    const { world, board } = await open();
    world.llm.script(() => ({
      text: 'Noted.\n<memory_suggestion>Add to MEMORY.md under "Tea":\n- Alex drinks oolong</memory_suggestion>',
    }));
    await world.ask('remember what I drink');
    await expect
      .poll(async () => JSON.stringify((await board.ask('GET', '/api/memory')).body.suggestions))
      .toContain('oolong');
    const suggestions = (await board.ask('GET', '/api/memory')).body.suggestions as { id: string }[];
    const id = encodeURIComponent(suggestions[0]?.id ?? '');
    expect((await board.ask('POST', `/api/memory/suggestions/${id}`, { verdict: 'accept' })).status).toBe(200);
    expect(world.read('workspace/MEMORY.md')).toContain('oolong');
    expect(JSON.stringify((await board.ask('GET', '/api/memory/search?q=oolong')).body)).toContain('oolong');
    expect((await board.ask('POST', '/api/memory/undo')).status).toBe(200);
    expect(world.read('workspace/MEMORY.md')).not.toContain('oolong');
    expect((await board.ask('POST', `/api/memory/suggestions/${id}`, { verdict: 'accept' })).status).toBe(409);
  });

  it('sees usage, the log without secrets, people, skills, agents and the masked configuration', async () => {
    const { world, board } = await open();
    await world.ask('hello');
    const { body: usage } = await board.ask('GET', '/api/usage');
    expect(usage).toMatchObject({ models: [{ model: 'local/test-model' }], people: [{ person: 'person:alex' }] });
    const cost = await board.ask('GET', `/api/tasks/${path.basename(world.task())}/cost`);
    expect(cost.body).toMatchObject({ calls: [{ model: 'local/test-model' }] });
    const task = path.basename(world.task());
    expect((await board.ask('GET', `/api/tasks/${task}/trace`)).body).toMatchObject({
      events: [{ what: 'completed' }, { detail: 'hello' }],
    });
    const { body: context } = await board.ask('GET', `/api/tasks/${task}/context`);
    expect(context.sections).toMatchObject([
      { text: expect.stringContaining('How you work') },
      { text: expect.stringContaining('hello') },
      {},
    ]);
    expect((await board.ask('GET', '/api/tasks/20260101-aaaaa/trace')).status).toBe(404);
    expect((await board.ask('GET', '/api/usage?from=never')).status).toBe(400);
    const { body: logs } = await board.ask('GET', '/api/logs?level=debug');
    expect(JSON.stringify(logs.lines)).toContain('ready');
    const { body: people } = await board.ask('GET', '/api/people');
    expect(people).toMatchObject({
      people: [{ name: 'alex', ids: [`telegram:${ALEX}`] }],
      sessions: [{ isThis: true }],
    });
    const { body: skills } = await board.ask('GET', '/api/skills');
    expect(JSON.stringify(skills)).toContain('summarise');
    expect((await board.ask('GET', '/api/skills/..')).status).toBe(404);
    expect((await board.ask('GET', '/api/agents')).body).toMatchObject({ vibers: [{ id: 'default' }] });
    const { text } = await board.ask('GET', '/api/config');
    expect(text).toContain('"pollSeconds"');
    for (const secret of [world.telegram.token, 'sk-test-model-key-123', 'the-token-of-the-owner', MEMBER]) {
      expect(text).not.toContain(secret);
      expect(JSON.stringify(logs)).not.toContain(secret);
    }
  });

  it('decides what waits for consent, for exactly what was shown', async () => {
    const { world, board } = await open();
    world.llm.script((asked) =>
      asked.toolResults.length > 0
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'ask_user', arguments: { question: 'Tea or coffee?', options: ['tea', 'coffee'] } }] },
    );
    world.telegram.say(ALEX, 'ask me');
    const list = async () =>
      (await board.ask('GET', '/api/approvals')).body.approvals as { id: string; digest: string }[];
    await expect.poll(async () => (await list()).length).toBe(1);
    const [asked] = await list();
    expect(asked).toMatchObject({ kind: 'question', options: ['tea', 'coffee'] });
    const path = `/api/approvals/${asked?.id}`;
    expect((await board.ask('POST', path, { digest: 'other', verdict: 'answer', answer: 'tea' })).status).toBe(409);
    expect((await board.ask('POST', path, { digest: asked?.digest, verdict: 'perhaps' })).status).toBe(400);
    expect((await board.ask('POST', path, { digest: asked?.digest, verdict: 'answer', answer: 'tea' })).status).toBe(
      200,
    );
    await expect.poll(async () => (await list()).length).toBe(0);
    // The question in the chat says where it was decided, and has no buttons.
    const question = () => world.telegram.chat(ALEX).messages.find(({ text = '' }) => text.includes('on the Board'));
    await expect.poll(() => question()?.text).toMatch(/alex chose "tea" on the Board, \d\d:\d\d/);
    expect(question()?.buttons ?? []).toEqual([]);
  });

  it('sends what was given up again, and what may have arrived only when they are sure', async () => {
    const { world, board } = await open();
    await world.ask('hello');
    const message = {
      id: 'x',
      address: { channel: 'telegram', account: '42', chat: String(ALEX) },
      text: 'from the dead',
      files: [],
    };
    const letter = (kind: string, key: string) =>
      write(
        world.home,
        `spool/${kind}/${key}.json`,
        JSON.stringify({ key, trace: 'abc', createdAt: Date.now(), seq: 1, message, sending: true, reason: 'blocked' }),
      );
    letter('dead', 'one');
    letter('unsure', 'two');
    expect((await board.ask('GET', '/api/letters?kind=dead')).body).toMatchObject({
      letters: [{ id: 'one', reason: 'blocked', to: `telegram:${ALEX}`, text: 'from the dead' }],
    });
    expect((await board.ask('POST', '/api/letters/two/retry', {})).status).toBe(409);
    expect((await board.ask('POST', '/api/letters/two/retry', { sure: true })).body).toEqual({ retried: 1 });
    expect((await board.ask('POST', '/api/letters/retry', {})).body).toEqual({ retried: 1 });
    const seen = () => world.telegram.chat(ALEX).messages.filter(({ text }) => text === 'from the dead').length;
    await expect.poll(seen).toBe(2);
    expect((await board.ask('GET', '/api/letters?kind=dead')).body).toEqual({ letters: [] });
    expect((await board.ask('POST', '/api/letters/..%2fx/retry', {})).status).toBe(404);
  });
});

describe('people', () => {
  it('are let in and turned away here as in a chat, once, and the question there says so', async () => {
    const { world, board } = await open();
    world.telegram.say(STRANGER, 'may I?');
    await world.answer(STRANGER);
    await expect
      .poll(async () => JSON.stringify((await board.ask('GET', '/api/people')).body.pairing))
      .toContain('code');
    const [asked] = (await board.ask('GET', '/api/people')).body.pairing as { code: string; id: string }[];
    expect(asked?.id).toBe(`telegram:${STRANGER}`);
    expect((await board.ask('POST', '/api/pairing/AAAAAAAA', { verdict: 'approve' })).status).toBe(400);
    expect((await board.ask('POST', `/api/pairing/${asked?.code}`, { verdict: 'perhaps' })).status).toBe(400);
    expect((await board.ask('POST', `/api/pairing/${asked?.code}`, { verdict: 'approve' })).status).toBe(200);
    expect((await board.ask('POST', `/api/pairing/${asked?.code}`, { verdict: 'deny' })).status).toBe(400);
    expect(JSON.stringify((await board.ask('GET', '/api/people')).body.people)).toContain(`telegram:${STRANGER}`);
    // Somebody who was let in here is greeted, and answered what they had written.
    const fromBot = () => world.telegram.chat(STRANGER).messages.filter(({ from }) => from === 'bot').length;
    await expect.poll(fromBot).toBeGreaterThan(1);
  });
});

describe('a member', () => {
  it('decides what waits in their own task, sees no other, and gives no consent for others', async () => {
    const token = 'the-token-of-sam-themselves';
    const people = [
      { name: 'alex', role: 'owner', ids: [`telegram:${ALEX}`] },
      { name: 'sam', role: 'member', ids: ['telegram:2002'] },
    ];
    const { world, board, by } = await open({
      config: {
        people,
        http: { port: 0, token: OWNER, clients: { phone: { token, person: 'sam' } } },
      },
    });
    world.llm.script((asked) =>
      asked.toolResults.length > 0
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'ask_user', arguments: { question: 'Tea or coffee?', options: ['tea', 'coffee'] } }] },
    );
    world.telegram.say(ALEX, 'ask me');
    world.telegram.say(2002, 'ask me too');
    type Asked = { id: string; digest: string };
    const all = async () => (await board.ask('GET', '/api/approvals')).body.approvals as Asked[];
    await expect.poll(async () => (await all()).length).toBe(2);
    expect((await by(token, 'GET', 'me')).body).toMatchObject({ name: 'sam', role: 'member' });
    const own = (await by(token, 'GET', 'approvals')).body.approvals as Asked[];
    expect(own).toHaveLength(1);
    const decide = ({ id, digest }: Asked) =>
      by(token, 'POST', `approvals/${id}`, { digest, verdict: 'answer', answer: 'tea' });
    const [other] = (await all()).filter(({ id }) => id !== own[0]?.id);
    expect((await decide(other ?? { id: '', digest: '' })).status).toBe(404);
    expect((await decide(own[0] ?? { id: '', digest: '' })).status).toBe(200);
    await expect.poll(async () => (await all()).length).toBe(1);
  });
});
