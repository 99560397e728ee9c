/** Tools and their calls between us and every provider: names, arguments, what the limit of an answer cuts, and what goes round in circles. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { asWanted } from '../../../src/runtime/model/wanted.ts';
import { type Llm, type LlmRequest, startLlm, type Turn } from '../../emulators/llm.ts';
import { failureOf, PATIENT, record, runWith, tool } from '../agent/fixtures.ts';

let llm: Llm;
let strict: Llm;
beforeAll(async () => {
  llm = await startLlm();
  strict = await startLlm({ strict: 'moonshot' });
  vi.stubEnv('OPENAI_BASE_URL', llm.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([llm.close(), strict.close()]);
});
beforeEach(() => {
  llm.reset();
  strict.reset();
});

const run = (...[providers, given, hooks = record()]: Parameters<typeof runWith>) =>
  runWith(providers, given, hooks, PATIENT);

/** Model, settings, and where it is asked. */
const PROVIDERS: [string, string, () => Record<string, object>, () => Llm][] = [
  ['Chat Completions', 'local/m', () => ({ local: { baseURL: llm.url } }), () => llm],
  ['Moonshot', 'moonshot/m', () => ({ moonshot: { baseURL: strict.url, apiKey: 'k' } }), () => strict],
  ['Messages', 'anthropic/m', () => ({ anthropic: { baseURL: llm.url, apiKey: 'k' } }), () => llm],
  ['Responses', 'openai/gpt-5.5', () => ({ openai: { apiKey: 'k' } }), () => llm],
  ['generateContent', 'google/m', () => ({ google: { baseURL: llm.url, apiKey: 'k' } }), () => llm],
];

const NAMES = [
  '2captcha_solve',
  '9',
  '_hidden',
  'read.file',
  'read/file',
  'read_file',
  'a'.repeat(80),
  'ünïcode',
  '-x',
];

describe.each(PROVIDERS)('at %s', (_name, model, settings, endpoint) => {
  it('tools of any name are taken, stay apart, and are called by the names they have here', async () => {
    const ran: string[] = [];
    const tools = NAMES.map((name) => tool(name, 'read', async () => `${ran.push(name)}`));
    let wire: string[] = [];
    endpoint().script(({ toolResults, tools: offered }: LlmRequest): Turn => {
      wire = offered;
      const calls = offered.map((name) => ({ name, arguments: { text: 'x' } }));
      return toolResults.length > 0 ? { text: 'Done.' } : { reasoning: 'Hm.', toolCalls: calls };
    });
    const hooks = record();
    expect((await run(settings(), { model, tools }, hooks)).text).toBe('Done.');
    expect(endpoint().refused()).toBe(0);
    expect(ran.toSorted()).toEqual(NAMES.toSorted());
    expect(new Set(wire).size).toBe(NAMES.length);
    expect(wire).toContain('read_file');
    // What is kept has the names that tools have here, so that rules and consent by name hold.
    expect(JSON.stringify(hooks.steps[0])).toContain('"2captcha_solve"');
  });

  it('a call that the limit of the answer has cut is told to the model as cut, and it goes on in smaller pieces', async () => {
    const ran: unknown[] = [];
    const write = tool('write', 'external', async (input) => `written ${ran.push(input)}`);
    endpoint().script(({ toolResults }: LlmRequest): Turn => {
      if (toolResults.length === 0)
        return {
          text: 'I write.',
          toolCalls: [{ name: 'write', arguments: '{"text":"half of a lo' }],
          finish: 'length',
          reasoning: 'Hm.',
        };
      if (toolResults.length === 1)
        return { toolCalls: [{ name: 'write', arguments: { text: 'short' } }], reasoning: 'Hm.' };
      return { text: 'Written.' };
    });
    // Gemini gives calls whole.
    if (model.startsWith('google')) return;
    const outcome = await run(settings(), { model, tools: [write] });
    expect([outcome.text, outcome.finish, ran]).toEqual(['Written.', 'stop', [{ text: 'short' }]]);
    const told = endpoint().requests()[1]?.toolResults[0] ?? '';
    expect(told).toMatch(/Nothing has run.*length limit.*smaller pieces/);
  });

  it('an answer of thoughts alone is empty: asked for again, then of the fallback, then said', async () => {
    endpoint().script([{ reasoning: 'Hm.' }, { text: 'Here.' }]);
    expect((await run(settings(), { model })).text).toBe('Here.');
    endpoint().script(() => ({ reasoning: 'Hm.' }));
    const { error } = await failureOf(run(settings(), { model }));
    expect([error.kind, endpoint().requests().length]).toEqual(['empty', 4]);
  });

  it('thoughts that take the whole room of an answer are none, and whoever asked hears it', async () => {
    endpoint().script(() => ({ reasoning: 'Hm, hm, hm.', finish: 'length' }));
    const { error } = await failureOf(run(settings(), { model }));
    expect(error.kind).toBe('empty');
    expect(error.userMessage).toContain('its whole answer on thinking');
  });
});

describe('an answer without words', () => {
  const anthropic = () => ({ anthropic: { baseURL: llm.url, apiKey: 'k' } });
  const switched = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } };
  it.each<[string, Turn]>([
    ['a part of its own kind', { blocks: [switched] }],
    ['a part of its own kind and thoughts', { blocks: [switched], reasoning: 'Hm.' }],
    [
      'a search of its own',
      { blocks: [{ type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } }] },
    ],
    ['blanks', { text: ' \n ' }],
  ])('is empty with %s', async (_what, turn) => {
    llm.script([turn, { text: 'Here.' }]);
    expect((await run(anthropic(), { model: 'anthropic/m' })).text).toBe('Here.');
    llm.script(({ model }) => (model === 'm' ? turn : { text: 'From the other.' }));
    const outcome = await run(anthropic(), { model: 'anthropic/m', fallback: ['anthropic/n'] });
    expect(outcome.text).toBe('From the other.');
  });

  it.each([
    '<think>Hm.</think>',
    '<think>Hm, and then the answer was cu',
    'Hm.</think>\n',
    '<|channel|>analysis<|message|>Hm.<|end|>',
  ])('is empty where thoughts come as text: %s', async (text) => {
    const local = { local: { baseURL: llm.url } };
    llm.script([{ text }, { text: 'Here.' }]);
    expect((await run(local, {})).text).toBe('Here.');
    llm.script(() => ({ text }));
    expect((await failureOf(run(local, {}))).error.kind).toBe('empty');
    llm.script([{ text: `${text}${text.includes('cu') ? '</think>' : ''}It is blue.` }]);
    if (!text.includes('channel')) expect((await run(local, {})).text).toBe('It is blue.');
  });

  it('after tools that were announced is asked for again, and what was announced never passes for the answer', async () => {
    const look = tool('look', 'read', async () => 'seen');
    const call = { text: 'Let me look.', toolCalls: [{ name: 'look', arguments: { text: 'x' } }] };
    llm.script([call, { text: '' }, { text: 'It is blue.' }]);
    const local = { local: { baseURL: llm.url } };
    expect((await run(local, { tools: [look] })).text).toBe('It is blue.');
    llm.script([call, { text: '' }, { text: '' }]);
    const outcome = await run(local, { tools: [look] });
    expect(outcome).toMatchObject({
      text: 'Let me look.\n\nDone.',
      isWordless: true,
    });
  });
});

describe('the limit of an answer', () => {
  const limitOf = async (model: string, more: object = {}) => {
    llm.script(() => ({ text: 'x' }));
    await run(
      { anthropic: { baseURL: llm.url, apiKey: 'k', ...more }, local: { baseURL: llm.url, ...more } },
      { model },
    );
    return llm.requests().at(-1)?.body.max_tokens;
  };
  it.each<[string, number]>([
    ['claude-opus-9', 128_000],
    ['claude-sonnet-7-2', 128_000],
    ['claude-haiku-6', 128_000],
    ['eu.sonnet-latest', 128_000],
    ['claude-sonnet-4-5', 64_000],
    ['claude-3-5-sonnet-20241022', 8_192],
    ['claude-3-haiku-20240307', 4_096],
    ['some-model', 32_000],
  ])('of %s is %i', async (model, limit) => {
    expect(await limitOf(`anthropic/${model}`)).toBe(limit);
  });

  it('is what is set', async () => {
    expect(await limitOf('anthropic/claude-opus-9', { maxOutputTokens: 9_000 })).toBe(9_000);
    expect(await limitOf('local/m', { maxOutputTokens: 700 })).toBe(700);
    expect(await limitOf('local/m')).toBeUndefined();
  });
});

describe('arguments', () => {
  const schema = z.toJSONSchema(
    z.object({
      steps: z.array(
        z.object({ title: z.string(), done: z.boolean().optional(), tags: z.array(z.string()).optional() }),
      ),
      where: z.object({ path: z.string() }).optional(),
      n: z.number().int().optional(),
      either: z.union([z.string(), z.array(z.string())]).optional(),
      maybe: z.array(z.string()).nullable().optional(),
      text: z.string().optional(),
      any: z.unknown().optional(),
    }),
    { target: 'draft-7', io: 'input' },
  );
  const steps = [{ title: 'a' }, { title: 'b', done: true }];
  it.each<[string, unknown, unknown]>(
    // biome-ignore format: a row is a line
    [
      ['a list as text', { steps: JSON.stringify(steps) }, { steps }],
      ['a list as Python writes it', { steps: "[{'title': 'a'}, {'title': 'b', 'done': True}]" }, { steps }],
      ['its items as text', { steps: steps.map((step) => JSON.stringify(step)) }, { steps }],
      ['an object as text', { steps, where: '{"path":"x"}' }, { steps, where: { path: 'x' } }],
      ['a list in an item as text', { steps: [{ title: 'a', tags: '["x","y"]' }] }, { steps: [{ title: 'a', tags: ['x', 'y'] }] }],
      ['a number and a truth as text', { steps: [{ title: 'a', done: 'true' }], n: '7' }, { steps: [{ title: 'a', done: true }], n: 7 }],
      ['a list that may be null', { steps, maybe: '["x"]' }, { steps, maybe: ['x'] }],
      ['all of them as text', JSON.stringify({ steps }), { steps }],
      ['a text that looks like a list', { steps, text: '["x"]' }, { steps, text: '["x"]' }],
      ['a text where a list may be too', { steps, either: '["x"]' }, { steps, either: '["x"]' }],
      ['what may be anything', { steps, any: '["x"]' }, { steps, any: '["x"]' }],
      ['a text where a list is wanted', { steps: 'first do this' }, { steps: 'first do this' }],
      ['a list where an object is wanted', { steps, where: '["x"]' }, { steps, where: '["x"]' }],
      ['a prototype', { steps, where: '{"__proto__":{"path":"x"}}' }, { steps, where: '{"__proto__":{"path":"x"}}' }],
    ],
  )('with %s', (_what, given, wanted) => {
    expect(asWanted(JSON.parse(JSON.stringify(given)), schema)).toEqual(wanted);
  });

  it('that are a list as text reach the tool as a list, and stand so in what is kept', async () => {
    const given: unknown[] = [];
    const input = z.object({ steps: z.array(z.object({ title: z.string() })) });
    const plan = tool('plan', 'read', async (value) => `${given.push(value)}`, input);
    llm.script([{ toolCalls: [{ name: 'plan', arguments: { steps: '[{"title":"a"}]' } }] }, { text: 'Done.' }]);
    const hooks = record();
    await run({ local: { baseURL: llm.url } }, { tools: [plan] }, hooks);
    expect(given).toEqual([{ steps: [{ title: 'a' }] }]);
    expect(JSON.stringify(hooks.steps[0])).toContain('"input":{"steps":[{"title":"a"}]}');
  });
});

describe('the same failing call', () => {
  const local = () => ({ local: { baseURL: llm.url } });
  const fails = tool('read_file', 'read', async ({ text }: { text: string }) => {
    if (text === 'there') return 'seen';
    throw new Error('no such file');
  });
  const call = (text: string): Turn => ({ toolCalls: [{ name: 'read_file', arguments: { text } }] });

  it('three times ends the run with a sentence that says so', async () => {
    llm.script(() => call('gone'));
    const outcome = await run(local(), { tools: [fails], maxSteps: 20 });
    expect(outcome).toMatchObject({ finish: 'stuck', steps: 3 });
    expect(outcome.text).toBe(
      'I stopped: something went wrong three times in the same way while reading a file. Tell me what to do differently.',
    );
  });

  it('with other arguments, or one that ends well, goes on', async () => {
    const texts = ['gone', 'lost', 'gone', 'there', 'else', 'lost'];
    llm.script([...texts.map(call), { text: 'Here.' }]);
    expect((await run(local(), { tools: [fails], maxSteps: 20 })).text).toBe('Here.');
  });

  it('of a program counts where nothing else was done between', async () => {
    const shell = tool('shell', 'external', async () => ({
      code: 1,
      output: 'no such host',
      error: 'It failed with exit code 1.',
    }));
    const again = { toolCalls: [{ name: 'shell', arguments: { text: 'ping' } }] };
    llm.script(() => again);
    expect(await run(local(), { tools: [shell], maxSteps: 20 })).toMatchObject({ finish: 'stuck', steps: 3 });
    llm.script([again, again, call('there'), again, again, { text: 'Here.' }]);
    expect((await run(local(), { tools: [shell, fails], maxSteps: 20 })).text).toBe('Here.');
  });

  it('also between others and beside them', async () => {
    const both = (text: string): Turn => ({
      toolCalls: ['gone', text].map((one) => ({ name: 'read_file', arguments: { text: one } })),
    });
    llm.script([both('there'), call('there'), both('there'), call('there'), both('there'), { text: 'not asked for' }]);
    expect((await run(local(), { tools: [fails], maxSteps: 20 })).finish).toBe('stuck');
  });
});
