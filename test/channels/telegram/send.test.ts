import { describe, expect, it, vi } from 'vitest';
import type { AgentStreamEvent, OutboundMessage } from '../../../src/channels/channel.ts';
import { LIVE_TIMING } from '../../../src/channels/telegram/adapter.ts';
import { DeliveryError } from '../../../src/errors.ts';
import { TEST_TOKEN } from '../../emulators/telegram.ts';
import { quiet, timersOver } from '../../kit/quiet.ts';
import { createViews } from '../live-views.ts';
import { ALEX, answer, attachment, type Bench, createLedger, file, startBench } from './harness.ts';

const GROUP = -100200;

/** Connected, with Alex's chat open. */
async function talking(
  options: Parameters<typeof startBench>[0] = {},
): Promise<Bench & { send: (rest?: Parameters<typeof answer>[1]) => Promise<unknown> }> {
  const bench = await startBench(options);
  const { telegram, channel, connect } = bench;
  telegram.addChat({ id: GROUP, type: 'supergroup', title: 'Team', is_forum: true }, { members: [ALEX] });
  telegram.say(ALEX, 'hi');
  await connect();
  await bench.eventually(() => bench.got.length > 0);
  return {
    ...bench,
    send: (rest) => channel.send(answer(channel, rest), createLedger()).catch((error: unknown) => error),
  };
}

const bot = (bench: Bench, chat = ALEX) => bench.telegram.chat(chat).messages.filter(({ from }) => from === 'bot');

describe('what is sent', () => {
  it.each([
    ['a text', undefined, 30_000],
    ['a small file', 1_000, 120_002],
    ['the largest file', 50_000_000, 220_000],
  ])('has time for a line of 500 KB a second: %s', async (_what, size, limit) => {
    const bench = await talking();
    const files = size === undefined ? [] : [{ ...(await file('a.bin', 'x', 'application/octet-stream')), size }];
    const limits: unknown[] = [];
    const real = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
      if (ms !== undefined && ms >= 20_000) limits.push(ms);
      return real(run, ms);
    }) as typeof setTimeout);
    await bench.send({ text: 'here', files });
    vi.restoreAllMocks();
    expect(limits).toContain(limit);
    expect(bot(bench)).toHaveLength(1);
  });

  it('text with entities, as a reply, in the topic', async () => {
    const bench = await talking();
    const thread = bench.telegram.topic(GROUP, 'Plans');
    const question = bench.telegram.say(GROUP, { text: 'plan?', thread });
    await bench.send({
      chat: GROUP,
      thread: String(thread),
      text: 'It is **done**.',
      replyTo: String(question.message_id),
    });
    expect(bot(bench, GROUP)).toMatchObject([
      { text: 'It is done.', entities: [{ type: 'bold', offset: 6, length: 4 }], thread, replyTo: question.message_id },
    ]);
  });

  it('a long text in parts, each once through the ledger', async () => {
    const bench = await talking();
    const ledger = createLedger();
    const text = Array.from({ length: 1200 }, (_, index) => `line ${index}`).join('\n');
    await bench.channel.send(answer(bench.channel, { text }), ledger);
    const parts = bot(bench);
    expect(parts.length).toBe(3);
    expect(parts.map(({ text: part }) => part).join('\n')).toBe(text);
    expect([...ledger.sent.values()]).toEqual(parts.map(({ id }) => String(id)));
    await bench.channel.send(answer(bench.channel, { text }), ledger);
    expect([bot(bench).length, ledger.calls]).toEqual([3, [0, 1, 2]]);
  });

  it('goes on with the part that is missing', async () => {
    const bench = await talking();
    const ledger = createLedger();
    const text = Array.from({ length: 1200 }, (_, index) => `line ${index}`).join('\n');
    bench.telegram.fault({ method: 'sendMessage', kind: 'status', status: 500, skip: 1 });
    await expect(bench.channel.send(answer(bench.channel, { text }), ledger)).rejects.toThrow('Internal Server Error');
    await bench.channel.send(answer(bench.channel, { text }), ledger);
    expect(
      bot(bench)
        .map((part) => part.text)
        .join('\n'),
    ).toBe(text);
  });

  it('a file under the name it has, made harmless', async () => {
    const bench = await talking();
    const sent = await file('a"b;c=../../x\r\nY: z/план 1.md', '# Plan', 'text/markdown');
    await bench.send({ text: 'Here', files: [sent] });
    expect(bot(bench)).toMatchObject([
      { text: 'Here', files: [{ kind: 'document', name: expect.stringMatching(/план 1\.md$/), size: 6 }] },
    ]);
    expect(bench.telegram.bytes(bot(bench)[0]?.files[0]?.fileId ?? '').toString()).toBe('# Plan');
  });

  it('several files as one album, whose ids the ledger keeps together', async () => {
    const bench = await talking();
    const files = await Promise.all(['a', 'b', 'c'].map((name) => file(`${name}.txt`, name, 'text/plain')));
    const ledger = createLedger();
    await bench.channel.send(answer(bench.channel, { files }), ledger);
    const parts = bot(bench);
    expect(new Set(parts.map(({ album }) => album)).size).toBe(1);
    expect(parts.map(({ files: [sent] }) => sent?.name)).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect([...ledger.sent.values()]).toEqual([parts.map(({ id }) => id).join(',')]);
  });

  it('a file of 20 MB, whole', async () => {
    const bench = await talking();
    const sent = await file('big.bin', Buffer.alloc(20_000_000, 1), 'application/octet-stream');
    await bench.send({ files: [sent] });
    expect(bot(bench)[0]?.files[0]?.size).toBe(20_000_000);
  });

  it('a picture that Telegram cannot show as one goes as a file', async () => {
    const bench = await talking();
    bench.telegram.fault({
      method: 'sendPhoto',
      kind: 'status',
      status: 400,
      description: 'Bad Request: PHOTO_INVALID_DIMENSIONS',
    });
    await bench.send({ files: [await file('wide.png', 'no picture', 'image/png')] });
    expect(bot(bench)).toMatchObject([{ files: [{ kind: 'document', name: 'wide.png' }] }]);
  });
});

describe('in place of the status message', () => {
  async function withStatus() {
    const bench = await talking();
    await bench.send({ text: 'Working' });
    const placeholder = String(bot(bench)[0]?.id);
    return { ...bench, placeholder };
  }

  it('the first part is an edit', async () => {
    const { placeholder, ...bench } = await withStatus();
    await bench.send({ placeholder, text: 'Done' });
    expect(bot(bench)).toMatchObject([{ id: Number(placeholder), text: 'Done', editedCount: 1 }]);
  });

  it('the same edit again counts as sent', async () => {
    const { placeholder, ...bench } = await withStatus();
    const ledger = createLedger();
    bench.telegram.fault({ method: 'editMessageText', kind: 'reset-after' });
    const message = answer(bench.channel, { placeholder, text: 'Done' });
    const lost = await bench.channel.send(message, ledger).catch((error: unknown) => error);
    expect(lost).toMatchObject({ ambiguous: false, retryAfterMs: 1000 });
    await bench.channel.send(message, ledger);
    expect([bot(bench).length, ledger.sent.get(0)]).toEqual([1, placeholder]);
  });

  it('a message that is gone is followed by a new one, in its topic and as a reply', async () => {
    const bench = await talking();
    const thread = bench.telegram.topic(GROUP, 'Plans');
    const question = bench.telegram.say(GROUP, { text: 'plan?', thread });
    await bench.send({
      chat: GROUP,
      thread: String(thread),
      placeholder: '99999',
      text: 'Done',
      replyTo: String(question.message_id),
    });
    expect(bot(bench, GROUP)).toMatchObject([{ text: 'Done', thread, replyTo: question.message_id }]);
  });

  it('so is somebody else’s message', async () => {
    const bench = await talking();
    await bench.send({ placeholder: String(bench.telegram.chat(ALEX).messages[0]?.id), text: 'Done' });
    expect(bot(bench)).toMatchObject([{ text: 'Done' }]);
  });
});

describe('live progress', () => {
  const timing = {
    live: { ...LIVE_TIMING, typingAfter: 20, statusAfter: 60, statusEvery: 60, textEvery: 30 },
    backoffMs: { min: 20, max: 200 },
  };
  const event = (rest: object) => ({ agentId: 'a', taskId: 't', runId: 'r1', ...rest }) as AgentStreamEvent;
  const stream = (bench: Bench, views = createViews()) => {
    const { address } = answer(bench.channel);
    return (rest: object) => bench.channel.stream?.(event(rest), address, views(event(rest), address));
  };

  it('shows typing, then one message that is edited and becomes the answer', async () => {
    const bench = await talking({ live: 'status', timing });
    const { address } = answer(bench.channel);
    const told = stream(bench);
    await told({ type: 'state-change', state: 'thinking' });
    await bench.telegram.called('sendChatAction');
    expect(bench.telegram.chat(ALEX).action).toBe('typing');
    await told({ type: 'tool-call', tool: 'write_file', args: { path: 'plan.md' } });
    const status = await bench.telegram.wait({ chat: ALEX, from: 'bot', text: 'Working: writing plan.md' });
    const placeholder = await bench.channel.endStream?.('r1', address, true);
    expect(placeholder).toBe(String(status.id));
    await bench.send({ text: 'Done', ...(placeholder !== undefined && { placeholder }) });
    await quiet();
    expect(bot(bench).map(({ text }) => text)).toEqual(['Done']);
  });

  it('costs a fast answer nothing', async () => {
    const bench = await talking({ live: 'status', timing: { ...timing, live: { ...timing.live, typingAfter: 400 } } });
    const { address } = answer(bench.channel);
    const told = stream(bench);
    await told({ type: 'state-change', state: 'thinking' });
    expect(await bench.channel.endStream?.('r1', address, true)).toBeUndefined();
    await quiet();
    expect(bench.telegram.requests('sendChatAction')).toEqual([]);
  });

  it('does nothing to a run when Telegram is away', async () => {
    const bench = await talking({ live: 'status', timing });
    await bench.telegram.outage('reset');
    const { address } = answer(bench.channel);
    const told = stream(bench);
    await told({ type: 'state-change', state: 'thinking' });
    for (let n = 0; n < 3; n++) await timersOver(200);
    expect(await bench.channel.endStream?.('r1', address, true)).toBeUndefined();
  });
});

describe('rich messages', () => {
  const table = '| a | b |\n|---|---|\n| 1 | 2 |';

  it('carry tables where they are taken', async () => {
    const bench = await talking();
    await bench.send({ text: table });
    expect(bot(bench)).toMatchObject([{ isRich: true }]);
  });

  it.each([400, 404] as const)('refused with %i: the same comes as text, and nobody asks again', async (status) => {
    const bench = await talking();
    bench.telegram.rich(status);
    await bench.send({ text: table });
    await bench.send({ id: 'o2', text: table });
    expect(bot(bench)).toMatchObject([{ isRich: false, text: expect.stringContaining('1') }, { isRich: false }]);
    expect(bench.telegram.requests('sendRichMessage').length).toBe(1);
  });

  it('refused as an edit: the edit is made as text', async () => {
    const bench = await talking();
    await bench.send({ text: 'Working' });
    bench.telegram.rich(404);
    const placeholder = String(bot(bench)[0]?.id);
    await bench.send({ id: 'o2', text: table, placeholder });
    expect(bot(bench)).toMatchObject([{ id: Number(placeholder), isRich: false, text: expect.stringContaining('2') }]);
  });

  it('a form that is refused falls through to the next, whatever it is called, to words alone at last', async () => {
    const buttons = [[{ id: 'b', label: 'Go' }]];
    const refused = (times: number) =>
      ({
        method: 'sendMessage',
        kind: 'status',
        status: 400,
        description: 'Bad Request: A_NAME_TO_COME',
        times,
      }) as const;
    for (const [times, expected] of [
      [1, { entities: [], buttons: [expect.anything()], replyTo: 1 }],
      [2, { entities: [], buttons: [], replyTo: 1 }],
      [3, { entities: [], buttons: [], replyTo: undefined }],
    ] as const) {
      const bench = await talking();
      bench.telegram.fault(refused(times));
      expect(await bench.send({ text: '**Done** now', buttons, replyTo: '1' })).toBeUndefined();
      expect(bot(bench).map(({ text, entities, buttons, replyTo }) => ({ text, entities, buttons, replyTo }))).toEqual([
        { text: 'Done now', ...expected },
      ]);
    }
    const gone = await talking();
    gone.telegram.fault({
      method: 'sendMessage',
      kind: 'status',
      status: 400,
      description: 'Bad Request: CHAT_WRITE_FORBIDDEN',
      times: 9,
    });
    expect(await gone.send({ text: '**Done**', buttons })).toMatchObject({ retryAfterMs: undefined });
    expect(gone.telegram.counters().methods.sendMessage).toBe(1);
  });

  it('one that is wrong itself does not switch the others off', async () => {
    const bench = await talking();
    await bench.send({ text: table });
    bench.telegram.fault({
      method: 'sendRichMessage',
      kind: 'status',
      status: 400,
      description: 'Bad Request: RICH_MESSAGE_INVALID',
    });
    await bench.send({ id: 'o2', text: table });
    await bench.send({ id: 'o3', text: table });
    expect(bot(bench).map(({ isRich }) => isRich)).toEqual([true, false, true]);
  });

  it('refused is remembered over a restart, for a day', async () => {
    const values = new Map<string, string>();
    const cache = {
      get: async (key: string) => values.get(key),
      set: async (key: string, value: string) => void values.set(key, value),
    };
    const first = await talking({ cache });
    first.telegram.rich(404);
    await first.send({ text: table });
    const second = await talking({ cache });
    await second.send({ text: table });
    expect(second.telegram.requests('sendRichMessage')).toEqual([]);
    values.set('telegram.rich', String(Date.now() - 25 * 3_600_000));
    const third = await talking({ cache });
    await third.send({ text: table });
    expect(bot(third)).toMatchObject([{ isRich: true }]);
  });

  it('a broken cache keeps no message back', async () => {
    const broken = async () => {
      throw new Error('disk full');
    };
    const bench = await talking({ cache: { get: broken, set: broken } });
    bench.telegram.rich(404);
    await bench.send({ text: table });
    expect(bot(bench)).toMatchObject([{ isRich: false }]);
  });

  it('a chat that is gone says nothing about them', async () => {
    const bench = await talking();
    expect(await bench.send({ chat: 5555, text: table })).toBeInstanceOf(DeliveryError);
    await bench.send({ text: table });
    expect(bot(bench)).toMatchObject([{ isRich: true }]);
  });
});

describe('refusals that another form answers', () => {
  it('entities: once more as plain text', async () => {
    const bench = await talking();
    const ledger = createLedger();
    bench.telegram.fault({
      method: 'sendMessage',
      kind: 'status',
      status: 400,
      description: "Bad Request: can't parse entities: offset",
    });
    await bench.channel.send(answer(bench.channel, { text: 'It is **done**' }), ledger);
    expect(bot(bench)).toMatchObject([{ text: 'It is done', entities: [] }]);
    expect(ledger.calls).toEqual([0]);
  });

  it('entities that are never right end in a refusal for good', async () => {
    const bench = await talking();
    bench.telegram.fault({
      method: 'sendMessage',
      kind: 'status',
      status: 400,
      description: "Bad Request: can't parse entities",
      times: 9,
    });
    expect(await bench.send({ text: '**x**' })).toMatchObject({
      name: 'DeliveryError',
      retryAfterMs: undefined,
      ambiguous: false,
    });
    expect(bench.telegram.requests('sendMessage').length).toBe(2);
  });

  it('a topic that is gone: once more without it', async () => {
    const bench = await talking();
    await bench.send({ chat: GROUP, thread: '4242' });
    expect(bot(bench, GROUP)).toMatchObject([{ text: 'Hello' }]);
  });

  it('a message to reply to that is gone', async () => {
    const bench = await talking();
    await bench.send({ replyTo: '4242' });
    expect(bot(bench)).toMatchObject([{ text: 'Hello' }]);
  });

  it('a group that has become a supergroup: to its new id', async () => {
    const bench = await talking();
    bench.telegram.addChat({ id: -77, type: 'group', title: 'Old' }, { members: [ALEX] });
    const moved = bench.telegram.migrate(-77);
    await bench.send({ chat: -77 });
    expect(bot(bench, moved)).toMatchObject([{ text: 'Hello' }]);
  });
});

describe('errors', () => {
  // biome-ignore format: a row is a line
  const failing: [string, Parameters<Bench['telegram']['fault']>[0], Partial<DeliveryError>][] = [
    ['429', { kind: 'status', retryAfter: 37 }, { retryAfterMs: 37_000, rateLimited: true, ambiguous: false }],
    ['500', { kind: 'status', status: 500 }, { retryAfterMs: 1000, ambiguous: false }],
    ['502 from a server in between', { kind: 'status', status: 502, html: true }, { retryAfterMs: 1000, ambiguous: false }],
    ['504', { kind: 'status', status: 504, html: true }, { retryAfterMs: 1000, ambiguous: true }],
    ['403', { kind: 'status', status: 403, description: 'Forbidden: bot was blocked by the user' }, { retryAfterMs: undefined, ambiguous: false }],
    ['chat not found', { kind: 'status', status: 400, description: 'Bad Request: chat not found' }, { retryAfterMs: undefined, ambiguous: false }],
    ['a revoked token', { kind: 'status', status: 401 }, { retryAfterMs: 60_000, ambiguous: false }],
    ['an answer that is lost', { kind: 'reset-after' }, { retryAfterMs: 1000, ambiguous: true, rateLimited: false }],
    ['a connection closed without an answer', { kind: 'refuse' }, { retryAfterMs: 1000, ambiguous: true }],
  ];
  it.each(failing)('%s', async (_what, fault, expected) => {
    const bench = await talking();
    bench.telegram.fault({ ...fault, method: 'sendMessage' });
    const error = await bench.send({ text: 'a private thing' });
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject(expected);
    expect(everything(error)).not.toContain(TEST_TOKEN);
    expect(everything(error)).not.toContain('a private thing');
    expect(bench.telegram.requests('sendMessage').length).toBe(1);
  });

  it('nobody listening: nothing was sent', async () => {
    const bench = await talking();
    await bench.telegram.outage('refuse');
    const error = await bench.send();
    expect(error).toMatchObject({
      name: 'DeliveryError',
      retryAfterMs: 1000,
      ambiguous: false,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(everything(error)).not.toContain(TEST_TOKEN);
  });

  it('a name that does not resolve: nothing was sent', async () => {
    const bench = await startBench({ apiRoot: 'http://api.telegram.invalid' });
    const error = await bench.channel.send(answer(bench.channel), createLedger()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ retryAfterMs: 1000, ambiguous: false });
  });

  it('a file that is gone does not keep the text back', async () => {
    const bench = await talking();
    await bench.send({ files: [attachment('/nowhere/at/all', 'a.txt', 'text/plain', 5)] });
    expect(bot(bench)).toMatchObject([
      { text: expect.stringMatching(/^Hello\n\nI couldn't attach a\.txt here.*no longer/) },
    ]);
  });

  it('no copy comes of 300 messages with every fifth call rate limited or unreachable before it was sent', async () => {
    const bench = await talking();
    for (let index = 0; index < 300; index++) {
      const ledger = createLedger();
      const message: OutboundMessage = answer(bench.channel, { id: `o${index}`, text: `n${index}` });
      if (index % 5 === 0)
        bench.telegram.fault({
          method: 'sendMessage',
          kind: 'status',
          ...(index % 10 ? { status: 503 } : { retryAfter: 1 }),
        });
      await bench.channel.send(message, ledger).catch(() => bench.channel.send(message, ledger));
    }
    expect(bot(bench).map(({ text }) => text)).toEqual(Array.from({ length: 300 }, (_, index) => `n${index}`));
  });
});

/** All that an error would show in a log: itself and its causes, own fields included. */
function everything(error: unknown): string {
  const seen: unknown[] = [];
  for (let at = error; at instanceof Error; at = at.cause) seen.push(at.message, at.stack, Object.entries(at));
  return JSON.stringify(seen);
}
