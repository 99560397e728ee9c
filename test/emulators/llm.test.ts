/** Tests the model endpoint with the real AI SDK client. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateText, stepCountIs, streamText, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Llm, startLlm } from './llm.ts';
import { spawnLlm } from './llm-client.ts';

let llm: Llm;
beforeEach(async () => {
  llm = await startLlm();
});
afterEach(() => llm.close());

const model = (baseURL = llm.url, apiKey = 'key') =>
  createOpenAICompatible({ name: 'local', baseURL, apiKey, includeUsage: true }).chatModel('test-model');

/** Runs a stream to its end and returns its outcome. */
async function run(prompt: string, abortSignal?: AbortSignal) {
  const errors: unknown[] = [];
  const seen: string[] = [];
  const result = streamText({
    model: model(),
    prompt,
    maxRetries: 0,
    tools: { create_artifact: tool({ inputSchema: z.object({ title: z.string() }), execute: async () => 'made' }) },
    stopWhen: stepCountIs(3),
    onError: ({ error }) => void errors.push(error),
    ...(abortSignal && { abortSignal }),
  });
  let text = '';
  for await (const part of result.fullStream) {
    seen.push(part.type);
    if (part.type === 'text-delta') text += part.text;
  }
  return { text, errors, seen, finish: await result.finishReason.then(String, () => 'none') };
}

test('repeats the last user message when it has no script', async () => {
  expect((await run('number seven')).text).toBe('number seven');
  const { text, usage } = await generateText({ model: model(), prompt: 'not streamed' });
  expect(text).toBe('not streamed');
  expect(usage.totalTokens).toBeGreaterThan(0);
});

test('plays a script with a tool call and gives the tool result back to the next turn', async () => {
  llm.script([
    { reasoning: 'hmm', toolCalls: [{ name: 'create_artifact', arguments: { title: 'Ä "quoted" ✓' } }] },
    { chunks: ['do', 'ne'] },
  ]);
  const { text, seen, finish } = await run('make it');
  expect(text).toBe('done');
  expect(finish).toBe('stop');
  expect(seen).toContain('reasoning-delta');
  expect(seen).toContain('tool-result');
  const [first, second] = llm.requests();
  expect(first?.tools).toEqual(['create_artifact']);
  expect(first?.toolResults).toEqual([]);
  expect(second?.toolResults.join()).toContain('made');
  expect(second?.lastUser).toBe('make it');
  expect(second?.bytes).toBe(llm.stats().bytes.last);
  expect(llm.leftover()).toBe(0);
});

test('keeps scripts of conversations apart', async () => {
  llm.scriptFor('[A]', [{ text: 'a1' }, { text: 'a2' }]);
  llm.scriptFor('[B]', (request) => ({ text: `b to ${request.lastUser}` }));
  llm.script([{ text: 'common' }]);
  expect((await run('x [A]')).text).toBe('a1');
  expect((await run('y [B]')).text).toBe('b to y [B]');
  expect((await run('z')).text).toBe('common');
  expect((await run('x [A]')).text).toBe('a2');
  expect((await run('x [A]')).text).toBe('x [A]');
});

test('refuses a tool result that answers no call, and a call that nobody answered', async () => {
  const post = (messages: unknown[]) =>
    fetch(`${llm.url}/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'm', messages }) });
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
  expect((await post([{ role: 'tool', tool_call_id: 'c1', content: 'x' }])).status).toBe(400);
  expect((await post([{ role: 'assistant', tool_calls: [call] }])).status).toBe(400);
  const answered = [
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'x' },
  ];
  expect((await post(answered)).status).toBe(200);
  expect((await post([])).status).toBe(400);
});

describe('faults', () => {
  test.each([
    ['refuse', 0],
    ['unauthorized', 401],
    ['model-not-found', 404],
    ['rate-limited', 429],
    ['server-error', 500],
    ['overloaded', 503],
    ['bad-request', 400],
  ] as const)('%s is an error of the request', async (fault, status) => {
    llm.fault(fault, 1, { retryAfterSeconds: 7 });
    const { errors, text } = await run('hello');
    expect(text).toBe('');
    expect(errors).toHaveLength(1);
    const error = errors[0] as { statusCode?: number; responseHeaders?: Record<string, string> };
    expect(error.statusCode ?? 0).toBe(status);
    if (fault === 'rate-limited') expect(error.responseHeaders?.['retry-after']).toBe('7');
    expect((await run('again')).text).toBe('again');
  });

  test('a cut stream ends without a finish event', async () => {
    llm.script([{ text: 'The whole answer', fault: 'cut' }]);
    const { text, finish } = await run('hello');
    expect('The whole answer'.startsWith(text) && text.length < 16).toBe(true);
    expect(finish).not.toBe('stop');
  });

  test('a broken connection, a bad event and a page of HTML are seen as errors', async () => {
    for (const fault of ['reset', 'bad-chunk', 'html'] as const) {
      llm.fault(fault);
      const { errors, finish } = await run('hello');
      expect([fault, errors.length > 0 || finish === 'error' || finish === 'other']).toEqual([fault, true]);
    }
  });

  test('cut tool arguments never run', async () => {
    for (const fault of ['cut-tool-call', 'bad-tool-json'] as const) {
      llm.script([{ toolCalls: [{ name: 'create_artifact', arguments: { title: 'Report' } }], fault }]);
      const { seen } = await run('hello');
      expect(seen).not.toContain('tool-result');
      llm.reset();
    }
  });

  test('an empty answer and one without choices have no text', async () => {
    for (const fault of ['empty-text', 'no-choices'] as const) {
      llm.fault(fault);
      expect((await run('hello')).text).toBe('');
    }
  });

  test('a huge answer is as long as asked', async () => {
    llm.fault('huge', 1, { hugeBytes: 1_000_000 });
    expect((await run('hello')).text.length).toBeGreaterThanOrEqual(1_000_000);
  });

  test.each(['stall-start', 'stall-middle'] as const)(
    '%s lasts until the client gives up, which is seen',
    async (fault) => {
      llm.fault(fault);
      const abort = new AbortController();
      const ended = run('hello', abort.signal);
      await llm.waitFor((request) => request.lastUser === 'hello');
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(llm.stats().active).toBe(1);
      abort.abort();
      await ended.catch(() => 'aborted');
      await llm.waitFor((request) => request.outcome === 'aborted');
      expect(llm.stats()).toMatchObject({ active: 0, aborted: 1 });
    },
  );

  test('down refuses connections and up takes them again', async () => {
    llm.down();
    const { errors } = await run('hello');
    expect(String((errors[0] as Error).message)).toContain('Cannot connect');
    await llm.up();
    expect((await run('back')).text).toBe('back');
  });
});

test('lists models, checks keys and embeds the same text to the same vector', async () => {
  const strict = await startLlm({ apiKey: 'secret', models: ['test-model'] });
  expect((await fetch(`${strict.url}/models`)).status).toBe(401);
  const provider = createOpenAICompatible({ name: 'local', baseURL: strict.url, apiKey: 'secret' });
  await expect(generateText({ model: provider.chatModel('other'), prompt: 'x', maxRetries: 0 })).rejects.toMatchObject({
    statusCode: 404,
  });
  const values = ['red apple pie', 'apple pie', 'submarine engine'];
  const { embeddings } = await embedMany({ model: provider.textEmbeddingModel('e'), values });
  const again = await embedMany({ model: provider.textEmbeddingModel('e'), values });
  expect(again.embeddings).toEqual(embeddings);
  const near = (a = 0, b = 0) => (embeddings[a] ?? []).reduce((sum, x, i) => sum + x * (embeddings[b]?.[i] ?? 0), 0);
  expect(near(0, 1)).toBeGreaterThan(near(0, 2) + 0.3);
  await strict.close();
});

test('runs as a process of its own', async () => {
  const other = await spawnLlm(['--answer', 'at once', '--keep-requests', '0']);
  expect((await generateText({ model: model(other.url), prompt: 'x' })).text).toBe('at once');
  await other.scriptFor('[A]', [{ text: 'scripted' }]);
  expect((await generateText({ model: model(other.url), prompt: '[A]' })).text).toBe('scripted');
  expect(await other.requests()).toEqual([]);
  expect((await other.stats()).requests).toBe(2);
  await other.kill();
});
