/** The Agent Client Protocol's own client, unchanged, drives `viber acp` as an editor does: as a process. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  client as acpClient,
  type ClientContext,
  methods,
  ndJsonStream,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openWorld, type World } from './harness.ts';

const TOKEN = 'the-token-of-the-owner';

interface Editor {
  agent: ClientContext;
  updates: SessionUpdate[];
  /** What the agent said, and how the person answered what it asked. */
  said(): string;
  asked: { title?: string | null | undefined; options: string[] }[];
  /** Standard error, and every line of standard output that isn't a message of the protocol. */
  noise: string[];
  exit: Promise<number | null>;
  close(): void;
}

/** @param choose returns the option to choose by its name; undefined cancels */
async function openEditor(home: string, choose: (options: string[]) => string | undefined = () => undefined) {
  const child = spawn(process.execPath, [PROGRAM, 'acp', '--home', home], { stdio: 'pipe' });
  const noise: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => noise.push(text));
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const updates: SessionUpdate[] = [];
  const asked: Editor['asked'] = [];
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const [read, watched] = output.tee();
  void (async () => {
    for await (const line of Readable.fromWeb(watched as never).setEncoding('utf8')) {
      for (const one of String(line).split('\n').filter(Boolean))
        if (!/^\{"jsonrpc":"2\.0"|^[^{]*$/.test(one)) noise.push(one);
    }
  })();
  const app = acpClient({ name: 'an editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }): RequestPermissionResponse => {
      asked.push({ title: params.toolCall.title, options: params.options.map(({ name }) => name) });
      const name = choose(params.options.map((option) => option.name));
      const option = params.options.find((one) => one.name === name);
      return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
    });
  const opened = Promise.withResolvers<ClientContext>();
  const left = Promise.withResolvers<void>();
  const stream = ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, read);
  const over = app
    .connectWith(stream, async (context) => {
      opened.resolve(context);
      await left.promise;
    })
    .catch((error: unknown) => error);
  onTestFinished(async () => {
    left.resolve();
    child.kill();
    await Promise.all([exit, over]);
  });
  const said = () =>
    updates
      .flatMap((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
      )
      .join('');
  const editor: Editor = {
    ...{ agent: await opened.promise, updates, asked, noise, exit, said },
    close: () => void child.stdin.end(),
  };
  return editor;
}

const words = (text: string) => ({ type: 'text' as const, text });
const initialize = (agent: ClientContext, protocolVersion = 1) =>
  agent.request(methods.agent.initialize, { protocolVersion, clientCapabilities: {} });

async function begin({ agent }: Editor, cwd: string) {
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  const say = (...prompt: Parameters<typeof words>[0][]) =>
    agent.request(methods.agent.session.prompt, { sessionId, prompt: prompt.map(words) });
  return { sessionId, say };
}

async function open(config: object = {}): Promise<World & { folder: string }> {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(tempFolder(), 'code-')));
  const folder = path.join(root, 'shop');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"shop"}');
  fs.writeFileSync(path.join(folder, 'a.ts'), 'export const a = 1;\n');
  const world = await openWorld({
    config: { http: { port: 0, token: TOKEN }, projects: { roots: [root] }, ...config },
  });
  return Object.assign(world, { folder });
}

describe('an editor', () => {
  test('agrees on the version, talks in a session, and has it again in another process', async () => {
    const world = await open();
    world.llm.script([{ chunks: ['Hello ', 'there.'], chunkDelayMs: 100 }, { text: 'Still here.' }]);
    const editor = await openEditor(world.home);
    const { agent } = editor;
    expect(await initialize(agent, 99)).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, promptCapabilities: { image: true, embeddedContext: true } },
      authMethods: [],
    });
    const { sessionId, say } = await begin(editor, world.folder);
    expect(await say('Hi')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said()).toBe('Hello there.');
    expect(await say('Are you there?')).toEqual({ stopReason: 'end_turn' });
    expect(fs.readdirSync(path.join(world.home, 'artifacts'))).toHaveLength(1);
    editor.close();
    expect(await editor.exit).toBe(0);
    const other = await openEditor(world.home);
    await initialize(other.agent);
    await other.agent.request(methods.agent.session.load, { sessionId, cwd: world.folder, mcpServers: [] });
    const replayed = other.updates.map((update) =>
      'content' in update && update.content && 'text' in update.content
        ? [update.sessionUpdate, update.content.text]
        : [],
    );
    expect(replayed).toEqual([
      ['user_message_chunk', 'Hi'],
      ['agent_message_chunk', 'Hello there.'],
      ['user_message_chunk', 'Are you there?'],
      ['agent_message_chunk', 'Still here.'],
    ]);
    const gone = other.agent.request(methods.agent.session.load, { sessionId: 'none', cwd: '/', mcpServers: [] });
    await expect(gone).rejects.toMatchObject({ code: -32_002 });
    expect([...editor.noise, ...other.noise]).toEqual([]);
  });

  test('sees tools at work in its folder, and the plan', async () => {
    const world = await open();
    const steps = [
      { id: '1', title: 'Look', status: 'done' },
      { id: '2', title: 'Fix', status: 'pending' },
    ];
    world.llm.script((asked) =>
      asked.toolResults.length === 0
        ? {
            toolCalls: [
              { name: 'update_plan', arguments: { plan: { goal: 'Fix a', steps } } },
              { name: 'read_file', arguments: { path: 'a.ts' } },
            ],
          }
        : { text: 'Read.' },
    );
    const editor = await openEditor(world.home);
    await initialize(editor.agent);
    const { say } = await begin(editor, world.folder);
    expect(await say('Look at a.ts')).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('export const a = 1;');
    const call = editor.updates.find((update) => update.sessionUpdate === 'tool_call' && update.kind === 'read');
    expect(call).toMatchObject({ status: 'in_progress', locations: [{ path: path.join(world.folder, 'a.ts') }] });
    const id = call && 'toolCallId' in call ? call.toolCallId : '';
    const ended = editor.updates.find((one) => one.sessionUpdate === 'tool_call_update' && one.toolCallId === id);
    expect(ended).toMatchObject({ status: 'completed' });
    await expect
      .poll(() => editor.updates.find(({ sessionUpdate }) => sessionUpdate === 'plan'))
      .toMatchObject({
        entries: [
          { content: 'Look', status: 'completed' },
          { content: 'Fix', status: 'pending' },
        ],
      });
  });

  test('in another folder is told how to allow it', async () => {
    const world = await open();
    const editor = await openEditor(world.home);
    await initialize(editor.agent);
    await begin(editor, tempFolder());
    await expect.poll(() => editor.said()).toMatch(/project allow/);
  });

  test.each([
    ['allows', 'Yes', 'Written.', 'hi'],
    ['forbids', 'No', 'Not written.', ''],
  ])('asks, and a person %s what it wants to do', async (_how, option, answer, content) => {
    const world = await open();
    world.llm.script((asked) =>
      asked.toolResults.length === 0
        ? { toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/out.md', content: 'hi' } }] }
        : { text: JSON.stringify(asked.toolResults).includes('denied') ? 'Not written.' : 'Written.' },
    );
    const editor = await openEditor(world.home, () => option);
    await initialize(editor.agent);
    const { say } = await begin(editor, tempFolder());
    expect(await say('Write it')).toEqual({ stopReason: 'end_turn' });
    expect(editor.asked).toEqual([{ title: expect.stringContaining('out.md'), options: ['Yes', 'No'] }]);
    expect(editor.said()).toContain(answer);
    expect(world.read('workspace/out.md')).toBe(content);
  });

  test('leaves a question unanswered when its person cancels it', async () => {
    const world = await open();
    world.llm.script([{ toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/out.md', content: 'hi' } }] }]);
    const editor = await openEditor(world.home);
    await initialize(editor.agent);
    const { say } = await begin(editor, tempFolder());
    expect(await say('Write it')).toEqual({ stopReason: 'end_turn' });
    expect([editor.asked.length, world.read('workspace/out.md')]).toEqual([1, '']);
  });

  test('stops the work', async () => {
    const world = await open();
    world.llm.script([{ text: 'Late.', delayMs: 60_000 }]);
    const editor = await openEditor(world.home);
    await initialize(editor.agent);
    const { sessionId, say } = await begin(editor, world.folder);
    const asked = say('Count');
    await expect.poll(() => world.llm.requests().length).toBe(1);
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await asked).toEqual({ stopReason: 'cancelled' });
    expect(JSON.parse(world.read(`${world.task()}/task.json`)).state).toBe('stopped');
  });

  test('gives pictures and the contents of files', async () => {
    const world = await open();
    world.llm.script([{ text: 'Seen.' }]);
    const editor = await openEditor(world.home);
    await initialize(editor.agent);
    const { sessionId } = await begin(editor, world.folder);
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const prompt = [
      words('Look'),
      { type: 'image' as const, data: png, mimeType: 'image/png' },
      { type: 'resource' as const, resource: { uri: 'file:///b%20c.ts', text: 'let b;', mimeType: 'text/plain' } },
      { type: 'resource_link' as const, uri: `file://${world.folder}/a.ts`, name: 'a.ts' },
    ];
    await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    const asked = JSON.stringify(world.llm.requests()[0]?.messages);
    for (const part of ['image-2.png', 'b c.ts', `[a.ts](file://${world.folder}/a.ts)`]) expect(asked).toContain(part);
    expect(fs.globSync('artifacts/*/*.png', { cwd: world.home })).toHaveLength(1);
  });

  test('hears in a sentence that no gateway runs, that it serves no programs, and that a run has failed', async () => {
    const none = await openEditor(tempFolder());
    await initialize(none.agent);
    await expect(begin(none, '/')).rejects.toThrow(/No gateway runs/);
    const closed = await open({ http: { port: 0 } });
    const second = await openEditor(closed.home);
    await expect(begin(second, '/')).rejects.toThrow(/http\.token/);
    const world = await open();
    world.llm.fault('unauthorized');
    const editor = await openEditor(world.home);
    const { say } = await begin(editor, world.folder);
    await expect(say('Hi')).rejects.toThrow(/didn't accept the key/);
    await expect(editor.agent.request('session/nonsense', {})).rejects.toMatchObject({ code: -32_601 });
    await expect(
      editor.agent.request(methods.agent.session.prompt, { sessionId: '../..', prompt: [] }),
    ).rejects.toMatchObject({ code: -32_602 });
  });
});
