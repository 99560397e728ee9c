import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/errors.ts';
import { offline } from '../../../src/features/offline/index.ts';
import { addSecret, silentLog } from '../../../src/log.ts';
import { createAgent } from '../../../src/runtime/agent/agent.ts';
import type { ProviderSettings } from '../../../src/runtime/contract/providers.ts';
import { createModels } from '../../../src/runtime/model/models.ts';
import { listen, readText, sendJson } from '../../emulators/base/http.ts';
import { failureOf, record, runWith, tool } from '../agent/fixtures.ts';

interface Seen {
  url: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}
const seen: Seen[] = [];
const { url, close } = await listen(async (request, response) => {
  seen.push({ url: request.url ?? '', headers: request.headers, body: JSON.parse(await readText(request)) });
  sendJson(response, 400, { error: { message: 'no', type: 'invalid_request_error' } });
});
const baseURL = `${url}/v1`;
afterAll(close);
beforeEach(() => void seen.splice(0));

const load = (name: string, providers: Record<string, ProviderSettings> = {}, env: NodeJS.ProcessEnv = {}) =>
  createModels({ providers, env, ...(offline.models && { own: offline.models }) }).load(name);

async function problemOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error(`no ConfigError: ${String(error)}`);
  return error.problems[0];
}

describe('model names', () => {
  it.each(['gpt-5', '', '/x', 'x/', 'ollama/'])('"%s" is refused, naming the setting', async (name) => {
    expect((await problemOf(load(name)))?.path).toBe('model');
  });

  it.each(['nobody', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'the unknown provider "%s" needs an address',
    async (provider) => {
      const problem = await problemOf(load(`${provider}/model`));
      expect(problem?.path).toBe(`providers.${provider}.baseURL`);
      expect(problem?.message).toContain(
        'anthropic, openai, google, openrouter, deepseek, groq, mistral, xai, moonshot, ollama, lmstudio, llamacpp, vllm, offline',
      );
    },
  );

  it.each(['ftp://x', 'localhost:11434', 'file:///etc/passwd', ''])('the address "%s" is refused', async (address) => {
    expect((await problemOf(load('local/m', { local: { baseURL: address } })))?.path).toBe('providers.local.baseURL');
  });

  it.each([
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['openai', 'OPENAI_API_KEY'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
  ])('%s without a key names the variable and the setting', async (provider, variable) => {
    const problem = await problemOf(load(`${provider}/m`));
    expect(problem?.path).toBe(`providers.${provider}.apiKey`);
    expect(problem?.message).toContain(`set ${variable} or `);
    expect((await load(`${provider}/m`, {}, { [variable]: 'k' })).modelId).toBe('m');
    expect((await load(`${provider}/m`, { [provider]: { apiKey: 'k' } })).modelId).toBe('m');
  });

  it('ollama needs no key, GEMINI_API_KEY is as good, names may hold slashes', async () => {
    expect((await load('ollama/llama3.2:3b')).modelId).toBe('llama3.2:3b');
    expect((await load('google/m', {}, { GEMINI_API_KEY: 'k' })).modelId).toBe('m');
    expect((await load('local/meta/llama-3:8b', { local: { baseURL } })).modelId).toBe('meta/llama-3:8b');
  });

  it('speaks the interface version the loop expects', async () => {
    for (const name of [
      'anthropic/a',
      'openai/a',
      'google/a',
      'openrouter/a',
      'ollama/a',
      'local/a',
      'offline/viber',
    ]) {
      const keys = Object.fromEntries(
        ['ANTHROPIC', 'OPENAI', 'GEMINI', 'OPENROUTER'].map((word) => [`${word}_API_KEY`, 'k']),
      );
      expect((await load(name, { local: { baseURL } }, keys)).specificationVersion).toBe('v4');
    }
  });
});

describe('the default model', () => {
  const pick = (env: NodeJS.ProcessEnv, providers: Record<string, ProviderSettings> = {}) =>
    createModels({ providers, env }).defaultModel;

  it('is the first provider with a key, else the offline one', () => {
    expect(pick({})).toBe('offline/viber');
    expect(pick({ OPENAI_API_KEY: '' })).toBe('offline/viber');
    expect(pick({ OPENROUTER_API_KEY: 'k' })).toBe('openrouter/openrouter/auto');
    expect(pick({ OPENROUTER_API_KEY: 'k', OPENAI_API_KEY: 'k' })).toMatch(/^openai\//);
    expect(pick({ GEMINI_API_KEY: 'k' })).toMatch(/^google\//);
    expect(pick({}, { anthropic: { apiKey: 'k' } })).toMatch(/^anthropic\//);
  });

  it('can be loaded wherever it is picked', async () => {
    for (const env of [
      {},
      { ANTHROPIC_API_KEY: 'k' },
      { OPENAI_API_KEY: 'k' },
      { GEMINI_API_KEY: 'k' },
      { OPENROUTER_API_KEY: 'k' },
    ]) {
      const models = createModels({ providers: {}, env, ...(offline.models && { own: offline.models }) });
      expect((await models.load(models.defaultModel)).specificationVersion).toBe('v4');
    }
  });
});

describe('what leaves for a provider', () => {
  const instructions = ['Stable part.', 'Changing part.'];

  it('an endpoint of one’s own gets its key, its headers and Chat Completions', async () => {
    await failureOf(runWith({ local: { baseURL: `${baseURL}/`, apiKey: 'key-1', headers: { 'x-team': 'a' } } }));
    await failureOf(runWith({ openai: { baseURL, apiKey: 'key-2' } }, { model: 'openai/m' }));
    expect(seen.map(({ url }) => url)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer key-1', 'x-team': 'a' });
    expect(seen[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true }, model: 'test-model' });
    expect(seen[1]?.headers).toMatchObject({ authorization: 'Bearer key-2' });
  });

  it('a request holds nothing that goes without saying', async () => {
    const tools = [tool('look', 'read', async () => 'seen')];
    await failureOf(runWith({ local: { baseURL } }, { tools }));
    const usual = ['messages', 'model', 'stream', 'stream_options', 'tools'];
    expect(Object.keys(seen[0]?.body ?? {}).toSorted()).toEqual(usual);
  });

  it('Anthropic gets its system parts apart, the stable one for its cache', async () => {
    await failureOf(runWith({ anthropic: { baseURL, apiKey: 'key-3' } }, { model: 'anthropic/m', instructions }));
    expect(seen[0]?.url).toBe('/v1/messages');
    expect(seen[0]?.headers).toMatchObject({ 'x-api-key': 'key-3' });
    expect(seen[0]?.body.system).toEqual([
      { type: 'text', text: 'Stable part.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Changing part.' },
    ]);
  });

  it('Anthropic gets a mark at the end of each request, also through OpenRouter; OpenAI a key for its cache', async () => {
    const messages = [{ role: 'user' as const, text: 'hi' }];
    const mark = { type: 'ephemeral' };
    await failureOf(runWith({ anthropic: { baseURL, apiKey: 'k' } }, { model: 'anthropic/m', instructions, messages }));
    expect(seen[0]?.body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: mark }] },
    ]);
    const router = { openrouter: { baseURL, apiKey: 'k' } };
    await failureOf(runWith(router, { model: 'openrouter/anthropic/m', instructions, messages }));
    expect(seen[1]?.body).toMatchObject({
      cache_control: mark,
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Stable part.\n\nChanging part.', cache_control: mark }] },
        { role: 'user', content: 'hi' },
      ],
    });
    await failureOf(runWith(router, { model: 'openrouter/other/m', instructions, messages }));
    expect(JSON.stringify(seen[2]?.body)).not.toContain('cache_control');
  });

  it('what was said before has a mark of its own, before what stands now, with Anthropic and through OpenRouter', async () => {
    const said = ['one', 'two', 'three'].flatMap((text) => [
      { role: 'user' as const, text },
      { role: 'assistant' as const, text: `answer to ${text}` },
    ]);
    const asked = { messages: [...said, { role: 'user' as const, text: 'four' }], instructions, standing: 'Now: noon' };
    await failureOf(runWith({ anthropic: { baseURL, apiKey: 'k' } }, { model: 'anthropic/m', ...asked }));
    await failureOf(runWith({ openrouter: { baseURL, apiKey: 'k' } }, { model: 'openrouter/anthropic/m', ...asked }));
    type Block = { text: string; cache_control?: unknown };
    const markedIn = (body: unknown): string[] =>
      (body as { messages: { role: string; content: string | Block[] }[] }).messages.flatMap(({ role, content }) =>
        role === 'system' || typeof content === 'string'
          ? []
          : content.filter((block) => block.cache_control).map(({ text }) => text),
      );
    expect(markedIn(seen[0]?.body)).toEqual(['answer to two', 'answer to three', 'four']);
    // Its last message is marked by the request.
    expect(markedIn(seen[1]?.body)).toEqual(['answer to three']);
  });

  it('Google gets the same', async () => {
    await failureOf(runWith({ google: { baseURL, apiKey: 'key-4' } }, { model: 'google/m', instructions }));
    expect(seen[0]?.url).toMatch(/models\/m:streamGenerateContent/);
    expect(JSON.stringify(seen[0]?.body.systemInstruction)).toContain('Stable part.');
  });

  it('no known secret goes out, wherever in the conversation it stands', async () => {
    addSecret('s3cret"value');
    const token = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
    await failureOf(
      runWith(
        { local: { baseURL, apiKey: 's3cret"value' } },
        {
          messages: [{ role: 'user', text: `my key is s3cret"value and ${token}` }],
          instructions: [`use s3cret"value`],
        },
      ),
    );
    expect(seen[0]?.headers.authorization).toBe('Bearer s3cret"value');
    const body = JSON.stringify(seen[0]?.body);
    expect(body).not.toContain('s3cret');
    expect(body).not.toContain(token);
    expect(body).toContain('my key is [secret]');
  });
});

describe('preloading', () => {
  it('never rejects, whatever is configured', async () => {
    const agent = createAgent({ models: createModels({ providers: {}, env: {} }), log: silentLog() });
    await agent.preload();
    await agent.preload('nowhere/x');
    const run = agent.run(
      {
        taskId: 't',
        runId: 'r',
        viber: 'v',
        goal: 'g',
        messages: [],
        instructions: [],
        model: 'nowhere/x',
        fallback: [],
        maxSteps: 1,
        tools: [],
        resume: [],
      },
      record(),
    );
    const { error } = await failureOf(run);
    expect(error.kind).toBe('config');
    expect(error.userMessage).toContain('providers.nowhere.baseURL');
  });
});
