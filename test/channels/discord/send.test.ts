/** Sending through the ledger: what arrives, what Discord refuses, what gets lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Channel, OutboundMessage } from '../../../src/channels/channel.ts';
import { DeliveryError } from '../../../src/errors.ts';
import { ALEX, answer, type Bench, createLedger, file, startBench } from './harness.ts';

afterEach(() => vi.useRealTimers());

async function talking(options: Parameters<typeof startBench>[0] = {}): Promise<Bench> {
  const bench = await startBench(options);
  await bench.connect();
  return bench;
}

const ours = (bench: Bench, channel: string = bench.discord.rooms.general) =>
  bench.discord.channel(channel).messages.filter(({ from }) => from === 'bot');

async function refusal(channel: Channel, message: OutboundMessage, ledger = createLedger()): Promise<DeliveryError> {
  try {
    await channel.send(message, ledger);
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    throw error;
  }
  throw new Error('it was sent');
}

describe('what is sent', () => {
  it('as a reply that pings nobody, without previews', async () => {
    const bench = await talking();
    const said = bench.discord.say(bench.discord.rooms.general, 'plan?');
    await bench.channel.send(
      answer(bench, { text: 'For <@2003> and @everyone: https://example.com', replyTo: said.id }),
      createLedger(),
    );
    expect(ours(bench)).toMatchObject([
      { replyTo: said.id, flags: 4, allowedMentions: { parse: [], replied_user: false } },
    ]);
    expect(bench.discord.pings()).toEqual([]);
  });

  it('a long text in parts, each once through the ledger', async () => {
    const bench = await talking();
    const ledger = createLedger();
    const text = Array.from({ length: 800 }, (_, index) => `line ${index}`).join('\n');
    await bench.channel.send(answer(bench, { text }), ledger);
    expect(ours(bench).length).toBe(ledger.sent.size);
    expect(ours(bench).length).toBeGreaterThan(2);
    expect([...ledger.sent.values()]).toEqual(ours(bench).map(({ id }) => id));
    const before = ours(bench).length;
    await bench.channel.send(answer(bench, { text }), ledger);
    expect(ours(bench).length).toBe(before);
  });

  it('files with the last text, ten at a time, byte for byte', async () => {
    const bench = await talking();
    const files = await Promise.all(Array.from({ length: 12 }, (_, n) => file(`part ${n}.txt`, `content ${n}`)));
    await bench.channel.send(answer(bench, { text: 'Twelve.', files }), createLedger());
    const [first, second] = ours(bench);
    expect([first?.text, first?.files.length, second?.text, second?.files.length]).toEqual(['Twelve.', 10, '', 2]);
    expect(bench.discord.bytes(second?.files[1]?.id ?? '').toString()).toBe('content 11');
  });

  it('a name from outside made harmless, a file that is too large named', async () => {
    const bench = await talking();
    const bad = await file('../../etc/pass"wd\n.txt', 'x');
    const large = { ...(await file('video.mp4', 'x', 'video/mp4')), size: 11 * 1024 * 1024 };
    await bench.channel.send(answer(bench, { text: 'Here.', files: [bad, large] }), createLedger());
    const [sent] = ours(bench);
    expect(sent?.files.map(({ name }) => name)).toEqual([expect.not.stringMatching(/[/"\n]/)]);
    expect(sent?.text).toContain('Not attached: video.mp4 is 11 MB; Discord accepts files of up to 10 MB');
  });

  it('a large file from disk', async () => {
    const bench = await talking();
    const content = Buffer.alloc(9 * 1024 * 1024, 'discord!');
    await bench.channel.send(
      answer(bench, { text: 'Big.', files: [await file('big.bin', content, 'application/octet-stream')] }),
      createLedger(),
    );
    expect(bench.discord.bytes(ours(bench)[0]?.files[0]?.id ?? '').equals(content)).toBe(true);
  });

  it('buttons in rows of five, more of them in a message of their own', async () => {
    const bench = await talking();
    const buttons = [
      Array.from({ length: 27 }, (_, n) => ({
        id: `b${n}`,
        label: n === 0 ? ' '.repeat(3) : `Choice ${n} ${'x'.repeat(90)}`,
      })),
    ];
    await bench.channel.send(answer(bench, { text: 'Which?', buttons }), createLedger());
    const [first, second] = ours(bench);
    expect(first?.buttons.map((row) => row.length)).toEqual([5, 5, 5, 5, 5]);
    expect([second?.text, second?.buttons.flat().map(({ customId }) => customId)]).toEqual([
      'More choices:',
      ['b25', 'b26'],
    ]);
  });

  it('takes the place of the status message, or is a new one when that is gone', async () => {
    const bench = await talking();
    const { discord, channel } = bench;
    await channel.send(answer(bench, { text: 'Working' }), createLedger());
    const placeholder = ours(bench)[0]?.id ?? '';
    await channel.send(
      answer(bench, { id: 'o2', text: 'Done', placeholder, files: [await file('a.txt', 'a')] }),
      createLedger('o2'),
    );
    expect(ours(bench)).toMatchObject([{ id: placeholder, text: 'Done', edits: 1, files: [{ name: 'a.txt' }] }]);
    discord.delete(discord.rooms.general, placeholder);
    await channel.send(answer(bench, { id: 'o3', text: 'Again', placeholder }), createLedger('o3'));
    expect(ours(bench)).toMatchObject([{ text: 'Again' }]);
  });

  it('in a direct chat, and awake in a thread that was archived', async () => {
    const bench = await talking();
    const { discord, channel } = bench;
    const { channelId } = discord.dm(ALEX, 'hi');
    const message = answer(bench, { chat: channelId, replyTo: '1' });
    const { workspace: _none, ...address } = message.address;
    await channel.send({ ...message, address }, createLedger());
    expect(ours(bench, channelId)).toMatchObject([{ text: 'Hello', replyTo: null }]);
    const thread = discord.createThread(discord.rooms.general, { name: 'a task' });
    discord.archive(thread.id);
    await channel.send(answer(bench, { id: 'o2', thread: thread.id }), createLedger('o2'));
    expect(ours(bench, thread.id)).toMatchObject([{ text: 'Hello' }]);
    expect(discord.thread(thread.id).archived).toBe(false);
  });
});

describe('what Discord refuses', () => {
  it('a lack of permission is final and names what is lacking', async () => {
    const bench = await talking();
    bench.discord.deny(bench.discord.rooms.general, ['SendMessages']);
    const error = await refusal(bench.channel, answer(bench));
    expect([error.retryAfterMs, error.message]).toEqual([undefined, expect.stringContaining('"Send Messages"')]);
    bench.discord.deny(bench.discord.rooms.general, ['ViewChannel']);
    expect((await refusal(bench.channel, answer(bench, { id: 'o2' }))).message).toContain('"View Channel"');
  });

  it('a channel that is gone, a person who takes no messages', async () => {
    const bench = await talking();
    const gone = bench.discord.addChannel('gone');
    bench.discord.deleteChannel(gone.id);
    expect(await refusal(bench.channel, answer(bench, { chat: gone.id }))).toMatchObject({ retryAfterMs: undefined });
    const { channelId } = bench.discord.dm(ALEX, 'hi');
    bench.discord.closeDm(ALEX);
    expect((await refusal(bench.channel, answer(bench, { chat: channelId }))).message).toContain(
      'does not accept direct messages',
    );
  });

  it('a rate limit is obeyed as told, also before the next call', async () => {
    const bench = await talking();
    bench.discord.fault({ path: '/channels/:id/messages', method: 'POST', kind: 'status', status: 429, retryAfter: 2 });
    const error = await refusal(bench.channel, answer(bench));
    expect(error.rateLimited).toBe(true);
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(2000);
    expect(error.retryAfterMs).toBeLessThan(2500);
  });

  it('never goes beyond the limits that Discord tells', async () => {
    const bench = await talking();
    bench.discord.rate();
    let limited = 0;
    for (let n = 0; n < 12; n++) {
      const error = await bench.channel.send(answer(bench, { id: `o${n}` }), createLedger(`o${n}`)).then(
        () => undefined,
        (e: unknown) => e,
      );
      if (error instanceof DeliveryError && error.rateLimited) limited++;
      else expect(error).toBeUndefined();
    }
    expect(limited).toBeGreaterThan(0);
    expect(bench.discord.counters().rate.violations).toBe(0);
  });

  it('Discord in trouble and unreachable may be tried again', async () => {
    const bench = await talking();
    bench.discord.fault({ path: '/channels/:id/messages', kind: 'status', status: 502, body: '<html>' });
    expect(await refusal(bench.channel, answer(bench))).toMatchObject({ retryAfterMs: 1000, rateLimited: false });
    await bench.discord.outage('refuse');
    expect(await refusal(bench.channel, answer(bench))).toMatchObject({ retryAfterMs: 1000, ambiguous: false });
    await bench.discord.outage();
  });

  it('a block in front of Discord is no answer of its own: words and files are sent once it is over', async () => {
    const bench = await talking();
    bench.discord.fault({
      path: '/channels/:id/messages',
      kind: 'status',
      status: 403,
      body: { message: 'internal network error', code: 40333 },
    });
    const ledger = createLedger();
    const message = answer(bench, { files: [await file('a.txt', 'abc')] });
    expect(await refusal(bench.channel, message, ledger)).toMatchObject({ retryAfterMs: 1000, ambiguous: false });
    await bench.channel.send(message, ledger);
    expect(ours(bench)).toMatchObject([{ text: 'Hello', files: [{ name: 'a.txt' }] }]);
  });

  it('a form that is refused falls through to the next, whatever its code is, to words alone at last', async () => {
    const buttons = [[{ id: 'b', label: 'Go' }]];
    for (const code of [50035, 50109, 59_999, 0, undefined]) {
      for (const [times, expected] of [
        [1, { buttons: [], flags: 4, replyTo: expect.any(String) }],
        [2, { buttons: [], flags: 4, replyTo: null }],
      ] as const) {
        const bench = await talking();
        const said = bench.discord.say(bench.discord.rooms.general, 'plan?');
        const body = { message: 'Something of the form', ...(code !== undefined && { code }) };
        bench.discord.fault({
          path: '/channels/:id/messages',
          method: 'POST',
          kind: 'status',
          status: 400,
          body,
          times,
        });
        await bench.channel.send(answer(bench, { text: '**Done** now', buttons, replyTo: said.id }), createLedger());
        expect(ours(bench)).toMatchObject([{ text: '**Done** now', ...expected }]);
      }
    }
    const bench = await talking();
    const body = { message: 'Missing Access', code: 50001 };
    bench.discord.fault({ path: '/channels/:id/messages', kind: 'status', status: 400, body, times: 9 });
    expect(await refusal(bench.channel, answer(bench, { buttons }))).toMatchObject({ retryAfterMs: undefined });
    expect(bench.discord.counters().faultsLeft).toBe(8);
    // What no form of is taken does not keep a chat waiting.
    const other = await talking();
    const general = { message: '400: Bad Request', code: 0 };
    other.discord.fault({ path: '/channels/:id/messages', kind: 'status', status: 400, body: general, times: 9 });
    expect(await refusal(other.channel, answer(other, { buttons }))).toMatchObject({ retryAfterMs: undefined });
    expect(other.discord.counters().faultsLeft).toBeLessThan(8);
  });

  it('a revoked token does not lose the message, and the next call has the token again', async () => {
    const bench = await talking();
    bench.discord.fault({
      path: '/channels/:id/messages',
      kind: 'status',
      status: 401,
      body: { message: '401: Unauthorized', code: 0 },
    });
    expect((await refusal(bench.channel, answer(bench))).retryAfterMs).toBe(60_000);
    await bench.channel.send(answer(bench), createLedger());
    expect(ours(bench)).toHaveLength(1);
  });
});

describe('a thread that is archived', () => {
  async function asleep(options: { locked?: boolean } = {}) {
    const bench = await talking();
    const { discord, channel } = bench;
    const thread = discord.createThread(discord.rooms.general, { name: 'a task' });
    await channel.send(answer(bench, { thread: thread.id, text: 'Working' }), createLedger());
    discord.archive(thread.id, options);
    return { bench, thread: thread.id, placeholder: ours(bench, thread.id)[0]?.id ?? '' };
  }

  it.each([502, 503])('and cannot be opened while Discord answers %i: the answer comes once it can', async (status) => {
    const { bench, thread, placeholder } = await asleep();
    bench.discord.fault({ path: 'PATCH /channels/:id', kind: 'status', status });
    const message = answer(bench, { id: 'o2', thread, text: 'Done', placeholder });
    const ledger = createLedger('o2');
    expect(await refusal(bench.channel, message, ledger)).toMatchObject({ retryAfterMs: 1000, ambiguous: false });
    await bench.channel.send(message, ledger);
    expect(ours(bench, thread)).toMatchObject([{ id: placeholder, text: 'Done' }]);
  });

  it('and locked, where the bot may not manage threads: the permission is named', async () => {
    const { bench, thread, placeholder } = await asleep({ locked: true });
    bench.discord.deny(bench.discord.rooms.general, ['ManageThreads']);
    const error = await refusal(bench.channel, answer(bench, { id: 'o2', thread }), createLedger('o2'));
    expect([error.retryAfterMs, error.message]).toEqual([undefined, expect.stringContaining('"Manage Threads"')]);
    const amended = answer(bench, { id: 'o3', thread, edits: { messageId: placeholder, was: 'Working' } });
    await bench.channel.send(amended, createLedger('o3'));
    expect(ours(bench, thread)).toMatchObject([{ text: 'Working' }]);
  });
});

describe('a thread that was deleted', () => {
  async function deleted(options: Parameters<Bench['discord']['createThread']>[1] & { isRooted?: boolean }) {
    const bench = await talking();
    const { discord } = bench;
    const { general } = discord.rooms;
    const root = options.isRooted ? discord.say(general, 'plan?').id : undefined;
    const { id: thread } = discord.createThread(general, { ...options, ...(root && { messageId: root }) });
    await bench.channel.send(answer(bench, { thread, text: 'Working' }), createLedger('o0'));
    const [placeholder] = ours(bench, thread);
    discord.deleteChannel(thread);
    return { bench, thread, placeholder: placeholder?.id ?? '' };
  }

  it('leaves its answer to the channel, as a reply to the message it hung on, with files and buttons', async () => {
    const { bench, thread, placeholder } = await deleted({ name: 'a task', isRooted: true });
    const text = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n');
    const more = { files: [await file('a.txt', 'abc')], buttons: [[{ id: 'b1', label: 'Again' }]] };
    const message = answer(bench, { thread, text, placeholder, ...more });
    const ledger = createLedger();
    await bench.channel.send(message, ledger);
    await bench.channel.send(message, ledger);
    const [first, last] = ours(bench);
    expect(ours(bench)).toHaveLength(2);
    expect([first?.replyTo, last?.replyTo]).toEqual([thread, thread]);
    expect(last).toMatchObject({ files: [{ name: 'a.txt' }], buttons: [[{ label: 'Again' }]] });
    expect(bench.discord.pings()).toEqual([]);
  });

  it.each([0, 400_000])('and whose answer was lost %i ms ago stands in the channel once', async (ms) => {
    const { bench, thread } = await deleted({ name: 'a task', isRooted: true });
    const { general } = bench.discord.rooms;
    const message = answer(bench, { thread, text: 'only once' });
    const ledger = createLedger();
    bench.discord.fault({ path: `/channels/${general}/messages`, method: 'POST', kind: 'lostAnswer' });
    expect(await refusal(bench.channel, message, ledger)).toMatchObject({ ambiguous: true });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
    await bench.channel.send(message, ledger);
    expect(ours(bench)).toMatchObject([{ text: 'only once' }]);
  });

  it.each([
    ['private', { name: 'a task', isPrivate: true }],
    ['that hung on no message', { name: 'a task' }],
  ])('%s: nothing of it stands in the channel', async (_kind, options) => {
    const { bench, thread } = await deleted(options);
    const message = answer(bench, { thread, files: [await file('a.txt', 'abc')] });
    const error = await refusal(bench.channel, message);
    expect([error.retryAfterMs, error.message]).toEqual([undefined, expect.stringContaining('is gone')]);
    expect(ours(bench)).toEqual([]);
  });

  it('in a forum, which takes no messages: the reason is the thread', async () => {
    const bench = await talking();
    const forum = bench.discord.addChannel('ideas', { type: 15 });
    const error = await refusal(bench.channel, answer(bench, { chat: forum.id, thread: '901' }));
    expect([error.retryAfterMs, error.message]).toEqual([undefined, expect.stringContaining('is gone')]);
  });

  it('leaves the answer for the eyes of one person where it is theirs alone', async () => {
    const { bench, thread } = await deleted({ name: 'a task', isRooted: true });
    await refusal(bench.channel, answer(bench, { thread, interaction: 'unknown' }));
    expect(ours(bench)).toEqual([]);
  });
});

describe('a lost answer', () => {
  it('200 of them give no second copy', async () => {
    const bench = await talking();
    let lost = 0;
    async function deliver(n: number): Promise<void> {
      const ledger = createLedger(`o${n}`);
      const message = answer(bench, { id: `o${n}`, text: n % 2 ? 'the same' : `number ${n}` });
      while (ledger.sent.size === 0) {
        try {
          await bench.channel.send(message, ledger);
        } catch (error) {
          if (!(error instanceof DeliveryError) || error.retryAfterMs === undefined) throw error;
          if (error.ambiguous) lost++;
          // As delivery does.
          if (error.rateLimited) await sleep(error.retryAfterMs);
        }
      }
    }
    for (let n = 0; n < 200; n++) {
      bench.discord.fault({ path: '/channels/:id/messages', method: 'POST', kind: 'lostAnswer' });
      await deliver(n);
    }
    expect([lost, ours(bench).length]).toEqual([200, 200]);
  });

  it('after minutes, when the nonce is forgotten, the message is found by reading back', async () => {
    const bench = await talking();
    const { channel, discord } = bench;
    const files = [await file('a.txt', 'abc')];
    const ledger = createLedger();
    discord.fault({ path: '/channels/:id/messages', method: 'POST', kind: 'lostAnswer' });
    await refusal(channel, answer(bench, { text: 'only once', files }), ledger);
    const [first] = ours(bench);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400_000 });
    await channel.send(answer(bench, { text: 'only once', files }), ledger);
    expect(ours(bench)).toHaveLength(1);
    expect(ledger.sent.get(0)).toBe(first?.id);
  });

  it('after minutes, when nothing had arrived, it is sent', async () => {
    const bench = await talking();
    const ledger = createLedger();
    bench.discord.say(bench.discord.rooms.general, 'only once');
    bench.discord.fault({ path: '/channels/:id/messages', method: 'POST', kind: 'reset' });
    await refusal(bench.channel, answer(bench, { text: 'only once' }), ledger);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400_000 });
    await bench.channel.send(answer(bench, { text: 'only once' }), ledger);
    expect(ours(bench)).toHaveLength(1);
  });
});

describe('a file', () => {
  it('that is gone from our disk, or empty, does not keep the text back', async () => {
    const bench = await talking();
    const lost = { ...(await file('lost.txt', 'abc')), path: '/nowhere/lost.txt' };
    await bench.channel.send(
      answer(bench, { text: 'Here.', files: [lost, await file('empty.txt', '')] }),
      createLedger(),
    );
    expect(ours(bench)[0]?.text).toMatch(
      /Here\.[\s\S]*Not attached: empty\.txt is empty[\s\S]*couldn't attach `lost\.txt`/,
    );
  });
});
