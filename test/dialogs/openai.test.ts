/** OpenAI's own client, unchanged, against a whole gateway. */
import fs from 'node:fs';
import path from 'node:path';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { openPlatforms } from '../platforms/world.ts';
import { openWorld, type World } from './harness.ts';

const TOKEN = 'the-token-of-a-program';
const CLIENTS = { desk: { token: TOKEN }, other: { token: 'the-token-of-another' } };
type Said = OpenAI.ChatCompletionMessageParam;

async function open(config: object = {}) {
  const http = { port: 0, clients: CLIENTS };
  const limits = { freeBytes: 0, messagesPerMinute: 1000, downloadBytes: 100_000 };
  const world = await openWorld({ config: { http, limits, ...config } });
  return { world, client: clientOf(world) };
}

const clientOf = (world: World, given: Partial<ConstructorParameters<typeof OpenAI>[0]> = {}): OpenAI =>
  new OpenAI({ apiKey: TOKEN, baseURL: `http://127.0.0.1:${world.app.port}/v1`, ...given });

const user = (content: string): Said => ({ role: 'user', content });
const assistant = (content: string): Said => ({ role: 'assistant', content });
const tasksOf = ({ home }: { home: string }): string[] => fs.readdirSync(path.join(home, 'artifacts'));
const runsOf = (world: World) => world.llm.requests().length;
const lastPrompt = (world: World): string => JSON.stringify(world.llm.requests().at(-1)?.messages);

async function say(client: OpenAI, messages: Said[], more: object = {}, options: object = {}): Promise<string> {
  const answer = await client.chat.completions.create({ model: 'viber', messages, ...more, stream: false }, options);
  return answer.choices[0]?.message.content ?? '';
}

async function stream(client: OpenAI, messages: Said[], more: object = {}) {
  const given = { model: 'viber', messages, ...more, stream: true as const };
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await client.chat.completions.create(given)) chunks.push(chunk);
  return { chunks, text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('') };
}

/** Loses the answer to the first request, after `until` has happened. */
function losing(until: () => Promise<unknown>): typeof fetch {
  let isFirst = true;
  return async (url, init) => {
    if (!isFirst || init?.method?.toUpperCase() !== 'POST') return fetch(url, init);
    isFirst = false;
    const lost = new AbortController();
    const asked = fetch(url, { ...init, signal: lost.signal }).catch(() => undefined);
    await until();
    lost.abort();
    await asked;
    throw new TypeError('the connection was lost');
  };
}

describe('a program that speaks to the viber as to a model', () => {
  test('sees the vibers as models', async () => {
    const { client } = await open();
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(['viber', 'viber/default']);
    expect((await client.models.retrieve('viber/default')).id).toBe('viber/default');
    await expect(client.models.retrieve('gpt-5')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test('has a conversation that is one task, whose history the model gets once', async () => {
    const { world, client } = await open();
    world.llm.script([{ text: 'The kettle is on.' }, { text: 'Still hot.' }, { text: 'Anew.' }]);
    const first = await client.chat.completions.create({ model: 'viber', messages: [user('Make tea')] });
    expect(first).toMatchObject({
      object: 'chat.completion',
      model: 'viber',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'The kettle is on.' } }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    });
    // Programs trim, and their instructions change from one request to the next.
    const history: Said[] = [
      { role: 'system', content: 'It is 9:01. Speak like a pirate.' },
      user('Make tea '),
      assistant('\nThe kettle is on.'),
    ];
    expect(await say(client, [...history, user('Is it hot?')])).toBe('Still hot.');
    expect(tasksOf(world)).toHaveLength(1);
    expect(lastPrompt(world).split('Make tea')).toHaveLength(2);
    expect(lastPrompt(world)).toContain('Speak like a pirate');
    // A changed question goes on from where it was asked: another task, which knows what came before.
    expect(await say(client, [...history, user('Is it green?')])).toBe('Anew.');
    expect(tasksOf(world)).toHaveLength(2);
    expect(lastPrompt(world)).toContain('The kettle is on.');
    expect(lastPrompt(world)).not.toContain('Is it hot?');
  });

  test('streams: the role first, then pieces, the reason, the usage', async () => {
    const { world, client } = await open();
    world.llm.script([{ chunks: ['One ', 'two ', 'three.'], chunkDelayMs: 150 }]);
    const { chunks, text } = await stream(client, [user('Count')], { stream_options: { include_usage: true } });
    expect(text).toBe('One two three.');
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.filter(({ choices }) => choices[0]?.delta.content).length).toBeGreaterThan(1);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test('gives files and gets files', async () => {
    const { world, client } = await open();
    world.llm.script((asked) =>
      asked.toolResults.length === 0
        ? { toolCalls: [{ name: 'write_file', arguments: { path: 'tea.md', content: '# Tea' } }] }
        : { text: 'Written.' },
    );
    const csv = Buffer.from('beans,3').toString('base64');
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: 'text', text: 'Write about these' },
      { type: 'file', file: { filename: 'beans.csv', file_data: `data:text/csv;base64,${csv}` } },
    ];
    const answer = await client.chat.completions.create({ model: 'viber', messages: [{ role: 'user', content }] });
    const message = answer.choices[0]?.message;
    const url = /\[tea\.md\]\((http[^)]+)\)$/.exec(message?.content ?? '')?.[1] ?? '';
    expect(message?.annotations?.[0]?.url_citation).toMatchObject({ url, title: 'tea.md' });
    const file = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await file.text()).toBe('# Tea');
    expect((await fetch(url)).status).toBe(401);
    const given = fs.globSync('artifacts/*/*.csv', { cwd: world.home });
    expect(given.map((name) => fs.readFileSync(path.join(world.home, name), 'utf8'))).toEqual(['beans,3']);
  });

  test('gets a question as an answer, and answers it in the next message', async () => {
    const { world, client } = await open();
    world.llm.script((asked) =>
      asked.toolResults.length === 0
        ? { toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/out.md', content: 'hi' } }] }
        : { text: 'Written.' },
    );
    const first = [user('Write it')];
    const question = await say(client, first);
    expect(question).toMatch(/out\.md[\s\S]*Answer yes or no\.$/);
    expect(world.read('workspace/out.md')).toBe('');
    expect(await say(client, [...first, assistant(question), user('Yes, please.')])).toBe('Written.');
    expect([world.read('workspace/out.md'), tasksOf(world).length]).toEqual(['hi', 1]);
  });

  test('that goes away ends the run', async () => {
    const { world, client } = await open();
    world.llm.script([{ text: 'One two three.', delayMs: 60_000 }, { text: 'Again.' }]);
    const leaving = new AbortController();
    const lost = say(client, [user('Count')], {}, { signal: leaving.signal });
    await expect.poll(() => runsOf(world)).toBe(1);
    leaving.abort();
    await expect(lost).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await expect.poll(() => JSON.parse(world.read(`${world.task()}/task.json`)).state).toBe('stopped');
    // The conversation goes on, in the same task.
    expect(await say(client, [user('Count'), user('And now?')])).toBe('Again.');
    expect(tasksOf(world)).toHaveLength(1);
  });

  test.each([
    ['while it runs', 1],
    ['when it is done', 2],
  ])('that loses an answer %s and tries again runs nothing twice', async (_when, state) => {
    const { world } = await open();
    world.llm.script([{ text: 'Once.', delayMs: 500 }, { text: 'Twice.' }]);
    const until = () =>
      state === 1
        ? expect.poll(() => runsOf(world)).toBe(1)
        : expect.poll(() => JSON.parse(world.read(`${world.task()}/task.json`)).state).toBe('completed');
    expect(await say(clientOf(world, { fetch: losing(until) }), [user('Count')])).toBe('Once.');
    expect([runsOf(world), tasksOf(world).length]).toEqual([1, 1]);
    // Said once more, it is meant once more.
    expect(await say(clientOf(world), [user('Count')])).toBe('Twice.');
  });

  test('that names its request gets the same answer for it, and no other one', async () => {
    const { world, client } = await open();
    const options = { headers: { 'Idempotency-Key': 'k-1' } };
    const answers = await Promise.all([1, 2, 3].map(() => say(client, [user('Count')], {}, options)));
    expect([new Set(answers).size, runsOf(world)]).toEqual([1, 1]);
    expect(await say(client, [user('Count')], {}, options)).toBe(answers[0]);
    expect(runsOf(world)).toBe(1);
    await expect(say(client, [user('Other')], {}, options)).rejects.toMatchObject({
      status: 400,
      code: 'idempotency_key_reused',
    });
  });

  test('that names its conversation need send nothing else', async () => {
    const { world, client } = await open();
    const metadata = { conversation_id: 'c-1' };
    await say(client, [user('Make tea')], { metadata });
    await say(client, [user('Is it hot?')], { metadata });
    expect([tasksOf(world).length, lastPrompt(world).includes('Make tea')]).toEqual([1, true]);
  });

  test('asks fifty things at once, and gets fifty answers', async () => {
    const { world, client } = await open();
    const all = Array.from({ length: 50 }, (_, at) => `Question ${at}`);
    const answers = await Promise.all(
      all.map((text, at) =>
        at % 2 ? say(client, [user(text)]) : stream(client, [user(text)]).then((one) => one.text),
      ),
    );
    expect(answers).toEqual(all);
    expect(tasksOf(world)).toHaveLength(50);
  });

  test('of another token has another conversation of the same words', async () => {
    const { world, client } = await open();
    world.llm.script([{ text: 'Hello.' }, { text: 'Mine.' }, { text: 'Theirs.' }]);
    const other = clientOf(world, { apiKey: CLIENTS.other.token });
    const history = [user('Hi'), assistant('Hello.')];
    await say(client, [user('Hi')]);
    await say(client, [...history, user('A secret')]);
    expect(await say(other, [...history, user('A secret'), assistant('Mine.'), user('Go on')])).toBe('Theirs.');
    expect(tasksOf(world)).toHaveLength(2);
  });
});

describe('what is refused', () => {
  test.each<[string, object, number, object]>([
    ['another model', { model: 'gpt-5' }, 404, { code: 'model_not_found', param: 'model' }],
    ['several answers', { n: 2 }, 400, { param: 'n' }],
    ['probabilities', { logprobs: true }, 400, { param: 'logprobs' }],
    ['a tool that must be called', { tool_choice: 'required' }, 400, { param: 'tool_choice' }],
    ['a format', { response_format: { type: 'json_object' } }, 400, { param: 'response_format' }],
    ['no words', { messages: [user('  ')] }, 400, { param: 'messages' }],
    ['an answer to go on from', { messages: [user('a'), assistant('b')] }, 400, { param: 'messages' }],
    ['too much', { messages: [user('x'.repeat(1_100_000))] }, 413, { param: 'messages.0.content' }],
    [
      'a picture elsewhere',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/a.png' } }] }] },
      400,
      { param: 'messages.0.content.0' },
    ],
  ])('%s, in the form of the API', async (_what, given, status, error) => {
    const { world, client } = await open();
    const asked = say(client, [user('Hi')], given);
    await expect(asked).rejects.toMatchObject({ status, type: 'invalid_request_error', ...error });
    expect(world.llm.requests()).toEqual([]);
  });

  test('a wrong token, and too many messages', async () => {
    const { world } = await open({ limits: { freeBytes: 0, messagesPerMinute: 1 } });
    const wrong = say(clientOf(world, { apiKey: 'wrong' }), [user('Hi')]);
    await expect(wrong).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const client = clientOf(world, { maxRetries: 0 });
    await say(client, [user('One')]);
    const late = await say(client, [user('Two')]).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(OpenAI.RateLimitError);
    expect(late).toMatchObject({ type: 'rate_limit_error', headers: expect.anything() });
    expect((late as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('60');
  });

  test('a run that fails is told once, and not repeated by the client', async () => {
    const { world, client } = await open();
    world.llm.script([{ fault: 'unauthorized' }, { fault: 'unauthorized' }, { text: 'Better.' }]);
    await expect(say(client, [user('Hi')])).rejects.toMatchObject({ status: 500, code: 'run_failed' });
    expect(runsOf(world)).toBeLessThanOrEqual(1);
    await expect(stream(client, [user('Ho')])).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  test('what has no effect is named', async () => {
    const { client } = await open();
    const tools = [{ type: 'function' as const, function: { name: 'f', parameters: {} } }];
    const given = { model: 'viber', messages: [user('Hi')], temperature: 0, tools, tool_choice: 'auto' as const };
    const { response } = await client.chat.completions.create(given).withResponse();
    expect(response.headers.get('x-viber-ignored')?.split(', ').sort()).toEqual(['temperature', 'tools']);
    expect(response.headers.get('x-viber-task')).toMatch(/^\d{8}-/);
  });
});

test('a gateway that is killed loses no task: the client sees an error, and its next request has the answer', async () => {
  const world = await openPlatforms({
    on: ['telegram'],
    process: true,
    config: { http: { port: 0, clients: CLIENTS } },
  });
  world.llm.script([{ text: 'First.', delayMs: 30_000 }, { text: 'Resumed.' }, { text: 'Next.' }]);
  const at = () => `http://127.0.0.1:${JSON.parse(world.read('run/gateway.json')).port}/v1`;
  const client = () => new OpenAI({ apiKey: TOKEN, baseURL: at(), maxRetries: 0 });
  const asked = stream(client(), [user('Count')]).catch((error: unknown) => error);
  await expect.poll(() => world.llm.requests().length).toBe(1);
  await world.kill();
  expect(await asked).toBeInstanceOf(Error);
  expect(await say(client(), [user('Count')])).toBe('Resumed.');
  expect(await say(client(), [user('Count'), assistant('Resumed.'), user('More')])).toBe('Next.');
  expect(world.tasks()).toHaveLength(1);
});
