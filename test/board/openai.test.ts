/** What real clients send, read by the gateway; when a request is the same one; and by what a conversation is known. */
import { describe, expect, test } from 'vitest';
import { keysBefore, keysOfAnswer, keysOfQuestion } from '../../src/features/openai/history.ts';
import { type AcceptedRequest, repetitionOf } from '../../src/features/openai/records.ts';
import { chatRequest, readWords, type Utterance } from '../../src/features/openai/request.ts';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';

const said = (role: string) => (content: unknown) => ({ role, content });
const [system, user, assistant] = [said('system'), said('user'), said('assistant')];
const text = (words: string) => ({ type: 'text', text: words });
const called = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const streamed = { stream: true, stream_options: { include_usage: true } };
const sampling = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 };
const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }];
const [code, search] = ['```ts a.ts\nlet a;\n```\nExplain', 'Only SEARCH/REPLACE blocks.'];
const missing = { user: undefined, max_tokens: undefined, response_format: undefined, tool_choice: undefined };

type Read = { text: string; files?: number; before?: number; instructions?: string; ignored?: string[] };

/** The shapes of requests as these clients send them to any endpoint of OpenAI's API, and what is read. */
// biome-ignore format: a row is a line
const CLIENTS: [string, object, Read, messages: object[]][] = [
  [
    'Open WebUI',
    { stream: true },
    { text: 'What is this?', files: 1, before: 2, instructions: 'Be brief.' },
    [...[system('Be brief.'), user('Hi'), assistant('Hello.')], user([text('What is this?'), { type: 'image_url', image_url: { url: PNG } }])],
  ],
  [
    'LibreChat',
    { user: '65f0c0ffee', ...streamed, ...sampling },
    { text: 'Hi', instructions: 'Be kind.', ignored: Object.keys(sampling) },
    [system([text('Be kind.')]), user([text('Hi')])],
  ],
  [
    'Continue',
    { max_tokens: 4096, stream: true, tools, parallel_tool_calls: false },
    { text: code, instructions: 'You are in an IDE.', ignored: ['max_tokens', 'tools', 'parallel_tool_calls'] },
    [system('You are in an IDE.'), user([text(code)])],
  ],
  [
    'aider',
    { temperature: 0, stream: true },
    { text: 'Rename a', before: 2, instructions: `Act as an expert.\n\n${search}`, ignored: ['temperature'] },
    [...[system('Act as an expert.'), user('I have *added these files*'), assistant('Ok.')],...[user('Rename a'), system(search)]],
  ],
  [
    "LangChain's ChatOpenAI",
    { n: 1, stream: false, temperature: 0.7 },
    { text: 'And tomorrow?', before: 2, instructions: 'Be exact.', ignored: ['temperature'] },
    [
      ...[said('developer')('Be exact.'), user('What is the weather?'), { ...assistant(null), tool_calls: [called] }],
      ...[{ role: 'tool', tool_call_id: 'c1', content: 'Sunny' }, assistant('Sunny.')],
      { ...user('And tomorrow?'), name: 'alex' },
    ],
  ],
  ['llm', streamed, { text: 'Transcribe', files: 1 }, [user([text('Transcribe'), { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }])]],
  ["Vercel's openai-compatible provider", { ...missing, stream: true }, { text: 'Hi' }, [user('Hi')]],
];

describe('a request', () => {
  test.each(CLIENTS)('of %s is read', (_client, body, expected, messages) => {
    const sent = JSON.parse(JSON.stringify({ model: 'viber', ...body, messages }));
    const { newest, before, instructions, ignored } = readWords(chatRequest.parse(sent));
    const read = { text: newest.text, files: newest.files.length, before: before.length, instructions };
    const nothing = { files: 0, before: 0, instructions: '', ignored: [] };
    const wanted = { ...nothing, ...expected, ignored: new Set(expected.ignored) };
    expect({ ...read, ignored: new Set(ignored) }).toEqual(wanted);
  });

  test('names its files by their kind', () => {
    const content = [
      { type: 'image_url', image_url: PNG },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'mp3' } },
      { type: 'file', file: { file_id: 'uploads/0123', filename: 'a.pdf' } },
      { type: 'file', file: { file_data: 'JVBERi0=' } },
    ];
    const { newest } = readWords(chatRequest.parse({ model: 'viber', messages: [{ role: 'user', content }] }));
    expect(newest.files.map(({ name, url }) => [name, url.slice(0, 30)])).toEqual([
      ['image-1.png', PNG.slice(0, 30)],
      ['audio-2.mp3', 'data:audio/mp3;base64,UklGRg=='],
      ['a.pdf', 'uploads/0123'],
      ['file-4', 'data:application/octet-stream;base64,JVBERi0='.slice(0, 30)],
    ]);
  });

  test.each([
    { tool_choice: { type: 'function', function: { name: 'f' } } },
    { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } } },
    { function_call: { name: 'f' } },
    { modalities: ['text', 'audio'] },
    { top_logprobs: 3 },
  ])('with %j is refused', (given) => {
    const body = chatRequest.parse({ model: 'viber', messages: [{ role: 'user', content: 'Hi' }], ...given });
    expect(() => readWords(body)).toThrow();
  });

  test.each([
    { tool_choice: 'auto' },
    { tool_choice: 'none' },
    { function_call: 'auto' },
    { n: 1 },
    { logprobs: false },
  ])('with %j is not', (given) => {
    const body = chatRequest.parse({ model: 'viber', messages: [{ role: 'user', content: 'Hi' }], ...given });
    expect(readWords(body).newest.text).toBe('Hi');
  });
});

const NOW = 1_000_000_000;
const known: AcceptedRequest = { taskId: 't', message: 'm', turn: 1, again: 0, at: NOW - 5_000, body: 'b' };
const plain = { body: 'b', hasIdempotencyKey: false, isRetry: false };
const retry = { ...plain, isRetry: true };
const named = { ...plain, hasIdempotencyKey: true };
const idle = { isHeard: false, isRunning: false, now: NOW };

describe('a request that was made before', () => {
  test.each<[string, Parameters<typeof repetitionOf>, string]>([
    ['is new if it was never accepted', [retry, undefined, idle], 'new'],
    ['is refused if its key stands for another', [{ ...named, body: 'c' }, known, idle], 'reused'],
    ['is the same one if its key says so', [named, { ...known, end: 'answered', endedAt: 0 }, idle], 'join'],
    ['is the same one if the client says that it tries again', [retry, known, { ...idle, isHeard: true }], 'join'],
    ['is the same one if nobody waits for it any more', [plain, known, { ...idle, isRunning: true }], 'join'],
    ['is the same one if nobody heard its answer', [plain, known, idle], 'join'],
    ['is another one beside the first', [plain, known, { ...idle, isHeard: true }], 'new'],
    ['is another one after an hour', [plain, { ...known, endedAt: NOW - 3_600_000 }, idle], 'new'],
    ['is another one once it was answered', [plain, { ...known, end: 'answered', endedAt: NOW }, idle], 'new'],
    [
      'is the same one if the answer got lost',
      [retry, { ...known, end: 'answered', endedAt: NOW - 900 }, idle],
      'join',
    ],
    ['is another one much later', [retry, { ...known, end: 'answered', endedAt: NOW - 90_000 }, idle], 'new'],
    ['is tried again after a failure', [plain, { ...known, end: 'failed', endedAt: NOW }, idle], 'again'],
    ['is tried again after a stop', [retry, { ...known, end: 'stopped', endedAt: NOW }, idle], 'again'],
  ])('%s', (_what, given, expected) => {
    expect(repetitionOf(...given)).toBe(expected);
  });
});

describe('a conversation', () => {
  const words = (role: Utterance['role'], text: string, url?: string): Utterance => ({
    role,
    text,
    files: url === undefined ? [] : [{ name: 'a.png', type: '', url, field: '' }],
  });
  const [hi, hello] = [words('user', 'Hi'), words('assistant', 'Hello.')];
  const scope = ['desk', 'viber'];

  test('is known by all that was said, however it is spaced', () => {
    const [key] = keysOfAnswer(scope, [hi], ['Hello.']);
    expect(keysBefore(scope, [words('user', ' Hi\n'), words('assistant', 'Hello. ')]).answered).toBe(key);
    expect(keysBefore(scope, [words('user', 'Ho'), hello]).answered).not.toBe(key);
    expect(keysBefore(['desk', 'viber/dev'], [hi, hello]).answered).not.toBe(key);
    expect(keysBefore(scope, [hi, hello, hi, hello]).answered).not.toBe(key);
  });

  test('is known after words without a whole answer, too', () => {
    const [key] = keysOfQuestion(scope, [hi]);
    for (const before of [[hi], [hi, words('assistant', 'Hel')]])
      expect(keysBefore(scope, before).unanswered).toBe(key);
    expect(keysBefore(scope, []).unanswered).toBeUndefined();
  });

  test('is known with its files and without them', () => {
    const keys = keysOfAnswer(scope, [words('user', 'Hi', PNG)], ['Hello.']);
    expect(keys).toContain(keysBefore(scope, [words('user', 'Hi', PNG), hello]).answered);
    expect(keys).toContain(keysBefore(scope, [hi, hello]).answered);
    expect(keys).not.toContain(keysBefore(scope, [words('user', 'Hi', `${PNG}AA`), hello]).answered);
  });
});
