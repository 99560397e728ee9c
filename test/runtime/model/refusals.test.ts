import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/runtime/contract/run-error.ts';
import { streamed } from '../../../src/runtime/model/streamed.ts';
import { listen } from '../../emulators/base/http.ts';
import { failureOf, runWith } from '../agent/fixtures.ts';

let answers: { status: number; body: unknown; headers?: Record<string, string> }[] = [];
let asked = 0;
const { url, close } = await listen((request, response) => {
  request.resume().on('end', () => {
    const { status, body, headers } = answers[Math.min(asked, answers.length - 1)] ?? { status: 500, body: '' };
    asked += 1;
    const type = status === 200 ? 'text/event-stream' : 'application/json';
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  });
});
const origin = url;
afterAll(close);
beforeEach(() => {
  asked = 0;
});

const provided = (provider: string) => ({ [provider]: { baseURL: `${origin}/v1`, apiKey: 'k' } });
const run = (provider: string, status: number, body: unknown, headers: Record<string, string> = {}) => {
  answers = [{ status, body, headers }];
  return failureOf(runWith(provided(provider), { model: `${provider}/m` }));
};
/** As OpenAI writes errors, and most who speak its interface. */
const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
/** As Google's interfaces write errors. */
const google = (code: number, message: string, status: string, details: unknown[] = []) => ({
  error: { code, message, status, details },
});

describe('a key that is not taken, whatever the status', () => {
  it.each<[string, number, unknown]>(
    // biome-ignore format: a row is a line
    [
      ['xai', 400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: sk***gA. You can obtain an API key from https://console.x.ai.' }],
      [
        'google',
        400,
        google(400, 'API key not valid. Please pass a valid API key.', 'INVALID_ARGUMENT', [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com', metadata: { service: 'generativelanguage.googleapis.com' } },
        ]),
      ],
      ['google', 400, google(400, 'API key expired. Please renew the API key.', 'INVALID_ARGUMENT')],
      ['google', 403, google(403, 'Your API key was reported as leaked.', 'PERMISSION_DENIED')],
      ['mistral', 401, { detail: 'Unauthorized' }],
      ['deepseek', 401, openai('Authentication Fails, Your api key: ****abcd is invalid', 'invalid_request_error', 'authentication_error')],
      ['openrouter', 401, { error: { message: 'User not found.', code: 401 } }],
      ['groq', 401, openai('Invalid API Key', 'invalid_api_key')],
    ],
  )('%s with %i', async (provider, status, body) => {
    const { error } = await run(provider, status, body);
    expect([error.kind, asked]).toEqual(['key', 1]);
    expect(error.userMessage).toContain(`The provider "${provider}" didn't accept the key: check `);
    expect(`${error.userMessage} ${error.message}`).not.toMatch(/gA\b|abcd/);
  });
});

describe('a model that is not there, or not for us', () => {
  it.each<[string, number, unknown]>(
    // biome-ignore format: a row is a line
    [
      ['deepseek', 400, openai('Model Not Exist', 'invalid_request_error')],
      ['mistral', 400, { object: 'error', message: 'Invalid model: mistral-large', type: 'invalid_model', param: null, code: '1500' }],
      ['openrouter', 400, { error: { message: 'foo/bar is not a valid model ID', code: 400 }, user_id: 'user_2x' }],
      ['groq', 400, openai('The model `mixtral-8x7b-32768` has been decommissioned and is no longer supported.', 'model_decommissioned')],
      ['openai', 403, openai('Project `proj_1` does not have access to model `m`', 'model_not_found')],
      ['xai', 404, { code: 'Some requested entity was not found', error: 'The model grok-9 does not exist or your team 16f2 does not have access to it.' }],
      ['anthropic', 404, { type: 'error', error: { type: 'not_found_error', message: 'model: m' } }],
      ['google', 404, google(404, 'models/m is not found for API version v1beta', 'NOT_FOUND')],
      ['moonshot', 404, openai('Not found the model m or Permission denied', null, 'resource_not_found_error')],
    ],
  )('%s with %i', async (provider, status, body) => {
    const { error } = await run(provider, status, body);
    expect([error.kind, asked]).toEqual(['refused', 1]);
    expect(error.userMessage).toContain(`The provider "${provider}" doesn't know the model "m"`);
  });

  it('is to be pulled first, at Ollama', async () => {
    const { error } = await run('ollama', 404, openai('model "m" not found, try pulling it first', null, 'api_error'));
    expect(error.userMessage).toBe(
      'The model m isn\'t on the machine of the provider "ollama": get it there with `ollama pull m`, or choose another with /model.',
    );
  });
});

describe('more than the model reads at once', () => {
  it.each<[string, number, unknown]>(
    // biome-ignore format: a row is a line
    [
      ['xai', 400, { code: 'Client specified an invalid argument', error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }],
      ['moonshot', 400, openai('Invalid request: Your request exceeded model token limit: 8192')],
      [
        'mistral',
        400,
        {
          object: 'error',
          message: 'Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
          type: 'invalid_request_prompt',
          param: null,
          code: '3051',
        },
      ],
      ['google', 400, google(400, 'The input token count exceeds the maximum number of tokens allowed 1048576.', 'INVALID_ARGUMENT')],
      ['anthropic', 400, { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 202128 tokens > 200000 maximum' } }],
      [
        'openai',
        429,
        openai(
          'Request too large for m in organization org-1 on tokens per min (TPM): Limit 30000, Requested 48213. The input or output tokens must be reduced in order to run successfully.',
          'rate_limit_exceeded',
          'tokens',
        ),
      ],
      [
        'groq',
        413,
        openai(
          'Request too large for model `m` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9801, please reduce your message size and try again.',
          'rate_limit_exceeded',
          'tokens',
        ),
      ],
      ['ollama', 400, openai('the input length exceeds the context length', null, 'api_error')],
      ['ollama', 400, openai('prompt too long; exceeded max context length by 1200 tokens', null, 'api_error')],
      ['dashscope', 400, openai('Range of input length should be [1, 98304]', 'invalid_parameter_error')],
      ['zhipu', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
      ['copilot, by its code alone', 400, openai('Bad Request', 'model_max_prompt_tokens_exceeded')],
      ['copilot', 400, openai('prompt token count of 391491 exceeds the limit of 128000', 'model_max_prompt_tokens_exceeded')],
      ['vllm', 400, { object: 'error', message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.', type: 'BadRequestError', code: 400 }],
      ['cerebras', 400, openai('Please reduce the length of the messages or completion.', 'wrong_api_format')],
      ['huggingface', 422, { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens', error_type: 'validation' }],
      ['huggingface', 422, { error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000' }],
      ['cohere', 400, { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000' }],
      ['sglang', 400, openai("The input (5000 tokens) is longer than the model's context length (4096 tokens).", null)],
    ],
  )('%s with %i: is not asked again', async (provider, status, body) => {
    const { error } = await run(provider, status, body);
    expect([error.kind, asked]).toEqual(['too-long', 1]);
  });
});

describe('an error in the stream that names no status', () => {
  const event = (error: object) => `event: error\ndata: ${JSON.stringify({ error })}\n\n`;
  it.each<[string, string, object]>([
    [
      'lmstudio',
      'too-long',
      {
        message:
          'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
      },
    ],
    ['local', 'too-long', openai('Too much.', 'context_length_exceeded').error],
    ['local', 'quota', openai('You exceeded your current quota.', 'insufficient_quota').error],
  ])('%s: is told as %s, and not asked again', async (provider, kind, error) => {
    expect([(await run(provider, 200, event(error))).error.kind, asked]).toEqual([kind, 1]);
  });

  it('and says nothing that we know is tried again', async () => {
    expect([(await run('local', 200, event({ message: 'Ouch.' }))).error.kind, asked]).toEqual(['provider', 2]);
    expect((await run('local', 200, 'data: {"error":"model crashed"}\n\n')).error.kind).toBe('provider');
    const long = 'The number of tokens to keep from the initial prompt is greater than the context length.';
    expect((await run('local', 200, `data: {"error":"${long}"}\n\n`)).error.kind).toBe('too-long');
  });
});

describe('a response that the Responses API tells as failed', () => {
  async function failed(code: string, message: string) {
    const response = { id: 'r', object: 'response', status: 'failed', error: { code, message } };
    const created = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } };
    const events = [created, { type: 'response.failed', sequence_number: 1, response }];
    answers = [{ status: 200, body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') }];
    const model = createOpenAI({ apiKey: 'k', baseURL: `${origin}/v1` }).responses('m');
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }];
    const limits = { firstToken: 5_000, idle: 5_000 };
    try {
      await streamed(model, { prompt }, { name: 'openai/m', limits, onText: () => undefined });
    } catch (error) {
      return describeFailure(error, 'openai/m');
    }
    throw new Error('it did not fail');
  }

  it('for want of credit is not asked again', async () => {
    const { error, retry } = await failed('insufficient_quota', 'You exceeded your current quota, please check it.');
    expect([error.kind, retry, error.message]).toEqual(['quota', false, 'openai/m: HTTP 429 insufficient_quota']);
  });

  it.each([
    ['11.054s', 11_054],
    ['900ms', 900],
    ['7m12s', 432_000],
  ])('for a limit is asked again in %s, as it says', async (wait, ms) => {
    const said = `Rate limit reached for m on tokens per min (TPM): Limit 30000. Please try again in ${wait}. Visit us.`;
    expect(await failed('rate_limit_exceeded', said)).toMatchObject({ retry: true, retryAfterMs: ms });
  });
});

describe('a request that comes at a bad moment', () => {
  it.each([408, 409, 425])('%i: is asked again, and is no fault of its words', async (status) => {
    const { error } = await run('openrouter', status, { error: { code: status, message: 'Your request timed out' } });
    expect([error.kind, asked]).toEqual(['provider', 2]);
    expect(error.userMessage).toBe('The provider "openrouter" is having problems: try again in a moment.');
  });
});

describe('a refusal that is no fault of the key', () => {
  it.each<[string, number, unknown, string, RegExp]>(
    // biome-ignore format: a row is a line
    [
      [
        'openrouter',
        403,
        {
          error: {
            message: 'openai/gpt-x requires moderation on OpenRouter. Your input was flagged for "violence".',
            code: 403,
            metadata: { reasons: ['violence'], flagged_input: 'my words', provider_name: 'OpenAI' },
          },
        },
        'refused',
        /refused the request: try to put it differently/,
      ],
      ['openrouter', 403, { error: { message: 'Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys', code: 403 } }, 'quota', /no credit left/],
      [
        'openai',
        403,
        { error: { code: 'unsupported_country_region_territory', message: 'Country, region, or territory not supported', param: null, type: 'request_forbidden' } },
        'refused',
        /^The provider "openai" doesn't serve the country that this machine is in: choose another model with \/model\.$/,
      ],
      ['google', 400, google(400, 'User location is not supported for the API use.', 'FAILED_PRECONDITION'), 'refused', /doesn't serve the country/],
      [
        'ollama',
        400,
        openai('registry.ollama.ai/library/gemma:2b does not support tools', null, 'api_error'),
        'refused',
        /^The model ollama\/m can't use tools, and I need them to work: choose another with \/model\.$/,
      ],
      [
        'openrouter',
        404,
        { error: { message: 'No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs', code: 404 } },
        'refused',
        /can't use tools/,
      ],
      [
        'ollama',
        500,
        openai('model requires more system memory (5.6 GiB) than is available (3.4 GiB)', null, 'api_error'),
        'refused',
        /^The model ollama\/m needs more memory than the machine of its provider has free: choose a smaller one with \/model\.$/,
      ],
    ],
  )('%s with %i', async (provider, status, body, kind, words) => {
    const { error } = await run(provider, status, body);
    expect([error.kind, asked]).toEqual([kind, 1]);
    expect(error.userMessage).toMatch(words);
    expect(`${error.userMessage} ${error.message}`).not.toContain('my words');
  });
});

describe('a refusal whose words are like those of another', () => {
  const schema = "Invalid schema for function 'f': In ('properties', 'location'), keyword 'oneOf' is not supported";
  it.each<[string, number, object, string, string]>([
    ['a schema with a place', 400, openai(schema), 'refused', 'unsaid'],
    ['a picture that is too large', 400, openai('Bad Request', 'image_too_large'), 'refused', 'files'],
    ['a picture that is too large', 413, openai('Bad Request', 'image_too_large'), 'refused', 'files'],
  ])('%s, %i', (_what, statusCode, body, kind, about) => {
    const error = Object.assign(new Error('refused'), { statusCode, responseBody: JSON.stringify(body) });
    const failure = describeFailure(error, 'local/m');
    expect([failure.error.kind, failure.about]).toEqual([kind, about]);
    expect(failure.error.userMessage).toContain('refused the request');
  });
});

describe('a limit says how long in words that a person reckons with', () => {
  const groq = openai(
    'Rate limit reached for model `m` on tokens per day (TPD): Limit 100000',
    'rate_limit_exceeded',
    'tokens',
  );
  it.each<[string, unknown, Record<string, string>, string]>([
    ['groq', groq, { 'retry-after': '1' }, 'in 1 second.'],
    ['groq', groq, { 'retry-after': '45' }, 'in 45 seconds.'],
    ['groq', groq, { 'retry-after': '432' }, 'in 8 minutes.'],
    ['groq', groq, { 'retry-after': '20000' }, 'in 6 hours.'],
    ['a wait that never ends', groq, { 'retry-after-ms': '1e400', 'retry-after': '45' }, 'in 45 seconds.'],
    ['a wait that never ends', groq, { 'retry-after-ms': '1e400' }, 'in a moment.'],
    ['a wait of thousands of years', groq, { 'retry-after': '1e12' }, 'in a moment.'],
    [
      'google',
      google(429, 'You exceeded your current quota. Please retry in 34.074824224s.', 'RESOURCE_EXHAUSTED', [
        { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' },
      ]),
      {},
      'in 34 seconds.',
    ],
  ])('%s', async (provider, body, headers, words) => {
    const { error } = await run(provider, 429, body, headers);
    expect(error.userMessage).toContain(words);
  });
});

describe('a call that the model wrote wrongly, and that its provider keeps back', () => {
  const body = {
    error: {
      message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
      type: 'invalid_request_error',
      code: 'tool_use_failed',
      failed_generation: '<function=web_search>{"query": "my words"}</function>',
    },
  };
  const said = (text: string) =>
    `${[
      { id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: text } }] },
      { id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('')}data: [DONE]\n\n`;

  it.each<[string, number, unknown]>([
    ['as a refusal', 400, body],
    ['in the middle of a stream', 200, `event: error\ndata: ${JSON.stringify(body)}\n\n`],
  ])('%s: is asked for again', async (_how, status, refusal) => {
    answers = [
      { status, body: refusal },
      { status: 200, body: said('Here you are.') },
    ];
    const outcome = await runWith(provided('groq'), { model: 'groq/m' });
    expect([outcome.text, asked]).toEqual(['Here you are.', 2]);
  });

  it('is told in a sentence when it goes on', async () => {
    const { error } = await run('groq', 400, body);
    expect(asked).toBe(2);
    expect(error.userMessage).toBe('The model groq/m reported an error: try again, or set another model.');
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])(
    'ends as %s: not told as a wrong address',
    async (reason) => {
      const candidates = [{ content: {}, finishReason: reason, index: 0, finishMessage: 'Malformed: print(my words' }];
      const { error } = await run('google', 200, `data: ${JSON.stringify({ candidates, usageMetadata: {} })}\r\n\r\n`);
      expect([error.kind, asked]).toEqual(['cut-off', 2]);
      expect(error.userMessage).toBe('The model google/m broke off in the middle of its answer: please ask again.');
      expect(error.message).toBe(`google/m: the answer was ended as ${reason}`);
    },
  );
});
