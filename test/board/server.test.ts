import { describe, expect, it } from 'vitest';
import { ALEX, openWorld } from '../dialogs/harness.ts';

describe('the HTTP side', () => {
  it('tells whether it is alive and ready, and counts what happened', async () => {
    const world = await openWorld();
    const get = async (path: string, init?: RequestInit) => {
      const response = await fetch(`http://127.0.0.1:${world.app.port}${path}`, init);
      return { status: response.status, text: await response.text() };
    };
    await world.ask('hello');
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    const ready = await get('/readyz');
    expect([ready.status, JSON.parse(ready.text)]).toMatchObject([
      200,
      {
        ready: true,
        channels: { telegram: { state: 'connected' } },
        dead: 0,
        unsure: 0,
        workspace: { writable: true },
      },
    ]);
    const { text } = await get('/metrics');
    expect(text).toContain('viber_inbound_total{channel="telegram",outcome="accepted"} 1');
    expect(text).toContain('viber_runs_total{state="completed"} 1');
    expect(text).toMatch(/viber_resident_bytes \d+/);
    expect((await get('/nothing')).status).toBe(404);
    expect((await get('/readyz', { method: 'POST' })).status).toBe(405);
  });

  it('is not ready while a channel is away, and says which and why', async () => {
    const world = await openWorld();
    await world.telegram.outage('refuse');
    await expect.poll(async () => (await world.app.readiness()).channels.telegram?.state).toBe('reconnecting');
    const response = await fetch(`http://127.0.0.1:${world.app.port}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      ready: false,
      channels: { telegram: { detail: expect.any(String) } },
    });
    await world.telegram.outage();
    await expect.poll(async () => (await world.app.readiness()).ready).toBe(true);
  });

  it('takes updates by webhook with the secret only', async () => {
    const secret = 'a-secret-of-some-length';
    const webhook = { url: 'http://127.0.0.1:1/webhooks/telegram', secret };
    const world = await openWorld({ telegram: { mode: 'webhook', webhook } });
    const update = {
      update_id: 1,
      message: {
        ...{ message_id: 5, date: 1_800_000_000, text: 'by webhook' },
        chat: { id: ALEX, type: 'private', first_name: 'Alex' },
        from: { id: ALEX, is_bot: false, first_name: 'Alex' },
      },
    };
    const post = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${world.app.port}/webhooks/telegram`, {
        ...{ method: 'POST', body: JSON.stringify(update) },
        headers: { 'content-type': 'application/json', ...headers },
      });
    expect((await post({})).status).toBe(401);
    expect((await post({ 'x-telegram-bot-api-secret-token': 'wrong' })).status).toBe(401);
    world.telegram.say(ALEX, 'opens the chat for the bot');
    expect((await post({ 'x-telegram-bot-api-secret-token': secret })).status).toBe(200);
    expect((await world.answer()).text).toBe('by webhook');
    expect((await post({ 'x-telegram-bot-api-secret-token': secret })).status).toBe(200);
    await expect.poll(() => world.llm.stats().requests).toBe(1);
  });
});
