/** The Slack emulator, delivering over signed HTTP to the real Bolt receiver. */
import { createHmac } from 'node:crypto';
import type { App } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { httpApp, quietClient } from './slack/bolt-helpers.ts';
import { type Slack, startSlack } from './slack.ts';

let slack: Slack;
let app: App;
let url: string;
let seen: { id: string; text: string; retry: number | undefined }[];

beforeEach(async () => {
  slack = await startSlack({ retryDelaysMs: [0, 60, 60] });
  const started = httpApp(slack);
  app = started.app;
  seen = [];
  app.message(async ({ message, body, context }) => {
    const text = 'text' in message ? (message.text ?? '') : '';
    seen.push({ id: body.event_id, text, retry: context.retryNum });
  });
  url = await started.start();
  await slack.deliverTo(url);
});

afterEach(async () => {
  await app.stop();
  await slack.close();
});

const event = {
  type: 'event_callback',
  event_id: 'Ev1',
  event: { type: 'message', text: 'by hand', channel_type: 'im' },
};

test('events, commands and presses arrive signed, the latter two as forms', async () => {
  app.command('/viber', async ({ ack, command }) => ack(`taken: ${command.text}`));
  app.action('go', async ({ ack, respond }) => {
    await ack();
    await respond({ text: 'gone', replace_original: false });
  });
  const said = slack.say(slack.general, 'hello');
  await slack.settled();
  expect(seen).toEqual([{ id: said.events[0], text: 'hello', retry: undefined }]);

  const result = await slack.slash({ text: 'a & b = ü' });
  expect(result).toMatchObject({ failed: false, ack: { status: 200, body: 'taken: a & b = ü' } });
  expect(slack.channel(slack.general).messages.at(-1)).toMatchObject({ ephemeralFor: slack.users.alex.id });

  const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } } as const;
  const blocks = [{ type: 'actions', elements: [button] }];
  await quietClient(slack).chat.postMessage({ channel: slack.general, text: 'ready', blocks });
  const press = await slack.press({ channel: slack.general, label: 'Go', user: slack.users.sam.id });
  await slack.responses(press.id, 1);
  expect(slack.channel(slack.general).messages.at(-1)).toMatchObject({
    text: 'gone',
    ephemeralFor: slack.users.sam.id,
  });
});

test('the signature is the documented one', async () => {
  const basis = 'v0:1531420618:token=x';
  const expected = `v0=${createHmac('sha256', slack.signingSecret).update(basis).digest('hex')}`;
  const { signature } = await import('./slack/request-url.ts');
  expect(signature(slack.signingSecret, 1_531_420_618, 'token=x')).toBe(expected);
});

test("requests that are unsigned, tampered with, signed by another or old are refused; a replay is the app's to see", async () => {
  expect((await slack.sendRaw({ body: event })).status).toBe(200);
  expect(seen).toHaveLength(1);
  expect((await slack.sendRaw({ body: event, sign: false })).status).toBe(401);
  expect((await slack.sendRaw({ body: event, tamper: true })).status).toBe(401);
  expect((await slack.sendRaw({ body: event, secret: 'another' })).status).toBe(401);
  expect((await slack.sendRaw({ body: event, timestampOffsetS: -301 })).status).toBe(401);
  expect(seen).toHaveLength(1);

  slack.say(slack.general, 'once');
  await slack.settled();
  expect((await slack.replay()).status).toBe(200);
  expect(seen.filter(({ text }) => text === 'once')).toHaveLength(2);
});

test('an event that is not answered in time or with an error comes again with its number', async () => {
  let tries = 0;
  app.event('message', async () => {
    tries += 1;
    if (tries < 3) throw new Error('not yet');
  });
  slack.say(slack.general, 'please');
  await slack.settled();
  expect(seen.map(({ retry }) => retry)).toEqual([undefined, 1, 2]);
  expect(slack.counters().deliveries).toMatchObject({ acknowledged: 1, redelivered: 2, lost: 0 });
});

test('a URL that does not answer the challenge is refused; back to sockets on demand', async () => {
  await expect(slack.deliverTo(url.replace('/slack/events', '/nowhere'))).rejects.toThrow('challenge');
  await slack.deliverTo();
  slack.say(slack.general, 'nobody is connected');
  await slack.settled();
  expect(slack.counters().deliveries.lost).toBe(1);
  await expect(slack.sendRaw({ body: event })).rejects.toThrow('no request URL');
});
