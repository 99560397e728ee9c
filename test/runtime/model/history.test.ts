/**
 * A conversation that one provider has begun and another goes on with, over emulators that refuse what the real ones refuse:
 * thoughts, signatures and ids of others. And a history that is refused all the same: it is repaired, and nobody hears of it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentRequest } from '../../../src/runtime/contract/agent.ts';
import type { Prompt } from '../../../src/runtime/contract/model.ts';
import type { ProviderSettings } from '../../../src/runtime/contract/providers.ts';
import { isPlain } from '../../../src/runtime/model/prompt.ts';
import { type Llm, type LlmOptions, type LlmRequest, startLlm, type Turn } from '../../emulators/llm.ts';
import { modelsOf, PATIENT, record, request, runWith, tool } from '../agent/fixtures.ts';

const STRICT = ['groq', 'mistral', 'cerebras', 'moonshot', 'deepseek', 'openai', 'openrouter'] as const;
/** By name of the provider; those that are not strict have endpoints of their own, or none that is. */
const endpoints = new Map<string, Llm>();
/** One that has Groq's or Moonshot's ways behind a name and an address that do not say so. */
const UNKNOWN: Record<string, LlmOptions> = {
  'like-groq': { strict: 'groq' },
  'like-moonshot': { strict: 'moonshot' },
  'like-a-template': { strict: 'alternating' },
};

beforeAll(async () => {
  for (const strict of STRICT) endpoints.set(strict, await startLlm({ strict }));
  for (const [name, options] of Object.entries(UNKNOWN)) endpoints.set(name, await startLlm(options));
  for (const name of ['anthropic', 'google', 'responses', 'local']) endpoints.set(name, await startLlm());
  // As the library is told where OpenAI is, without a setting of ours, which stands for Chat Completions.
  vi.stubEnv('OPENAI_BASE_URL', at('responses').url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const llm of endpoints.values()) await llm.close();
});
beforeEach(() => {
  for (const llm of endpoints.values()) llm.reset();
});

const at = (name: string): Llm => endpoints.get(name) as Llm;
/** @param names those that take part */
const settings = (...names: string[]): Record<string, ProviderSettings> => ({
  ...Object.fromEntries([...endpoints].map(([name, { url }]) => [name, { baseURL: url, apiKey: 'k' }])),
  ...(names.includes('responses') && { openai: { apiKey: 'k' } }),
});
const MODELS: Record<string, string> = { google: 'google/gemini-3-flash', responses: 'openai/gpt-5.5' };
const modelOf = (name: string): string => MODELS[name] ?? `${name}/m`;

const run = (...[providers, given, hooks = record()]: Parameters<typeof runWith>) =>
  runWith(providers, given, hooks, PATIENT);

const look = tool('look', 'read', async () => 'seen');
/** A thought, words and two calls with the ids that the provider makes. */
const IDS: Record<string, string[]> = {
  moonshot: ['functions.look:0', 'functions.look:1'],
  mistral: ['abc123XYZ', 'abc123XYy'],
  openai: ['call_1234567890', 'call_1234567891'],
  local: ['x'.repeat(60), 'chatcmpl-tool/9'],
};
function begins(llm: Llm, name: string, after: Turn = { text: 'All seen.' }) {
  const calls = [0, 1].map((n) => ({
    name: 'look',
    arguments: { text: `${n}` },
    ...(IDS[name] && { id: IDS[name][n] }),
  }));
  llm.script(({ toolResults }: LlmRequest) =>
    toolResults.length > 0
      ? after
      : { reasoning: 'I look twice.', text: 'Looking.', toolCalls: calls as Turn['toolCalls'] & {} },
  );
}

/** The finished steps of a run at a provider, as the session keeps them. */
async function stepsOf(name: string): Promise<AgentRequest['messages']> {
  begins(at(name), name);
  const hooks = record();
  await run(settings(name), { model: modelOf(name), tools: [look] }, hooks);
  const kept = hooks.steps.filter(({ messages }) => JSON.stringify(messages).includes('tool-call'));
  return [
    { role: 'user', text: 'look around' },
    // Through a file, as sessions are.
    ...kept.map(({ messages }) => ({ role: 'steps' as const, messages: JSON.parse(JSON.stringify(messages)) })),
    { role: 'assistant', text: 'All seen.' },
    { role: 'user', text: 'and now?' },
  ];
}

// biome-ignore format: a list is filled
const NAMES = [
  'anthropic', 'google', 'openai', 'responses', 'moonshot', 'deepseek', 'groq', 'mistral', 'cerebras', 'local',
];
const PAIRS = NAMES.flatMap((first) => NAMES.map((second): [string, string] => [first, second])).filter(
  (pair) => !(pair.includes('openai') && pair.includes('responses')),
);

describe('a history goes on', () => {
  it.each(PAIRS)('from %s at %s', async (first, second) => {
    const messages = await stepsOf(first);
    const llm = at(second);
    llm.reset();
    llm.script([{ text: 'Here I am.' }]);
    const outcome = await run(settings(second), { model: modelOf(second), messages, tools: [look] });
    expect([outcome.text, llm.refused()]).toEqual(['Here I am.', 0]);
    expect(JSON.stringify(llm.requests().at(-1)?.body)).toContain('seen');
    expect(JSON.stringify(llm.requests().at(-1)?.body)).not.toContain('"maker"');
  });

  it.each(NAMES)('at %s after a step with blank words', async (name) => {
    const kept = JSON.stringify(await stepsOf('local')).replaceAll('"Looking."', String.raw`"\n\n"`);
    const llm = at(name);
    llm.reset();
    llm.script([{ text: 'Here I am.' }]);
    const outcome = await run(settings(name), { model: modelOf(name), messages: JSON.parse(kept), tools: [look] });
    expect([outcome.text, llm.refused()]).toEqual(['Here I am.', 0]);
    expect(kept).toContain(String.raw`"text":"\n\n"`);
  });

  it.each(PAIRS.filter(([first, second]) => first !== second))(
    'in the middle of a run that falls back from %s to %s',
    async (first, second) => {
      begins(at(first), first, { fault: 'overloaded' });
      at(second).script([{ text: 'I go on.' }]);
      const outcome = await run(settings(first, second), {
        model: modelOf(first),
        fallback: [modelOf(second)],
        tools: [look],
      });
      expect([outcome.text, outcome.model, at(second).refused()]).toEqual(['I go on.', modelOf(second), 0]);
    },
  );

  it.each(['anthropic', 'google', 'responses', 'moonshot', 'deepseek', 'local'])(
    'with its own thoughts at %s',
    async (name) => {
      const messages = await stepsOf(name);
      at(name).script([{ text: 'Here I am.' }]);
      await run(settings(name), { model: modelOf(name), messages, tools: [look] });
      const sent = JSON.stringify(at(name).requests().at(-1)?.body);
      expect(sent).toContain('I look twice.');
      expect(sent).not.toContain('A tool helps here.');
    },
  );

  it.each(['anthropic', 'google'])('without the thoughts of another model of %s', async (name) => {
    const messages = await stepsOf(name);
    at(name).script([{ text: 'Here I am.' }]);
    await run(settings(), { model: `${name}/gemini-3-pro`, messages, tools: [look] });
    expect(JSON.stringify(at(name).requests().at(-1)?.body)).not.toContain('I look twice.');
    expect(at(name).refused()).toBe(0);
  });

  it.each(['moonshot', 'deepseek'])('without thoughts where %s is told not to think', async (name) => {
    const messages = await stepsOf('moonshot');
    at(name).script([{ text: 'Here I am.' }]);
    await run(settings(), { model: `${name}/m`, messages, tools: [look], thinking: 'off' });
    expect(JSON.stringify(at(name).requests().at(-1)?.body)).not.toContain('reasoning_content');
    expect(at(name).refused()).toBe(0);
  });
});

describe('a history that is refused', () => {
  it.each(['like-groq', 'like-moonshot'])(
    'by %s is repaired, and the model is asked rightly from then on',
    async (name) => {
      const llm = at(name);
      const messages = await stepsOf(name === 'like-groq' ? 'like-groq' : 'local');
      llm.reset();
      const models = modelsOf(settings());
      const { createAgent } = await import('../../../src/runtime/agent/agent.ts');
      const { silentLog } = await import('../../../src/log.ts');
      const agent = createAgent({ models, timeouts: PATIENT, log: silentLog() });
      const hooks = record();
      const asked = request({ model: `${name}/m`, messages, tools: [look] });
      llm.script(() => ({ text: 'Here I am.' }));
      expect((await agent.run(asked, hooks)).text).toBe('Here I am.');
      expect(hooks.visible()).toBe('Here I am.');
      expect(llm.refused()).toBe(1);
      expect((await agent.run(asked, record())).text).toBe('Here I am.');
      expect(llm.refused()).toBe(1);
    },
  );

  it('for who speaks after whom is sent in turns, from then on too', async () => {
    const llm = at('like-a-template');
    const [first, steps] = await stepsOf('local');
    // Words that came while a tool was at work, and what stands now before them.
    const messages = [first, steps, { role: 'user', text: 'look at the door too' }] as AgentRequest['messages'];
    llm.script(() => ({ text: 'Here I am.' }));
    const outcome = await run(settings(), {
      model: 'like-a-template/m',
      messages,
      tools: [look],
      standing: 'Now: noon',
    });
    expect([outcome.text, llm.refused()]).toEqual(['Here I am.', 1]);
    const sent = llm.requests().at(-1)?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
    expect(sent.at(-1)?.content).toMatch(/Now: noon\n\nlook at the door too$/);
  });

  it('by Mistral, for words right behind results, is not sent so at all', async () => {
    const [first, steps] = await stepsOf('local');
    const messages = [first, steps, { role: 'user', text: 'look at the door too' }] as AgentRequest['messages'];
    at('mistral').script([{ text: 'Here I am.' }]);
    await run(settings(), { model: 'mistral/m', messages, tools: [look], standing: 'Now: noon' });
    expect(at('mistral').refused()).toBe(0);
  });

  it('for a signature that is none is sent without its thoughts', async () => {
    const messages = JSON.parse(
      JSON.stringify(await stepsOf('anthropic')).replaceAll(/"signature":"[^"]*"/g, '"signature":"x"'),
    );
    at('anthropic').reset();
    at('anthropic').script([{ text: 'Here I am.' }]);
    expect((await run(settings(), { model: 'anthropic/m', messages, tools: [look] })).text).toBe('Here I am.');
    expect(at('anthropic').refused()).toBe(1);
  });

  /** What is refused as long as it stands in a request, and a part of what is sent in the end. */
  it.each<[string, (body: string) => boolean, string]>([
    ['its thoughts', (body) => body.includes('I look twice.'), 'tool_calls'],
    ['its tool steps', (body) => body.includes('tool_calls'), '[What tools have said, as data]'],
    ['nothing that helps', () => true, ''],
  ])('for %s and does not say so, is tried in each form once', async (_what, isRefused, left) => {
    const llm = at('local');
    const messages = await stepsOf('local');
    llm.reset();
    llm.script(({ body }) =>
      isRefused(JSON.stringify(body.messages)) ? { fault: 'bad-request' } : { text: 'Here I am.' },
    );
    const asked = run(settings(), { model: 'local/m', messages, tools: [look] });
    if (left === '') {
      await expect(asked).rejects.toMatchObject({ kind: 'refused' });
      // As it was, without thoughts, with steps as words.
      expect(llm.requests()).toHaveLength(3);
      return;
    }
    expect((await asked).text).toBe('Here I am.');
    expect(JSON.stringify(llm.requests().at(-1)?.body.messages)).toContain(left);
  });

  it('without the thoughts that Anthropic wants of a run that thinks is sent without thinking', async () => {
    begins(at('local'), 'local', { fault: 'overloaded' });
    at('anthropic').script([{ text: 'I go on.' }]);
    const fallback = ['anthropic/claude-haiku-4-5'];
    const outcome = await run(settings(), { model: 'local/m', fallback, tools: [look], thinking: 'high' });
    expect([outcome.text, at('anthropic').refused()]).toEqual(['I go on.', 1]);
  });

  it('for the length of what it has written goes on with what was written shortened, but for the last', async () => {
    const llm = at('local');
    let n = 0;
    llm.script(({ body, toolResults }) => {
      if (JSON.stringify(body.messages).length > 60_000) return { fault: 'too-long' };
      const text = `part ${n++} ${'words '.repeat(2_000)}`;
      return toolResults.length < 12
        ? { toolCalls: [{ name: 'write', arguments: { text } }] }
        : { text: 'All written.' };
    });
    const written: string[] = [];
    const write = tool('write', 'external', async ({ text }: { text: string }) => `${written.push(text)}`);
    const outcome = await run(settings(), { model: 'local/m', tools: [write], maxSteps: 30 });
    expect(outcome.text).toBe('All written.');
    expect(written.map((text) => text.length > 12_000)).not.toContain(false);
    expect(llm.requests().filter(({ outcome: ended }) => ended === 'faulted')).toHaveLength(1);
  });

  it.each(
    // biome-ignore format: a row is a line
    [
      ['max_tokens: 128000 > 8192, which is the maximum allowed number of output tokens for m', 8192],
      ['max_tokens is too large: 32000. This model supports at most 4096 completion tokens, whereas you provided 32000.', 4096],
      ['`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model', 8192],
      ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
      ['input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again', 10_000],
    ],
  )('for the length of its answer is asked for a shorter one: %s', async (message, limit) => {
    const llm = at('local');
    llm.script(({ body }) =>
      body.max_tokens === limit ? { text: 'Here I am.' } : { fault: 'bad-request', text: message },
    );
    const providers = { local: { baseURL: llm.url, maxOutputTokens: 128_000 } };
    expect((await run(providers, { model: 'local/m' })).text).toBe('Here I am.');
    expect(llm.requests()).toHaveLength(2);
  });

  it('for its length is sent with shorter results, the oldest first, and goes on', async () => {
    const llm = at('local');
    let n = 0;
    llm.script(({ body, toolResults }) => {
      if (JSON.stringify(body.messages).length > 60_000) return { fault: 'too-long' };
      return toolResults.length < 12
        ? { toolCalls: [{ name: 'look', arguments: { text: `${n++}` } }] }
        : { text: 'All read.' };
    });
    const read = tool('look', 'read', async (input) => `page ${JSON.stringify(input)} ${'words '.repeat(2_000)}end`);
    const outcome = await run(settings(), { model: 'local/m', tools: [read], maxSteps: 30 });
    expect(outcome.text).toBe('All read.');
    const last = llm.requests().at(-1)?.toolResults ?? [];
    expect(last.at(0)).toContain('Shortened');
    expect(last.at(-1)).toMatch(/page .*11.*end$/);
    // It is not found out anew at every step.
    const refused = llm.requests().filter(({ outcome: ended }) => ended === 'faulted');
    expect(refused.length).toBeLessThanOrEqual(2);
  });
});

describe('blocks of thoughts of OpenRouter', () => {
  const details = (model: string) => [
    { type: 'reasoning.text', text: 'I look ', index: 0, format: 'google-gemini-v1' },
    { type: 'reasoning.text', text: 'twice.', index: 0, signature: null },
    { type: 'reasoning.encrypted', data: `seal of ${model}`, id: 'tool_1', index: 1, format: 'google-gemini-v1' },
  ];
  const begun = async () => {
    const hooks = record();
    at('openrouter').script(({ toolResults }: LlmRequest) =>
      toolResults.length > 0
        ? { text: 'All seen.' }
        : { details: details('google/g'), toolCalls: [{ name: 'look', arguments: { text: '1' } }] },
    );
    const outcome = await run(settings('openrouter'), { model: 'openrouter/google/g', tools: [look] }, hooks);
    expect([outcome.text, at('openrouter').refused()]).toEqual(['All seen.', 0]);
    return hooks.steps.map(({ messages }) => ({
      role: 'steps' as const,
      messages: JSON.parse(JSON.stringify(messages)),
    }));
  };
  const goneOn = async (name: string, model: string) => {
    const steps = await begun();
    at(name).reset();
    at(name).script([{ text: 'Here I am.' }]);
    const messages = [{ role: 'user' as const, text: 'look' }, ...steps, { role: 'user' as const, text: 'and now?' }];
    const outcome = await run(settings(name), { model, messages, tools: [look] });
    const body = JSON.stringify(at(name).requests().at(-1)?.body);
    return { text: outcome.text, refused: at(name).refused(), body };
  };

  it('go back to the model that wrote them, whole and in order, in place of the plain thoughts', async () => {
    const { text, refused, body } = await goneOn('openrouter', 'openrouter/google/g');
    expect([text, refused]).toEqual(['Here I am.', 0]);
    expect(body).toContain('"text":"I look twice."');
    expect(body).toContain('"data":"seal of google/g"');
    expect(body).not.toContain('reasoning_content');
  });

  it.each(['groq', 'mistral', 'local', 'moonshot', 'anthropic'])('are nothing that %s is sent', async (name) => {
    const { text, refused, body } = await goneOn(name, modelOf(name));
    expect([text, refused]).toEqual(['Here I am.', 0]);
    expect(body).not.toMatch(/reasoning_details|seal of/);
  });

  it('of one model are not sent to another one there', async () => {
    const { body } = await goneOn('openrouter', 'openrouter/other/o');
    expect(body).not.toMatch(/reasoning_details|seal of google/);
  });
});

const words = (role: 'user' | 'assistant', text: string): Prompt[number] => ({
  role,
  content: [{ type: 'text', text }],
});
const signed: Prompt[number] = {
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi.', providerOptions: { google: { thoughtSignature: 's' } } }],
};

it.each<[string, boolean, Prompt]>([
  ['words alone', true, [{ role: 'system', content: 'S' }, words('user', 'Hi'), words('assistant', 'Hello.')]],
  ['nothing', true, []],
  ['blank words', false, [words('user', 'Hi'), words('assistant', '\n\n')]],
  ['an empty message', false, [words('user', 'Hi'), { role: 'assistant', content: [] }]],
  ['words that a provider has signed', false, [words('user', 'Hi'), signed]],
  ['a result', false, [{ role: 'tool', content: [] }]],
  ['reasoning', false, [{ role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }] }]],
])('a prompt with %s is plain: %s', (_name, expected, prompt) => expect(isPlain(prompt)).toBe(expected));
