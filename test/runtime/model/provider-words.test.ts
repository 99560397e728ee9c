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
  ['a quotation', { message: `Bad value "${LONG}" in messages` }, 'Bad value "…" in messages'],
  ['a secret', { message: 'no route for hunter2hunter2' }, 'no route for [secret]'],
  ['many words', { message: LONG }, LONG.slice(0, 200)],
  ['several lines and hidden letters', { message: 'one\n\ttwo\u200b\u0007three' }, 'one two three'],
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
