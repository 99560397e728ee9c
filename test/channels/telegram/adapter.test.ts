/** Taking messages in: connecting, polling, acknowledging, trouble. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createChannelState } from '../../../src/channels/shared/connection.ts';
import { checkTelegram } from '../../../src/channels/telegram/adapter.ts';
import { ConfigError } from '../../../src/errors.ts';
import { createLog, silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { TEST_TOKEN } from '../../emulators/telegram.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { serve } from '../../helpers/serve.ts';
import { quiet } from '../../kit/quiet.ts';
import { ALEX, eventually, startBench } from './harness.ts';

describe('connect', () => {
  it('introduces itself, polls and removes no webhook that is not there', async () => {
    const { telegram, channel, connect } = await startBench();
    await connect();
    await telegram.called('getUpdates');
    await telegram.called('setMyCommands');
    expect([channel.account, channel.status()]).toEqual(['7000000001', { state: 'connected' }]);
    expect(Object.keys(telegram.counters().methods).sort()).toEqual(['getMe', 'getUpdates', 'setMyCommands']);
    const { params } = await telegram.called('getUpdates');
    expect(params.allowed_updates).toEqual([
      'message',
      'edited_message',
      'channel_post',
      'edited_channel_post',
      'callback_query',
      'my_chat_member',
      'stopped_message_generation',
    ]);
  });

  it.each(['7000000001:wrong-token-of-the-right-shape-012345', 'no token at all', ''])(
    'refuses the token %j by the name of its key',
    async (token) => {
      const { connect, channel } = await startBench({ token });
      const error = await connect().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toContain('channels.telegram.token');
      if (token !== '') expect(`${error} ${channel.status().detail}`).not.toContain(token);
    },
  );

  it.each([
    ['the network is away', { kind: 'refuse' as const }],
    ['Telegram is broken', { kind: 'status' as const, status: 502, html: true }],
    ['Telegram says later', { kind: 'status' as const, retryAfter: 0 }],
    ['the line is cut', { kind: 'reset-after' as const }],
  ])('goes on trying while %s', async (_what, fault) => {
    const { telegram, channel, connect } = await startBench();
    telegram.fault({ ...fault, method: 'getMe', times: 3 });
    const connecting = connect();
    await eventually(() => channel.status().state === 'reconnecting');
    expect(channel.status().detail).not.toContain(TEST_TOKEN);
    await connecting;
    expect(channel.status().state).toBe('connected');
    expect(telegram.counters().methods.getMe).toBe(4);
  });

  it.each(['telegram', 'discord', 'slack'])(
    'says once, until %s has connected, that it keeps trying and how to reach it meanwhile',
    (name) => {
      const written: string[] = [];
      const log = createLog({ level: 'warn', pretty: false, write: (line) => void written.push(line) });
      const state = createChannelState(name, log, () => undefined);
      const away = { state: 'reconnecting', detail: 'it cannot be reached (ENOTFOUND)' } as const;
      for (const next of [away, away, { state: 'connected' } as const, away]) state.set(next);
      const texts = written.map((line) => JSON.parse(line).msg);
      expect(texts).toEqual([
        expect.stringMatching(/ENOTFOUND\); I keep trying\. .*viber chat.* .*viber board/),
        away.detail,
      ]);
      expect(state.get()).toEqual(away);
    },
  );

  it('can be given up', async () => {
    const { telegram, channel, connect } = await startBench();
    await telegram.outage('refuse');
    const connecting = connect();
    await eventually(() => channel.status().state === 'reconnecting');
    await channel.disconnect();
    await connecting;
    expect(channel.status().state).toBe('off');
  });

  it('sets the commands once, and again when they change', async () => {
    const values = new Map<string, string>();
    const cache = {
      get: async (key: string) => values.get(key),
      set: async (key: string, value: string) => void values.set(key, value),
    };
    const set = async (description: string) => {
      const { telegram, connect, channel } = await startBench({
        cache,
        attachCommands: [{ name: 'help', description }],
      });
      await connect();
      await telegram.called('getUpdates');
      await quiet();
      await channel.disconnect();
      return telegram.requests('setMyCommands').map(({ params }) => params.commands);
    };
    expect(await set('Help')).toEqual([[{ command: 'help', description: 'Help' }]]);
    expect(await set('Help')).toEqual([]);
    expect(await set('More help')).toEqual([[{ command: 'help', description: 'More help' }]]);
  });

  it('the doctor asks once', async () => {
    const { telegram } = await startBench();
    const options = { apiRoot: `${telegram.url}/`, log: silentLog() };
    expect(messagesIn('en').said(await checkTelegram({ ...options, token: telegram.token }))).toBe(
      '@viber_test_bot answers',
    );
    await expect(checkTelegram({ ...options, token: '1:x' })).rejects.toThrow('channels.telegram.token');
  });
});

describe('polling', () => {
  it('hands over in order, a burst in one tick', async () => {
    const { telegram, connect, texts, got, eventually: until } = await startBench();
    await connect();
    telegram.burst([ALEX, 1002], 60);
    await until(() => got.length === 120);
    const of = (chat: number) =>
      got.filter(({ message }) => message.address.chat === String(chat)).map(({ message }) => message.text);
    const expected = Array.from({ length: 60 }, (_, index) => String(index + 1));
    expect([of(ALEX), of(1002)]).toEqual([expected, expected]);
    expect(texts().slice(0, 2)).toEqual(['1', '1']);
    expect(telegram.requests('getUpdates').length).toBeLessThan(8);
  });

  it('calls onMessage for a whole batch before any of it is durable, and asks on only after all is', async () => {
    const { telegram, connect, got, storing, eventually: until } = await startBench();
    for (let n = 1; n <= 3; n++) telegram.say(ALEX, `${n}`);
    const disk = Promise.withResolvers<void>();
    storing(() => disk.promise);
    await connect();
    await until(() => got.length === 3);
    await quiet({ except: /Telegram/ });
    expect(telegram.requests('getUpdates').length).toBe(1);
    disk.resolve();
    await until(() => telegram.requests('getUpdates').length === 2);
    expect(telegram.counters().updates.pending).toBe(0);
  });

  it('does not pass a message that could not be stored', async () => {
    const { telegram, channel, connect, texts, storing, eventually: until } = await startBench();
    for (const text of ['one', 'two', 'three']) telegram.say(ALEX, text);
    let full = true;
    storing(async (message) => {
      if (full && message.text === 'two') throw new Error('no space left');
    });
    await connect();
    await until(() => texts().filter((text) => text === 'two').length >= 2);
    expect(channel.status()).toMatchObject({ state: 'reconnecting', detail: expect.stringContaining('no space left') });
    expect(telegram.counters().updates.pending).toBe(2);
    full = false;
    await until(() => telegram.counters().updates.pending === 0);
    expect(texts().filter((text) => text === 'one')).toEqual(['one']);
    expect(texts().slice(-2)).toEqual(['two', 'three']);
    await until(() => channel.status().state === 'connected');
  });

  it('drops and counts what it does not know, and passes it', async () => {
    const { telegram, connect, texts, dropped, eventually: until } = await startBench();
    telegram.sendUpdate({ message: 'no object' });
    telegram.sendUpdate({ pre_checkout_query: { id: '1' } });
    telegram.sendUpdate({ message: { message_id: 1, chat: { id: 1 } } });
    telegram.say(ALEX, 'still here');
    await connect();
    await until(() => texts().includes('still here'));
    expect(dropped).toEqual(['message', 'pre_checkout_query', 'malformed']);
  });

  it('says so when another program polls, and goes on when it has left', async () => {
    const { telegram, channel, connect, texts, eventually: until } = await startBench({ pollSeconds: 1 });
    telegram.fault({ method: 'getUpdates', kind: 'status', status: 409, times: 2 });
    await connect();
    await until(() => channel.status().state === 'reconnecting');
    expect(channel.status().detail).toContain('another program polls with this token');
    telegram.say(ALEX, 'now');
    await until(() => texts().includes('now'));
    await until(() => channel.status().state === 'connected');
    expect(channel.status()).not.toHaveProperty('detail');
  });

  it('removes a webhook that keeps it from polling', async () => {
    const { telegram, connect, texts, eventually: until } = await startBench();
    const set = await fetch(`${telegram.url}/bot${telegram.token}/setWebhook?url=http://127.0.0.1:9/x`);
    expect(set.status).toBe(200);
    telegram.say(ALEX, 'hello');
    await connect();
    await until(() => texts().includes('hello'));
    expect(telegram.requests('deleteWebhook').map(({ params }) => String(params.drop_pending_updates))).toEqual([
      'false',
    ]);
  });

  it.each([
    ['resets', 'reset' as const],
    ['errors', 502],
    ['nothing listening', 'refuse' as const],
  ])('comes through an outage of %s', async (_what, outage) => {
    const { telegram, channel, connect, texts, eventually: until } = await startBench({ pollSeconds: 1 });
    await connect();
    await telegram.called('getUpdates');
    await telegram.outage(outage);
    await until(() => channel.status().state === 'reconnecting');
    await telegram.outage();
    telegram.say(ALEX, 'after');
    await until(() => texts().includes('after'));
    await until(() => channel.status().state === 'connected');
    expect(texts()).toEqual(['after']);
  });

  it('finds a line that is dead without being closed', async () => {
    const {
      telegram,
      channel,
      connect,
      texts,
      eventually: until,
    } = await startBench({
      pollSeconds: 1,
      timing: { graceMs: 200 },
    });
    await connect();
    await telegram.called('getUpdates');
    await telegram.outage('hang');
    await until(() => channel.status().state === 'reconnecting');
    await telegram.outage();
    telegram.say(ALEX, 'back');
    await until(() => texts().includes('back'));
    await until(() => channel.status().state === 'connected');
  });

  it('waits as long as Telegram says', async () => {
    const { telegram, connect, eventually: until } = await startBench();
    telegram.fault({ method: 'getUpdates', kind: 'status', retryAfter: 1 });
    await connect();
    await until(() => telegram.requests('getUpdates').length >= 2);
    const [first, second] = telegram.requests('getUpdates');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('a token that is taken away shows as failed, and a new life of it as connected', async () => {
    const { telegram, channel, connect, eventually: until } = await startBench({ pollSeconds: 1 });
    telegram.fault({ method: 'getUpdates', kind: 'status', status: 401 });
    await connect();
    await until(() => channel.status().state === 'failed');
    expect(channel.status().detail).toContain('channels.telegram.token');
    await until(() => channel.status().state === 'connected');
  });

  it('acknowledges a button at once after it is durable, and a late one does no harm', async () => {
    const { telegram, connect, got, storing, eventually: until } = await startBench();
    const order: string[] = [];
    storing(async () => void order.push('stored'));
    await connect();
    telegram.fault({
      method: 'answerCallbackQuery',
      kind: 'status',
      status: 400,
      description: 'Bad Request: query is too old',
    });
    for (const id of ['11', '12']) {
      const message = { message_id: 3, date: 1, chat: { id: ALEX, type: 'private' } };
      telegram.sendUpdate({
        callback_query: { id, from: { id: ALEX, is_bot: false, first_name: 'Alex' }, data: 'b1', message },
      });
    }
    await until(() => telegram.requests('answerCallbackQuery').length === 2);
    expect(telegram.requests('answerCallbackQuery').map(({ params }) => params.callback_query_id)).toEqual([
      '11',
      '12',
    ]);
    expect(order).toEqual(['stored', 'stored']);
    expect(got[0]?.message.button).toEqual({ id: 'b1' });
  });
});

describe('an album in a group', () => {
  const ROOM = -100200;
  const caption = '@viber_test_bot compare them';
  const part = (name: string, from = ALEX) => ({ name, text: name, from, extra: { media_group_id: '77' } });

  async function startRoom() {
    const bench = await startBench();
    bench.telegram.addChat({ id: ROOM, type: 'supergroup', title: 'Team' }, { members: [ALEX, 1002] });
    bench.refusing(({ isDirect, isMention }) => !isDirect && !isMention);
    const names = (isAddressed: boolean) =>
      bench.got
        .filter(({ message }) => message.isMention === isAddressed)
        .map(({ message }) => message.files[0]?.name ?? message.text);
    return { ...bench, addressed: () => names(true), unaddressed: () => names(false) };
  }

  it.each([
    ['first', 0, ['a', 'b', 'c'], []],
    ['second', 1, ['a', 'b', 'c'], ['a']],
    ['last', 2, ['a', 'b', 'c'], ['a', 'b']],
  ])('is addressed to us as a whole when the caption is with its %s part', async (_what, at, whole, refused) => {
    const { telegram, connect, addressed, unaddressed, eventually: until } = await startRoom();
    const files = ['a', 'b', 'c'].map((name, index) => ({ name, text: name, ...(index === at && { caption }) }));
    telegram.sendAlbum(ROOM, files, { from: ALEX });
    await connect();
    await until(() => addressed().length === 3);
    await until(() => telegram.counters().updates.pending === 0);
    expect([addressed().sort(), unaddressed()]).toEqual([whole, refused]);
  });

  it('draws in a part that came in a batch before, and holds up nobody meanwhile', async () => {
    const { telegram, connect, got, addressed, unaddressed, eventually: until } = await startRoom();
    await connect();
    telegram.sendFile(ROOM, part('a'));
    telegram.say(ALEX, 'in private');
    await until(() => got.length === 2);
    expect(telegram.counters().updates.pending).toBe(2);
    telegram.sendFile(ROOM, { ...part('b'), caption });
    telegram.sendFile(ROOM, part('c'));
    await until(() => telegram.counters().updates.pending === 0);
    expect(addressed()).toEqual(['a', 'b', 'c']);
    expect(unaddressed()).toEqual(['a', 'in private']);
  });

  it('is let go after a moment when nobody is addressed, with each part handed over once', async () => {
    const { telegram, connect, addressed, unaddressed, eventually: until } = await startRoom();
    await connect();
    telegram.sendAlbum(ROOM, [part('a'), part('b')]);
    await until(() => unaddressed().length === 2);
    await until(() => telegram.counters().updates.pending === 0);
    expect([addressed(), unaddressed()]).toEqual([[], ['a', 'b']]);
    expect(telegram.requests('getUpdates').length).toBeLessThan(15);
  });

  it('is given again by Telegram after an end in its middle', async () => {
    const first = await startRoom();
    await first.connect();
    first.telegram.sendFile(ROOM, part('a'));
    await first.eventually(() => first.unaddressed().length === 1);
    await first.channel.disconnect();
    expect(first.telegram.counters().updates.pending).toBe(1);
  });

  it('shares nothing with the files of somebody else or of another album', async () => {
    const { telegram, connect, addressed, unaddressed, eventually: until } = await startRoom();
    await connect();
    telegram.sendFile(ROOM, { ...part('a'), caption });
    telegram.sendFile(ROOM, part('b', 1002));
    telegram.sendFile(ROOM, { ...part('c'), extra: { media_group_id: '78' } });
    await until(() => unaddressed().length === 2);
    await until(() => telegram.counters().updates.pending === 0);
    expect([addressed(), unaddressed()]).toEqual([['a'], ['b', 'c']]);
  });

  it('is addressed as a whole by a part that is let in for another reason', async () => {
    const { telegram, connect, got, refusing, eventually: until } = await startRoom();
    refusing(({ isMention, command }) => !isMention && command?.name !== 'new');
    await connect();
    telegram.sendFile(ROOM, part('a'));
    await until(() => got.length === 1);
    telegram.sendFile(ROOM, { ...part('b'), caption: '/new compare' });
    await until(() => telegram.counters().updates.pending === 0);
    expect(got.map(({ message }) => [message.files[0]?.name, message.isMention])).toEqual([
      ['a', false],
      ['b', false],
      ['a', true],
    ]);
  });

  it('draws a part in that could not be stored, once it can', async () => {
    const { telegram, connect, got, addressed, storing, eventually: until } = await startRoom();
    let isFull = true;
    storing(async ({ isMention, files }) => {
      if (isFull && isMention && files[0]?.name === 'a') throw new Error('no space left');
    });
    telegram.sendAlbum(ROOM, [part('a'), { ...part('b'), caption }]);
    await connect();
    await until(() => addressed().filter((name) => name === 'a').length >= 2);
    expect(telegram.counters().updates.pending).toBe(2);
    isFull = false;
    const before = got.length;
    await until(() => telegram.counters().updates.pending === 0);
    expect(got.slice(before).map(({ message }) => [message.isMention, message.files[0]?.name])).toContainEqual([
      ...[true, 'a'],
    ]);
  });
});

describe('disconnect', () => {
  it('waits for the batch in hand and tells Telegram how far it came', async () => {
    const { telegram, channel, connect, got, storing, eventually: until } = await startBench();
    const disk = Promise.withResolvers<void>();
    storing(() => disk.promise);
    telegram.say(ALEX, 'one');
    await connect();
    await until(() => got.length === 1);
    let stopped = false;
    const stopping = channel.disconnect().then(() => {
      stopped = true;
    });
    await quiet({ except: /Telegram/ });
    expect(stopped).toBe(false);
    disk.resolve();
    await stopping;
    expect(telegram.counters().updates).toMatchObject({ pending: 0, isPolling: false });
    expect(channel.status().state).toBe('off');
  });

  it('ends an open poll at once', async () => {
    const { telegram, channel, connect } = await startBench({ pollSeconds: 30 });
    await connect();
    await telegram.called('getUpdates');
    const start = ownTime();
    await channel.disconnect();
    expect(ownTime() - start).toBeLessThan(500);
  });

  it('takes at most about a second when Telegram hangs', async () => {
    const { telegram, channel, connect, got, eventually: until } = await startBench();
    await connect();
    telegram.say(ALEX, 'one');
    await until(() => got.length === 1);
    await telegram.outage('hang');
    const start = ownTime();
    await channel.disconnect();
    expect(ownTime() - start).toBeLessThan(1500);
  });
});

describe('webhook', () => {
  const secret = 'a-long-enough_secret-1';

  /** A server of ours in front of the adapter, as the board is. */
  async function startHooked() {
    let handle: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
    const url = `${await serve((request, response) => handle?.(request, response))}/webhooks/telegram`;
    const bench = await startBench(
      { mode: 'webhook', webhook: { secret, url, path: '/webhooks/telegram' } },
      { webhookRetryMs: 20 },
    );
    handle = bench.channel.webhook;
    return { ...bench, url };
  }

  it('takes in over a webhook with a secret and never polls', async () => {
    const { telegram, channel, connect, texts, eventually: until } = await startHooked();
    await connect();
    expect(channel.status()).toEqual({ state: 'connected' });
    for (let n = 1; n <= 20; n++) telegram.say(ALEX, `${n}`);
    await until(() => texts().length === 20);
    expect(texts()).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 1}`));
    expect(telegram.requests('getUpdates')).toEqual([]);
    const { params } = await telegram.called('setWebhook');
    expect(params).toMatchObject({
      secret_token: secret,
      max_connections: 40,
      allowed_updates: expect.arrayContaining(['message']),
    });
  });

  it('gets again what it could not store', async () => {
    const { telegram, connect, texts, storing, eventually: until } = await startHooked();
    let failures = 3;
    storing(async () => {
      if (failures-- > 0) throw new Error('no space left');
    });
    await connect();
    telegram.say(ALEX, 'one');
    telegram.say(ALEX, 'two');
    await until(() => texts().includes('two'));
    expect(texts()).toEqual(['one', 'one', 'one', 'one', 'two']);
  });

  it('draws the parts of an album in that were refused before its caption came', async () => {
    const { telegram, connect, got, refusing, eventually: until } = await startHooked();
    refusing(({ isMention }) => !isMention);
    telegram.addChat({ id: -100200, type: 'supergroup', title: 'Team' }, { members: [ALEX] });
    await connect();
    telegram.sendAlbum(-100200, [{ name: 'a' }, { name: 'b', caption: '@viber_test_bot compare them' }, { name: 'c' }]);
    await until(() => telegram.counters().updates.pending === 0);
    const addressed = got.filter(({ message }) => message.isMention);
    expect(addressed.map(({ message }) => message.files[0]?.name)).toEqual(['a', 'b', 'c']);
  });

  it('lets in nobody else', async () => {
    const { connect, got, url } = await startHooked();
    await connect();
    const body = JSON.stringify({
      update_id: 1,
      message: { message_id: 1, chat: { id: 1, type: 'private' }, from: { id: 1 }, text: 'x' },
    });
    for (const headers of [{}, { 'x-telegram-bot-api-secret-token': 'guess' }]) {
      const { status } = await fetch(url, { method: 'POST', body, headers: headers as Record<string, string> });
      expect(status).toBe(401);
    }
    expect(got).toEqual([]);
  });

  it('names the address when Telegram does not take it', async () => {
    const { connect } = await startBench({
      mode: 'webhook',
      webhook: { secret, path: '/x', url: 'http://example.com/x' },
    });
    await expect(connect()).rejects.toThrow('channels.telegram.webhook.url');
  });

  it('is shut after disconnect, and what comes then waits with Telegram', async () => {
    const { telegram, channel, connect, got, url } = await startHooked();
    await connect();
    await channel.disconnect();
    telegram.say(ALEX, 'later');
    const { status } = await fetch(url, {
      method: 'POST',
      body: '{}',
      headers: { 'x-telegram-bot-api-secret-token': secret },
    });
    expect([status, got]).toEqual([503, []]);
    expect(telegram.counters().updates.pending).toBe(1);
  });
});
