/** What providers send when there is no credit, a limit is reached or they are busy: with a status, and in a stream. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../emulators/base/http.ts';
import { failureOf, runWith } from '../agent/fixtures.ts';

let answer: { status: number; body: string; headers?: Record<string, string> } = { status: 500, body: '' };
let asked = 0;
const { url, close } = await listen((request, response) => {
  request.resume().on('end', () => {
    asked += 1;
    const { status, body, headers } = answer;
    const type = status === 200 ? 'text/event-stream' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  });
});
afterAll(close);
beforeEach(() => {
  asked = 0;
});

const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';
const openai = (message: string, type: string | null = null, code: string | number | null = null) => ({
  error: { message, type, param: null, code },
});
const google = (message: string, details: unknown[] = []) => ({
  error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details },
});
const perDay = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', quotaDimensions: { model: 'm' } }],
};
const retryIn = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' };
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const LOW = 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.';
const SUSPENDED = 'Your account org-1 <ak-1> is suspended due to insufficient balance, please recharge your account';
const raw = (body: object) => ({
  error: { message: 'Provider returned error', code: 429, metadata: { raw: JSON.stringify(body), provider_name: 'X' } },
});
const MISTRAL = { object: 'error', param: null };

type Means = 'credit' | 'used up' | 'limit' | 'busy' | 'too long';
/** The kind of the error, words of its sentence, and how often the provider is asked. */
const MEANING: Record<Means, [kind: string, words: RegExp, asked: number]> = {
  credit: ['quota', /no credit left/, 1],
  'used up': ['quota', /We have used up what the provider ".+" allows for now: wait/, 1],
  limit: ['provider', /is limiting our requests/, 2],
  busy: ['overloaded', /is busy right now/, 2],
  'too long': ['too-long', /conversation this long/, 1],
};

// biome-ignore format: a row is a line
const ROWS: [provider: string, how: number | 'stream', body: unknown, means: Means][] = [
  ['openai', 429, openai(QUOTA, 'insufficient_quota', 'insufficient_quota'), 'credit'],
  ['openai', 429, openai(QUOTA, 'insufficient_quota'), 'credit'],
  ['openai', 429, openai(QUOTA), 'credit'],
  ['openai', 'stream', openai(QUOTA, 'insufficient_quota', 'insufficient_quota'), 'credit'],
  ['openai', 'stream', openai('You exceeded your current quota.'), 'credit'],
  ['local', 429, { error: QUOTA }, 'credit'],
  ['local', 429, { message: QUOTA }, 'credit'],
  ['local', 'stream', openai('You exceeded your current quota.'), 'credit'],
  ['local', 'stream', { error: QUOTA }, 'credit'],
  ['a proxy', 403, openai('用户额度不足', 'new_api_error', 'insufficient_user_quota'), 'credit'],
  ['openai', 'stream', openai('Rate limit reached for m on tokens per min (TPM).', 'tokens', 'rate_limit_exceeded'), 'limit'],
  ['local', 'stream', openai('Rate limit reached for m on tokens per min (TPM).', 'tokens', 'rate_limit_exceeded'), 'limit'],
  ['local', 'stream', { error: 'Too Many Requests' }, 'limit'],
  ['local', 'stream', openai('Too much.', null, 429), 'limit'],
  ['google', 429, google(`${QUOTA} For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.`), 'limit'],
  ['google', 429, google('Resource has been exhausted (e.g. check quota).'), 'limit'],
  ['google', 429, google(QUOTA, [perDay, retryIn]), 'used up'],
  ['google', 'stream', google(QUOTA, [perDay]), 'used up'],
  ['google', 429, google('Your prepayment credits are depleted. Please go to AI Studio to manage your billing.'), 'credit'],
  ['google', 429, google('Your project has exceeded its monthly spending cap.'), 'credit'],
  ['google behind the interface of OpenAI', 429, [google(QUOTA)], 'limit'],
  ['anthropic', 400, anthropic('invalid_request_error', LOW), 'credit'],
  ['anthropic', 402, anthropic('billing_error', 'There is an issue with your billing.'), 'credit'],
  ['anthropic', 'stream', anthropic('invalid_request_error', LOW), 'credit'],
  ['anthropic', 'stream', anthropic('rate_limit_error', 'Number of request tokens has exceeded your per-minute rate limit'), 'limit'],
  ['anthropic', 'stream', anthropic('overloaded_error', 'Overloaded'), 'busy'],
  ['anthropic', 529, anthropic('overloaded_error', 'Overloaded'), 'busy'],
  ['anthropic', 413, anthropic('request_too_large', 'Request exceeds the maximum size'), 'too long'],
  ['openrouter', 402, openai('Insufficient credits. Add more using https://openrouter.ai/settings/credits', null, 402), 'credit'],
  ['openrouter', 'stream', openai('Insufficient credits', null, 402), 'credit'],
  ['openrouter', 'stream', { id: 'gen', choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }], error: { code: 429, message: 'Rate limit exceeded' } }, 'limit'],
  ['openrouter', 429, raw(openai(SUSPENDED, 'exceeded_current_quota_error')), 'credit'],
  ['openrouter', 429, raw(openai('m is temporarily rate-limited upstream. Please retry shortly.')), 'limit'],
  ['deepseek', 402, openai('Insufficient Balance', 'unknown_error', 'invalid_request_error'), 'credit'],
  ['deepseek', 'stream', openai('Insufficient Balance', 'unknown_error', 'invalid_request_error'), 'credit'],
  ['moonshot', 429, openai(SUSPENDED, 'exceeded_current_quota_error'), 'credit'],
  ['moonshot', 429, openai('The engine is currently overloaded, please try again later', 'engine_overloaded_error'), 'busy'],
  ['moonshot', 429, openai('Your account reached max request, please try again after 1 seconds', 'rate_limit_reached_error'), 'limit'],
  ['kimi', 429, openai("You've reached your usage limit for this period."), 'used up'],
  ['kimi', 403, openai("You've reached your usage limit for this billing cycle."), 'used up'],
  ['mistral', 429, { ...MISTRAL, message: 'Rate limit exceeded', type: 'rate_limited', code: '1300' }, 'limit'],
  ['mistral', 429, { message: 'Requests rate limit exceeded' }, 'limit'],
  ['mistral', 429, { ...MISTRAL, message: 'Service tier capacity exceeded for this model.', type: 'invalid_request_error', code: null }, 'busy'],
  ['mistral', 429, { ...MISTRAL, message: 'Try later.', type: 'service_tier_capacity_exceeded', code: '3505' }, 'busy'],
  ['ollama', 429, { error: "you've reached your hourly usage limit, please wait or upgrade to continue" }, 'used up'],
  ['ollama', 429, openai('you (me) have reached your weekly usage limit, upgrade for higher limits: https://ollama.com/upgrade'), 'used up'],
  ['ollama', 503, openai('server busy, please try again. maximum pending requests exceeded', 'api_error'), 'busy'],
  ['siliconflow', 403, { code: 30001, message: 'Sorry, your account balance is insufficient', data: null }, 'credit'],
  ['ark', 403, openai('The request failed because your account has an overdue balance.', 'Forbidden', 'AccountOverdueError'), 'credit'],
  ['ark, by its code alone', 403, openai('Forbidden', 'Forbidden', 'AccountOverdueError'), 'credit'],
  ['novita', 403, { code: 403, reason: 'NOT_ENOUGH_BALANCE', message: 'not enough balance', metadata: {} }, 'credit'],
  ['dashscope', 403, openai('The free tier of the model has been exhausted.', 'AllocationQuota.FreeTierOnly', 'AllocationQuota.FreeTierOnly'), 'credit'],
  ['dashscope', 400, openai('Access denied, please make sure your account is in good standing.', 'Arrearage', 'Arrearage'), 'credit'],
  ['vercel', 403, openai('AI Gateway requires a valid credit card on file to service requests.', 'customer_verification_required'), 'credit'],
  ['fireworks', 412, openai('Account me is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.', 'error', 'PRECONDITION_FAILED'), 'credit'],
  ['litellm', 400, openai('Budget has been exceeded! Current cost: 10.51, Max budget: 10.0', 'budget_exceeded', '400'), 'credit'],
  ['litellm', 400, openai('Budget has been exceeded! Current cost: 10.51, Max budget: 10.0', 'auth_error', 400), 'credit'],
  ['zhipu', 429, { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } }, 'credit'],
  ['zhipu', 429, { error: { code: '1113', message: '您的账户已欠费，请充值后重试。' } }, 'credit'],
  ['zai', 429, { error: { code: '1113', message: 'Insufficient balance or no resource package. Please recharge.' } }, 'credit'],
  ['zai', 429, { error: { code: '1305', message: 'The service may be temporarily overloaded, please try again later' } }, 'busy'],
  ['zai', 429, { error: { code: '1308', message: 'Usage limit reached for 5 hour. Your limit will reset at 2026-03-06 22:19:54' } }, 'used up'],
  ['zai', 429, { error: { code: '1310', message: 'Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-03-06 22:19:54' } }, 'used up'],
  ['zai', 'stream', { error: { code: '1310', message: 'Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-03-06 22:19:54' } }, 'used up'],
  ['openrouter', 429, openai('Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day', null, 429), 'used up'],
  ['openrouter', 429, openai('Rate limit exceeded: free-models-per-min.', null, 429), 'limit'],
  ['minimax', 429, openai('usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-05-15T15:00:00Z (2056)', 'rate_limit_error'), 'used up'],
  ['cohere', 429, { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' }, 'used up'],
  ['cohere', 429, { message: 'You are using a Trial key, which is limited to 20 API calls / minute.' }, 'limit'],
  ['cerebras', 429, openai('Tokens per day limit exceeded - too many tokens processed.', 'too_many_tokens_error', 'token_quota_exceeded'), 'used up'],
  ['cerebras', 'stream', openai('Tokens per day limit exceeded - too many tokens processed.', 'too_many_tokens_error', 'token_quota_exceeded'), 'used up'],
  ['anthropic', 429, anthropic('rate_limit_error', 'Number of request tokens has exceeded your daily rate limit'), 'used up'],
  ['cerebras', 429, openai('Tokens per minute limit exceeded - too many tokens processed.', 'too_many_tokens_error', 'token_quota_exceeded'), 'limit'],
  ['cerebras', 'stream', openai('Tokens per minute limit exceeded - too many tokens processed.', 'too_many_tokens_error', 'token_quota_exceeded'), 'limit'],
  ['local', 'stream', { error: 'Too many tokens, please wait before trying again.' }, 'limit'],
  ['local', 'stream', { error: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000' }, 'too long'],
  ['lmstudio', 'stream', { error: 'The number of tokens to keep from the initial prompt is greater than the context length.' }, 'too long'],
  ['openai', 'stream', openai("This model's maximum context length is 8192 tokens."), 'too long'],
];

const NAMES: Record<string, string> = {
  'a proxy': 'proxy',
  'google behind the interface of OpenAI': 'gemini',
  'ark, by its code alone': 'ark',
};

async function failed(provider: string, how: number | 'stream', body: unknown, headers: Record<string, string> = {}) {
  const text = JSON.stringify(body);
  const name = NAMES[provider] ?? provider;
  const event = `${name === 'anthropic' ? 'event: error\n' : ''}data: ${text}\n\n`;
  answer = how === 'stream' ? { status: 200, body: event, headers } : { status: how, body: text, headers };
  const providers = { [name]: { baseURL: `${url}/v1`, apiKey: 'k' } };
  return (await failureOf(runWith(providers, { model: `${name}/m` }))).error;
}

describe('no credit, a limit, or too much to do', () => {
  it.each(ROWS)('%s, %s: %j means %s', async (provider, how, body, means) => {
    const error = await failed(provider, how, body);
    const [kind, words, times] = MEANING[means];
    expect([error.kind, error.userMessage, asked]).toEqual([kind, expect.stringMatching(words), times]);
  });

  it('402 with a wait is a limit: other requests hold the last of the credit', async () => {
    const error = await failed('openrouter', 402, openai('In-flight budget', null, 402), { 'retry-after': '120' });
    expect([error.kind, error.userMessage]).toEqual(['provider', expect.stringContaining('in 2 minutes')]);
  });
});
