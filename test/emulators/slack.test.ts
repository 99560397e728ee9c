/** The Slack emulator with the real Bolt over Socket Mode: mentions, direct messages, commands, buttons, redelivery. */
import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietClient, socketApp } from './slack/bolt-helpers.ts';
import { type Slack, startSlack } from './slack.ts';

let slack: Slack;
let app: App;
let web: WebClient;

/** Events are tried again for a minute, however slowly an app connects. */
async function open(ackTimeoutMs: number, clientPingTimeout?: number) {
  slack = await startSlack({ ackTimeoutMs, retryDelaysMs: [0, ...Array(1_000).fill(60)] });
  web = quietClient(slack);
  app = socketApp(slack, clientPingTimeout);
}

/** The client pauses for its ping timeout before it connects again, so where sockets break it is short. */
async function openImpatient() {
  await slack.close();
  await open(3_000, 500);
}

beforeEach(() => open(60_000));

afterEach(async () => {
  await app.stop();
  await slack.close();
});

test('a mention in a channel comes as two events with one ts, and is answered in its thread', async () => {
  const seen: { type: string; ts: string; id: string }[] = [];
  app.event('app_mention', async ({ event, body, say }) => {
    seen.push({ type: 'app_mention', ts: event.ts, id: body.event_id });
    await say({ text: 'on it', thread_ts: event.ts });
  });
  app.message(async ({ message, body }) => {
    seen.push({ type: 'message', ts: message.ts, id: body.event_id });
  });
  await app.start();
  const said = slack.say(slack.general, 'make a < b & c', { mention: true });
  const answer = await slack.wait({ channel: slack.general, thread: said.ts, from: 'bot', text: 'on it' });
  await slack.settled();
  expect(answer.threadTs).toBe(said.ts);
  await expect.poll(() => seen.map(({ ts }) => ts)).toEqual([said.ts, said.ts]);
  expect(seen.map(({ id }) => id).sort()).toEqual([...said.events].sort());
  expect(said.events).toHaveLength(2);

  // The bot's own answer was the newest event, but the person's action is delivered again.
  slack.redeliver();
  await slack.settled();
  const ids = () => seen.flatMap(({ ts, id }) => (ts === said.ts ? [id] : []));
  await expect.poll(() => ids().sort()).toEqual([...said.events, ...said.events].sort());
  expect(slack.channel(slack.general).messages[0]).toMatchObject({
    text: `<@${slack.bot.userId}> make a &lt; b &amp; c`,
    shown: `@${slack.bot.userId} make a < b & c`,
  });

  const other = slack.say(slack.general, 'again', { mention: true, first: 'app_mention' });
  const types = () => seen.flatMap(({ ts, type }) => (ts === other.ts ? [type] : []));
  await expect.poll(types).toEqual(['app_mention', 'message']);
});

test('a direct message is one event with channel_type im; edits and removals are told with what was before', async () => {
  const seen: Record<string, unknown>[] = [];
  app.event('message', async ({ event }) => void seen.push({ ...event }));
  await app.start();
  const said = slack.dm(slack.users.sam.id, 'hello');
  slack.edit(said.channel, said.ts, 'hello there');
  slack.remove(said.channel, said.ts);
  await slack.settled();
  expect(seen).toMatchObject([
    { channel_type: 'im', user: slack.users.sam.id, text: 'hello', ts: said.ts },
    { subtype: 'message_changed', message: { text: 'hello there' }, previous_message: { text: 'hello' } },
    { subtype: 'message_deleted', deleted_ts: said.ts, previous_message: { text: 'hello there' } },
  ]);
});

test('a command is acknowledged with words for one person, and answered later through its response_url', async () => {
  app.command('/viber', async ({ ack, respond, command }) => {
    await ack({ response_type: 'ephemeral', text: `taken: ${command.text}` });
    await respond({ response_type: 'in_channel', text: 'done' });
  });
  await app.start();
  const result = await slack.slash({ text: 'status', user: slack.users.sam.id });
  expect(result).toMatchObject({ failed: false, ack: { ok: true, status: 200 } });
  const posts = await slack.responses(result.id, 1);
  expect(posts).toMatchObject([{ body: { text: 'done' }, result: 'ok' }]);
  const messages = slack.channel(slack.general).messages;
  expect(messages).toMatchObject([{ text: 'taken: status', ephemeralFor: slack.users.sam.id }, { text: 'done' }]);
  expect(messages[1]?.ephemeralFor).toBeUndefined();
});

test('a press names button, message and thread, and can replace what it was under', async () => {
  const pressed: unknown[] = [];
  app.action('stop', async ({ ack, action, body, respond }) => {
    pressed.push({ action, container: 'container' in body ? body.container : undefined });
    await ack();
    await respond({ replace_original: true, text: 'stopped' });
  });
  await app.start();
  const root = slack.say(slack.general, 'begin');
  const button = {
    type: 'button',
    action_id: 'stop',
    value: 'run-1',
    text: { type: 'plain_text', text: 'Stop' },
  } as const;
  const sent = await web.chat.postMessage({
    channel: slack.general,
    thread_ts: root.ts,
    text: 'working',
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: '*working* on &lt;it&gt; <https://a.example|here>' } },
      { type: 'actions', elements: [button] },
    ],
  });
  expect(slack.channel(slack.general).messages[1]).toMatchObject({
    shown: '*working* on <it> here',
    buttons: [{ label: 'Stop', actionId: 'stop', value: 'run-1' }],
  });
  const result = await slack.press({ channel: slack.general, label: 'Stop' });
  await slack.responses(result.id, 1);
  expect(pressed).toMatchObject([
    { action: { action_id: 'stop', value: 'run-1' }, container: { message_ts: sent.ts, thread_ts: root.ts } },
  ]);
  expect(slack.channel(slack.general).messages[1]).toMatchObject({ text: 'stopped', edited: true, buttons: [] });
  await expect(slack.press({ channel: slack.general, label: 'Stop' })).rejects.toThrow('no button');
});

test('what is said while nobody is connected is kept for a while; a repeated event keeps its id', async () => {
  const seen: string[] = [];
  app.event('message', async ({ body }) => void seen.push(body.event_id));
  const said = slack.say(slack.general, 'early');
  await app.start();
  await slack.settled();
  await expect.poll(() => seen).toEqual(said.events);
  slack.redeliver();
  await slack.settled();
  await expect.poll(() => seen).toEqual([...said.events, ...said.events]);
});

test('a dropped or recycled socket is replaced, and nothing said meanwhile is lost', async () => {
  await openImpatient();
  const seen: string[] = [];
  app.message(async ({ message }) => void ('text' in message && seen.push(message.text ?? '')));
  await app.start();
  slack.dropSockets();
  await slack.connected();
  slack.say(slack.general, 'one');
  await slack.settled();
  slack.disconnect('refresh_requested');
  await expect.poll(() => slack.counters().sockets.open, { interval: 1 }).toBe(0);
  await slack.connected();
  slack.say(slack.general, 'two');
  await slack.settled();
  // On a busy machine, a sound socket may be given up as well, and its event comes again.
  await expect.poll(() => [...new Set(seen)]).toEqual(['one', 'two']);
  expect(slack.counters().sockets.opened).toBeGreaterThanOrEqual(3);
});

test('a frozen socket answers no ping, and the client finds that out', async () => {
  await openImpatient();
  const seen: string[] = [];
  app.message(async ({ message }) => void ('text' in message && seen.push(message.text ?? '')));
  await app.start();
  slack.freeze(true);
  slack.say(slack.general, 'into the void');
  await expect.poll(() => slack.counters().sockets.opened).toBeGreaterThan(1);
  slack.redeliver();
  await expect.poll(() => seen).toContain('into the void');
});

test('events come in reverse or twice on demand', async () => {
  const seen: string[] = [];
  app.message(async ({ message }) => void ('text' in message && seen.push(message.text ?? '')));
  await app.start();
  slack.reverseNext(3);
  slack.burst([slack.general], 3, 'm');
  await slack.settled();
  await expect.poll(() => seen).toEqual(['m3', 'm2', 'm1']);
  slack.duplicate(true);
  slack.say(slack.general, 'twice');
  await slack.settled();
  slack.duplicate(false);
  slack.say(slack.general, 'once');
  await slack.settled();
  expect(seen.slice(3)).toEqual(['twice', 'twice', 'once']);
});
