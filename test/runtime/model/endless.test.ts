/** Endpoints that do not come to an end: the connection is closed at once, little memory is used, and another model may answer. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from '../../emulators/base/http.ts';
import { startLlm } from '../../emulators/llm.ts';
import { eventually } from '../../helpers/eventually.ts';
import { failureOf, QUICK, runWith } from '../agent/fixtures.ts';

const MB = 1_048_576;
const BLOCK = 'x'.repeat(65_536);
const atEnd: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of atEnd.splice(0)) await end();
});

interface Endless {
  url: string;
  /** Bytes that were written in all, what waits in the buffers of two sockets included. */
  sent(): number;
  requests(): number;
  /** Resolves when every client has gone. */
  gone(): Promise<void>;
}

/** Answers every request with `head`, and then `block` again and again for as long as anybody reads. */
async function endless(head: (response: ServerResponse) => string, block: string): Promise<Endless> {
  let sent = 0;
  let open = 0;
  let requests = 0;
  const { url, close } = await listen((request, response) => {
    requests++;
    open++;
    response.once('close', () => open--);
    const pump = () => {
      while (!response.destroyed) {
        sent += block.length;
        if (!response.write(block)) break;
      }
    };
    request.resume().once('end', () => {
      response.write(head(response));
      if (block === '') return response.end();
      response.on('drain', pump);
      return pump();
    });
  });
  atEnd.push(close);
  return {
    url: `${url}/v1`,
    sent: () => sent,
    requests: () => requests,
    async gone() {
      await eventually(() => open === 0);
    },
  };
}

const events =
  (first: string) =>
  (response: ServerResponse): string => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return first;
  };
const status =
  (code: number, type: string, first: string) =>
  (response: ServerResponse): string => {
    response.writeHead(code, { 'content-type': type });
    return first;
  };
const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
const call = (more: object): string => chunk({ tool_calls: [{ index: 0, ...more }] });
const claude = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1 } };
const begun = claude({ type: 'message_start', message } as { type: string });
const block = (content_block: object): string =>
  begun + claude({ type: 'content_block_start', index: 0, content_block } as { type: string });
const more = (delta: object): string => claude({ type: 'content_block_delta', index: 0, delta } as { type: string });

/** What the buffers of two sockets may hold. */
const BUFFERED = 12 * MB;

/** Name, provider, beginning, what is repeated, and the most that may be read of it in MB. */
// biome-ignore format: a row is a line
const CASES: [string, string, (response: ServerResponse) => string, string, number][] = [
  ...['local', 'anthropic', 'google', 'openai'].flatMap((provider): (typeof CASES)[number][] => [
    ['one line of events', provider, events('data: {"choices":[{"delta":{"content":"'), BLOCK, 2],
    ['one line of a comment', provider, events(': '), BLOCK, 2],
    ['JSON in one piece', provider, status(200, 'application/json', '{"choices":[{"message":{"content":"'), BLOCK, 18],
    ['a page of text', provider, status(200, 'text/plain', 'Hello'), BLOCK, 18],
  ]),
  ['text', 'local', events(''), chunk({ content: BLOCK }), 3],
  ['reasoning', 'local', events(''), chunk({ reasoning_content: BLOCK }), 3],
  ['arguments of a call', 'local', events(call({ id: 'c', function: { name: 'f', arguments: '{"a":"' } })), call({ function: { arguments: BLOCK } }), 18],
  ['text', 'anthropic', events(block({ type: 'text', text: '' })), more({ type: 'text_delta', text: BLOCK }), 3],
  ['arguments of a call', 'anthropic', events(block({ type: 'tool_use', id: 'c', name: 'f', input: {} })), more({ type: 'input_json_delta', partial_json: BLOCK }), 3],
  ['events that say nothing', 'local', events(''), ': nothing\n\n'.repeat(6_000), 70],
];

describe('an endpoint without end', () => {
  it.each(CASES)('%s, %s', async (_what, provider, head, repeated, most) => {
    const server = await endless(head, repeated);
    const llm = await startLlm();
    atEnd.push(() => llm.close());
    llm.script(() => ({ text: 'The other one is here.' }));
    const providers = {
      [provider]: { baseURL: server.url, apiKey: 'k' },
      other: { baseURL: llm.url, apiKey: 'k' },
    };
    const model = `${provider}/m`;
    const slow = { ...QUICK, firstToken: 120_000, idle: 120_000 };
    const { error } = await failureOf(runWith(providers, { model }, undefined, slow));
    expect([error.kind, error.userMessage]).toEqual(['provider', expect.stringContaining(`${model} never finishes`)]);
    await server.gone();
    // It is not asked again: it would only say the same.
    expect([server.requests(), server.sent() < most * MB + BUFFERED]).toEqual([1, true]);
    const outcome = await runWith(providers, { model, fallback: ['other/m'] }, undefined, slow);
    expect([outcome.text, outcome.model]).toEqual(['The other one is here.', 'other/m']);
  });

  it.each(['local', 'anthropic', 'google', 'openai'])(
    'a refusal that does is still that refusal, %s',
    async (provider) => {
      const server = await endless(status(403, 'application/json', '{"error":{"message":"'), BLOCK);
      const { error } = await failureOf(
        runWith({ [provider]: { baseURL: server.url, apiKey: 'k' } }, { model: `${provider}/m` }),
      );
      expect(error.kind).toBe('key');
      await server.gone();
      expect(server.sent()).toBeLessThan(2 * MB + BUFFERED);
    },
  );

  it('headers', async () => {
    const server = await endless((response) => {
      for (let n = 0; n < 30; n++) response.setHeader(`x-${n}`, 'y'.repeat(1_000));
      return 'data: [DONE]\n\n';
    }, '');
    const { error } = await failureOf(runWith({ local: { baseURL: server.url } }));
    expect([error.kind, error.message]).toEqual(['unreachable', expect.stringContaining('HPE_HEADER_OVERFLOW')]);
  });

  it('costs little memory, whatever it sends in one line', async () => {
    const server = await endless(events('data: '), BLOCK);
    const llm = await startLlm();
    atEnd.push(() => llm.close());
    // What a first call loads is no part of it.
    await runWith({ local: { baseURL: llm.url } });
    const ask = () =>
      failureOf(runWith({ local: { baseURL: server.url } }, {}, undefined, { ...QUICK, firstToken: 5_000 }));
    const before = process.memoryUsage.rss();
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 1);
    for (let n = 0; n < 3; n++) await ask();
    clearInterval(timer);
    expect((most - before) / MB).toBeLessThan(60);
  });
});
