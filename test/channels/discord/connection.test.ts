/** The connection: what ends it, how it comes back, and that nothing said meanwhile is missed or taken in twice over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../../src/errors.ts';
import { allOpen } from '../../emulators/base/activity.ts';
import { shiftedDate } from '../../helpers/shifted-date.ts';
import { quiet } from '../../kit/quiet.ts';
import { ALEX, answer, type Bench, createLedger, eventually, FAST, startBench } from './harness.ts';

const room = (bench: Bench) => bench.discord.rooms.general;
const failure = async (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('connecting', () => {
  it('a wrong token is a wrong setting', async () => {
    const bench = await startBench({ token: 'NzAw.wrong.token' });
    const error = await failure(bench.connect());
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ problems: [{ path: 'channels.discord.token' }] });
    expect(bench.channel.status().state).toBe('failed');
    expect(await failure((await startBench({ token: 'with space' })).connect())).toBeInstanceOf(ConfigError);
  });

  it('a missing intent is explained', async () => {
    const bench = await startBench({}, { messageContent: false });
    const error = await failure(bench.connect());
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('Message Content Intent');
    expect(bench.channel.status()).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('MESSAGE_CONTENT'),
    });
  });

  it('waits for a platform that is away', async () => {
    const bench = await startBench();
    await bench.discord.outage('refuse');
    const connecting = bench.connect();
    await eventually(() => bench.channel.status().state === 'reconnecting');
    await bench.discord.outage();
    await connecting;
    expect(bench.channel.status()).toEqual({ state: 'connected' });
  });

  it('can be given up while it waits', async () => {
    const bench = await startBench();
    await bench.discord.outage('hang');
    const connecting = bench.connect();
    await eventually(() => allOpen().length > 0);
    await bench.channel.disconnect();
    await connecting;
    expect(bench.channel.status()).toEqual({ state: 'off' });
    await bench.discord.outage();
  });
});

describe('an event', () => {
  it('stays as it came, whatever the library makes of it', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.say(room(bench), 'hello', { mention: true });
    await bench.takes(({ text }) => text.includes('hello'));
    // Until the library has dealt with it.
    await quiet();
    expect(JSON.parse(JSON.stringify(bench.got[0]?.raw))).toEqual(bench.got[0]?.raw);
  });
});

describe('a broken connection', () => {
  it('is resumed, and what was said meanwhile comes', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.say(room(bench), 'before');
    await bench.takes(({ text }) => text === 'before');
    bench.discord.dropGateway();
    bench.discord.say(room(bench), 'meanwhile');
    await bench.takes(({ text }) => text === 'meanwhile');
    expect([bench.texts(), bench.discord.gateway().resumes]).toEqual([['before', 'meanwhile'], 1]);
    await eventually(() => bench.channel.status().state === 'connected');
  });

  it('that cannot be resumed is made anew: channels, threads and direct chats are read from their marks, in order, before what comes live', async () => {
    const bench = await startBench();
    await bench.connect();
    const { discord } = bench;
    discord.dm(ALEX, 'd0');
    const thread = discord.createThread(room(bench), { name: 'a task' }).id;
    discord.say(room(bench), 'c0');
    discord.say(thread, 't0');
    await eventually(() => bench.got.length === 3);
    discord.refuseReconnects(3);
    discord.dropGateway({ resumable: false });
    for (const n of [1, 2, 3]) {
      discord.say(room(bench), `c${n}`, { mention: n === 2 });
      discord.say(thread, `t${n}`);
      discord.dm(ALEX, `d${n}`);
    }
    await eventually(() => discord.gateway().identifies === 2, 'a second identify');
    discord.say(room(bench), 'c4');
    discord.dm(ALEX, 'd4');
    await eventually(() => ['c4', 'd4', 't3'].every((text) => bench.texts().includes(text)));
    // What came both ways has one id, and is taken in once by the spool.
    const once = [...new Map(bench.got.map(({ message }) => [message.id, message.text])).values()];
    const of = (letter: string) => once.filter((text) => text.startsWith(letter));
    expect([of('c'), of('t'), of('d')]).toEqual([
      ['c0', 'c1', 'c2', 'c3', 'c4'],
      ['t0', 't1', 't2', 't3'],
      ['d0', 'd1', 'd2', 'd3', 'd4'],
    ]);
    const missed = bench.got.find(({ message }) => message.text === 't2')?.message;
    expect(missed).toMatchObject({ isThread: true, isDirect: false, address: { workspace: discord.guildId, thread } });
    expect(bench.got.find(({ message }) => message.text === 'c2')?.message).toMatchObject({
      isMention: true,
      opensThread: true,
    });
    expect(bench.got.find(({ message }) => message.text === 'd2')?.message).toMatchObject({ isDirect: true });
  });

  it('that fell silent without closing is found', async () => {
    const bench = await startBench({ timing: { ...FAST, silentMs: 400 } });
    await bench.connect();
    bench.discord.stopAcks();
    await eventually(() => bench.channel.status().state === 'reconnecting');
    bench.discord.stopAcks(false);
    await eventually(() => bench.channel.status().state === 'connected');
    bench.discord.say(room(bench), 'still there?');
    await bench.takes(({ text }) => text === 'still there?');
  });

  it('and one that is merely quiet is left alone', async () => {
    const bench = await startBench({ timing: { ...FAST, silentMs: 300 } });
    await bench.connect();
    // Each asks whether it is still there, after a time without events.
    await eventually(() => bench.discord.gateway().heartbeats > 4);
    expect(bench.discord.gateway()).toMatchObject({ connections: 1, identifies: 1 });
  });

  it('waits longer between tries than the library would', async () => {
    const bench = await startBench({ timing: { ...FAST, backoffMs: { min: 1000, max: 60_000 } } });
    await bench.connect();
    bench.discord.refuseReconnects(100);
    bench.discord.dropGateway({ resumable: false });
    const tries = () => bench.discord.gateway().refused[0] ?? 0;
    await eventually(() => tries() > 0);
    const began = performance.now();
    await eventually(() => tries() > 2);
    // Each pause is twice the one before, and may be cut to its half.
    expect(performance.now() - began).toBeGreaterThan(1_400);
    expect(bench.channel.status().state).toBe('reconnecting');
  });

  it('a close that forbids to come back is shown, and sending still works', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.dropGateway({ code: 4014 });
    await eventually(() => bench.channel.status().state === 'failed');
    expect(bench.channel.status().detail).toContain('Message Content Intent');
    await bench.channel.send(answer(bench), createLedger());
  });

  it('outlives an event that the library cannot digest', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.dispatch('GUILD_MEMBERS_CHUNK', { guild_id: bench.discord.guildId, members: 5 });
    bench.discord.dispatch('CHANNEL_UPDATE', { id: room(bench), type: 'x', permission_overwrites: 7, guild_id: 1 });
    bench.discord.say(room(bench), 'still here');
    await bench.takes(({ text }) => text === 'still here');
    expect(bench.discord.gateway().connections).toBe(1);
  });

  it('reconnects when Discord asks for it, or takes the session away', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.askReconnect();
    await eventually(() => bench.discord.gateway().resumes === 1);
    bench.discord.invalidateSession();
    await eventually(() => bench.discord.gateway().identifies === 2, 'a second identify');
    await eventually(() => bench.channel.status().state === 'connected');
  });

  it('does not stay away for the hour by which the clock was set back', async () => {
    const RealDate = Date;
    let shift = 0;
    globalThis.Date = shiftedDate(() => RealDate.now() + shift);
    onTestFinished(() => {
      globalThis.Date = RealDate;
    });
    const bench = await startBench({ timing: { ...FAST, identifyMs: 1000 } });
    await bench.connect();
    shift = -3_600_000;
    bench.discord.invalidateSession();
    await eventually(() => bench.discord.gateway().identifies === 2, 'a second identify');
  });
});

describe('after a restart', () => {
  it('what was said while we were away is taken in, also more than a page of it', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.say(room(bench), 'first');
    await bench.takes(({ text }) => text === 'first');
    await eventually(() => bench.cursors.size > 0);
    await bench.channel.disconnect();
    for (let n = 0; n < 230; n++) bench.discord.say(room(bench), `missed ${n}`);
    const second = bench.again();
    await second.connect();
    await eventually(() => second.got.length >= 230);
    expect(second.texts()).toEqual(Array.from({ length: 230 }, (_, n) => `missed ${n}`));
  });

  it('what Discord does not give for long is fetched once it does, though what comes live is taken in meanwhile', async () => {
    const bench = await startBench();
    await bench.connect();
    const { channelId: chat } = bench.discord.dm(ALEX, 'first');
    await bench.takes(({ text }) => text === 'first');
    await eventually(() => bench.cursors.size > 0);
    await bench.channel.disconnect();
    bench.discord.dm(ALEX, 'missed');
    const second = bench.again();
    bench.discord.fault({ method: 'GET', path: '/channels/:id/messages', kind: 'status', status: 503, times: 1000 });
    await second.connect();
    const live = bench.discord.dm(ALEX, 'live');
    await second.takes(({ text }) => text === 'live');
    expect(BigInt(second.cursors.get(chat) ?? 0) < BigInt(live.id)).toBe(true);
    await second.channel.disconnect();
    bench.discord.clearFaults();
    const third = bench.again();
    await third.connect();
    await third.takes(({ text }) => text === 'missed');
    await eventually(() => third.cursors.get(chat) === live.id);
  });

  it('a first start reads nothing of what was said before', async () => {
    const bench = await startBench();
    bench.discord.say(room(bench), 'long ago', { mention: true });
    bench.discord.dm(ALEX, 'hi');
    await bench.connect();
    await quiet();
    expect(bench.got).toEqual([]);
    expect(bench.discord.requests('GET /channels/:id/messages')).toEqual([]);
  });

  it('a mention in a channel that had been silent is found', async () => {
    const bench = await startBench();
    await bench.connect();
    await bench.channel.disconnect();
    bench.discord.say(bench.discord.rooms.random, 'anybody?', { mention: true });
    const second = bench.again();
    await second.connect();
    await second.takes(({ text }) => text === 'anybody?');
  });

  it('so is what was said in threads that were made shortly before, or while we were away', async () => {
    const bench = await startBench();
    await bench.connect();
    const { discord } = bench;
    const old = discord.say(room(bench), 'a topic');
    const thread = discord.createThread(room(bench), { name: 'made before us' }).id;
    await eventually(() => bench.cursors.has(thread));
    discord.say(room(bench), 'and another');
    await bench.takes(({ text }) => text === 'and another');
    await bench.channel.disconnect();
    const late = discord.createThread(room(bench), { name: 'made since', messageId: old.id }).id;
    discord.say(thread, 'in the first');
    discord.say(late, 'in the second');
    const second = bench.again();
    await second.connect();
    await eventually(() => second.got.length === 2);
    expect(second.texts().sort()).toEqual(['in the first', 'in the second']);
  });

  it('what could not be stored is fetched until it can be, in order', async () => {
    const bench = await startBench();
    await bench.connect();
    let isFull = true;
    const stored: string[] = [];
    bench.storing(async ({ text }) => {
      if (isFull) throw new Error('disk full');
      stored.push(text);
      return 'accepted';
    });
    bench.discord.dm(ALEX, 'one');
    await eventually(() => bench.got.length > 1);
    bench.discord.dm(ALEX, 'two');
    isFull = false;
    await eventually(() => stored.includes('two'));
    expect([...new Set(stored)]).toEqual(['one', 'two']);
  });
});

describe('a mark', () => {
  /** A chat that was read so far, in which `one` cannot be stored until `mend` is called. */
  async function broken(delay: { one: number; two: number }) {
    const bench = await startBench();
    await bench.connect();
    bench.discord.dm(ALEX, 'zero');
    await bench.takes(({ text }) => text === 'zero');
    await eventually(() => bench.cursors.size > 0);
    const stored: string[] = [];
    let isBroken = true;
    let failures = 0;
    bench.storing(async ({ text }) => {
      // The disk takes its time.
      await sleep(text === 'one' ? delay.one : text === 'two' ? delay.two : 0);
      if (text === 'one' && isBroken) {
        failures++;
        throw new Error('disk full');
      }
      stored.push(text);
      return 'accepted';
    });
    const mend = () => {
      isBroken = false;
    };
    return { bench, stored, mend, failures: () => failures };
  }

  it('stays before what could not be stored, though what came live after it was', async () => {
    const { bench, stored, failures } = await broken({ one: 0, two: 60 });
    const { channelId: chat } = bench.discord.dm(ALEX, 'one');
    bench.discord.dm(ALEX, 'two');
    await eventually(() => stored.includes('two') && failures() > 1);
    await bench.channel.disconnect();
    const second = bench.again();
    await second.connect();
    await second.takes(({ text }) => text === 'one');
    expect(bench.cursors.has(chat)).toBe(true);
  });

  it('goes back to what could not be stored after all', async () => {
    const { bench, stored, mend, failures } = await broken({ one: 60, two: 0 });
    bench.discord.dm(ALEX, 'one');
    bench.discord.dm(ALEX, 'two');
    await eventually(() => stored.includes('two') && failures() > 0);
    mend();
    await eventually(() => stored.includes('one'));
  });

  it('waits for what is still being stored: a process that ends then has passed over nothing', async () => {
    const { bench, stored, mend } = await broken({ one: 400, two: 0 });
    const one = bench.discord.dm(ALEX, 'one');
    bench.discord.dm(ALEX, 'two');
    await eventually(() => stored.includes('two'));
    mend();
    const mark = bench.cursors.get(one.channelId);
    expect(BigInt(mark ?? 0) < BigInt(one.id)).toBe(true);
    await eventually(() => stored.includes('one'));
    await eventually(() => BigInt(bench.cursors.get(one.channelId) ?? 0) > BigInt(one.id));
  });

  it('does not wait for a message that is there no more', async () => {
    const { bench, stored } = await broken({ one: 0, two: 0 });
    const one = bench.discord.dm(ALEX, 'one');
    await eventually(() => bench.texts().includes('one'));
    bench.discord.delete(one.channelId, one.id);
    const two = bench.discord.dm(ALEX, 'two');
    await eventually(() => stored.includes('two'));
    await eventually(() => bench.cursors.get(one.channelId) === two.id);
  });

  it('is not moved past a gap by the rest of what is fetched to fill it', async () => {
    const { bench } = await broken({ one: 0, two: 0 });
    await bench.channel.disconnect();
    for (const text of ['one', 'two', 'three']) bench.discord.dm(ALEX, text);
    const second = bench.again();
    let tries = 0;
    const stored: string[] = [];
    second.storing(async ({ text }) => {
      if (text === 'one' && ++tries < 3) throw new Error('disk full');
      stored.push(text);
      return 'accepted';
    });
    await second.connect();
    await eventually(() => stored.includes('one'));
  });
});

describe('order and kinds', () => {
  it('a thread nobody told of is looked up once, while its messages wait', async () => {
    const bench = await startBench();
    const { discord } = bench;
    const thread = discord.createThread(room(bench), { name: 'asleep' });
    discord.archive(thread.id);
    await bench.connect();
    const base = {
      guild_id: discord.guildId,
      channel_id: thread.id,
      type: 0,
      author: { id: ALEX, username: 'alex' },
      timestamp: new Date().toISOString(),
    };
    discord.dispatch('MESSAGE_CREATE', { ...base, id: '1573758616983306241', content: 'one' });
    discord.dispatch('MESSAGE_CREATE', { ...base, id: '1573758616983306242', content: 'two' });
    await eventually(() => bench.got.length === 2);
    expect(bench.got.map(({ message }) => [message.text, message.address.thread, message.address.chat])).toEqual([
      ['one', thread.id, room(bench)],
      ['two', thread.id, room(bench)],
    ]);
    expect(discord.requests('GET /channels/:id')).toHaveLength(1);
  });

  it.each([
    ['while Discord fails', { status: 503, times: 5 }, true],
    ['where it is closed to us', { status: 403, times: 100 }, false],
  ])('a thread that cannot be looked up %s is never taken for something private', async (_, fault, isFound) => {
    const bench = await startBench();
    const { discord } = bench;
    const thread = discord.createThread(room(bench), { name: 'asleep' });
    const { id } = discord.say(thread.id, 'to everybody here');
    discord.archive(thread.id);
    await bench.connect();
    discord.fault({ method: 'GET', path: '/channels/:id', kind: 'status', ...fault });
    // It cannot be stored as it comes, so that it is fetched, without its server.
    bench.storing(async () => {
      if (bench.got.length === 1) throw new Error('disk full');
      return 'accepted';
    });
    const author = { id: ALEX, username: 'alex' };
    const base = { guild_id: discord.guildId, channel_id: thread.id, type: 0, timestamp: new Date().toISOString() };
    discord.dispatch('MESSAGE_CREATE', { ...base, id, author, content: 'to everybody here' });
    await eventually(() => bench.got.length === 2, 'fetched');
    const where = { workspace: discord.guildId, ...(isFound && { chat: room(bench), thread: thread.id }) };
    expect(bench.got[0]?.message).toMatchObject({ isDirect: false, address: { workspace: discord.guildId } });
    expect(bench.got[1]?.message).toMatchObject({ isDirect: false, address: where });
  });

  it('what is fetched of a chat of which nothing is known is not taken in', async () => {
    const bench = await startBench();
    const { discord } = bench;
    const thread = discord.createThread(room(bench), { name: 'asleep' });
    const first = discord.say(thread.id, 'first');
    discord.say(thread.id, 'to everybody here');
    discord.archive(thread.id);
    bench.cursors.set(thread.id, first.id);
    discord.fault({ method: 'GET', path: '/channels/:id', kind: 'status', status: 403, times: 100 });
    const second = bench.again();
    await second.connect();
    await eventually(() => discord.requests('GET /channels/:id').length > 0);
    discord.dm(ALEX, 'in private');
    await second.takes(({ text }) => text === 'in private');
    expect(second.texts()).toEqual(['in private']);
  });

  it('messages of one chat arrive in one turn and keep their order', async () => {
    const bench = await startBench();
    await bench.connect();
    const texts = Array.from({ length: 200 }, (_, n) => `m${n}`);
    for (const text of texts) bench.discord.say(room(bench), text);
    await eventually(() => bench.got.length === 200);
    expect(bench.texts()).toEqual(texts);
    expect(bench.discord.requests()).toHaveLength(
      bench.discord.requests().filter(({ path }) => !/channels|messages/.test(path)).length,
    );
  });

  it('junk and unknown events are dropped and counted, and nothing breaks', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.dispatch('MESSAGE_CREATE', { id: 'x' });
    bench.discord.dispatch('SOMETHING_NEW', { a: 1 });
    bench.discord.dispatch('INTERACTION_CREATE', { id: '5', type: 9 });
    bench.discord.say(room(bench), 'fine');
    await bench.takes(({ text }) => text === 'fine');
    expect(bench.dropped).toEqual(expect.arrayContaining(['malformed', 'something_new']));
  });

  it('our own messages and edits do not come back', async () => {
    const bench = await startBench();
    await bench.connect();
    await bench.channel.send(answer(bench, { text: 'one' }), createLedger());
    const [sent] = bench.discord.channel(room(bench)).messages;
    await bench.channel.send(answer(bench, { id: 'o2', text: 'two', placeholder: sent?.id ?? '' }), createLedger('o2'));
    bench.discord.say(room(bench), 'end');
    await bench.takes(({ text }) => text === 'end');
    expect(bench.texts()).toEqual(['end']);
    expect(bench.dropped).toContain('own');
  });
});

describe('marks', () => {
  it('move on with our own answers, so that a restart reads nothing anew', async () => {
    const bench = await startBench();
    await bench.connect();
    bench.discord.say(room(bench), 'a question');
    await bench.takes(({ text }) => text === 'a question');
    const ledger = createLedger();
    await bench.channel.send(answer(bench), ledger);
    await eventually(() => bench.cursors.get(room(bench)) === ledger.sent.get(0));
    await bench.channel.disconnect();
    const before = bench.discord.requests('GET /channels/:id/messages').length;
    const second = bench.again();
    await second.connect();
    await quiet();
    expect(bench.discord.requests('GET /channels/:id/messages')).toHaveLength(before);
  });
});
