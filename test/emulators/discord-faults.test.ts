/** Failures on demand: limits, lost answers, outages; and the platform as a separate process. */
import { ChannelType, type TextChannel } from 'discord.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, bench } from './discord/testing.ts';
import { spawnDiscord } from './discord-client.ts';

const SEND = 'POST /channels/:id/messages';
let it: Bench;
let general: TextChannel;
beforeAll(async () => {
  it = await bench({}, undefined, { rejectOnRateLimit: ['/'] });
  const channel = await it.client.channels.fetch(it.discord.rooms.general);
  if (channel?.type !== ChannelType.GuildText) throw new Error('no text channel');
  general = channel;
  it.discord.reset();
});
afterEach(() => it.discord.reset());
afterAll(() => it.end());

const said = (text: string) =>
  it.discord.channel(general.id).messages.filter((message) => message.text === text).length;

describe('faults', () => {
  test('an answer is lost after the message was made, and the nonce saves the second try', async () => {
    it.discord.fault({ method: 'POST', path: '/channels/:id/messages', kind: 'lostAnswer' });
    const send = () => general.send({ content: 'lost', nonce: 'l-1', enforceNonce: true });
    await expect(send()).rejects.toThrow();
    expect(said('lost')).toBe(1);
    await send();
    expect(said('lost')).toBe(1);
    expect(it.discord.counters()).toMatchObject({ statuses: { 0: 1, 200: 1 }, faultsLeft: 0 });
  });

  test('a reset or an error page does nothing, and `skip` lets calls through', async () => {
    it.discord.fault({ path: SEND, kind: 'reset', skip: 1 });
    await general.send('through');
    await expect(general.send('reset')).rejects.toThrow();
    it.discord.fault({ path: `/channels/${general.id}/`, kind: 'status', status: 502, body: '<h1>502</h1>' });
    await expect(general.send('reset')).rejects.toMatchObject({ status: 502 });
    expect([said('through'), said('reset')]).toEqual([1, 0]);
  });

  test('429 tells how long and what for', async () => {
    it.discord.fault({ path: SEND, kind: 'status', retryAfter: 0.2, scope: 'shared' });
    await expect(general.send('limited')).rejects.toMatchObject({ retryAfter: expect.any(Number), scope: 'shared' });
    expect(said('limited')).toBe(0);
  });

  test('the channel limit is enforced on those who do not look at the headers', async () => {
    it.discord.rate({ channel: { limit: 2, perMs: 60_000 } });
    const send = () =>
      fetch(`${it.discord.url}/v10/channels/${general.id}/messages`, {
        method: 'POST',
        headers: { authorization: `Bot ${it.discord.token}`, 'content-type': 'application/json' },
        body: '{"content":"fast"}',
      });
    const first = await send();
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    await send();
    const third = await send();
    expect(third.status).toBe(429);
    expect(await third.json()).toMatchObject({ global: false, retry_after: expect.any(Number) });
    await send();
    expect(it.discord.counters().rate).toEqual({ violations: 2, early: 1 });
  });

  test('a thread is renamed twice in ten minutes and not a third time', async () => {
    const thread = await general.threads.create({ name: 'one' });
    await thread.setName('two');
    await thread.setName('three');
    await expect(thread.setName('four')).rejects.toMatchObject({ name: expect.stringContaining('RateLimitError') });
    expect(it.discord.thread(thread.id).names).toEqual(['one', 'two', 'three']);
  });

  test('an outage ends, and the client goes on', async () => {
    await it.discord.outage('refuse');
    await expect(general.send('nobody there')).rejects.toThrow();
    await it.discord.outage();
    await it.discord.connected();
    await general.send('there again');
    await it.discord.outage(503);
    await expect(general.send('away')).rejects.toMatchObject({ status: 503 });
    await it.discord.outage();
    expect([said('nobody there'), said('there again'), said('away')]).toEqual([0, 1, 0]);
    await it.discord.connected();
  });
});

test('runs as a process, driven from outside', async () => {
  const far = await spawnDiscord(['--message-content', 'no']);
  try {
    const attachments = [{ name: 'a.txt', bytes: Buffer.from('abc') }];
    const { files, channelId } = await far.dm('2002', 'hi', { attachments });
    expect(await (await fetch(files[0]?.url ?? '')).text()).toBe('abc');
    expect((await far.waitFor((message) => message.text === 'hi')).channelId).toBe(channelId);
    expect(await far.wait({ channel: channelId, text: 'h' })).toHaveLength(1);
    await expect(far.message('1', '2')).rejects.toThrow(/Unknown Channel/);
    expect(files[0]?.url.startsWith(far.cdn)).toBe(true);
  } finally {
    await far.kill();
  }
});
