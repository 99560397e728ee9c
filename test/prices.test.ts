/** `npm run prices`: the shapes of the two public lists, as they were in 2026, and the list that is in the source. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { printList, toList } from '../bench/prices.ts';
import { LOCAL_PROVIDERS, PROVIDERS } from '../src/runtime/contract/providers.ts';
import { knownModel, knownModels } from '../src/runtime/model/known.ts';

const effort = (...values: (string | null)[]) => [{ type: 'effort', values }];
const dev = (more: object) => ({
  ...{ name: 'A Model', tool_call: true, reasoning: true, release_date: '2026-06-30' },
  ...{ cost: { input: 2, output: 10, cache_read: 0.2 }, limit: { context: 1_000_000, output: 128_000 }, ...more },
});

describe('a list of models.dev', () => {
  const models = {
    five: dev({ reasoning_options: [{ type: 'toggle' }, ...effort('low', 'medium', 'high', 'xhigh', 'max')] }),
    always: dev({ reasoning_options: effort('low', 'medium', 'high') }),
    budget: dev({ reasoning_options: [{ type: 'budget_tokens', min: 1024 }] }),
    fixed: dev({ reasoning_options: [] }),
    plain: dev({ reasoning: false }),
    old: dev({ status: 'deprecated' }),
    picture: dev({ tool_call: false }),
    unpriced: dev({ cost: undefined }),
  };
  const list = toList({
    anthropic: { id: 'anthropic', env: ['ANTHROPIC_API_KEY'], models },
    moonshotai: { id: 'moonshotai', models: { 'kimi-k2.6': dev({ reasoning_options: [{ type: 'toggle' }] }) } },
    mistral: { id: 'mistral', models: { small: dev({ reasoning_options: effort('none', 'high', null) }) } },
    openrouter: {
      id: 'openrouter',
      models: {
        'a/new': dev({}),
        'a/old': dev({ release_date: '2024-01-01' }),
        'a/free': dev({ cost: { input: 0, output: 0 } }),
      },
    },
    elsewhere: { id: 'elsewhere', models: { other: dev({}) } },
  });

  it('gives those that can be used, by our names, with what they cost and how they think', () => {
    expect(Object.entries(list.models).map(([id, { thinking }]) => [id, thinking])).toEqual([
      ['anthropic/always', 'low medium high'],
      ['anthropic/budget', 'off low medium high'],
      ['anthropic/five', 'off low medium high'],
      ['anthropic/fixed', ''],
      ['anthropic/plain', ''],
      ['mistral/small', 'off high'],
      ['moonshot/kimi-k2.6', 'off high'],
      ['openrouter/a/new', ''],
    ]);
    expect(list.models['anthropic/five']).toEqual({
      ...{ name: 'A Model', input: 2, output: 10, cachedInput: 0.2, context: 1_000_000 },
      ...{ thinking: 'off low medium high', released: '2026-06-30' },
    });
    expect(list).toMatchObject({ asOf: '2026-06-30', licence: expect.stringContaining('MIT') });
    expect(JSON.parse(printList(list))).toEqual(list);
  });
});

it('a list of LiteLLM gives the same, in prices for a million', () => {
  const chat = {
    mode: 'chat',
    supports_function_calling: true,
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
  };
  const { models, source } = toList({
    sample_spec: { litellm_provider: 'one of https://docs.litellm.ai/docs/providers', mode: 'one of: chat, embedding' },
    'claude-x': {
      ...chat,
      litellm_provider: 'anthropic',
      cache_read_input_token_cost: 3e-7,
      max_input_tokens: 200_000,
    },
    'gemini/gemini-x': { ...chat, litellm_provider: 'gemini' },
    'amazon.nova-lite-v1:0': { ...chat, litellm_provider: 'bedrock_converse' },
    'dall-e-2': { litellm_provider: 'openai', mode: 'image_generation' },
  });
  expect(models).toEqual({
    'anthropic/claude-x': { name: 'claude-x', input: 3, output: 15, cachedInput: 0.3, context: 200_000 },
    'google/gemini-x': { name: 'gemini-x', input: 3, output: 15 },
  });
  expect(source).toContain('litellm');
});

describe('the list in the source', () => {
  it('is what the command writes, names its source and licence, and knows every provider', () => {
    const text = readFileSync(path.join(import.meta.dirname, '../src/runtime/model/known-models.json'), 'utf8');
    expect(printList(JSON.parse(text))).toBe(text);
    expect(JSON.parse(text)).toMatchObject({
      source: expect.stringMatching(/^https:/),
      licence: expect.stringMatching(/./),
    });
    for (const name of Object.keys(PROVIDERS).filter((each) => !LOCAL_PROVIDERS.some((local) => local === each)))
      expect(knownModels([name]).length, name).toBeGreaterThan(0);
    expect(text.length).toBeLessThan(60_000);
  });

  it('has the models that a key picks, but for aliases', () => {
    const picked = Object.entries(PROVIDERS).flatMap(([name, { defaultModel }]) =>
      defaultModel && !/auto/.test(defaultModel) ? [`${name}/${defaultModel}`] : [],
    );
    expect(picked.filter((id) => !knownModel(id))).toEqual([]);
  });
});
