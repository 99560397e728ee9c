/** Connections that break, freeze or are refused, wrong settings, and what was said meanwhile. */
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/errors.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { quiet, timersOver } from '../../kit/quiet.ts';
import { benchOn, createReadCursors, eventually, startBench } from './harness.ts';

test.each([
  [{ botToken: 'xoxb-wrong' }, /channels\.slack\.botToken: Slack doesn't accept this token/],
  [{ appToken: 'xapp-wrong' }, /channels\.slack\.appToken: Slack doesn't accept this app-level token/],
  [{ appToken: '' }, /channels\.slack\.appToken/],
  [{ mode: 'http', signingSecret: '' } as const, /channels\.slack\.signingSecret/],
])('a wrong setting %j is named', async (options, expected) => {
  const { connect } = await startBench(options);
  await expect(connect()).rejects.toThrow(expected);
  await expect(connect()).rejects.toBeInstanceOf(ConfigError);
});

test('missing scopes are named, all at once', async () => {
  const { slack, connect } = await startBench();
  slack.setScopes(['chat:write', 'commands', 'app_mentions:read']);
  await expect(connect()).rejects.toThrow(/scopes .*channels:history.*files:read.*im:history/);
});

test('a platform that is away at the start is waited for', async () => {
  const { slack, channel, got, connect } = await startBench();
  await slack.outage(503);
  const connecting = connect();
  await eventually(() => channel.status().state === 'reconnecting');
  await slack.outage();
  await connecting;
  slack.dm('U0ALEX000', 'there you are');
  await slack.settled();
  expect(got).toHaveLength(1);
});

test('a change of servers leaves a short gap, and refusals while reconnecting end nothing', async () => {
  const { slack, channel, states, texts, connect } = await startBench();
  await connect();
  const before = ownTime();
  slack.disconnect('refresh_requested');
  await eventually(() => states.includes('reconnecting'));
  await slack.connected();
  expect(ownTime() - before).toBeLessThan(1500);
  await eventually(() => channel.status().state === 'connected');
  slack.fault({ method: 'apps.connections.open', kind: 'status', status: 500, times: 2 });
  slack.fault({ method: 'apps.connections.open', kind: 'error', error: 'internal_error' });
  slack.dropSockets();
  await eventually(() => slack.counters().sockets.opened === 3);
  slack.dm('U0ALEX000', 'still here');
  await slack.settled();
  expect(texts()).toEqual(['still here']);
});

test.each(['refuse', 'reset', 'hang', 502] as const)(
  'an outage (%s) is waited out, and what was said in it is read afterwards',
  async (kind) => {
    const { slack, channel, texts, connect } = await startBench({ timing: { greetingMs: 300, pingMs: 600 } });
    await connect();
    slack.say(slack.general, 'before', { mention: true });
    await slack.settled();
    await slack.outage(kind);
    slack.dropSockets();
    await eventually(() => channel.status().state === 'reconnecting');
    slack.say(slack.general, 'meanwhile', { deliver: false });
    for (let n = 0; n < 3; n++) await timersOver(500);
    expect(channel.status().state).toBe('reconnecting');
    await slack.outage();
    await eventually(() => channel.status().state === 'connected');
    await eventually(() => texts().includes('meanwhile'));
    slack.say(slack.general, 'after');
    await eventually(() => texts().at(-1) === 'after');
    expect(slack.counters().sockets.open).toBe(1);
  },
);

test('a token taken back while we run is told, and a new one is not needed once it is given back', async () => {
  const { slack, channel, connect } = await startBench();
  await connect();
  slack.fault({ method: 'apps.connections.open', kind: 'error', error: 'token_revoked', times: 2 });
  slack.dropSockets();
  await eventually(() => channel.status().state === 'failed');
  expect(channel.status().detail).toContain('app-level token');
  await eventually(() => channel.status().state === 'connected');
});

test('a connection that is frozen is found and replaced', async () => {
  const { slack, channel, texts, connect } = await startBench({ timing: { pingMs: 600 } }, { ackTimeoutMs: 500 });
  await connect();
  slack.freeze(true);
  slack.dm('U0ALEX000', 'into the void');
  await eventually(() => slack.counters().sockets.opened >= 2);
  slack.freeze(false);
  await eventually(() => channel.status().state === 'connected');
  slack.redeliver();
  await eventually(() => texts().includes('into the void'));
});

test('frames that make no sense, and the news that events are held back, end nothing', async () => {
  const { slack, channel, texts, connect } = await startBench({ timing: { limitedMs: 50 } });
  await connect();
  slack.say(slack.general, 'a mark', { mention: true });
  await slack.settled();
  slack.say(slack.general, 'held back', { deliver: false });
  slack.rateLimitEvents();
  await eventually(() => texts().includes('held back'));
  expect(channel.status().state).toBe('connected');
});

test('what was said while we were away comes first, in order, once, also in threads', async () => {
  const first = await startBench();
  const { slack, cursors } = first;
  await first.connect();
  const root = slack.say(slack.general, 'a task', { mention: true });
  await slack.settled();
  await first.channel.disconnect();
  slack.say(slack.general, 'one', { deliver: false });
  slack.say(slack.general, 'two, in the thread', { thread: root.ts, deliver: false });
  slack.say(slack.general, 'three', { deliver: false, mention: true });
  const second = await benchOn(slack, { cursors: createReadCursors(Object.fromEntries(cursors.all())) });
  slack.fault({ method: 'conversations.history', kind: 'delay', delayMs: 150 });
  await second.connect();
  slack.say(slack.general, 'four, live');
  await slack.settled();
  // What is said while history is read comes from both sides, under one id.
  const ids = new Set(second.got.map(({ message }) => message.id));
  expect(ids.size).toBe(4);
  expect([...new Set(second.texts())]).toEqual(['one', 'two, in the thread', 'three', 'four, live']);
  expect(second.got[1]?.message.address.thread).toBe(root.ts);
  const live = first.got[0]?.message;
  slack.redeliver(root.events[0]);
  await slack.settled();
  expect(second.got.at(-1)?.message.id).toBe(live?.id);
});

test('a gap that is left half filled stays open: nothing is passed over, and nothing overtakes it', async () => {
  const first = await startBench();
  const { slack, cursors } = first;
  await first.connect();
  slack.say(slack.general, 'a task', { mention: true });
  await slack.settled();
  await first.channel.disconnect();
  for (const text of ['one', 'two', 'three']) slack.say(slack.general, text, { deliver: false });
  const second = await benchOn(slack, { cursors });
  const stored = Promise.withResolvers<void>();
  second.storing(async ({ text }) => {
    if (text === 'two') await stored.promise;
    return 'accepted';
  });
  await second.connect();
  await eventually(() => second.texts().includes('two'));
  slack.say(slack.general, 'four, live');
  // Commands wait for no gap: what came before this one over the line is in hand.
  await slack.slash({ text: 'status' });
  const left = second.channel.disconnect();
  stored.resolve();
  await left;
  const said = () => second.texts().filter((text) => !text.includes('status'));
  expect(said()).toEqual(['one', 'two']);
  const third = await benchOn(slack, { cursors });
  await third.connect();
  await eventually(() => third.texts().includes('four, live'));
  expect([...new Set([...said(), ...third.texts()])]).toEqual(['one', 'two', 'three', 'four, live']);
});

test('a gap longer than a page of history, with our own answers in it, is filled from its beginning', async () => {
  const first = await startBench();
  const { slack, cursors } = first;
  await first.connect();
  slack.say(slack.general, 'a mark', { mention: true });
  await slack.settled();
  await first.channel.disconnect();
  const said = Array.from({ length: 230 }, (_, n) => `message ${n}`);
  for (const [n, text] of said.entries()) {
    slack.say(slack.general, text, { deliver: false });
    if (n % 2 === 0) slack.botSays(slack.general, `answer ${n}`, { ours: true, deliver: false });
  }
  const second = await benchOn(slack, { cursors });
  await second.connect();
  await eventually(() => second.texts().includes('message 229'));
  expect(second.texts()).toEqual(said);
});

test('a gap that stop after stop cuts is filled from where the last one has left it', async () => {
  const first = await startBench();
  const { slack, cursors } = first;
  await first.connect();
  slack.say(slack.general, 'a mark', { mention: true });
  await slack.settled();
  await first.channel.disconnect();
  const said: string[] = [];
  const taken: string[] = [];
  for (let round = 0; round < 5; round++) {
    for (let n = 0; n < 40; n++) said.push(slack.say(slack.general, `message ${round} ${n}`, { deliver: false }).ts);
    const next = await benchOn(slack, { cursors });
    next.storing(async ({ messageId }) => {
      taken.push(messageId);
      if (taken.length % 10 === 0) void next.channel.disconnect();
      return 'accepted';
    });
    await next.connect();
    await eventually(() => taken.length === (round + 1) * 10);
    await next.channel.disconnect();
  }
  expect(taken).toEqual(said.slice(0, 50));
  expect(cursors.all().get(slack.general)).toBe(taken.at(-1));
});

test('what was said in a thread that began while we were away is read as well', async () => {
  const first = await startBench();
  const { slack, cursors } = first;
  await first.connect();
  slack.say(slack.general, 'a mark', { mention: true });
  await slack.settled();
  await first.channel.disconnect();
  const root = slack.say(slack.general, 'a task', { mention: true, deliver: false });
  slack.say(slack.general, 'more about it', { thread: root.ts, deliver: false });
  const second = await benchOn(slack, { cursors });
  await second.connect();
  await eventually(() => second.texts().includes('more about it'));
  expect(second.got.at(-1)?.message.address.thread).toBe(root.ts);
});

test('what comes live does not move the mark past a gap that could not be filled', async () => {
  const first = await startBench();
  const { slack, cursors } = first;
  await first.connect();
  const root = slack.say(slack.general, 'a task', { mention: true });
  await slack.settled();
  await first.channel.disconnect();
  slack.say(slack.general, 'one', { deliver: false });
  slack.say(slack.general, 'two, in the thread', { thread: root.ts, deliver: false });
  const second = await benchOn(slack, { cursors });
  second.storing(async ({ text }) => {
    if (text === 'one') throw new Error('disk full');
    return 'accepted';
  });
  await second.connect();
  await eventually(() => second.texts().includes('one'));
  slack.say(slack.general, 'three, live');
  slack.say(slack.general, 'four, live in the thread', { thread: root.ts });
  await eventually(() => second.texts().includes('four, live in the thread'));
  await slack.settled();
  await second.channel.disconnect();
  const third = await benchOn(slack, { cursors });
  await third.connect();
  await eventually(() => third.texts().includes('two, in the thread'));
  expect(third.texts()).toContain('one');
});

test('commands and presses do not wait for the gap to be filled', async () => {
  const { slack, connect } = await startBench({ cursors: createReadCursors({ C0GENERAL: '1.000001' }) });
  slack.fault({ method: 'conversations.history', kind: 'delay', delayMs: 700 });
  await connect();
  const result = await slack.slash({ text: 'status' });
  expect(result.ack.latencyMs).toBeLessThan(400);
});

test('disconnect closes the socket and takes nothing more', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  await channel.disconnect();
  await eventually(() => slack.counters().sockets.open === 0);
  slack.dm('U0ALEX000', 'too late');
  await quiet({ except: /Slack/ });
  expect(got).toEqual([]);
  expect(channel.status().state).toBe('off');
});

test('a refusal to open a connection for its rate is waited out as long as Slack says', async () => {
  const { slack, connect } = await startBench();
  slack.fault({ method: 'apps.connections.open', kind: '429', retryAfter: 2 });
  const began = performance.now();
  await connect();
  expect(performance.now() - began).toBeGreaterThanOrEqual(1990);
});
