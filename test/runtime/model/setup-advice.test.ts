/** What the setup advises when a model or a chat platform can't be used: by what failed, whatever the words are. */
import { afterAll, describe, expect, it } from 'vitest';
import { isTokenAtFault } from '../../../src/cli/setup/chat.ts';
import { platforms } from '../../../src/config/platforms.ts';
import { ConfigError, problemWith } from '../../../src/errors.ts';
import { say } from '../../../src/messages/messages.ts';
import { type Finding, wrong } from '../../../src/runtime/contract/finding.ts';
import { checkChosen } from '../../../src/runtime/model/check.ts';
import { modelFix } from '../../../src/runtime/model/setup.ts';
import { listen } from '../../emulators/base/http.ts';

let answer = { status: 500, type: 'application/json', body: '' };
const { url, close } = await listen((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
  });
});
afterAll(close);

const error = (message: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type: 'x', param: null, code } });

async function advice(baseURL: string, page?: string): Promise<string | undefined> {
  const findings = await checkChosen('local/m', { local: { baseURL, apiKey: 'k' } }, {});
  return modelFix(
    findings.filter(({ state }) => state === 'wrong'),
    page,
  )?.key;
}

describe('the advice for a model', () => {
  // biome-ignore format: a row is a line
  it.each<[what: string, status: number, body: string, key: string | undefined]>([
    ['a refused key', 401, error('Неверный ключ'), 'setup.keyRefused'],
    ['a refused key with a status of its own', 400, error('???', 'invalid_api_key'), 'setup.keyRefused'],
    ['no credit, in words that name the key', 402, error('Top up the account of this API key'), undefined],
    ['an unknown model called 401', 404, error('The model 401 does not exist'), undefined],
    ['a limit', 429, error('403 requests'), undefined],
    ['an answer that can’t be read', 200, 'hello', 'setup.checkAddress'],
  ])('%s', async (_what, status, body, key) => {
    answer = { status, type: status === 200 ? 'text/event-stream' : 'application/json', body };
    expect(await advice(`${url}/v1`)).toBe(key);
  });

  it('names the page of the key, if there is one', async () => {
    answer = { status: 401, type: 'application/json', body: error('no') };
    expect(await advice(`${url}/v1`, 'https://x.example')).toBe('setup.keyRefusedPage');
  });

  it('is about the network where nothing was reached, and about the address where that was typed', async () => {
    const nobody = 'http://127.0.0.1:9/v1';
    expect([await advice(nobody, 'https://x.example'), await advice(nobody)]).toEqual([
      'doctor.reach',
      'setup.orAddress',
    ]);
  });

  it('is in the sentence itself for a web page and for a setting', async () => {
    answer = { status: 200, type: 'text/html', body: '<html>401 API key</html>' };
    expect(await advice(`${url}/v1`)).toBeUndefined();
    expect(modelFix(wrong('model', new ConfigError([problemWith('model', say('failures.noModel'))])), undefined)).toBe(
      undefined,
    );
  });
});

describe('a platform asks for another token', () => {
  const setting = (path: string, key: 'checks.discordToken' | 'checks.discordIntent'): Finding[] =>
    wrong('discord', new ConfigError([problemWith(path, say(key, { page: 'p' }))]));
  const discord = platforms().find(({ name }) => name === 'discord');

  it.each<[string, Finding[], boolean]>([
    ['a token', setting('channels.discord.token', 'checks.discordToken'), true],
    ['an intent', setting('channels.discord', 'checks.discordIntent'), false],
    ['the token of another', setting('channels.telegram.token', 'checks.discordToken'), false],
    ['a failure that speaks of a Token', wrong('discord', new Error('token: Token service is down')), false],
  ])('because of %s: %#', (_what, findings, expected) => {
    expect(discord && isTokenAtFault(findings, discord)).toBe(expected);
  });
});
