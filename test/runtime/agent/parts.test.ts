/** The pure parts of the agent, and models that no provider library would let through. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { createAgent } from '../../../src/runtime/agent/agent.ts';
import { addStep, finalText, NOTHING_SAID } from '../../../src/runtime/agent/outcome.ts';
import type { ModelV4, StreamPart } from '../../../src/runtime/contract/model.ts';
import { describeFailure, RunError, toRunError } from '../../../src/runtime/contract/run-error.ts';
import { Answer } from '../../../src/runtime/model/streamed.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { failureOf, QUICK, record, request, tool } from './fixtures.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finish = (unified: 'stop' | 'tool-calls' = 'stop'): StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage,
});

function answerOf(parts: StreamPart[]) {
  const texts: string[] = [];
  const answer = new Answer('local/m', (delta) => void texts.push(delta));
  for (const part of parts) answer.take(part);
  return { texts, result: answer.finish(), received: answer.size > 0 };
}

describe('an answer put together', () => {
  it('keeps the order of its blocks, their metadata, and drops empty ones', () => {
    const { texts, result } = answerOf([
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Good ' },
      { type: 'text-start', id: '1' },
      { type: 'text-end', id: '1' },
      { type: 'text-delta', id: '0', delta: 'day' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' },
      finish('tool-calls'),
    ]);
    expect(texts).toEqual(['Good ', 'day']);
    expect(result.content).toEqual([
      { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'Good day' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' },
    ]);
  });

  it('a tool call whose input has begun and not ended is no answer, finish event or not', () => {
    const begun: StreamPart[] = [
      { type: 'tool-input-start', id: 'c', toolName: 'write' },
      { type: 'tool-input-delta', id: 'c', delta: '{"text":"hal' },
    ];
    expect(() => answerOf([...begun, finish('tool-calls')])).toThrow(expect.objectContaining({ kind: 'cut-off' }));
    expect(
      answerOf([
        ...begun,
        { type: 'tool-call', toolCallId: 'c', toolName: 'write', input: '{"text":"half"}' },
        finish('tool-calls'),
      ]).result.content,
    ).toHaveLength(1);
  });

  it('opening marks and pings are not yet a token', () => {
    expect(
      answerOf([{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: '0' }, { type: 'ping' }, finish()])
        .received,
    ).toBe(false);
  });

  it('tool input counts towards the limit of an answer', () => {
    const parts = Array.from(
      { length: 21 },
      (): StreamPart => ({ type: 'tool-input-delta', id: 'c', delta: 'x'.repeat(100_000) }),
    );
    expect(() => answerOf(parts)).toThrow(expect.objectContaining({ kind: 'provider' }));
  });
});

it('an answer of a thousand calls runs none of them', () => {
  const parts = Array.from(
    { length: 1_000 },
    (_, n): StreamPart => ({ type: 'tool-call', toolCallId: `${n}`, toolName: 'look', input: '{}' }),
  );
  expect(() => answerOf([...parts.slice(0, 101), finish('tool-calls')])).toThrow(
    expect.objectContaining({ kind: 'provider' }),
  );
  expect(answerOf([...parts.slice(0, 100), finish('tool-calls')]).result.content).toHaveLength(100);
});

describe('what a failure means', () => {
  const words = (error: unknown, model = 'openai/gpt') => {
    const { error: told, ...rest } = describeFailure(error, model);
    return { kind: told.kind, text: told.userMessage, log: told.message, ...rest };
  };

  it.each([
    [401, 'key', 'OPENAI_API_KEY or providers.openai.apiKey'],
    [403, 'key', 'OPENAI_API_KEY'],
    [402, 'quota', 'top it up at https://platform.openai.com/'],
    [404, 'refused', 'the setting model'],
    [413, 'too-long', '/new'],
    [308, 'refused', 'providers.openai.baseURL'],
    [422, 'refused', 'refused the request'],
    [429, 'provider', 'limiting'],
    [500, 'provider', 'having problems'],
    [503, 'overloaded', 'busy right now'],
    [529, 'overloaded', 'busy right now'],
  ])('HTTP %i', (statusCode, kind, text) => {
    const told = words({ statusCode });
    expect([told.kind, told.retry]).toEqual([kind, statusCode === 429 || statusCode >= 500]);
    expect(told.text).toContain(text);
    expect(told.text).not.toContain(String(statusCode));
  });

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'the request exceeds the available context size, try increasing it',
    "This model's maximum context length is 8192 tokens.",
    'Input is too long for requested model.',
  ])('is too long also where only a sentence says so: %s', (message) => {
    const { kind, text, log } = words({ statusCode: 400, message });
    expect([kind, text.includes(message), log.includes(message)]).toEqual(['too-long', false, false]);
  });

  it('a conversation that is too long is told as such, whatever the status', () => {
    expect(words({ statusCode: 400, data: { error: { code: 'context_length_exceeded' } } }).text).toContain('/new');
  });

  it('an empty account is no rate limit to wait for', () => {
    expect(words({ statusCode: 429, data: { error: { code: 'insufficient_quota' } } })).toMatchObject({
      kind: 'quota',
      retry: false,
    });
  });

  it('error events carry their status in the code', () => {
    expect(words({ message: 'x', code: 502 })).toMatchObject({ kind: 'provider', retry: true });
    expect(words({ message: 'x', type: 'overloaded_error' })).toMatchObject({
      kind: 'overloaded',
      retry: true,
      log: 'openai/gpt: error event overloaded_error',
    });
    for (const odd of ['text', undefined, null, 5, {}]) expect(words(odd).kind).toBe('provider');
  });

  it('only words of the provider’s own make go into the log', () => {
    const told = words({ statusCode: 400, data: { error: { code: 'the prompt was: PROMPT', message: 'PROMPT' } } });
    expect(JSON.stringify(told)).not.toContain('PROMPT');
  });

  it('reads the pause a provider asks for', () => {
    const pauseOf = (responseHeaders: Record<string, string>) =>
      describeFailure({ statusCode: 429, responseHeaders }, 'a/b').retryAfterMs;
    expect(pauseOf({ 'retry-after': '3' })).toBe(3_000);
    expect(pauseOf({ 'retry-after-ms': '250', 'retry-after': '3' })).toBe(250);
    expect(pauseOf({ 'retry-after': new Date(Date.now() + 5_000).toUTCString() })).toBeGreaterThan(3_000);
    for (const value of ['', 'soon', '-5', 'NaN']) expect(pauseOf({ 'retry-after': value })).toBeUndefined();
    expect(pauseOf({})).toBeUndefined();
  });

  it('what no one foresaw keeps its cause, unless that may quote a prompt', () => {
    const ours = new Error('EACCES');
    expect(toRunError(ours).cause).toBe(ours);
    const sdk = Object.assign(new Error('PROMPT'), { name: 'AI_InvalidPromptError' });
    expect([toRunError(sdk).cause, toRunError(sdk).message]).toEqual([
      undefined,
      'the run failed: AI_InvalidPromptError',
    ]);
    const told = new RunError('empty', 'x');
    expect(toRunError(told)).toBe(told);
  });
});

describe('the words of an outcome', () => {
  const EN = messagesIn('en');
  const text = (words: string) => [{ role: 'assistant', content: [{ type: 'text', text: words }] }];
  const call = [
    { role: 'assistant', content: [{ type: 'tool-call', toolName: 'write' }] },
    { role: 'tool', content: [] },
  ];

  it('the last words count, earlier ones when there are none, and what was done when there are none at all', () => {
    expect(finalText('stop', [text('first'), call, text('last')].reduce(addStep, NOTHING_SAID), EN)).toBe('last');
    expect(finalText('stop', [text('first'), call, text('')].reduce(addStep, NOTHING_SAID), EN)).toBe('first');
    expect(finalText('stop', [call, call].reduce(addStep, NOTHING_SAID), EN)).toBe('Done.');
    expect(addStep(NOTHING_SAID, [{ role: 'assistant', content: 'plain' }]).isAnswer).toBe(true);
    expect([call, text('x')].reduce(addStep, NOTHING_SAID).isAnswer).toBe(true);
    expect(addStep(NOTHING_SAID, [...text('x'), ...call]).isAnswer).toBe(false);
  });
});

describe('odd models', () => {
  const model = (doStream: ModelV4['doStream']): ModelV4 => ({
    specificationVersion: 'v4',
    provider: 'odd',
    modelId: 'odd',
    supportedUrls: {},
    doStream,
    doGenerate: () => Promise.reject(new Error('not asked for')),
  });
  const agentOf = (odd: ModelV4, timeouts = QUICK) =>
    createAgent({ models: { defaultModel: 'odd/odd', load: async () => odd }, timeouts, log: silentLog() });

  it('a stop from within a listener holds, though the model ignores it and says no more', async () => {
    const stream = new ReadableStream<StreamPart>({
      start: (controller) => controller.enqueue({ type: 'text-delta', id: '0', delta: 'x' }),
    });
    const hooks = record();
    let stopped = 0;
    const onEvent = (event: { type: string }) => {
      if (event.type !== 'text-delta') return;
      stopped = ownTime();
      hooks.stop();
    };
    const run = agentOf(
      model(async () => ({ stream })),
      { ...QUICK, idle: 10_000 },
    ).run(request({ model: 'odd/odd' }), { ...hooks, onEvent });
    expect((await failureOf(run)).error.kind).toBe('stopped');
    expect(ownTime() - stopped).toBeLessThan(1_000);
  });

  it('slow but steady is not idle', async () => {
    async function* parts(): AsyncGenerator<StreamPart> {
      for (let n = 0; n < 6; n += 1) {
        // The model takes its time.
        await sleep(300);
        yield { type: 'text-delta', id: '0', delta: `${n}` };
      }
      yield finish();
    }
    const outcome = await agentOf(model(async () => ({ stream: ReadableStream.from(parts()) }))).run(
      request({ model: 'odd/odd' }),
      record(),
    );
    expect(outcome.text).toBe('012345');
  });

  it('steps are counted on from the last index, gaps and all', async () => {
    let asked = 0;
    const odd = model(async () => {
      asked += 1;
      const call: StreamPart[] = [
        { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{"text":"x"}' },
        finish('tool-calls'),
      ];
      return {
        stream: ReadableStream.from(asked === 1 ? call : [{ type: 'text-delta', id: '0', delta: 'ok' }, finish()]),
      };
    });
    const hooks = record();
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'so' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
        ],
      },
    ];
    const resume = [{ type: 'step' as const, run: 'r1', at: '', index: 4, messages }];
    await agentOf(odd).run(request({ model: 'odd/odd', resume, tools: [tool('look', 'read', async () => 1)] }), hooks);
    expect(hooks.steps.map(({ index }) => index)).toEqual([5, 6]);
  });

  it('a stream of very many parts leaves nothing behind on the way', async () => {
    async function* parts(): AsyncGenerator<StreamPart> {
      for (let n = 0; n < 300_000; n += 1) yield { type: 'text-delta', id: '0', delta: 'x' };
      yield finish();
    }
    const before = process.memoryUsage().heapUsed;
    const outcome = await agentOf(model(async () => ({ stream: ReadableStream.from(parts()) }))).run(
      request({ model: 'odd/odd' }),
      { ...record(), onEvent: () => undefined },
    );
    expect(outcome.text).toHaveLength(300_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
  });
});
