/** Receiving updates and authorising the bot, with the real grammY client. */
import { createServer } from 'node:http';
import { Bot } from 'grammy';
import { describe, expect, test } from 'vitest';
import { portOf } from './base/http.ts';
import { ALEX, apiOf, freshTelegram, refused } from './grammy-helpers.ts';

const fresh = freshTelegram({ webhookRetryMs: 20 });

describe('the door', () => {
  test('knows its token and its methods', async () => {
    expect((await fresh.api.getMe()).username).toBe('viber_test_bot');
    expect(await refused(apiOf({ token: '1:wrong', url: fresh.tg.url }).getMe())).toBe('401 Unauthorized');
    expect(await refused(apiOf({ token: 'nonsense', url: fresh.tg.url }).getMe())).toBe('404 Not Found');
    expect((await fetch(`${fresh.tg.url}/bot${fresh.tg.token}/noSuchMethod`)).status).toBe(404);
    expect((await fetch(`${fresh.tg.url}/bot${fresh.tg.token}/GETME`)).status).toBe(200);
  });

  test('takes parameters from the query, a form and JSON', async () => {
    fresh.tg.say(ALEX, 'hi');
    const send = (query: string, init?: RequestInit) =>
      fetch(`${fresh.tg.url}/bot${fresh.tg.token}/sendMessage${query}`, init);
    await send(`?chat_id=${ALEX}&text=query`);
    await send('', { method: 'POST', body: new URLSearchParams({ chat_id: String(ALEX), text: 'form' }) });
    const form = new FormData();
    form.set('chat_id', String(ALEX));
    form.set('text', 'multipart');
    await send('', { method: 'POST', body: form });
    expect(fresh.tg.lines(ALEX)).toEqual(['1001: hi', 'bot: query', 'bot: form', 'bot: multipart']);
    const broken = await send('', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } });
    expect(await broken.json()).toMatchObject({ ok: false, error_code: 400 });
  });
});

describe('getUpdates', () => {
  const texts = (updates: { message?: { text?: string } }[]) => updates.map((update) => update.message?.text);

  test('gives updates again until an offset confirms them', async () => {
    for (const text of ['one', 'two', 'three']) fresh.tg.say(ALEX, text);
    const first = await fresh.api.getUpdates();
    expect(texts(first)).toEqual(['one', 'two', 'three']);
    expect(texts(await fresh.api.getUpdates({ limit: 2 }))).toEqual(['one', 'two']);
    const offset = (first[0]?.update_id ?? 0) + 1;
    expect(texts(await fresh.api.getUpdates({ offset }))).toEqual(['two', 'three']);
    expect(texts(await fresh.api.getUpdates())).toEqual(['two', 'three']);
    expect(texts(await fresh.api.getUpdates({ offset: -1 }))).toEqual(['three']);
    expect(texts(await fresh.api.getUpdates())).toEqual(['three']);
    expect(await fresh.api.getUpdates({ offset: offset + 10 })).toEqual([]);
    expect(fresh.tg.counters().updates.pending).toBe(0);
  });

  test('a long poll ends as soon as something is said, in one batch', async () => {
    const poll = fresh.api.getUpdates({ timeout: 30 });
    await fresh.tg.called('getUpdates');
    fresh.tg.say(ALEX, 'one');
    fresh.tg.say(ALEX, 'two');
    expect(texts(await poll)).toEqual(['one', 'two']);
  });

  test('a second poll ends the first with 409', async () => {
    const older = refused(fresh.api.getUpdates({ timeout: 30 }));
    await fresh.tg.called('getUpdates');
    const newer = fresh.api.getUpdates({ timeout: 30 });
    expect(await older).toMatch(/^409 Conflict: terminated by other getUpdates request/);
    fresh.tg.say(ALEX, 'hi');
    expect(texts(await newer)).toEqual(['hi']);
  });

  test('a client that has gone away conflicts with nobody', async () => {
    const abort = new AbortController();
    const gone = fetch(`${fresh.tg.url}/bot${fresh.tg.token}/getUpdates?timeout=30`, { signal: abort.signal }).catch(
      () => 'aborted',
    );
    await fresh.tg.called('getUpdates');
    abort.abort();
    await gone;
    await expect.poll(() => fresh.tg.counters().updates.isPolling).toBe(false);
    fresh.tg.say(ALEX, 'kept');
    expect(texts(await fresh.api.getUpdates({ timeout: 1 }))).toEqual(['kept']);
    expect(fresh.tg.counters().updates.conflicts).toBe(0);
  });

  test('kinds that were not asked for are not kept', async () => {
    const { message_id } = fresh.tg.say(ALEX, 'x');
    fresh.tg.react(ALEX, message_id, '👍');
    await fresh.api.getUpdates({ allowed_updates: ['message_reaction'] });
    fresh.tg.say(ALEX, 'not for you');
    fresh.tg.react(ALEX, message_id, '👍');
    const kinds = (await fresh.api.getUpdates()).map((update) => Object.keys(update)[1]);
    expect(kinds).toEqual(['message', 'message_reaction']);
  });

  test('an update with an id of the test comes once, whatever the offset', async () => {
    fresh.tg.say(ALEX, 'one');
    const [update] = await fresh.api.getUpdates();
    const id = update?.update_id ?? 0;
    fresh.tg.sendUpdate({ ...update, update_id: id });
    expect(texts(await fresh.api.getUpdates({ offset: id + 1 }))).toEqual(['one']);
    expect(await fresh.api.getUpdates({ offset: id + 1 })).toEqual([]);
  });
});

describe('webhook', () => {
  test('delivers in order with the secret, repeats after a failure, and refuses polling', async () => {
    const got: string[] = [];
    let failures = 3;
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      expect(request.headers['x-telegram-bot-api-secret-token']).toBe('s3cret');
      failures -= 1;
      if (failures >= 0) return void response.writeHead(500).end();
      got.push(JSON.parse(body).message.text);
      const reply = { method: 'sendMessage', chat_id: ALEX, text: 'from the webhook answer' };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(got.length === 1 ? JSON.stringify(reply) : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = portOf(server);
    expect(await refused(fresh.api.setWebhook('http://example.com/'))).toContain('HTTPS URL must be provided');
    expect(await refused(fresh.api.setWebhook(`http://127.0.0.1:${port}/`, { secret_token: 'no spaces' }))).toContain(
      'unallowed',
    );
    fresh.tg.say(ALEX, 'before');
    await fresh.api.setWebhook(`http://127.0.0.1:${port}/`, { secret_token: 's3cret' });
    for (const text of ['one', 'two', 'three']) fresh.tg.say(ALEX, text);
    expect(await refused(fresh.api.getUpdates())).toMatch(
      /^409 Conflict: can't use getUpdates method while webhook is active/,
    );
    await expect.poll(() => got).toEqual(['before', 'one', 'two', 'three']);
    expect(await fresh.api.getWebhookInfo()).toMatchObject({
      pending_update_count: 0,
      last_error_message: 'Wrong response from the webhook: 500 Internal Server Error',
    });
    expect((await fresh.tg.wait({ chat: ALEX, from: 'bot' })).text).toBe('from the webhook answer');
    await fresh.api.deleteWebhook();
    fresh.tg.say(ALEX, 'polled');
    expect((await fresh.api.getUpdates()).length).toBe(1);
    server.close();
    server.closeAllConnections();
  });
});

test('a bot made with grammy answers what is said', async () => {
  const bot = new Bot(fresh.tg.token, { client: { apiRoot: fresh.tg.url } });
  bot.command('start', (context) => context.reply('welcome'));
  bot.on('message:text', (context) => context.reply(`you said ${context.message.text}`));
  const running = bot.start();
  fresh.tg.say(ALEX, '/start');
  fresh.tg.say(ALEX, 'hello');
  await fresh.tg.wait({ chat: ALEX, from: 'bot', count: 2 });
  expect(fresh.tg.lines(ALEX)).toEqual(['1001: /start', '1001: hello', 'bot: welcome', 'bot: you said hello']);
  await bot.stop();
  await running;
  expect(fresh.tg.counters().updates.pending).toBe(0);
});
