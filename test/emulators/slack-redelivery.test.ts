/** How the Slack emulator treats a late app: a real Bolt app that doesn't acknowledge in time. */
import type { App } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietClient, socketApp } from './slack/bolt-helpers.ts';
import { type Slack, startSlack } from './slack.ts';

let slack: Slack;
let app: App;

beforeEach(async () => {
  slack = await startSlack({ ackTimeoutMs: 1_000, retryDelaysMs: [0, 60, 60] });
  // A machine with busy cores must not consider its own socket frozen.
  app = socketApp(slack);
});

afterEach(async () => {
  await app.stop();
  await slack.close();
});

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a command that is not acknowledged in time fails', async () => {
  app.command('/viber', async ({ ack }) => {
    await wait(1_500);
    await ack('too late');
  });
  await app.start();
  const result = await slack.slash({ text: 'slow' });
  expect(result).toMatchObject({ failed: true, ack: { ok: false, status: 0 } });
  expect(slack.channel(slack.general).messages).toEqual([]);
});

test('an event nobody acknowledges is sent again with its number, and then lost', async () => {
  const tries: unknown[] = [];
  const original = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    tries.push([event.retryNum, event.retryReason]);
    if (tries.length === 3) await original(event);
  };
  await app.start();
  slack.say(slack.general, 'anybody?');
  await slack.settled();
  expect(tries).toEqual([
    [0, ''],
    [1, 'timeout'],
    [2, 'timeout'],
  ]);
  expect(slack.counters().deliveries).toMatchObject({ events: 1, acknowledged: 1, redelivered: 2, lost: 0 });
  app.processEvent = async () => undefined;
  slack.say(slack.general, 'still anybody?');
  await slack.settled();
  expect(slack.counters().deliveries).toMatchObject({ events: 2, redelivered: 5, lost: 1 });
});

test('the eleventh socket is sent away; a ticket is good for one connection', async () => {
  const { url = '' } = await quietClient(slack, slack.appToken).apps.connections.open();
  const open = (to: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(to);
      socket.addEventListener('message', ({ data }) => resolve(String(JSON.parse(String(data)).reason ?? 'hello')));
      socket.addEventListener('error', () => resolve('refused'));
    });
  expect(await open(url)).toBe('hello');
  expect(await open(url)).toBe('refused');
  const client = quietClient(slack, slack.appToken);
  for (let n = 2; n <= 10; n += 1) expect(await open((await client.apps.connections.open()).url ?? '')).toBe('hello');
  expect(await open((await client.apps.connections.open()).url ?? '')).toBe('too_many_websockets');
});

test('that events are held back is told over the socket', async () => {
  const { url = '' } = await quietClient(slack, slack.appToken).apps.connections.open();
  const socket = new WebSocket(url);
  const told = new Promise<unknown>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.type === 'events_api') resolve(message.payload);
    });
  });
  await slack.connected();
  slack.rateLimitEvents();
  expect(await told).toMatchObject({ type: 'app_rate_limited', team_id: slack.team.id, api_app_id: slack.bot.appId });
});
