/** What a person does through a program or a page: the same task as in their chat, the same questions, the same files. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ALEX, lastId, openWorld } from '../dialogs/harness.ts';
import { isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openWire } from './wire.ts';

const TOKEN = 'the-token-of-the-owner';
const CLIENTS = { desk: { token: 'token-of-desk', person: 'alex' }, robot: { token: 'token-of-robot' } };

async function open(config: object = {}) {
  const world = await openWorld({ config: { http: { port: 0, token: TOKEN, clients: CLIENTS }, ...config } });
  const wire = async (token: string) => {
    const opened = await openWire(world.app.port, token);
    onTestFinished(() => opened.socket.terminate());
    return opened;
  };
  return { world, wire };
}

describe('a person at a program', () => {
  it('goes on with the task of their chat, and back there', async () => {
    const { world, wire } = await open();
    world.llm.script([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }]);
    await world.ask('begin here');
    const desk = await wire('token-of-desk');
    const { taskId, ok } = await desk.command({ type: 'message', content: 'go on here', attachments: [] });
    expect([ok, taskId]).toEqual([true, path.basename(world.task())]);
    const done = await desk.until(({ type }) => type === 'task:completed');
    expect(done).toMatchObject({ taskId, result: { text: 'Second.' } });
    await world.ask('and back');
    expect(world.llm.requests().map(({ lastUser }) => lastUser.split('\n')[0])).toEqual([
      'begin here',
      'go on here',
      'and back',
    ]);
    expect(JSON.stringify(world.llm.requests()[2]?.messages)).toContain('Second.');
    // Commands of chats are answered there too.
    await desk.command({ type: 'message', content: '/status' });
    expect(await desk.until(({ type }) => type === 'notice')).toMatchObject({
      text: expect.stringContaining(String(taskId)),
    });
  });

  it.skipIf(!isSandboxed)('allows all commands of a project, as the buttons in the chat do', async () => {
    const root = fs.realpathSync(tempFolder());
    fs.mkdirSync(path.join(root, 'shop', '.git'), { recursive: true });
    const { world, wire } = await open({ projects: { roots: [root] } });
    const calls = [
      { name: 'use_project', arguments: { project: 'shop' } },
      { name: 'run_command', arguments: { command: 'node -e "1"' } },
      { name: 'run_command', arguments: { command: 'node -p 6*7' } },
      { name: 'write_file', arguments: { path: 'workspace/out.md', content: 'hi' } },
    ];
    world.llm.script(({ toolResults }) => {
      const next = calls[toolResults.length];
      return next ? { toolCalls: [next] } : { text: 'Done.' };
    });
    const desk = await wire(TOKEN);
    await desk.command({ type: 'task:subscribe', taskIds: '*' });
    world.telegram.say(ALEX, 'work in shop');
    const asked = await desk.until(({ type }) => type === 'approval:asked');
    expect(asked).toMatchObject({
      tool: 'run_command',
      labels: { yes: 'Run', no: "Don't run", all: 'All commands in shop' },
    });
    expect(Object(asked.labels).always).toBeUndefined();
    const decide = { type: 'approval:decide', approval: asked.approval, digest: asked.digest };
    const refused = { ok: false, error: { field: 'verdict' } };
    expect(await desk.command({ ...decide, verdict: 'always' })).toMatchObject(refused);
    expect(await desk.command({ ...decide, verdict: 'all' })).toMatchObject({ ok: true, verdict: 'always' });
    const next = await desk.until(({ type, approval }) => type === 'approval:asked' && approval !== asked.approval);
    expect(next).toMatchObject({ tool: 'write_file' });
    const other = { type: 'approval:decide', approval: next.approval, digest: next.digest };
    expect(await desk.command({ ...other, verdict: 'all' })).toMatchObject(refused);
    expect(await desk.command({ ...other, verdict: 'reject' })).toMatchObject({ ok: true });
    expect(await desk.until(({ type }) => type === 'task:completed')).toMatchObject({ result: { text: 'Done.' } });
    expect(JSON.stringify(world.llm.requests().at(-1)?.toolResults)).toContain('42');
  });

  it('decides what waits for them, for exactly what was shown, and the question in the chat says so', async () => {
    const { world, wire } = await open();
    world.llm.script([
      { toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/out.md', content: 'hi' } }] },
      { text: 'Written.' },
    ]);
    const desk = await wire(TOKEN);
    const robot = await wire('token-of-robot');
    await desk.command({ type: 'task:subscribe', taskIds: '*' });
    const before = lastId(world.telegram, ALEX);
    world.telegram.say(ALEX, 'write it down');
    const asked = await desk.until(({ type }) => type === 'approval:asked');
    expect(asked).toMatchObject({ kind: 'tool', tool: 'write_file', question: expect.stringContaining('out.md') });
    const decide = { type: 'approval:decide', approval: asked.approval, verdict: 'approve' };
    expect(await robot.command({ ...decide, digest: asked.digest })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await desk.command({ ...decide, digest: 'another' })).toMatchObject({
      ok: false,
      error: { code: 'changed', field: 'digest' },
    });
    expect(world.read('workspace/out.md')).toBe('');
    expect(await desk.command({ ...decide, digest: asked.digest })).toMatchObject({ ok: true, verdict: 'approve' });
    expect(await desk.command({ ...decide, digest: asked.digest })).toMatchObject({ ok: true });
    expect(await desk.command({ ...decide, digest: asked.digest, verdict: 'reject' })).toMatchObject({
      ok: false,
      error: { code: 'decided' },
    });
    expect(await desk.until(({ type }) => type === 'task:completed')).toMatchObject({ result: { text: 'Written.' } });
    expect(await desk.until(({ type }) => type === 'approval:decided')).toMatchObject({ verdict: 'approve' });
    expect(world.read('workspace/out.md')).toBe('hi');
    await expect
      .poll(() =>
        world.telegram
          .chat(ALEX)
          .messages.filter(({ id, from }) => from === 'bot' && id > before)
          .map(({ text }) => text)
          .join('\n'),
      )
      .toMatch(/[Aa]pproved|✓|Yes/);
  });

  it('edits files and makes jobs, once, and never over what was changed meanwhile', async () => {
    const { world, wire } = await open();
    const desk = await wire(TOKEN);
    const robot = await wire('token-of-robot');
    const soul = path.join(world.home, 'workspace', 'SOUL.md');
    fs.writeFileSync(soul, 'By hand.\n');
    const write = { type: 'file:write', name: 'SOUL.md', text: 'By desk.\n' };
    expect(await robot.command({ ...write, baseHash: '' })).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    const late = await desk.command({ ...write, baseHash: '' });
    expect(late).toMatchObject({
      ok: false,
      error: { code: 'conflict' },
      current: { text: 'By hand.\n', hash: expect.any(String) },
    });
    expect(await desk.until(({ type }) => type === 'conflict')).toMatchObject({ current: { text: 'By hand.\n' } });
    const { hash } = late.current as { hash: string };
    expect(await desk.command({ ...write, baseHash: hash })).toMatchObject({ ok: true, text: 'By desk.\n' });
    expect(fs.readFileSync(soul, 'utf8')).toBe('By desk.\n');
    for (const name of ['../config.json', 'config.yaml', 'memory/../../x.md', '/etc/passwd'])
      expect(await desk.command({ ...write, name, baseHash: '' })).toMatchObject({
        ok: false,
        error: { code: 'not_found' },
      });
    const job = { name: 'Digest', schedule: 'every weekday at 9', prompt: 'Write it' };
    const made = await desk.command({ type: 'job:create', job }, 'job-1');
    expect(made).toMatchObject({ ok: true, job: { id: 'digest' } });
    await world.restart();
    const again = await wire(TOKEN);
    expect(await again.command({ type: 'job:create', job }, 'job-1')).toMatchObject({
      ok: true,
      job: { id: 'digest' },
    });
    expect(fs.readdirSync(path.join(world.home, 'jobs'))).toEqual(['digest.yaml']);
  });

  it('is told nothing of what somebody else said in private about a task that both have', async () => {
    const { world, wire } = await open();
    world.llm.script(() => ({ chunks: ['Secret ', 'answer.'] }));
    await world.ask('a private worry');
    const taskId = path.basename(world.task());
    const record = path.join(world.home, world.task(), 'task.json');
    const task = JSON.parse(fs.readFileSync(record, 'utf8'));
    fs.writeFileSync(record, JSON.stringify({ ...task, people: [...task.people, 'api:robot'] }));
    const robot = await wire('token-of-robot');
    await robot.command({ type: 'task:subscribe', taskIds: [taskId], live: 'events' });
    await world.ask('another private worry');
    const ended = await robot.until(({ type, state }) => type === 'task:state' && state === 'completed');
    expect(robot.frames.map(({ type }) => type)).toContain('task:started');
    await robot.command({ type: 'task:subscribe', taskIds: [taskId], after: 'another-epoch.1' });
    await robot.until(({ type }) => type === 'resync');
    const headers = { authorization: 'Bearer token-of-robot' };
    const read = async (at: string) =>
      (await fetch(`http://127.0.0.1:${world.app.port}/api/tasks/${taskId}/${at}`, { headers })).text();
    const why = await read(`why?run=${ended.runId}`);
    expect(why).toContain("can't find the record of this answer");
    const seen = JSON.stringify(robot.frames) + why + (await read('messages')) + (await read('events'));
    expect(seen).not.toMatch(/Secret|private worry/);
  });

  it('interrupts what an agent does for them, and nothing of others', async () => {
    const { world, wire } = await open();
    world.llm.script(() => ({ text: 'Too late.', delayMs: 10_000 }));
    const robot = await wire('token-of-robot');
    const desk = await wire(TOKEN);
    const mine = await robot.command({ type: 'task:submit', goal: 'Mine', messages: [] });
    await desk.command({ type: 'task:submit', goal: 'Theirs', messages: [] });
    await robot.until(({ type }) => type === 'task:started');
    await desk.until(({ type }) => type === 'task:started');
    await expect.poll(() => world.llm.stats().active).toBe(2);
    expect(await robot.command({ type: 'interrupt', targetAgentId: 'nobody', reason: 'test' })).toMatchObject({
      ok: true,
      taskIds: [],
    });
    robot.send({ type: 'interrupt', targetAgentId: '*', reason: 'User cancelled operation' });
    expect(await robot.until((frame) => frame.type === 'task:state' && frame.state === 'stopped')).toMatchObject({
      taskId: mine.taskId,
    });
    await expect.poll(() => world.llm.stats().active).toBe(1);
    expect(robot.frames.some(({ type }) => type === 'task:completed')).toBe(false);
  });
});
