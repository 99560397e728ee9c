/** The Slack emulator's Web API through the real WebClient: which calls it refuses, stores, and reads back. */
import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { quietClient } from './slack/bolt-helpers.ts';
import { type Slack, startSlack } from './slack.ts';

let slack: Slack;
let web: WebClient;

beforeEach(async () => {
  slack = await startSlack();
  web = quietClient(slack);
});

afterEach(() => slack.close());

const post = (args: object) => web.apiCall('chat.postMessage', { channel: slack.general, ...args });
const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: { data?: { error?: string } }) => error.data?.error ?? String(error),
  );
const markdown = (text: string) => ({ type: 'markdown', text });
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = (more: object) => ({
  type: 'actions',
  elements: [{ type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'A' }, ...more }],
});

describe('what is refused', () => {
  test.each([
    ['no words', {}, 'no_text'],
    ['an unknown channel', { channel: 'C404', text: 'a' }, 'channel_not_found'],
    ['a long text', { text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['blocks that are no list', { text: 'a', blocks: { type: 'divider' } }, 'invalid_blocks_format'],
    ['an unknown block', { text: 'a', blocks: [{ type: 'poem' }] }, 'invalid_blocks'],
    ['51 blocks', { text: 'a', blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }, 'invalid_blocks'],
    ['a long section', { text: 'a', blocks: [section('x'.repeat(3001))] }, 'invalid_blocks'],
    ['an empty section', { text: 'a', blocks: [section('')] }, 'invalid_blocks'],
    [
      'too much Markdown in all',
      { blocks: [markdown('x'.repeat(7000)), markdown('x'.repeat(5001))] },
      'msg_blocks_too_long',
    ],
    ['a long label', { blocks: [button({ text: { type: 'plain_text', text: 'x'.repeat(76) } })] }, 'invalid_blocks'],
    ['a label of mrkdwn', { blocks: [button({ text: { type: 'mrkdwn', text: 'x' } })] }, 'invalid_blocks'],
    ['a long action_id', { blocks: [button({ action_id: 'x'.repeat(256) })] }, 'invalid_blocks'],
    ['a long value', { blocks: [button({ value: 'x'.repeat(2001) })] }, 'invalid_blocks'],
    ['a thread that is not there', { text: 'a', thread_ts: '1.000001' }, 'thread_not_found'],
    ['a thread_ts that is none', { text: 'a', thread_ts: '0' }, 'invalid_thread_ts'],
    ['metadata without payload', { text: 'a', metadata: { event_type: 'x' } }, 'invalid_metadata_format'],
    ['markdown_text beside text', { text: 'a', markdown_text: 'b' }, 'markdown_text_conflict'],
    ['long markdown_text', { markdown_text: 'x'.repeat(12_001) }, 'msg_too_long'],
  ])('%s', async (_what, args, error) => {
    expect(await refused(post(args))).toBe(error);
    expect(slack.channel(slack.general).messages).toEqual([]);
  });

  test('what is just within the limits is not', async () => {
    await post({ text: 'x'.repeat(40_000) });
    await post({ blocks: [markdown('x'.repeat(7000)), markdown('x'.repeat(5000))] });
    await post({
      blocks: [section('x'.repeat(3000)), button({ action_id: 'x'.repeat(255), value: 'x'.repeat(2000) })],
    });
    expect(slack.channel(slack.general).messages).toHaveLength(3);
  });

  test('channels the bot is not in, may not see, or that are archived', async () => {
    const outside = slack.addChannel({ name: 'outside', bot: false });
    const hidden = slack.addChannel({ name: 'hidden', bot: false, isPrivate: true });
    expect(await refused(post({ channel: outside, text: 'a' }))).toBe('not_in_channel');
    expect(await refused(post({ channel: hidden, text: 'a' }))).toBe('channel_not_found');
    expect(await refused(web.conversations.history({ channel: outside }))).toBe('not_in_channel');
    const others = slack.addForeignDm([slack.users.alex.id, slack.users.sam.id]);
    expect(await refused(post({ channel: others, text: 'a' }))).toBe('channel_not_found');
    expect(slack.say(outside, 'unheard', { mention: true }).events).toEqual([]);
    slack.join(outside, slack.bot.userId);
    expect(await refused(post({ channel: outside, text: 'a' }))).toBe('accepted');
    slack.archive(outside);
    expect(await refused(post({ channel: outside, text: 'a' }))).toBe('is_archived');
  });

  test('edits: of others, of nothing, too long once escaped', async () => {
    const said = slack.say(slack.general, 'mine');
    await post({ text: 'yours', blocks: [section('yours')] });
    const ts = slack.channel(slack.general).messages[1]?.ts ?? '';
    const edit = (more: object) => refused(web.apiCall('chat.update', { channel: slack.general, ts, ...more }));
    expect(await edit({ ts: said.ts, text: 'x' })).toBe('cant_update_message');
    expect(await edit({ ts: '1.000001', text: 'x' })).toBe('message_not_found');
    expect(await edit({})).toBe('no_text');
    expect(await edit({ text: '<'.repeat(1001) })).toBe('msg_too_long');
    expect(await edit({ text: '<'.repeat(1000) })).toBe('accepted');
    expect(slack.channel(slack.general).messages[1]).toMatchObject({ shown: 'yours', editedCount: 1 });
    expect(await edit({ text: 'bare', blocks: [] })).toBe('accepted');
    expect(slack.channel(slack.general).messages[1]).toMatchObject({ shown: 'bare', editedCount: 2 });
  });
});

test('JSON bodies are taken like forms, and a broken one is named', async () => {
  const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' };
  const call = async (body: string) =>
    (await fetch(`${slack.url}chat.postMessage`, { method: 'POST', headers, body })).json();
  expect(await call(JSON.stringify({ channel: slack.general, blocks: [section('a')] }))).toMatchObject({ ok: true });
  expect(await call('{')).toEqual({ ok: false, error: 'invalid_json' });
  expect(await (await fetch(`${slack.url}no.such`, { headers })).json()).toMatchObject({ error: 'unknown_method' });
});

test('history is paged newest first without replies, a thread oldest first with its root on each page', async () => {
  slack.burst([slack.general], 5, 'm');
  const [first, second, third, , last] = slack.channel(slack.general).messages;
  for (const n of [1, 2, 3]) await post({ text: `r${n}`, thread_ts: first?.ts, reply_broadcast: n === 3 });
  const page = await web.conversations.history({ channel: slack.general, limit: 4 });
  expect(page.messages?.map(({ text }) => text)).toEqual(['r3', 'm5', 'm4', 'm3']);
  slack.say(slack.general, 'm6');
  const cursor = page.response_metadata?.next_cursor ?? '';
  const rest = await web.conversations.history({ channel: slack.general, limit: 4, cursor });
  expect(rest.messages?.map(({ text }) => text)).toEqual(['m2', 'm1']);
  expect(rest.messages?.[1]).toMatchObject({ reply_count: 3, thread_ts: first?.ts });
  expect([page.has_more, rest.has_more]).toEqual([true, false]);

  const range = { channel: slack.general, oldest: second?.ts ?? '', latest: last?.ts ?? '' };
  const between = await web.conversations.history(range);
  expect(between.messages?.map(({ text }) => text)).toEqual(['m4', 'm3']);
  const inclusive = await web.conversations.history({ ...range, latest: third?.ts ?? '', inclusive: true });
  expect(inclusive.messages?.map(({ text }) => text)).toEqual(['m3', 'm2']);

  const ts = first?.ts ?? '';
  const thread = await web.conversations.replies({ channel: slack.general, ts, limit: 2 });
  expect(thread.messages?.map(({ text }) => text)).toEqual(['m1', 'r1', 'r2']);
  const more = await web.conversations.replies({
    channel: slack.general,
    ts,
    limit: 2,
    cursor: thread.response_metadata?.next_cursor ?? '',
  });
  expect(more.messages?.map(({ text }) => text)).toEqual(['m1', 'r3']);
});

test('whom a message would have notified', async () => {
  await post({ text: 'hello &lt;!channel&gt; and @here', blocks: [markdown('no `@everyone`')] });
  expect(slack.pings()).toEqual([]);
  await post({ text: 'a', blocks: [markdown('`<!channel>`'), section('<@U1|x>')] });
  await post({ text: '@here', parse: 'full' });
  const broadcast = { type: 'rich_text_section', elements: [{ type: 'broadcast', range: 'everyone' }] };
  await post({ text: 'b', blocks: [{ type: 'rich_text', elements: [broadcast] }] });
  expect(slack.pings().map(({ who }) => who)).toEqual(['channel', 'U1', 'here', 'everyone']);
});

test('reactions are put once', async () => {
  const { ts } = slack.say(slack.general, 'hello');
  const reaction = { channel: slack.general, timestamp: ts, name: 'eyes' };
  await web.reactions.add(reaction);
  expect(await refused(web.reactions.add(reaction))).toBe('already_reacted');
  await web.reactions.remove(reaction);
  expect(await refused(web.reactions.remove(reaction))).toBe('no_reaction');
});
