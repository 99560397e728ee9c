/** What is kept of a provider's own words: only where nothing is known of their meaning, and nothing that they quote. */
import { describe, expect, it } from 'vitest';
import { addSecret } from '../../../src/log.ts';
import { describeFailure } from '../../../src/runtime/contract/run-error.ts';

const http = (statusCode: number, body: object) =>
  Object.assign(new Error('refused'), { name: 'AI_APICallError', statusCode, responseBody: JSON.stringify(body) });

const LONG = 'word '.repeat(100);
addSecret('hunter2hunter2');

// biome-ignore format: a row is a line
const ROWS: [what: string, error: unknown, kept: string | undefined][] = [
  ['an error event', { message: 'model crashed' }, 'model crashed'],
  ['an error event of text', 'CUDA error: out of memory', 'CUDA error: out of memory'],
  ['a server in trouble', http(500, { error: { message: 'template failed' } }), 'template failed'],
  ['a refusal that means nothing to us', http(400, { error: { message: "Unsupported parameter: 'top_k'" } }), "Unsupported parameter: 'top_k'"],
  ['a refusal of FastAPI', http(400, { detail: 'stop must be a list' }), 'stop must be a list'],
  ['the words of the provider behind', http(500, { error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"no GPU is free"}}' } } }), 'no GPU is free'],
  ['a quotation', { message: `Bad value "${LONG}" in messages` }, 'Bad value …'],
  ['a secret', { message: 'no route for hunter2hunter2' }, 'no route for [secret]'],
  ['Python data', http(400, { error: { message: `Input should be a string, got \`[{"type":"text","text":"My PIN is 4711."}]\`` } }), 'Input should be a string, got …'],
  ['Python data of one fault', http(422, { detail: "Bad request input_value={'pin': 'my PIN is 4711'}" }), 'Bad request input_value= …'],
  ['bytes of Python', { message: "Bad body b'my PIN is 4711'" }, 'Bad body b …'],
  ['a quotation with apostrophes', { message: 'Can\'t read "Don\'t tell Anna I\'m ill, I\'ve cancer"' }, "Can't read …"],
  ['a quotation that begins with a negation', { message: "Can't read 'don't tell Anna'" }, "Can't read …"],
  ['German quotation marks', { message: 'Bad „my PIN is 4711“' }, 'Bad …'],
  ['French quotation marks', { message: 'Bad «\u00a0my PIN is 4711\u00a0»' }, 'Bad …'],
  ['single quotation marks', { message: 'Bad ‘my PIN is 4711’' }, 'Bad …'],
  ['Swedish quotation marks', { message: 'Bad ”my PIN is 4711”' }, 'Bad …'],
  ['a quotation in a tag', { message: 'Bad <my PIN is 4711>' }, 'Bad …'],
  ['a quotation that never ends', { message: 'Bad "my PIN is 4711' }, 'Bad …'],
  ['names in quotation marks and brackets', { message: 'Set `top_p` (TPM) of "messages.0.role" to [a-b], <= 4' }, 'Set `top_p` (TPM) of "messages.0.role" to [a-b], <= 4'],
  ['data', { message: 'Bad data:a/b,SGk= and data:image/png;base64,iVBORw0KGgo in it' }, 'Bad … and … in it'],
  ['an address that grants access', { message: 'No file at https://a.b/c?sig=1 or ftp://x' }, 'No file at … or …'],
  ['a secret far behind', { message: `Bad: "${'a'.repeat(1_950)}" key ${'x'.repeat(20)} hunter2hunter2` }, 'Bad: …'],
  ['a secret at the end of what is read', { message: `Bad: ${'a'.repeat(1_980)} hunter2hunter2` }, 'Bad: … [secret]'],
  ['a secret with a hidden letter', { message: 'no route for hunter2\u200bhunter2' }, 'no route for [secret]'],
  ['shortened keys', { message: 'no route for sk-live-ABC…5678... or sk-1, a***gA, ab...yz' }, 'no route for … or … … …'],
  ['a key of somebody else', { message: 'no route for sk-ant-api03-abcdefghijk' }, 'no route for …'],
  ['a name and a key', { message: 'no route for Basic dXNlcjprZXk= or dXNlcjpodW50ZXIyaHVudGVyMg==' }, 'no route for … or …'],
  ['a header', { message: 'no route for Bearer abc' }, 'no route for …'],
  ['escaped quotations', { message: 'Bad \\u0022my PIN is 4711' }, 'Bad …'],
  ['quotations of a page', { message: 'Bad &quot;my PIN is 4711&quot;' }, 'Bad …'],
  ['a path that grants access', { message: 'no file at /a?sig=1 for key=abc' }, 'no file at /a… for …'],
  ['a word cut at the end of what is read', { message: `${'a'.repeat(3_980)} ${'b'.repeat(90)}` }, undefined],
  ['a quotation alone', { message: '"my PIN is 4711"' }, undefined],
  ['many words', { message: LONG }, LONG.slice(0, 200)],
  ['several lines and hidden letters', { message: 'one\n\ttwo \u200bth\u0007ree' }, 'one two three'],
  ['a list of faults, which holds the input', http(422, { detail: [{ msg: 'bad', input: 'my words' }] }), undefined],
  ['a key', http(401, { error: { message: 'Incorrect API key provided: sk-***gA' } }), undefined],
  ['a known refusal', http(400, { error: { message: 'prompt is too long: 202128 tokens > 200000 maximum' } }), undefined],
  ['an error of ours', new Error('my words'), undefined],
];

describe("of a provider's words", () => {
  it.each(ROWS)('%s', (_what, error, kept) => {
    const failure = describeFailure(error, 'local/m').error;
    expect(failure.providerSaid).toBe(kept);
    if (kept !== undefined) expect(`${failure.message} ${failure.userMessage}`).not.toContain(kept);
  });
});
