/** A page of the AI SDK against the gateway: its own transport and parser on one side, the whole program on the other. */
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect, test } from 'vitest';
import { openWorld } from '../dialogs/harness.ts';

const TOKEN = 'the-token-of-a-page';

async function open() {
  const clients = { page: { token: TOKEN }, other: { token: 'the-token-of-another' } };
  const world = await openWorld({ config: { http: { port: 0, clients } } });
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
