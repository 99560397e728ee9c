/** Sending: forms, edits, threads, answers to commands, files, and what is known after each kind of failure. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { Attachment } from '../../../src/channels/channel.ts';
import { DeliveryError } from '../../../src/errors.ts';
import type { ChatMessage, Slack } from '../../emulators/slack.ts';
import { quiet } from '../../kit/quiet.ts';
import { answer, attachment, createLedger, startBench } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'slack-send-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): Attachment {
  const path = join(folder, createHash('sha256').update(name).update(content).digest('hex'));
  writeFileSync(path, content);
  return { ...attachment(path, name, 'text/plain', Buffer.byteLength(content)) };
}

const said = (slack: Slack, chat = slack.general): ChatMessage[] =>
  slack.channel(chat).messages.filter(({ from }) => from === 'bot');

async function failure(work: Promise<unknown>): Promise<DeliveryError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DeliveryError)) throw new Error(`expected a DeliveryError, got ${error}`);
  return error;
}

describe('a text', () => {
  test('goes as a markdown block with mrkdwn beside it; a long one in parts, each with its own key', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const text = Array.from({ length: 400 }, (_, line) => `**line ${line}** ${'word '.repeat(10)}`).join('\n\n');
    const ledger = createLedger('long');
    await channel.send(answer(channel, { chat: slack.general, text }), ledger);
    const messages = said(slack);
    expect(messages.length).toBeGreaterThan(1);
    expect(messages.map(({ metadata }) => metadata?.event_payload.key)).toEqual(
      messages.map((_, index) => `long:${index}`),
    );
    expect(messages.map(({ blocks }) => blocks.map(({ type }) => type))).toEqual(messages.map(() => ['markdown']));
    expect(messages.every(({ blocks }) => String(blocks[0]?.text).length <= 12_000)).toBe(true);
    expect(messages.map(({ shown }) => shown).join('\n')).toContain('line 399');
  });

  const FORMS = [
    ...['invalid_blocks', 'msg_blocks_too_long', 'invalid_attachments', 'a_name_to_come'],
    // Names that speak of a place or a person as well.
    ...['unsupported_block_in_thread', 'too_many_tables_in_channel', 'user_text_too_long'],
  ];

  test.each(FORMS)('goes in the next form when Slack says %s', async (error) => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.fault({ method: 'chat.postMessage', kind: 'error', error });
    const buttons = [[{ id: 'b', label: 'Go' }]];
    await channel.send(answer(channel, { chat: slack.general, text: '**bold** text', buttons }), createLedger());
    expect(said(slack)[0]?.blocks.map(({ type }) => type)).toEqual(['section', 'actions']);
    slack.fault({ method: 'chat.postMessage', kind: 'error', error, times: 2 });
    await channel.send(answer(channel, { chat: slack.general, text: '**again** text' }), createLedger());
    expect(said(slack)[1]).toMatchObject({ blocks: [], shown: expect.stringContaining('again') });
    slack.fault({ method: 'chat.postMessage', kind: 'error', error, times: 3 });
    await channel.send(
      answer(channel, { chat: slack.general, text: '**a** < [b](https://b.example) <!channel>' }),
      createLedger(),
    );
    expect(said(slack)[2]).toMatchObject({
      blocks: [],
      shown: expect.stringMatching(/^\*a\* < b \(https:\/\/b\.example\) <.*channel/),
    });
    expect(slack.pings()).toEqual([]);
  });

  test.each(FORMS)('becomes a new message when Slack says %s of every edit', async (error) => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const status = slack.botSays(slack.general, 'Working', { ours: true });
    slack.fault({ method: 'chat.update', kind: 'error', error, times: 9 });
    const message = answer(channel, { chat: slack.general, text: 'Done', placeholder: status.ts });
    await channel.send(message, createLedger());
    expect(said(slack).map(({ shown }) => shown)).toEqual(['Done']);
  });

  test('with two tables, of which Slack takes one, is said with every cell', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const text = '| a | b |\n| --- | --- |\n| 1 | 2 |\n\nand\n\n| c |\n| --- |\n| 3 |';
    await channel.send(answer(channel, { chat: slack.general, text }), createLedger());
    expect(slack.counters().errors).toEqual({ invalid_attachments: 1 });
    expect(said(slack)).toHaveLength(1);
    for (const word of ['a', 'b', '1', '2', 'and', 'c', '3']) expect(said(slack)[0]?.shown).toContain(word);
  });

  test.each(['is_archived', 'not_in_channel', 'restricted_action_read_only_channel', 'no_permission', 'access_denied'])(
    'is tried in one form alone when Slack says %s',
    async (error) => {
      const { slack, channel, connect } = await startBench();
      await connect();
      slack.fault({ method: 'chat.postMessage', kind: 'error', error, times: 9 });
      const sent = channel.send(answer(channel, { chat: slack.general, text: 'x' }), createLedger());
      expect(await failure(sent)).toMatchObject({ retryAfterMs: undefined });
      expect(slack.counters().methods['chat.postMessage']).toBe(1);
    },
  );

  test('replaces the status message, also when the answer to that is lost; a new one comes when it is gone', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const status = slack.botSays(slack.general, 'Working', { ours: true });
    slack.fault({ method: 'chat.update', kind: 'lostAnswer' });
    const ledger = createLedger();
    const message = answer(channel, { chat: slack.general, text: 'Done', placeholder: status.ts });
    const error = await failure(channel.send(message, ledger));
    expect(error).toMatchObject({ ambiguous: false, retryAfterMs: 1000 });
    await channel.send(message, ledger);
    expect(said(slack).map(({ ts, shown }) => [ts, shown])).toEqual([[status.ts, 'Done']]);
    slack.remove(slack.general, status.ts);
    await channel.send(
      answer(channel, { chat: slack.general, text: 'Anew', placeholder: status.ts }),
      createLedger('b'),
    );
    expect(said(slack).map(({ shown }) => shown)).toEqual(['Anew']);
  });

  test.each(['thread_not_found', 'restricted_action_thread_locked', 'restricted_action_non_threadable_channel'])(
    'goes to the channel when Slack says %s of its thread',
    async (error) => {
      const { slack, channel, connect } = await startBench();
      await connect();
      slack.fault({ method: 'chat.postMessage', kind: 'error', error });
      const root = slack.say(slack.general, 'root');
      await channel.send(answer(channel, { chat: slack.general, thread: root.ts, text: 'late' }), createLedger());
      expect(said(slack).map(({ shown, threadTs }) => [shown, threadTs])).toEqual([['late', undefined]]);
    },
  );
});

describe('what may have arrived', () => {
  test.each([
    ['lostAnswer', 'thread'],
    ['lostAnswer', 'channel'],
    ['reset', 'thread'],
    ['status', 'channel'],
  ] as const)('%s in a %s: sent once in the end', async (kind, where) => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const root = slack.say(slack.general, 'root');
    const place = { chat: slack.general, ...(where === 'thread' && { thread: root.ts }) };
    for (let round = 0; round < 5; round++) {
      const ledger = createLedger(`r${round}`);
      const message = answer(channel, { ...place, text: `answer ${round}` });
      slack.fault({ method: 'chat.postMessage', kind });
      const error = await failure(channel.send(message, ledger));
      expect(error).toMatchObject({ ambiguous: true, retryAfterMs: 1000 });
      slack.fault({ method: where === 'thread' ? 'conversations.replies' : 'conversations.history', kind: 'reset' });
      expect(await failure(channel.send(message, ledger))).toMatchObject({ retryAfterMs: 1000 });
      await channel.send(message, ledger);
    }
    expect(said(slack).map(({ shown }) => shown)).toEqual([0, 1, 2, 3, 4].map((round) => `answer ${round}`));
  });

  test('200 sends whose answers were lost, or which were never carried out: 200 messages', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const root = slack.say(slack.general, 'root');
    for (let n = 0; n < 200; n++) {
      const place = { chat: slack.general, ...(n % 2 === 0 && { thread: root.ts }) };
      const message = answer(channel, { ...place, text: `answer ${n}.` });
      const ledger = createLedger(`n${n}`);
      slack.fault({ method: 'chat.postMessage', kind: n % 5 === 0 ? 'reset' : 'lostAnswer' });
      await failure(channel.send(message, ledger));
      await channel.send(message, ledger);
    }
    const shown = said(slack).map((one) => one.shown);
    expect(shown).toEqual(Array.from({ length: 200 }, (_, n) => `answer ${n}.`));
  });

  test('it waits until we know who we are: after a restart sending may begin before the connection stands', async () => {
    const { slack, channel, connect } = await startBench();
    const message = answer(channel, { chat: slack.general, text: 'once' });
    const ledger = createLedger();
    slack.fault({ method: 'chat.postMessage', kind: 'lostAnswer' });
    expect(await failure(channel.send(message, ledger))).toMatchObject({ ambiguous: true });
    expect(await failure(channel.send(message, ledger))).toMatchObject({ retryAfterMs: 500, ambiguous: false });
    await connect();
    await channel.send(message, ledger);
    expect(said(slack)).toHaveLength(1);
  });

  test('nothing is asked when nothing can have arrived', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    await slack.outage('refuse');
    const ledger = createLedger();
    const message = answer(channel, { chat: slack.general, text: 'later' });
    expect(await failure(channel.send(message, ledger))).toMatchObject({ ambiguous: false, retryAfterMs: 1000 });
    await slack.outage();
    await channel.send(message, ledger);
    expect(said(slack)).toHaveLength(1);
    expect(slack.counters().methods['conversations.history']).toBeUndefined();
  });
});

describe('refusals', () => {
  test('too many requests: exactly as told', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.fault({ method: 'chat.postMessage', kind: '429', retryAfter: 7 });
    const error = await failure(channel.send(answer(channel, { chat: slack.general }), createLedger()));
    expect(error).toMatchObject({ retryAfterMs: 7000, rateLimited: true, ambiguous: false });
    expect(slack.counters().methods['chat.postMessage']).toBe(1);
  });

  test.each([
    ['channel_not_found', /invite it/],
    ['not_in_channel', /invite it/],
    ['is_archived', /archived/],
    ['missing_scope', /missing_scope/],
    ['restricted_action', /does not let apps post/],
  ])('%s is for good, and says what to do', async (code, detail) => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.fault({ method: 'chat.postMessage', kind: 'error', error: code });
    const error = await failure(channel.send(answer(channel, { chat: slack.general }), createLedger()));
    expect(error.retryAfterMs).toBeUndefined();
    expect(error.message).toMatch(detail);
  });

  test('a missing scope is named', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.setScopes(['app_mentions:read']);
    const error = await failure(channel.send(answer(channel, { chat: slack.general }), createLedger()));
    expect(error.message).toContain('chat:write');
  });

  test('a token that was taken back: the message keeps', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.setAuth('token_revoked');
    const error = await failure(channel.send(answer(channel, { chat: slack.general }), createLedger()));
    expect(error).toMatchObject({ retryAfterMs: 60_000, ambiguous: false });
  });
});

describe('a workspace on its way into an organization', () => {
  test.each(['chat.postMessage', 'files.getUploadURLExternal'])('%s: words and files come after it', async (method) => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.fault({ method, kind: 'error', error: 'team_added_to_org' });
    const message = answer(channel, { chat: slack.general, text: 'Here', files: [file('a.txt', 'a')] });
    const ledger = createLedger();
    const error = await failure(channel.send(message, ledger));
    expect(error).toMatchObject({ retryAfterMs: 60_000, ambiguous: false });
    await channel.send(message, ledger);
    await slack.wait({ channel: slack.general, file: 'a.txt' });
    expect(said(slack).map(({ shown }) => shown)).toEqual(['Here', '']);
  });
});

describe('the answer to a command', () => {
  test('is seen by its person alone, in sections', async () => {
    const { slack, channel, got, connect } = await startBench();
    await connect();
    const asked = await slack.slash({ text: 'status' });
    const interaction = got[0]?.message.interaction ?? '';
    const message = answer(channel, { chat: slack.general, text: '**All** is well', interaction });
    await channel.send(message, createLedger());
    const [shown] = said(slack);
    expect(shown).toMatchObject({ ephemeralFor: 'U0ALEX000', shown: expect.stringContaining('is well') });
    expect(await slack.responses(asked.id, 1)).toMatchObject([{ result: 'ok' }]);
  });

  test('goes to its person directly once its time is over, and never to the channel', async () => {
    const { slack, channel, got, connect } = await startBench({}, { responseLifetimeMs: 1 });
    await connect();
    await slack.slash({ text: 'status' });
    const interaction = got[0]?.message.interaction ?? '';
    // The time for an answer passes.
    await sleep(10);
    const message = answer(channel, { chat: slack.general, text: 'late', interaction });
    const ledger = createLedger();
    await channel.send(message, ledger);
    await channel.send(message, ledger);
    expect(said(slack)).toEqual([]);
    expect(said(slack, slack.dmChannel('U0ALEX000'))).toMatchObject([
      { shown: 'late', metadata: { event_payload: { key: 'out:0' } } },
    ]);
  });

  test('is given up where its person cannot be written to directly', async () => {
    const { slack, channel, got, connect } = await startBench({}, { responseLifetimeMs: 1 });
    await connect();
    await slack.slash({ text: 'status' });
    const interaction = got[0]?.message.interaction ?? '';
    // The time for an answer passes.
    await sleep(10);
    slack.setScopes(['chat:write', 'commands']);
    const late = answer(channel, { chat: slack.general, text: 'late', interaction });
    expect((await failure(channel.send(late, createLedger()))).message).toContain('im:write');
    const [nobody = ''] = interaction.split('#');
    const older = answer(channel, { chat: slack.general, text: 'late', interaction: nobody });
    expect(await failure(channel.send(older, createLedger()))).toMatchObject({ retryAfterMs: undefined });
    expect(said(slack)).toEqual([]);
  });

  test('after five of them the rest goes to its person directly', async () => {
    const { slack, channel, got, connect } = await startBench();
    await connect();
    await slack.slash({ text: 'status' });
    const interaction = got[0]?.message.interaction ?? '';
    for (let n = 0; n < 6; n++) {
      const message = answer(channel, { id: `o${n}`, chat: slack.general, text: `answer ${n}`, interaction });
      await channel.send(message, createLedger(`out${n}`));
    }
    expect(said(slack).every(({ ephemeralFor }) => ephemeralFor === 'U0ALEX000')).toBe(true);
    expect(said(slack, slack.dmChannel('U0ALEX000')).map(({ shown }) => shown)).toEqual(['answer 5']);
  });

  test('in direct messages stays, and is sent once even if it may have arrived', async () => {
    const { slack, channel, got, connect } = await startBench();
    await connect();
    const chat = slack.dmChannel('U0ALEX000');
    await slack.slash({ text: 'status', channel: chat });
    const message = answer(channel, { chat, text: 'All is well', interaction: got[0]?.message.interaction ?? '' });
    const ledger = createLedger();
    slack.fault({ method: 'chat.postMessage', kind: 'lostAnswer' });
    expect(await failure(channel.send(message, ledger))).toMatchObject({ ambiguous: true });
    await channel.send(message, ledger);
    expect(said(slack, chat)).toMatchObject([{ shown: 'All is well' }]);
    expect(said(slack, chat)[0]?.ephemeralFor).toBeUndefined();
  });

  test('reaches its person also where we are not', async () => {
    const { slack, channel, got, connect } = await startBench();
    await connect();
    const chat = slack.dmChannel('U0ALEX000');
    const asked = await slack.slash({ text: 'status', channel: chat });
    const message = answer(channel, { chat, text: 'All is well', interaction: got[0]?.message.interaction ?? '' });
    slack.fault({ method: 'chat.postMessage', kind: 'error', error: 'channel_not_found' });
    await channel.send(message, createLedger());
    expect(await slack.responses(asked.id, 1)).toMatchObject([{ result: 'ok' }]);
  });

  test('that may have arrived is not given twice; its person is told', async () => {
    const { slack, channel, got, connect } = await startBench();
    await connect();
    await slack.slash({ text: 'status' });
    const message = answer(channel, {
      chat: slack.general,
      text: 'secret plan',
      interaction: got[0]?.message.interaction ?? '',
    });
    const ledger = createLedger();
    slack.fault({ method: 'response_url', kind: 'lostAnswer' });
    expect(await failure(channel.send(message, ledger))).toMatchObject({ ambiguous: true });
    await channel.send(message, ledger);
    const shown = said(slack).map((one) => one.shown);
    expect(shown.filter((text) => text.includes('secret plan'))).toHaveLength(1);
    expect(shown.at(-1)).toContain("I can't tell");
  });

  test('never goes anywhere but to Slack', async () => {
    const { slack, channel, connect } = await startBench({ apiRoot: 'https://slack.com/api/' });
    void connect;
    const message = answer(channel, { chat: slack.general, interaction: 'http://127.0.0.1:9/hook' });
    slack.fault({ kind: 'reset' });
    const sent = channel.send(message, createLedger());
    await expect(sent).rejects.toBeInstanceOf(DeliveryError);
  });
});

describe('files', () => {
  test('a file that was replaced after it was attached goes out as it is now', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const attached = file('report.md', 'short');
    writeFileSync(attached.path, 'much longer than before');
    await channel.send(answer(channel, { chat: slack.general, text: 'Here', files: [attached] }), createLedger());
    const shown = await slack.wait({ channel: slack.general, from: 'bot', file: 'report.md' });
    expect(shown.files[0]?.size).toBe(23);
  });

  test('go into the thread in one message, byte for byte, under names without paths', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const root = slack.say(slack.general, 'root');
    const big = Buffer.alloc(3_000_000, 'x');
    const files = [file('../plan.md', '# plan'), file('big.bin', big), file('empty', '')];
    await channel.send(answer(channel, { chat: slack.general, thread: root.ts, text: 'Here', files }), createLedger());
    const shown = await slack.wait({ channel: slack.general, thread: root.ts, file: 'big.bin' });
    expect(shown.files.map(({ name, size }) => [name, size])).toEqual([
      ['_plan.md', 6],
      ['big.bin', big.length],
    ]);
    expect(shown.files[1]?.sha256).toBe(createHash('sha256').update(big).digest('hex'));
    expect(said(slack)[0]?.shown).toContain('empty is empty');
  });

  test('whose sharing may have been carried out are looked for before they are shared again', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const message = answer(channel, {
      chat: slack.general,
      text: '',
      files: [file('a.txt', 'a'), file('b.txt', 'bb')],
    });
    const ledger = createLedger();
    slack.fault({ method: 'files.completeUploadExternal', kind: 'lostAnswer' });
    expect(await failure(channel.send(message, ledger))).toMatchObject({ ambiguous: true });
    await slack.wait({ channel: slack.general, file: 'b.txt' });
    await channel.send(message, ledger);
    await quiet();
    expect(said(slack)).toHaveLength(1);
    slack.fault({ method: 'files.completeUploadExternal', kind: 'reset' });
    const second = createLedger('c');
    const other = { ...message, files: [file('c.txt', 'c')] };
    expect(await failure(channel.send(other, second))).toMatchObject({ ambiguous: true });
    await channel.send(other, second);
    await slack.wait({ channel: slack.general, file: 'c.txt' });
    expect(said(slack)).toHaveLength(2);
  });

  test.each([
    [{ method: 'upload', kind: 'reset' } as const, { retryAfterMs: 1000, ambiguous: false }],
    [{ method: 'upload', kind: 'status', status: 503 } as const, { retryAfterMs: 1000, ambiguous: false }],
    [{ method: 'files.getUploadURLExternal', kind: '429', retryAfter: 3 } as const, { retryAfterMs: 3000 }],
  ])('a failure on the way there %j leaves nothing unsure', async (fault, expected) => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.fault(fault);
    const message = answer(channel, { chat: slack.general, text: '', files: [file('d.txt', 'd'.repeat(200_000))] });
    const ledger = createLedger();
    expect(await failure(channel.send(message, ledger))).toMatchObject(expected);
    await channel.send(message, ledger);
    await slack.wait({ channel: slack.general, file: 'd.txt' });
  });

  test("that can't be read any more are given up with their name", async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    const gone = { ...file('gone.txt', 'x'), path: join(folder, 'nowhere') };
    await channel.send(answer(channel, { chat: slack.general, text: '', files: [gone] }), createLedger());
    expect(said(slack)).toMatchObject([
      { shown: expect.stringMatching(/couldn't attach `gone\.txt` here.*no longer/) },
    ]);
  });
});
