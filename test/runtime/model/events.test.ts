/** Streams with events that carry nothing, in the shape of every provider: the answer is what the others carry. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { carriedBy, type Shape } from '../../../src/runtime/model/events.ts';
import { listen } from '../../emulators/base/http.ts';
import { type Llm, startLlm } from '../../emulators/llm.ts';
import { failureOf, PATIENT, record, runWith, tool } from '../agent/fixtures.ts';

let llm: Llm;
beforeAll(async () => {
  llm = await startLlm();
  vi.stubEnv('OPENAI_BASE_URL', llm.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await llm.close();
});
beforeEach(() => llm.reset());

const run = (...[providers, given, hooks = record()]: Parameters<typeof runWith>) =>
  runWith(providers, given, hooks, PATIENT);

/** For any stream: what proxies, servers and keep-alives write. */
// biome-ignore format: a list is filled
const ANY = [
  'data: null', 'data: {}', 'data:', 'data: []', 'data: ""', 'data: ping', 'data: true', ': OPENROUTER PROCESSING',
  'event: keepalive\ndata: {}', 'id: 7', 'retry: 3000',
];
const CHAT = [
  ...ANY,
  'data: {"id":"x","object":"chat.completion.chunk","usage":{"prompt_tokens":3,"completion_tokens":2}}',
  'data: {"choices":null}',
  'data: {"choices":[]}',
  'data: {"choices":[null]}',
  'data: {"choices":[{"index":0,"delta":null,"finish_reason":null}]}',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":null}]}',
  'data: {"choices":[],"usage":null}',
  'data: {"error":null,"choices":null}',
  'data: {"error":{},"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}',
  'data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":""}]}',
  'data: {"choices":[{"index":0,"delta":{"tool_calls":[null]},"finish_reason":null}]}',
  'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0}]},"finish_reason":null}]}',
  'data: {"choices":[{"index":0,"delta":{"content":null,"tool_calls":null,"reasoning_content":null}}]}',
  'data: {"choices":[{"index":0,"delta":{"role":"model","content":""},"finish_reason":null}]}',
  'data: {"choices":[{"index":0,"delta":{"reasoning":{},"content":""},"finish_reason":false}]}',
];
const MESSAGES = [
  ...ANY,
  'event: ping\ndata: {"type":"ping"}',
  'data: {"type":"content_block_delta","index":0,"delta":null}',
  'data: {"type":"message_delta","delta":null}',
  'data: {"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":2}}',
  'data: {"type":"of_tomorrow","what":1}',
  [
    'data: {"type":"content_block_start","index":90,"content_block":{"type":"of_tomorrow"}}',
    'data: {"type":"content_block_delta","index":90,"delta":{"type":"text_delta","text":"x"}}',
    'data: {"type":"content_block_stop","index":90}',
  ].join('\n\n'),
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"of_tomorrow"}}',
  'data: {"type":null}',
];
const RESPONSES = [
  ...ANY,
  'data: {"type":"keepalive","sequence_number":3}',
  'data: {"type":null}',
  'data: {"type":"response.of_tomorrow"}',
];
const GEMINI = [
  ...ANY,
  'data: {"candidates":null}',
  'data: {"candidates":[]}',
  'data: {"candidates":[null]}',
  'data: {"candidates":[{"content":null}]}',
  'data: {"candidates":[{"content":{"role":"model"}}]}',
  'data: {"candidates":[{"content":{"role":"model","parts":null}}]}',
  'data: {"candidates":[{"content":{"role":"model","parts":[null]}}]}',
  'data: {"usageMetadata":{"promptTokenCount":3}}',
];

const PROVIDERS: [string, string, object, string[]][] = [
  ['Chat Completions', 'local/m', { local: {} }, CHAT],
  ["OpenAI's library for another address", 'openai/m', { openai: {} }, CHAT],
  ['Responses', 'openai/gpt-5.5', { openai: { baseURL: undefined } }, RESPONSES],
  ['Messages', 'anthropic/m', { anthropic: {} }, MESSAGES],
  ['generateContent', 'google/m', { google: {} }, GEMINI],
];
const settings = (given: object) =>
  Object.fromEntries(
    Object.entries(given).map(([name, more]) => {
      const { baseURL = 'baseURL' in more ? undefined : llm.url } = more as { baseURL?: string };
      return [name, { apiKey: 'k', ...(baseURL !== undefined && { baseURL }) }];
    }),
  );

describe.each(PROVIDERS)('a stream of %s', (_name, model, given, noise) => {
  it.each(noise)('with %s around every event is the same answer', async (line) => {
    llm.script(() => ({ chunks: ['Hel', 'lo'], noise: [line] }));
    const hooks = record();
    const outcome = await run(settings(given), { model }, hooks);
    expect([outcome.text, hooks.visible(), llm.stats().requests]).toEqual(['Hello', 'Hello', 1]);
  });

  it('with all of them calls its tools, each once', async () => {
    const ran: unknown[] = [];
    const look = tool('look', 'read', async (input) => `seen ${ran.push(input)}`);
    const calls = ['a', 'b'].map((text) => ({ name: 'look', arguments: { text } }));
    llm.script([
      { reasoning: 'Hm.', text: 'I look.', toolCalls: calls, noise },
      { text: 'Done.', noise },
    ]);
    const outcome = await run(settings(given), { model, tools: [look] });
    expect([outcome.text, ran, llm.stats().requests]).toEqual(['Done.', [{ text: 'a' }, { text: 'b' }], 2]);
    expect(outcome.usage.outputTokens).toBeGreaterThan(0);
  });

  it('of nothing but them is no answer', async () => {
    llm.script(() => ({ fault: 'cut', text: '', noise }));
    expect((await failureOf(run(settings(given), { model }))).error.kind).toBe('cut-off');
  });
});

describe('an event', () => {
  it.each<[Shape, string]>([
    ['chat', '{"choices": [{'],
    ['messages', '{"type":"content_bl'],
    ['responses', 'tent":"x"}'],
    ['gemini', '{"candidates":[{"content":{"parts":[{"text":"x'],
  ])('of %s that is torn is left to its reader: %s', (shape, data) => {
    expect(carriedBy(shape, data)).toBe(data);
  });

  it.each<[Shape, string]>([
    ['chat', '{"error":{"message":"busy"},"choices":null}'],
    ['messages', '{"type":"error","error":{"type":"overloaded_error","message":"x"}}'],
    ['gemini', '{"error":{"code":503,"message":"x"}}'],
  ])('of %s that tells a failure is told', (shape, data) => {
    expect(carriedBy(shape, data)).toBe(data);
  });

  it('in which vLLM says that it has failed is a failure', async () => {
    llm.script(() => ({ text: 'x', noise: ['data: {"object":"error","message":"This is broken","code":500}'] }));
    expect((await failureOf(run(settings({ local: {} }), { model: 'local/m' }))).error.kind).toBe('provider');
  });
});

describe('a piece of Chat Completions in another form', () => {
  const look = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{"text":"a"}' } };
  const calling = (call: object) => ({ choices: [{ index: 0, delta: { tool_calls: [{ ...look, ...call }] } }] });
  const text = { choices: [{ index: 0, delta: { content: 'Hello' } }] };

  it.each<[string, object, object?]>([
    ['arguments as an object, as Ollama has them', calling({ function: { name: 'look', arguments: { text: 'a' } } })],
    ['a number of the call as text', calling({ index: '0' })],
    ['no number of the call', calling({ index: undefined })],
    ['an id that is a number', calling({ id: 7 })],
    ['a message in the place of its piece', { choices: [{ index: 0, message: { tool_calls: [look] } }] }],
    ['an id and a time of another kind', { ...calling({}), id: 5, created: 'now', model: 7 }],
    ['text in a message in the place of its piece', { choices: [{ index: 0, message: { content: 'Hello' } }] }, {}],
    ['text beside an id and a time of another kind', { ...text, id: 5, created: 'now', model: 7 }, {}],
    ['text beside the whole message so far', { choices: [{ ...text.choices[0], message: { content: 'Hello' } }] }, {}],
  ])('%s is read', async (_what, piece, isText) => {
    const reason = isText ? 'stop' : 'tool_calls';
    const end = { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
    const ran: unknown[] = [];
    const tools = [tool('look', 'read', async (input) => `seen ${ran.push(input)}`)];
    const events = [piece, end].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
    const outcome = await answering({ body: events }, { tools });
    expect(isText ? outcome.text : ran).toEqual(isText ? 'Hello' : [{ text: 'a' }]);
  });
});

interface Answer {
  body: string;
  type?: string;
}

/** Runs against an endpoint that answers so, whatever it is asked. */
async function answering({ body, type = 'text/event-stream' }: Answer, asked: Parameters<typeof runWith>[1] = {}) {
  const { url, close } = await listen((request, response) => {
    request.resume().once('end', () => response.writeHead(200, { 'content-type': type }).end(body));
  });
  try {
    return await run({ local: { baseURL: url } }, { model: 'local/m', maxSteps: 1, ...asked });
  } finally {
    await close();
  }
}

describe('a whole answer of Chat Completions in another form', () => {
  const piece = (delta: object, reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const [hello, end] = [piece({ role: 'assistant', content: 'Hello' }), piece({}, 'stop')].map((one) =>
    JSON.stringify(one),
  );
  const [event, ended, DONE] = [`data: ${hello}\n\n`, `data: ${end}\n\n`, 'data: [DONE]\n\n'];
  const message = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] };

  it.each<[string, string, string?]>([
    ['without a reason to end before its mark of the end', event + DONE],
    ['without an empty line behind its last event', `${event}data: ${end}`],
    ['with something behind its mark of the end', `${event}${ended}${DONE}data: {"x":1}\n\ndata: oops{\n\n`],
    ['of events as plain text', event + ended + DONE, 'text/plain'],
    ['of events as bytes', `\n\n: hello\n\n${event}${ended}`, 'application/octet-stream'],
    ['of events whose type has capitals', event + ended, 'Text/Event-Stream; charset=UTF-8'],
    ['of JSON in lines', `${hello}\n${end}\n`, 'application/x-ndjson'],
    ['of one JSON body', `\n ${JSON.stringify(message, null, 2)}`, 'application/json'],
    ['of one JSON body that is called a stream', JSON.stringify(message)],
    ['with lines that end in CR and LF', `${event}${ended}${DONE}`.replaceAll('\n', '\r\n')],
    ['with lines that end in CR alone', `${event}${ended}${DONE}`.replaceAll('\n', '\r')],
    ['that ends with STOP', `${event}data: ${JSON.stringify(piece({}, 'STOP'))}\n\n`],
  ])('%s is read', async (_what, body, type) => {
    expect((await answering({ body, ...(type && { type }) })).text).toBe('Hello');
  });

  it.each(['max_tokens', 'MAX_TOKENS', 'model_length'])('that ends with %s has met its limit', async (reason) => {
    const outcome = await answering({ body: `${event}data: ${JSON.stringify(piece({}, reason))}\n\n` });
    expect([outcome.text.split('\n')[0], outcome.finish]).toEqual(['Hello', 'length']);
  });

  it('with neither a reason to end nor a mark of the end has broken off', async () => {
    expect((await failureOf(answering({ body: event }))).error.kind).toBe('cut-off');
  });

  it.each(['functions.look', 'default_api.look', 'look<|channel|>commentary', 'Look'])(
    'that calls a tool as %s has called it',
    async (name) => {
      const ran: unknown[] = [];
      const tools = [tool('look', 'read', async (input) => `seen ${ran.push(input)}`)];
      const call = { index: 0, id: 'c1', type: 'function', function: { name, arguments: '{"text":"a"}' } };
      const body = `data: ${JSON.stringify(piece({ tool_calls: [call] }, 'tool_calls'))}\n\n`;
      await answering({ body }, { tools });
      expect(ran).toEqual([{ text: 'a' }]);
    },
  );
});
