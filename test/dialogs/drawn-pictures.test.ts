/** Pictures that a viber draws with a provider, asked for in a chat. */
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { checkPictures, drawingProvider } from '../../src/features/pictures/provider.ts';
import { readUsage, usageDay } from '../../src/workspace/usage.ts';
import { startDrawing } from '../emulators/drawing.ts';
import type { LlmRequest } from '../emulators/llm.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';

const MODELS = { openai: 'openai/gpt-image-1', google: 'google/gemini-2.5-flash-image' } as const;

async function open(provider: keyof typeof MODELS, pictures: object = {}) {
  const drawing = await startDrawing();
  onTestFinished(() => drawing.close());
  const world = await openPlatforms({
    on: ['telegram'],
    channel: { live: 'off', injection: 'followup' },
    config: { pictures: { model: MODELS[provider], ...pictures } },
    providers: { [provider]: { baseURL: drawing[provider], apiKey: 'key-of-pictures' } },
  });
  return { drawing, world, telegram: world.platforms.telegram, dm: world.platforms.telegram.dm('alex') };
}

function last({ llm }: Awaited<ReturnType<typeof open>>['world']): LlmRequest {
  const request = llm.requests().at(-1);
  if (!request) throw new Error('no request');
  return request;
}

const draw = (given: object = {}) => ({
  toolCalls: [{ name: 'create_picture', arguments: { prompt: 'a red fox in snow', ...given } }],
});

/** All of a conversation: a picture that is shown comes after them as a message of its own. */
const resultsOf = ({ messages }: LlmRequest): string[] =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));

test.each([
  ['anthropic/claude', {}, { ANTHROPIC_API_KEY: 'k' }, 'wrong'],
  ['nobody/draws', {}, {}, 'wrong'],
  ['openai/gpt-image-1', {}, {}, 'wrong'],
  ['openai/gpt-image-1', {}, { OPENAI_API_KEY: 'k' }, 'ok'],
  ['google/gemini-2.5-flash-image', { google: { apiKey: 'k' } }, {}, 'ok'],
  ['mine/flux', { mine: { baseURL: 'http://127.0.0.1:9/v1' } }, {}, 'ok'],
] as const)('the doctor finds that %s with %o and %o is %s', (model, providers, env, state) => {
  expect(checkPictures(model, providers, env)).toMatchObject([{ state }]);
});

it('is not asked of a provider that draws none: its key would go to another', () => {
  expect(drawingProvider('anthropic', {}, { ANTHROPIC_API_KEY: 'k' }).canDraw).toBe(false);
});

describe('a picture', () => {
  it.each(['openai', 'google'] as const)(
    'is drawn by %s after a yes, sent, counted and shown to the model',
    async (provider) => {
      const { drawing, world, telegram, dm } = await open(provider);
      world.llm.script((request) =>
        resultsOf(request).length === 0 ? draw({ size: 'landscape' }) : { text: 'Here is the fox.' },
      );
      const asked = await ask(telegram, dm, 'Draw me a fox');
      expect(asked.text).toContain('draw a picture? This costs money. a red fox in snow');
      expect(drawing.requests).toHaveLength(0);
      await telegram.press(dm, 'Draw it');
      const answer = await waitFor(telegram, dm, { text: /Here is the fox/ });
      expect(answer.files).toHaveLength(1);
      expect(drawing.requests).toHaveLength(1);
      expect(drawing.requests[0]?.key).toBe('key-of-pictures');
      expect(JSON.stringify(drawing.requests[0]?.body)).toContain(provider === 'google' ? '"3:2"' : '"1536x1024"');
      expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('image_url');
      const [task = ''] = world.tasks();
      const calls = readUsage({ root: world.home }, usageDay(Date.now())).flatMap((line) =>
        line.type === 'call' && line.task === task && line.model === MODELS[provider] ? [line] : [],
      );
      expect(calls).toMatchObject([{ outputTokens: provider === 'google' ? 1_290 : 1_080 }]);
      expect(world.read(`artifacts/${task}/artifacts.jsonl`)).toContain('a red fox in snow');
    },
  );

  it('is changed from another, within the day’s limit', async () => {
    const { drawing, world, telegram, dm } = await open('openai', { perDay: 2 });
    world.llm.script((request) => {
      const toolResults = resultsOf(request);
      const [first = '{}'] = toolResults;
      const steps = [draw(), draw({ file: JSON.parse(first).id, prompt: 'make it blue' }), draw({ prompt: 'a third' })];
      return steps[toolResults.length] ?? { text: 'Done.' };
    });
    await ask(telegram, dm, 'Draw me a fox, then make it blue');
    await telegram.press(dm, 'Always for this task');
    await waitFor(telegram, dm, { text: /Done/ });
    expect(drawing.requests.map((request) => request.path)).toEqual(['/v1/images/generations', '/v1/images/edits']);
    expect(resultsOf(last(world)).at(-1)).toContain('pictures.perDay');
  });

  test.each([
    ['openai', 'moderation', 'refuses to draw this'],
    ['openai', 'no-credit', 'has no credit'],
    ['openai', 'wrong-key', 'refused the key'],
    ['openai', 'rate-limited', 'try again later'],
    ['openai', 'server-error', 'try again later'],
    ['google', 'blocked', 'returned no picture'],
  ] as const)('that %s refuses (%s) is refused in a sentence', async (provider, fault, sentence) => {
    const { drawing, world, telegram, dm } = await open(provider);
    drawing.fault(fault);
    world.llm.script(({ toolResults }) => (toolResults.length === 0 ? draw() : { text: 'Not drawn.' }));
    await ask(telegram, dm, 'Draw me a fox');
    await telegram.press(dm, 'Draw it');
    await waitFor(telegram, dm, { text: /Not drawn/ });
    expect(resultsOf(last(world)).at(-1)).toContain(sentence);
    expect(JSON.stringify(world.llm.requests())).not.toContain('secret-detail');
    expect(drawing.requests).toHaveLength(1);
  });

  it('is not offered without a model for it', async () => {
    const world = await openPlatforms({ on: ['telegram'], channel: { live: 'off' } });
    const { telegram } = world.platforms;
    world.llm.script(() => ({ text: 'Hello.' }));
    await ask(telegram, telegram.dm('alex'), 'Draw me a fox');
    expect(world.llm.requests().at(-1)?.tools).not.toContain('create_picture');
  });
});
