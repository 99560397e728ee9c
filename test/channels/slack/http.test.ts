/** Slack's requests over HTTP: signatures, times, repetition, sizes, and that 200 means durable. */
import { expect, test } from 'vitest';
import { quiet } from '../../kit/quiet.ts';
import { eventually, startBench } from './harness.ts';

const HTTP = { mode: 'http' } as const;

test('events, commands and presses come signed and are answered', async () => {
  const { slack, channel, got, connect } = await startBench(HTTP);
  await connect();
  expect(slack.counters().sockets.opened).toBe(0);
  const said = slack.say(slack.general, 'hi', { mention: true });
  await slack.settled();
  expect(new Set(got.map(({ message }) => message.id))).toEqual(new Set([`m:${said.ts}`]));
  const goal = await slack.slash({ text: 'write a poem' });
  expect(goal.ack).toMatchObject({ status: 200, body: { response_type: 'ephemeral', text: 'On it.' } });
  expect((await slack.slash({ text: 'status' })).ack).toMatchObject({ ok: true, status: 200 });
  const { text, chat } = { text: 'Which?', chat: slack.general };
  const address = { channel: 'slack', account: channel.account, chat };
  const buttons = [[{ id: 'b1', label: 'This' }]];
  await channel.send({ id: 'o', address, text, files: [], buttons }, { part: (_, post) => post({ key: 'k' }) });
  expect((await slack.press({ channel: slack.general, label: 'This' })).failed).toBe(false);
  expect(got.at(-1)?.message.button).toEqual({ id: 'b1' });
});

test('what cannot be stored is answered with 503 and comes again', async () => {
  const { slack, got, storing, connect } = await startBench(HTTP);
  await connect();
  let failures = 2;
  storing(async () => {
    if (failures-- > 0) throw new Error('disk full');
    return 'accepted';
  });
  slack.dm('U0ALEX000', 'keep this');
  await slack.settled();
  expect(got).toHaveLength(3);
  expect(slack.counters().deliveries).toMatchObject({ acknowledged: 1, redelivered: 2, lost: 0 });
});

test('a request is answered only when it is durable', async () => {
  const { slack, got, storing, connect } = await startBench(HTTP, { ackTimeoutMs: 2000 });
  await connect();
  const gate = Promise.withResolvers<'accepted'>();
  storing(() => gate.promise);
  slack.dm('U0ALEX000', 'wait');
  await eventually(() => got.length === 1);
  await quiet({ except: /slack/i });
  expect(slack.counters().deliveries).toMatchObject({ acknowledged: 0, pending: 1 });
  gate.resolve('accepted');
  await slack.settled();
  expect(slack.counters().deliveries.acknowledged).toBe(1);
});

const EVENT = {
  ...{ type: 'event_callback', team_id: 'T0EMULATE', event_id: 'Ev1' },
  event: {
    type: 'message',
    channel: 'D0X',
    channel_type: 'im',
    user: 'U0ALEX000',
    ts: '1718000000.000100',
    text: 'forged',
  },
};

test.each([
  ['no signature', { sign: false }],
  ['another secret', { secret: 'not-the-signing-secret' }],
  ['a body changed after it was signed', { tamper: true }],
  ['a time 301 s ago', { timestampOffsetS: -302 }],
  ['a time 301 s ahead', { timestampOffsetS: 302 }],
  ['a time that is none', { headers: { 'x-slack-request-timestamp': 'now' } }],
])('%s: 401, and nothing happens', async (_what, request) => {
  const { slack, got, connect } = await startBench(HTTP);
  await connect();
  expect(await slack.sendRaw({ body: EVENT, ...request })).toMatchObject({ status: 401 });
  expect(got).toEqual([]);
});

test('a request that is repeated byte for byte is answered 200 and has no effect', async () => {
  const { slack, got, connect } = await startBench(HTTP);
  await connect();
  expect(await slack.sendRaw({ body: EVENT, timestampOffsetS: 290 })).toMatchObject({ status: 200 });
  slack.dm('U0ALEX000', 'once');
  await slack.settled();
  expect(await slack.replay()).toMatchObject({ status: 200 });
  await slack.slash({ text: 'stop' });
  expect(await slack.replay()).toMatchObject({ status: 200, body: '' });
  expect(got.map(({ message }) => message.text)).toEqual(['forged', 'once', 'stop']);
});

test('a request that failed may be repeated', async () => {
  const { slack, got, storing, connect } = await startBench(HTTP, { retryDelaysMs: [] });
  await connect();
  storing(async () => {
    throw new Error('disk full');
  });
  slack.dm('U0ALEX000', 'again');
  await slack.settled();
  expect(slack.counters().deliveries).toMatchObject({ acknowledged: 0, lost: 1 });
  storing(async () => 'accepted');
  expect(await slack.replay()).toMatchObject({ status: 200 });
  expect(got).toHaveLength(2);
});

test('too much, another method and what is not JSON are refused; the check of a certificate is not', async () => {
  const { slack, got, connect } = await startBench(HTTP);
  await connect();
  expect(await slack.sendRaw({ body: 'x'.repeat(1_100_000) })).toMatchObject({ status: 413 });
  expect(await slack.sendRaw({ body: '[1, 2' })).toMatchObject({ status: 400 });
  expect(await slack.sendRaw({ body: 'null' })).toMatchObject({ status: 400 });
  expect(await slack.sendRaw({ body: { payload: '{' }, form: true })).toMatchObject({ status: 400 });
  expect(await slack.sendRaw({ body: { ssl_check: '1' }, form: true })).toMatchObject({ status: 200 });
  expect(await slack.sendRaw({ body: { type: 'app_rate_limited' } })).toMatchObject({ status: 200 });
  expect(await slack.sendRaw({ body: { type: 'url_verification', challenge: 'abc' } })).toMatchObject({ body: 'abc' });
  expect(await slack.sendRaw({ body: { type: 'url_verification', challenge: 'abc' }, sign: false })).toMatchObject({
    status: 401,
  });
  expect(got).toEqual([]);
});

test('after disconnect requests are turned away', async () => {
  const { slack, channel, connect } = await startBench(HTTP);
  await connect();
  await channel.disconnect();
  expect(await slack.sendRaw({ body: EVENT })).toMatchObject({ status: 503 });
});
