/** The page as an app: it can be installed, opens without a connection, and goes over to a new build by itself. */
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../helpers/temp.ts';
import { builtPage, CHROMIUM, isLeftOut } from './browser.ts';
import { CODE, type FakeGateway, type FakeOptions, KEY, startFakeGateway } from './fake-gateway.ts';

/** A browser with a profile on disk: windows without one can't install anything. */
async function profile(): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(tempFolder(), {
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(30_000);
  return context;
}

async function serve(options: FakeOptions): Promise<FakeGateway> {
  const gateway = await startFakeGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

async function logIn(context: BrowserContext, gateway: FakeGateway) {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
      problems.push(message.text());
  });
  await page.goto(`${gateway.url}/board/login#${CODE}`);
  await page.locator('.shell .head').waitFor();
  return { page, problems };
}

/** Until the service worker of the newest build serves the page. */
const isKept = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(`navigator.serviceWorker.getRegistration('/board/').then((found) =>
        navigator.serviceWorker.controller !== null && found?.active?.state === 'activated' && !found.installing)`),
    )
    .toBe(true);

const KEPT = `(async () => {
  const found = {};
  for (const name of await caches.keys())
    found[name] = (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
  return found;
})()`;

/** A build whose files have other names, and another service worker. */
function nextBuild(folder: string, nth: number): void {
  const assets = path.join(folder, 'assets');
  const names = readdirSync(assets).map((old) => [old, old.replace(/(\.\w+)$/, `z${nth}$1`)] as const);
  for (const [old, name] of names) renameSync(path.join(assets, old), path.join(assets, name));
  const files = [...names.map(([, name]) => `assets/${name}`), 'sw.js', 'index.html', 'manifest.webmanifest'];
  for (const file of files.filter((each) => !each.endsWith('.png')).map((each) => path.join(folder, each))) {
    const text = names.reduce((all, [old, name]) => all.replaceAll(old, name), readFileSync(file, 'utf8'));
    writeFileSync(file, file.endsWith('sw.js') ? text.replace(/(?<=\+`)[0-9a-z]{8}(?=`)/, `build00${nth}`) : text);
  }
}

describe.skipIf(isLeftOut)('the page as an app', () => {
  test('can be installed, by the rules of Chromium', async () => {
    const context = await profile();
    const { page, problems } = await logIn(context, await serve({ pages: await builtPage() }));
    const session = await context.newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    expect(installabilityErrors).toEqual([]);
    const { data = '', errors } = await session.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data);
    expect(manifest).toMatchObject({ display: 'standalone', start_url: '/board/', scope: '/board/', id: '/board/' });
    for (const { src, sizes } of manifest.icons) {
      const [width = ''] = sizes.split('x');
      const shown = await page.evaluate(
        `fetch('${src}').then((png) => png.blob()).then(createImageBitmap).then((drawn) => drawn.width)`,
      );
      expect(shown).toBe(Number(width));
    }
    const colours = await page.evaluate(
      `[...document.querySelectorAll('meta[name=theme-color]')].map(({ media, content }) => media + content)`,
    );
    expect(colours).toEqual(['(prefers-color-scheme: light)#ffffff', '(prefers-color-scheme: dark)#17181b']);
    expect(problems).toEqual([]);
  });

  test('keeps the page and its files, and no answer of the gateway', async () => {
    const context = await profile();
    const pages = await builtPage();
    const gateway = await serve({ pages });
    const { page, problems } = await logIn(context, gateway);
    await isKept(page);
    for (const place of ['tasks', 'tasks/20261122-00000', 'files?file=SOUL.md', 'settings']) {
      await page.goto(`${gateway.url}/board/${place}`);
      await page.locator('.page .head').waitFor();
    }
    const kept = Object.values((await page.evaluate(KEPT)) as Record<string, string[]>);
    const files = readdirSync(path.join(pages, 'assets')).map((name) => `/board/assets/${name}`);
    expect(kept.map((names) => names.sort())).toEqual([['/board/', ...files].sort()]);
    expect(problems).toEqual([]);
  });

  test('subscribes again when its subscription ends, and tells the gateway, by the next visit at the latest', async () => {
    const context = await profile();
    const gateway = await serve({ pages: await builtPage() });
    const { page, problems } = await logIn(context, gateway);
    await isKept(page);
    const [worker] = context.serviceWorkers();
    const told = () => gateway.state.done.filter((each) => each === 'PUT /api/push').length;
    // Chromium's own service is out of reach here.
    await worker?.evaluate(`
      self.made = [];
      PushManager.prototype.getSubscription = async () => null;
      PushManager.prototype.subscribe = async (options) => {
        self.made.push(options);
        return { toJSON: () => ({ endpoint: 'https://push.example.org/new', keys: { p256dh: 'p', auth: 'a' } }) };
      };
    `);
    const ends = () =>
      worker?.evaluate(`(async () => {
        let work;
        const event = new Event('pushsubscriptionchange');
        event.waitUntil = (given) => (work = given);
        self.dispatchEvent(event);
        await work;
        return self.made;
      })()`);
    // Where notifications aren't on, there is nothing to do.
    expect(await ends()).toEqual([]);
    await page.evaluate(
      `caches.open('viber-login').then((kept) => kept.put('/board/login-key', new Response('${KEY}')))`,
    );
    expect(await ends()).toEqual([{ userVisibleOnly: true, applicationServerKey: 'the-key' }]);
    expect(told()).toBe(1);
    gateway.state.failing.set('/api/push', 503);
    await ends();
    expect(told()).toBe(1);
    gateway.state.failing.clear();
    await page.goto(`${gateway.url}/board/tasks`);
    await expect.poll(told).toBe(2);
    await page.goto(`${gateway.url}/board/tasks`);
    await page.locator('.task-row').first().waitFor();
    expect(told()).toBe(2);
    expect(problems).toEqual([]);
  });

  test('opens without a connection with one sentence, and goes on when the gateway is back', async () => {
    const context = await profile();
    const pages = await builtPage();
    const gateway = await serve({ pages });
    const { page, problems } = await logIn(context, gateway);
    await isKept(page);
    await gateway.close();
    await page.goto(`${gateway.url}/board/tasks`);
    await page.getByText("Can't reach the gateway.").waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.locator('.page button').count()).toBe(0);
    await serve({ pages, port: gateway.port });
    await page.locator('.task-row').first().waitFor();
    // Logged out, it says how to log in, with a connection and without.
    await page.evaluate('localStorage.clear()');
    await page.goto(`${gateway.url}/board/`);
    await page.locator('.login-card').waitFor();
    expect(problems).toEqual([]);
  });

  test('goes over to a new build without a reload, while a tab of the old one works on', async () => {
    const context = await profile();
    const pages = tempFolder();
    cpSync(await builtPage(), pages, { recursive: true });
    const gateway = await serve({ pages });
    const { page: old, problems } = await logIn(context, gateway);
    await isKept(old);
    await old.evaluate('window.isSame = true');
    nextBuild(pages, 1);
    const { page: fresh } = await logIn(context, gateway);
    await expect.poll(async () => Object.keys((await fresh.evaluate(KEPT)) as object).length).toBe(2);
    await isKept(fresh);
    await old.getByRole('link', { name: 'Usage' }).click();
    await old.locator('.page-usage .head').waitFor();
    expect(await old.evaluate('window.isSame')).toBe(true);
    await fresh.getByRole('link', { name: 'Usage' }).click();
    await fresh.locator('.page-usage .head').waitFor();
    for (const nth of [2, 3]) {
      nextBuild(pages, nth);
      await fresh.reload();
      await expect
        .poll(async () => Object.keys((await fresh.evaluate(KEPT)) as object).at(-1))
        .toBe(`viber-shell-build00${nth}`);
      await isKept(fresh);
    }
    await expect.poll(async () => Object.keys((await fresh.evaluate(KEPT)) as object).length).toBe(3);
    expect(problems).toEqual([]);
  });
});
