/** Failures of calls to the Slack emulator, as the real WebClient sees them. */
import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietClient } from './slack/bolt-helpers.ts';
import { type Slack, startSlack } from './slack.ts';
import { spawnSlack } from './slack-client.ts';

let slack: Slack;
let web: WebClient;

beforeEach(async () => {
  slack = await startSlack();
  web = quietClient(slack);
});

afterEach(() => slack.close());

const post = (text: string) => web.chat.postMessage({ channel: slack.general, text });
const texts = () => slack.channel(slack.general).messages.map(({ text }) => text);

test('an answer is lost after the message was posted; the key in its metadata tells so', async () => {
  slack.fault({ method: 'chat.postMessage', kind: 'lostAnswer' });
  const metadata = { event_type: 'reply', event_payload: { key: 'k-1' } };
  const lost = web.chat.postMessage({ channel: slack.general, text: 'once', metadata });
  await expect(lost).rejects.toMatchObject({ code: 'slack_webapi_request_error' });
  expect(texts()).toEqual(['once']);
  const plain = await web.conversations.history({ channel: slack.general });
  expect(plain.messages?.[0]).not.toHaveProperty('metadata');
  const full = await web.conversations.history({ channel: slack.general, include_all_metadata: true });
  expect(full.messages?.[0]).toMatchObject({ text: 'once', metadata });
  expect(slack.counters().statuses['0']).toBe(1);
});

test('resets, errors of the server and of the platform leave nothing behind', async () => {
  slack.fault({ method: 'chat.postMessage', kind: 'reset' });
  await expect(post('a')).rejects.toMatchObject({ code: 'slack_webapi_request_error' });
  slack.fault({ kind: 'status', status: 503 });
  await expect(post('b')).rejects.toMatchObject({ code: 'slack_webapi_http_error', statusCode: 503 });
  slack.fault({ kind: 'error', error: 'fatal_error', channel: slack.general });
  await expect(post('c')).rejects.toMatchObject({ data: { ok: false, error: 'fatal_error' } });
  slack.fault({ kind: '429', retryAfter: 7 });
  await expect(post('d')).rejects.toMatchObject({ code: 'slack_webapi_rate_limited_error', retryAfter: 7 });
  expect(texts()).toEqual([]);
  slack.fault({ kind: 'lateAnswer', delayMs: 60, skip: 1 });
  await post('e');
  const late = post('f');
  await slack.wait({ text: 'f' });
  expect(slack.counters().faultsLeft).toBe(0);
  expect((await late).ok).toBe(true);
  expect(texts()).toEqual(['e', 'f']);
});

test('an outage ends and begins on demand', async () => {
  await slack.outage('refuse');
  await expect(post('a')).rejects.toMatchObject({ code: 'slack_webapi_request_error' });
  await slack.outage(502);
  await expect(post('a')).rejects.toMatchObject({ statusCode: 502 });
  await slack.outage();
  await post('b');
  expect(texts()).toEqual(['b']);
});

test('tokens: none, wrong, of the wrong kind, revoked', async () => {
  await expect(quietClient(slack, '').auth.test()).rejects.toMatchObject({ data: { error: 'not_authed' } });
  await expect(quietClient(slack, 'xoxb-other').auth.test()).rejects.toMatchObject({ data: { error: 'invalid_auth' } });
  const wrong = { data: { error: 'not_allowed_token_type' } };
  await expect(web.apps.connections.open()).rejects.toMatchObject(wrong);
  await expect(quietClient(slack, slack.appToken).chat.postMessage({ channel: 'C', text: 't' })).rejects.toMatchObject(
    wrong,
  );
  expect((await quietClient(slack, slack.appToken).apps.connections.open()).url).toMatch(/^ws:\/\/127\.0\.0\.1:/);
  slack.setAuth('token_revoked');
  await expect(post('a')).rejects.toMatchObject({ data: { error: 'token_revoked' } });
  slack.setAuth();
  expect(await web.auth.test()).toMatchObject({
    user_id: slack.bot.userId,
    bot_id: slack.bot.botId,
    team_id: slack.team.id,
  });
});

test('a missing scope is named, and its events stay away', async () => {
  slack.setScopes(['chat:write', 'channels:read']);
  const refused = web.conversations.history({ channel: slack.general });
  await expect(refused).rejects.toMatchObject({
    data: {
      error: 'missing_scope',
      needed: expect.stringContaining('channels:history'),
      provided: 'chat:write,channels:read',
    },
  });
  const { response_metadata } = await web.auth.test();
  expect(response_metadata?.scopes).toEqual(['chat:write', 'channels:read']);
  expect(slack.say(slack.general, 'hello', { mention: true }).events).toEqual([]);
});

test('limits: a burst is let through, then 429 with the seconds to wait, counted', async () => {
  slack.rate({ channelBurst: 2 });
  await post('1');
  await post('2');
  await expect(post('3')).rejects.toMatchObject({ retryAfter: 1 });
  await expect(post('4')).rejects.toMatchObject({ retryAfter: 1 });
  expect(slack.counters()).toMatchObject({ violations: 2, early: 1, errors: { ratelimited: 2 } });
  slack.rate(false);
  await post('5');
  expect(texts()).toEqual(['1', '2', '5']);
  slack.reset();
  expect(slack.counters()).toMatchObject({ violations: 0, errors: {}, methods: {} });
});

test('as a process it is driven with the same functions', async () => {
  const far = await spawnSlack(['--ack-timeout-ms', '100', '--retry-delays-ms', '0']);
  try {
    const { channel, ts } = await far.dm(slack.users.alex.id, 'from afar', {
      files: [{ name: 'a.txt', bytes: Buffer.from('abc') }],
    });
    const [message] = (await far.channel(channel)).messages;
    expect(message).toMatchObject({ ts, text: 'from afar', files: [{ name: 'a.txt', size: 3 }] });
    expect((await far.bytes(message?.files[0]?.id ?? '')).toString()).toBe('abc');
    await far.settled();
    expect((await far.counters()).deliveries).toMatchObject({ events: 2, lost: 2, redelivered: 2 });
    const body = new URLSearchParams({ channel, text: 'answer' });
    const headers = { authorization: `Bearer ${far.botToken}` };
    const answered = far.waitFor((each) => each.from === 'bot');
    expect(await (await fetch(`${far.url}chat.postMessage`, { method: 'POST', headers, body })).json()).toMatchObject({
      ok: true,
    });
    expect((await answered).text).toBe('answer');
  } finally {
    await far.kill();
  }
});
