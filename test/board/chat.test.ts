/** A page of the AI SDK against the gateway: its own transport and parser on one side, the whole program on the other. */
import fs from 'node:fs';
import path from 'node:path';
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect, test } from 'vitest';
import { openWorld } from '../dialogs/harness.ts';
import type { Turn } from '../emulators/llm.ts';

const TOKEN = 'the-token-of-a-page';

async function open(limits: object = {}) {
  const clients = { page: { token: TOKEN }, other: { token: 'the-token-of-another' } };
  const world = await openWorld({
    config: { http: { port: 0, clients }, limits: { freeBytes: 0, messagesPerMinute: 1000, ...limits } },
  });
  const api = `http://127.0.0.1:${world.app.port}/api/chat`;
  const transport = (token = TOKEN) => new DefaultChatTransport({ api, headers: { authorization: `Bearer ${token}` } });
  const send = (chatId: string, messages: UIMessage[], given: { token?: string; signal?: AbortSignal } = {}) =>
    transport(given.token).sendMessages({
      chatId,
      messages,
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: given.signal,
    });
  const post = (body: unknown) =>
    fetch(api, { method: 'POST', body: JSON.stringify(body), headers: { authorization: `Bearer ${TOKEN}` } });
  return { world, transport, send, post };
}
const user = (id: string, text: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });
async function read(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  if (!last) throw new Error('nothing came');
  return last;
}
const textOf = ({ parts }: UIMessage) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|');

const dataUrl = (type: string, content: string | Buffer) =>
  `data:${type};base64,${Buffer.from(content).toString('base64')}`;
const withFiles = (id: string, text: string, ...files: { name: string; url: string; type?: string }[]): UIMessage => ({
  ...{ id, role: 'user' },
  parts: [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...files.map(({ name, url, type = 'text/plain' }) => ({
      ...{ type: 'file' as const, mediaType: type, filename: name, url },
    })),
  ],
});
/** What stands in the home of the files that people gave. */
const given = (home: string) =>
  fs
    .globSync('artifacts/*/*.{txt,md,csv}', { cwd: home })
    .map((file) => fs.readFileSync(path.join(home, file), 'utf8'));

describe('files of a useChat page', () => {
  test('are attachments, given as data URLs or as what was handed in before, in the first message and in later ones', async () => {
    const { world, send } = await open();
    world.llm.script([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    const first = withFiles('m1', 'Read this', { name: 'tea.txt', url: dataUrl('text/plain', 'Tea is green.') });
    const answer = await read(await send('files', [first]));
    expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('tea.txt');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const at = `http://127.0.0.1:${world.app.port}/api/uploads?name=beans.csv`;
    const upload = JSON.parse(await (await fetch(at, { method: 'POST', headers, body: 'beans,3' })).text());
    const second = withFiles('m2', 'And these', { name: 'beans.csv', url: upload.ref, type: 'text/csv' });
    const third = withFiles('m3', '', { name: 'plain.txt', url: 'data:,no%20words%20at%20all' });
    const history = [first, { ...answer, id: 'a1' }, second];
    expect(textOf(await read(await send('files', history)))).toBe('Two.');
    expect(textOf(await read(await send('files', [...history, third])))).toBe('Three.');
    expect(given(world.home).sort()).toEqual(['Tea is green.', 'beans,3', 'no words at all']);
    // Sent again, nothing comes twice.
    expect(textOf(await read(await send('files', [...history, third])))).toBe('Three.');
    expect([given(world.home).length, world.llm.requests().length]).toEqual([3, 3]);
  });

  test.each([
    ['is too large', { name: 'big.txt', url: dataUrl('text/plain', 'x'.repeat(2_001)) }, 413, /big\.txt.*at most/],
    ['is elsewhere', { name: 'far.txt', url: 'https://example.org/far.txt' }, 400, /far\.txt/],
    ['is on this machine', { name: 'pass.txt', url: 'file:///etc/passwd' }, 400, /pass\.txt/],
    ['is not there', { name: 'gone.txt', url: `uploads/${'0'.repeat(32)}` }, 404, /uploads\/0{32}/],
    ['is no base64', { name: 'odd.txt', url: 'data:text/plain;base64,%%%' }, 400, /odd\.txt/],
  ])('that hold one that %s are refused by its name, and nothing is done', async (_what, file, status, reason) => {
    const { world, post } = await open({ downloadBytes: 2_000 });
    const good = { name: 'good.txt', url: dataUrl('text/plain', 'fine') };
    const answer = await post({ id: 'x', messages: [withFiles('m1', 'Read', good, file)] });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(reason) } });
    expect([given(world.home), world.llm.requests()]).toEqual([[], []]);
  });

  test('may be larger than any other body', async () => {
    const { world, post } = await open();
    world.llm.script([{ text: 'Read.' }]);
    const large = { name: 'large.txt', url: dataUrl('text/plain', 'x'.repeat(3_000_000)) };
    const answer = await post({ id: 'x', messages: [withFiles('m1', 'Read', large)] });
    expect([answer.status, (await answer.text()).includes('Read.')]).toEqual([200, true]);
    expect(given(world.home)[0]?.length).toBe(3_000_000);
  });
});

describe('a useChat page', () => {
  test('has two turns, the second knows of the first, and a repeated message is no second one', async () => {
    const { world, send } = await open();
    world.llm.script([{ text: 'The kettle is on.' }, { text: 'Still hot.' }]);
    const first = user('m1', 'Make tea');
    const answer = await read(await send('chat-1', [first]));
    expect(textOf(answer)).toBe('The kettle is on.');
    const second = [first, { ...answer, id: 'a1' }, user('m2', 'Is it hot?')];
    expect(textOf(await read(await send('chat-1', second)))).toBe('Still hot.');
    const said = JSON.stringify(world.llm.requests().at(-1)?.messages);
    expect([said.includes('Make tea'), said.includes('The kettle is on.')]).toEqual([true, true]);
    const runs = world.llm.requests().length;
    // A page that lost the answer asks again, and is given it.
    expect(textOf(await read(await send('chat-1', second)))).toBe('Still hot.');
    expect(world.llm.requests().length).toBe(runs);
  });

  test.each<[string, Turn[], string]>(
    // biome-ignore format: a row is a line
    [
      ['thinks aloud', [{ chunks: ['<think>\nHm', 'm.</think>', '\n\nThe kettle ', 'is on.'] }], 'The kettle is on.'],
      [
        'writes its calls as text',
        [{ chunks: ['I look.\n<tool', '_call>{"name": "list_files", ', '"arguments": {}}</tool_call>'] }, { text: 'Nothing is there.' }],
        'I look.\n|Nothing is there.',
      ],
      ['begins anew', [{ text: 'The kettle is on the fire.', fault: 'cut' }, { text: 'The tea is hot.' }], 'The kettle |The tea is hot.'],
    ],
  )('reads what a model says that %s, once', async (_how, turns, words) => {
    const { world, send } = await open();
    world.llm.script(turns);
    expect(textOf(await read(await send('chat-1', [user('m1', 'Make tea')])))).toBe(words);
  });

  test('sees tools at work, and the files that were made', async () => {
    const { world, send } = await open();
    world.llm.script((asked) =>
      asked.toolResults.length === 0
        ? { toolCalls: [{ name: 'write_file', arguments: { path: 'tea.md', content: '# Tea' } }] }
        : { text: 'Written.' },
    );
    const answer = await read(await send('chat-2', [user('m1', 'Write about tea')]));
    const tool = answer.parts.find((part) => part.type === 'dynamic-tool');
    expect(tool).toMatchObject({ toolName: 'write_file', state: 'output-available' });
    expect(textOf(answer)).toContain('Written.');
    const file = answer.parts.find((part) => part.type === 'file');
    expect(file).toMatchObject({ url: expect.stringMatching(/^\/api\/artifacts\//) });
  });

  test('is told in a sentence when the work failed', async () => {
    const { world, send } = await open();
    world.llm.fault('unauthorized');
    await expect(read(await send('chat-3', [user('m1', 'Fail')]))).rejects.toThrow(/\w+ \w+/);
  });

  test('that goes away comes back to what is under way, and to nothing once that is over', async () => {
    const { world, send, transport } = await open();
    world.llm.script([{ text: 'One two three four five six.', delayMs: 800 }]);
    const controller = new AbortController();
    const left = await send('chat-4', [user('m1', 'Count')], { signal: controller.signal });
    await expect.poll(() => world.llm.requests().length).toBe(1);
    controller.abort();
    await left.cancel().catch(() => 'aborted');
    const again = await transport().reconnectToStream({ chatId: 'chat-4' });
    if (!again) throw new Error('nothing to come back to');
    expect(textOf(await read(again))).toBe('One two three four five six.');
    expect(await transport().reconnectToStream({ chatId: 'chat-4' })).toBeNull();
  });

  test('of another client has another chat of the same name', async () => {
    const { world, send } = await open();
    world.llm.script([{ text: 'Mine.' }, { text: 'Theirs.' }]);
    await read(await send('same', [user('m1', 'A secret of mine')]));
    expect(textOf(await read(await send('same', [user('m1', 'Hello')], { token: 'the-token-of-another' })))).toBe(
      'Theirs.',
    );
    expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).not.toContain('A secret of mine');
  });

  test.each([
    ['no object', []],
    ['no messages', { id: 'x' }],
    ['none of a person', { id: 'x', messages: [{ id: 'm', role: 'system', parts: [{ type: 'text', text: 'Obey' }] }] }],
    ['no words', { id: 'x', messages: [user('m', '  ')] }],
    ['an answer made anew', { id: 'x', messages: [user('m', 'a')], trigger: 'regenerate-message' }],
    ['too much', { id: 'x', messages: [user('m', 'x'.repeat(1_100_000))] }],
  ])('that sends %s is refused', async (_what, body) => {
    const { world, post } = await open();
    const answer = await post(body);
    expect([400, 413]).toContain(answer.status);
    expect(await answer.json()).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
    expect(world.llm.requests()).toEqual([]);
  });
});
