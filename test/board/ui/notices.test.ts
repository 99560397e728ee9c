/** Notifications in a real browser: turned on in the settings, and shown by the service worker. */
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../helpers/temp.ts';
import { builtPage, CHROMIUM, isLeftOut } from './browser.ts';
import { CODE, type FakeGateway, startFakeGateway } from './fake-gateway.ts';

/** Chromium without a network has no push service: this stands in for what a browser gets from one. */
const SUBSCRIBING = `
  PushManager.prototype.getSubscription = async () => null;
  PushManager.prototype.subscribe = async (options) => {
    window.subscribedWith = options.applicationServerKey;
    return { toJSON: () => ({ endpoint: 'https://push.example.org/1', keys: { p256dh: 'p', auth: 'a' } }) };
  };
`;
const SHOWN = `navigator.serviceWorker.ready.then((found) => found.getNotifications()).then((all) =>
  all.map(({ title, body, data }) => ({ title, body, data })))`;

async function open(isAllowed = true): Promise<{ gateway: FakeGateway; page: Page; context: BrowserContext }> {
  const gateway = await startFakeGateway({ pages: await builtPage() });
  onTestFinished(() => gateway.close());
  const context = await chromium.launchPersistentContext(tempFolder(), {
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    locale: 'en-GB',
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(30_000);
  if (isAllowed) await context.grantPermissions(['notifications'], { origin: gateway.url });
  const page = await context.newPage();
  await page.addInitScript(SUBSCRIBING);
  await page.goto(`${gateway.url}/board/login#${CODE}`);
  await page.locator('.shell .head').waitFor();
  return { gateway, page, context };
}

/** Delivers a push as the browser would. */
async function pusher(session: CDPSession, origin: string): Promise<(data: string) => Promise<void>> {
  const found = Promise.withResolvers<string>();
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
    if (first) found.resolve(first.registrationId);
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await found.promise;
  return async (data) => {
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  };
}

describe.skipIf(isLeftOut)('notifications', () => {
  test('are turned on, tried and turned off in the settings', async () => {
    const { gateway, page } = await open();
    await page.goto(`${gateway.url}/board/settings?part=push`);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Notifications are on.').waitFor();
    expect(await page.evaluate('window.subscribedWith')).toBe('the-key');
    expect(gateway.state.done).toContain('PUT /api/push');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Sent. It appears in a moment.').waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Notifications are off.').waitFor();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
    expect(await page.evaluate(`caches.has('viber-login')`)).toBe(false);
  });

  test('show what the gateway says to this login, and a general sentence without it', async () => {
    const { gateway, page, context } = await open();
    await page.goto(`${gateway.url}/board/settings?part=push`);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Notifications are on.').waitFor();
    const push = await pusher(await context.newCDPSession(page), gateway.url);
    const known = { title: 'Notifications work.', body: '', data: '/board/settings?part=push' };
    // The browser says nothing of a push that it drops, as it may while the service worker still begins.
    await expect
      .poll(async () => {
        await push('test');
        return page.evaluate(SHOWN);
      })
      .toEqual([known]);
    // Who sees the Board is not told again.
    await push('question');
    await expect.poll(() => gateway.state.done).toContain('GET /api/push/news');
    await expect.poll(() => page.evaluate(SHOWN)).toEqual([known]);
    await page.evaluate(`caches.delete('viber-login')`);
    await push('test');
    const general = { title: 'Viber', body: 'There is something new on the Board.', data: '/board/' };
    await expect.poll(() => page.evaluate(SHOWN)).toEqual([general]);
  });
});
