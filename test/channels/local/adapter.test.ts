/** The machine's own door, over its socket: one question with its answer, and a conversation that somebody listens to. */
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text as bodyOf } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Address, AgentStreamEvent, InboundMessage, LiveView, PartLedger } from '../../../src/channels/channel.ts';
import { createLocal } from '../../../src/channels/local/adapter.ts';
import { tempFolder } from '../../helpers/temp.ts';

const ADDRESS: Address = { channel: 'local', account: 'local', chat: 'kim-chat' };
const ledger: PartLedger = { part: (index, post) => post({ key: String(index) }) };

async function open(options: { onMessage?: (message: InboundMessage) => Promise<void> } = {}) {
  const socket = path.join(tempFolder(), 'gateway.sock');
  const over = Promise.withResolvers<void>();
  const channel = createLocal({ socket, user: 'kim', language: 'de', settled: () => over.promise });
  const taken: InboundMessage[] = [];
  await channel.connect({
    async onMessage(message) {
      await options.onMessage?.(message);
      taken.push(message);
      return 'accepted';
    },
    onInterrupt: async () => undefined,
    onSuggest: async ({ command, text }) => [{ value: `${command} ${text}`, label: 'one' }],
    onDropped: () => undefined,
    onStatus: () => undefined,
  });
  onTestFinished(() => channel.disconnect());
  const post = (url: string, body: unknown) =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = http.request({ socketPath: socket, path: url, method: 'POST' }, resolve);
      request.on('error', reject);
      request.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  const listen = async () => {
    const response = await post('/talk', { chat: ADDRESS.chat });
    const lines: { type: string; [key: string]: unknown }[] = [];
    const reader = createInterface({ input: response }).on('line', (line) => lines.push(JSON.parse(line)));
    // Where the channel leaves whoever listens.
    reader.on('error', () => 'it is gone');
    return { response, lines };
  };
  return { channel, taken, post, listen, over };
}

const view = (mode?: LiveView['mode']): LiveView => ({
  ...{ mode, state: 'thinking', words: 'thinking', line: () => 'Working: thinking', turn: async () => true },
  ...{ limited: () => undefined, buttons: async () => [], kept: undefined, keep: () => undefined },
});
const event = (part: { type: 'text-delta'; content: string } | { type: 'tool-call'; tool: string; args: unknown }) =>
  ({ agentId: 'default', taskId: 't', runId: 'r', ...part }) satisfies AgentStreamEvent;
const message = (text: string) => ({ id: `m-${text}`, address: ADDRESS, text, files: [] });

test('what is said and pressed comes in, what is answered goes to everybody who listens, and to whoever asked first', async () => {
  const { channel, taken, post, listen, over } = await open();
  const [one, two] = [await listen(), await listen()];
  expect((await post('/say', { chat: ADDRESS.chat, text: '/Plan now' })).statusCode).toBe(204);
  expect((await post('/say', { chat: ADDRESS.chat, button: 'b1' })).statusCode).toBe(204);
  expect(taken).toMatchObject([
    {
      kind: 'command',
      command: { name: 'plan', args: 'now' },
      sender: { user: 'kim', language: 'de' },
      address: ADDRESS,
    },
    { kind: 'button', button: { id: 'b1' }, text: '' },
  ]);
  const asking = post('/ask', { chat: ADDRESS.chat, text: 'hello' });
  await expect.poll(() => taken).toHaveLength(3);
  const buttons = [[{ id: 'x', label: 'Yes' }]];
  await channel.send({ ...message('hi'), buttons }, ledger);
  over.resolve();
  const told = (await bodyOf(await asking)).trim().split('\n');
  expect(told.map((line) => JSON.parse(line))).toEqual([
    { type: 'answer', text: 'hi', files: [], buttons },
    { type: 'settled' },
  ]);
  for (const { lines } of [one, two])
    await expect.poll(() => lines).toEqual([{ type: 'answer', text: 'hi', files: [], buttons, messageId: 'm-hi' }]);
});

test('whoever asks gets every answer until nothing more is to come; of several, each gets one', async () => {
  const { channel, taken, post, over } = await open();
  const asked = async (text: string) => {
    const asking = post('/ask', { chat: ADDRESS.chat, text });
    await expect.poll(() => taken.at(-1)?.text).toBe(text);
    return asking.then(bodyOf).then((body) => body.match(/"text":"[^"]*"|settled/g));
  };
  const words = 'ü\u2028'.repeat(50_000);
  const first = asked(words);
  await expect.poll(() => taken).toHaveLength(1);
  await channel.send(message('one\u2028 line'), ledger);
  const second = asked('second');
  await expect.poll(() => taken).toHaveLength(2);
  await channel.send(message('two'), ledger);
  await channel.send(message('three'), ledger);
  await channel.send(message('four'), ledger);
  over.resolve();
  expect(await first).toEqual(['"text":"one\\u2028 line"', '"text":"two"']);
  expect(await second).toEqual(['"text":"three"', '"text":"four"', 'settled']);
});

test('a run is told as its conversation wants it, and arguments of tools are not', async () => {
  const { channel, listen } = await open();
  const { lines } = await listen();
  await channel.stream?.(event({ type: 'text-delta', content: 'off' }), ADDRESS, view('off'));
  await channel.stream?.(event({ type: 'text-delta', content: 'status' }), ADDRESS, view('status'));
  await channel.stream?.(event({ type: 'text-delta', content: 'text' }), ADDRESS, view());
  await channel.stream?.(event({ type: 'tool-call', tool: 'x', args: { secret: 1 } }), ADDRESS, view());
  await channel.endStream?.('r', ADDRESS, true);
  await channel.stream?.(event({ type: 'text-delta', content: 'other' }), { ...ADDRESS, chat: 'other' }, view());
  await expect.poll(() => lines.at(-1)).toEqual({ type: 'over', runId: 'r', isAnswered: true });
  expect(lines.filter(({ type }) => type !== 'works')).toEqual([
    { type: 'wrote', runId: 'r', text: 'text' },
    { type: 'steps', runId: 'r' },
    { type: 'over', runId: 'r', isAnswered: true },
  ]);
  expect(lines.find(({ type }) => type === 'works')).toEqual({ type: 'works', runId: 'r', line: 'Working: thinking' });
});

test('what could not be stored is said to whoever said it; what makes no sense is refused', async () => {
  const { post } = await open({ onMessage: () => Promise.reject(new Error('the disk is full')) });
  const said = await post('/say', { chat: 'c', text: 'x' });
  expect([said.statusCode, await bodyOf(said)]).toEqual([400, 'the disk is full']);
  expect(JSON.parse(await bodyOf(await post('/ask', { chat: 'c', text: 'x' })))).toEqual({
    type: 'error',
    message: 'the disk is full',
  });
  for (const [url, body] of [
    ['/say', { chat: 'c' }],
    ['/say', { chat: 'c', text: '  ' }],
    ['/say', { text: 'x' }],
    ['/ask', 'no json'],
    ['/talk', []],
    ['/suggest', { chat: 'c', command: 1, text: '' }],
  ] as const)
    expect((await post(url, body)).statusCode, url).toBe(400);
  expect((await post('/nothing', {})).statusCode).toBe(404);
  const found = await post('/suggest', { chat: 'c', command: 'open', text: 'te' });
  expect(JSON.parse(await bodyOf(found))).toEqual([{ value: 'open te', label: 'one' }]);
});

test('whoever listens and does not read is left, and the others go on', async () => {
  const { channel, listen } = await open();
  const [deaf, one] = [await listen(), await listen()];
  deaf.response.pause();
  deaf.response.socket.pause();
  const gone = new Promise((resolve) => deaf.response.socket.on('close', resolve));
  const large = 'x'.repeat(1_000_000);
  for (let n = 1; n <= 30; n++) {
    await channel.send(message(`${n} ${large}`), ledger);
    await expect.poll(() => one.lines.length, { interval: 5 }).toBe(n);
  }
  deaf.response.socket.resume();
  deaf.response.resume();
  await gone;
});

test('who listens is told when it ends', async () => {
  const { channel, listen } = await open();
  const { response } = await listen();
  const ended = new Promise((resolve) => response.on('end', resolve));
  await channel.disconnect();
  await ended;
});
