/** An address that answers with a web page, as a login, a proxy or a website does, is named as such and asked once. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/runtime/model/check.ts';
import { listen } from '../../emulators/base/http.ts';
import { failureOf, runWith } from '../agent/fixtures.ts';

interface Page {
  status?: number;
  type?: string | undefined;
  body?: string;
  headers?: Record<string, string>;
}
const PAGE = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Welcome to Hotel Secret</body></html>';
let page: Page = {};
let asked = 0;
const { url, close } = await listen((request, response) => {
  request.resume().on('end', () => {
    asked += 1;
    const { status = 200, type, body = PAGE, headers } = page;
    response.writeHead(status, { ...(type !== undefined && { 'content-type': type }), ...headers }).end(body);
  });
});
afterAll(close);
beforeEach(() => {
  asked = 0;
});

const HTML = 'text/html; charset=utf-8';
const provided = (provider: string) => ({ [provider]: { baseURL: `${url}/v1`, apiKey: 'k' } });
const run = (provider: string, given: Page) => {
  page = given;
  return failureOf(runWith(provided(provider), { model: `${provider}/m` }));
};
const sentence = (provider: string) =>
  `The address of the provider "${provider}" answered with a web page, not with a model's answer: check providers.${provider}.baseURL, and whether this machine has to sign in to its network or proxy.`;

describe('a web page in place of an answer', () => {
  it.each<[string, string, Page]>([
    ['openai', 'a website', { type: HTML }],
    ['anthropic', 'a website', { type: HTML }],
    ['google', 'a website', { type: 'TEXT/HTML' }],
    ['local', 'a website', { type: HTML }],
    ['local', 'a page without a type', { body: PAGE }],
    ['local', 'a page that says it is a stream', { type: 'text/event-stream', body: `\n\n  ${PAGE}` }],
    ['anthropic', 'a page that says it is a stream', { type: 'text/event-stream' }],
    ['anthropic', 'a page that says it is JSON', { type: 'application/json', body: `\uFEFF${PAGE}` }],
    ['google', 'XHTML', { type: 'application/xhtml+xml', body: `<?xml version="1.0"?>${PAGE}` }],
    ['local', 'a page of plain words', { type: HTML, body: 'dear guest, please sign in' }],
    ['anthropic', 'a page of one word', { type: HTML, body: 'data' }],
    ['local', 'an empty page', { type: HTML, body: '' }],
    ['local', 'a compressed page', { type: HTML, headers: { 'content-encoding': 'gzip' } }],
    ['local', 'a page of another path', { status: 404, type: HTML }],
    ['local', 'a page that takes no POST', { status: 405, type: HTML }],
    ['local', "a proxy's refusal", { status: 403, type: HTML }],
    ['local', "a network's sign-in", { status: 511, type: HTML }],
  ])('%s: %s', async (provider, _what, given) => {
    const { error } = await run(provider, given);
    expect([error.kind, asked]).toEqual(['unreachable', 1]);
    expect(error.userMessage).toBe(sentence(provider));
    expect(error.message).not.toContain('Secret');
  });

  const chunk = { id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hi.' } }] };
  const last = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const whole = {
    id: '1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  };
  const gemini = { candidates: [{ content: { parts: [{ text: 'Hi.' }], role: 'model' }, finishReason: 'STOP' }] };
  const events = (...all: object[]) => all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  it.each<[string, string, string]>([
    ['local', 'events', `${events(chunk, last)}data: [DONE]\n\n`],
    ['local', 'events after a comment', `\n: wait\n\n${events(chunk, last)}`],
    ['local', 'one body of JSON', JSON.stringify(whole)],
    ['google', 'events', events(gemini)],
  ])('is not an answer that is called a page: %s, %s', async (provider, _what, body) => {
    page = { type: HTML, body };
    expect((await runWith(provided(provider), { model: `${provider}/m` })).text).toBe('Hi.');
  });

  it.each<[string, Page, string]>([
    ["a server's failure", { status: 502, type: HTML }, 'is having problems'],
    ['a refused key', { status: 401, type: HTML }, "didn't accept the key"],
    ['no credit', { status: 403, type: HTML, body: '{"error":"Insufficient Balance"}' }, 'no credit left'],
    ['a limit', { status: 429, type: HTML }, 'is limiting our requests'],
  ])('%s means the same with a page', async (_what, given, words) => {
    expect((await run('local', given)).error.userMessage).toContain(words);
  });

  it('is named by the doctor and the setup', async () => {
    page = { type: HTML };
    await expect(checkModel('local/m', provided('local'), {})).rejects.toThrow(sentence('local'));
  });
});
