import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { listen, readText } from '../../emulators/base/http.ts';
import { failureOf, runWith } from '../agent/fixtures.ts';

let answer = { status: 400, body: '' };
const seen: { url: string; body: Record<string, unknown> }[] = [];
const { url, close } = await listen(async (request, response) => {
  seen.push({ url: request.url ?? '', body: JSON.parse(await readText(request)) });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
});
const origin = url;
afterAll(close);
beforeEach(() => void seen.splice(0));

const run = (provider: string, status: number, body: unknown, base = `${origin}/v1`) => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
  return failureOf(runWith({ [provider]: { baseURL: base, apiKey: 'k' } }, { model: `${provider}/m` }));
};

const TEAM = 'Your team 16f2 has either used all available credits or reached its monthly spending limit. To continue';
const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';

describe('an account without credit', () => {
  it.each<[string, number, unknown]>(
    // biome-ignore format: a row is a line
    [
      [
        'anthropic',
        400,
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
          },
          request_id: 'req_011CbrFTcXhtiMzr3s6EocF7',
        },
      ],
      ['openai', 429, { error: { message: QUOTA, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } }],
      ['openai', 429, { error: { message: QUOTA, type: 'insufficient_quota', param: null, code: null } }],
      ['google', 429, { error: { code: 429, message: 'Your prepayment credits are depleted. Please go to AI Studio', status: 'RESOURCE_EXHAUSTED' } }],
      ['deepseek', 402, { error: { message: 'Insufficient Balance', type: 'unknown_error', param: null, code: 'invalid_request_error' } }],
      ['xai', 429, { code: 'Some resource has been exhausted', error: TEAM }],
      ['xai', 403, { code: 'permission-denied', error: TEAM }],
      ['xai', 403, { code: 'personal-team-blocked:spending-limit', error: 'You have run out of credits or need a Grok subscription.' }],
      [
        'moonshot',
        429,
        {
          error: {
            message: 'Your account org-1 <ak-1> is suspended due to insufficient balance, please recharge your account or check your plan and billing details',
            type: 'exceeded_current_quota_error',
          },
        },
      ],
      ['moonshot', 403, { error: { message: 'Your account is not active', type: 'exceeded_current_quota_error' } }],
      ['openrouter', 402, { error: { message: 'Insufficient credits. Add more using https://openrouter.ai', code: 402 } }],
    ],
  )('%s with %i: is told to top up, and asked once', async (provider, status, body) => {
    const { error } = await run(provider, status, body);
    expect([error.kind, seen.length]).toEqual(['quota', 1]);
    expect(error.userMessage).toMatch(/has no credit left for us: top it up at https:\/\/\S+, or choose another model/);
    expect(`${error.userMessage} ${error.message}`).not.toMatch(/16f2|org-1|req_011/);
  });

  it.each<[string, number, unknown, string]>([
    ['google', 429, { error: { code: 429, message: QUOTA, status: 'RESOURCE_EXHAUSTED' } }, 'provider'],
    ['xai', 403, { code: 'permission-denied', error: 'The API key is disabled' }, 'key'],
    ['moonshot', 429, { error: { type: 'rate_limit_reached_error', message: 'request reached max RPM' } }, 'provider'],
    ['anthropic', 400, { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens' } }, 'refused'],
  ])('%s with %i that means something else', async (provider, status, body, kind) => {
    expect((await run(provider, status, body)).error.kind).toBe(kind);
  });
});

describe('an address without /v1', () => {
  it.each(['local', 'openai'])('%s: the error names the whole address', async (provider) => {
    const { error } = await run(provider, 404, '404 page not found', origin);
    expect(error.userMessage).toContain(`set providers.${provider}.baseURL to ${origin}/v1`);
  });

  it('or with the path of one request: the error names the address without it', async () => {
    const { error } = await run('local', 404, '404 page not found', `${origin}/v1/chat/completions`);
    expect(error.userMessage).toContain(`set providers.local.baseURL to ${origin}/v1.`);
  });

  it('is not suspected where one is there', async () => {
    expect((await run('local', 404, { error: { message: 'no such model' } })).error.userMessage).toContain(
      "doesn't know the model",
    );
  });
});

it('Mistral gets ids of nine characters, the same for call and result, and no options that it refuses', async () => {
  answer = { status: 422, body: '{}' };
  const call = { type: 'tool-call', toolCallId: 'call_PTLP8xhu3uwZk4l3nlnrrJha', toolName: 'read_file', input: {} };
  const result = {
    ...{ type: 'tool-result', toolCallId: call.toolCallId, toolName: 'read_file' },
    output: { type: 'text', value: 'x' },
  };
  // biome-ignore format: a row is a line
  const messages = [
    { role: 'user' as const, text: 'hello' },
    { role: 'steps' as const, messages: [{ role: 'assistant', content: [call] }, { role: 'tool', content: [result] }] },
    { role: 'user' as const, text: 'and now?' },
  ];
  await failureOf(runWith({ mistral: { baseURL: `${origin}/v1`, apiKey: 'k' } }, { model: 'mistral/m', messages }));
  const { body } = seen[0] ?? { body: {} };
  const ids = JSON.stringify(body).match(/"(?:id|tool_call_id)":"([^"]*)"/g) ?? [];
  expect(ids).toHaveLength(2);
  expect(new Set(ids.map((id) => id.replace(/^.*:/, ''))).size).toBe(1);
  expect(ids[0]).toMatch(/:"[A-Za-z0-9]{9}"$/);
  expect(body).toMatchObject({ stream: true });
  expect(body).not.toHaveProperty('stream_options');
});

/** One run that thinks at a level, at a provider that takes nothing; gives the first body. */
async function thinking(provider: string, level: 'off' | 'high', model = 'm') {
  answer = { status: 500, body: '{}' };
  const providers = { [provider]: { baseURL: `${origin}/v1`, apiKey: 'k' } };
  await failureOf(runWith(providers, { model: `${provider}/${model}`, thinking: level }));
  return seen[0]?.body ?? {};
}

describe('how long to think is said in the words of', () => {
  it.each<[string, string, object, object]>(
    // biome-ignore format: a row is a line
    [
      ['local', 'm', { reasoning_effort: 'high' }, { reasoning_effort: 'none' }],
      ['groq', 'openai/gpt-oss-120b', { reasoning_effort: 'high' }, { reasoning_effort: 'none' }],
      ['deepseek', 'deepseek-v4-pro', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }, { thinking: { type: 'disabled' } }],
      ['moonshot', 'kimi-k2.6', { thinking: { type: 'enabled' } }, { thinking: { type: 'disabled' } }],
      ['openrouter', 'a/b', { reasoning: { effort: 'high' } }, { reasoning: { enabled: false } }],
      ['anthropic', 'claude-sonnet-5', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, { thinking: { type: 'disabled' } }],
      ['anthropic', 'claude-haiku-4-5', { thinking: { type: 'enabled' } }, { thinking: { type: 'disabled' } }],
      [
        'google',
        'gemini-2.5-flash',
        { generationConfig: { thinkingConfig: { thinkingBudget: expect.any(Number) } } },
        { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      ],
      ['google', 'gemini-3.5-flash', { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } }, { generationConfig: {} }],
      ['openai', 'gpt-5.5', { reasoning_effort: 'high' }, { reasoning_effort: 'none' }],
    ],
  )('%s, %s', async (provider, model, high, off) => {
    expect(await thinking(provider, 'high', model)).toMatchObject(high);
    seen.splice(0);
    expect(await thinking(provider, 'off', model)).toMatchObject(off);
  });
});
