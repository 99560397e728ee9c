/** Every page in light and dark, wide and narrow, as those read it who see little, hear it, or use keys alone. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousFindings } from '../axe.ts';
import { builtPage, isLeftOut, logIn, PLACES, startBrowser } from './browser.ts';
import { type FakeGateway, startFakeGateway } from './fake-gateway.ts';

/** What opens above or beside a page: where, and how. */
// biome-ignore format: a row is a line
const OPENED: [place: string, open: (page: Page) => Promise<void>][] = [
  ['tasks/20261122-00000?open=artifacts%2F20261122-00000%2Fa1.md', (page) => page.waitForSelector('.pane-body p').then(noop)],
  ['tasks/20261122-00000?open=artifacts%2F20261122-00000%2Fa2.png', (page) => page.waitForSelector('.pane-picture').then(noop)],
  [
    'tasks',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette input').fill('hea');
      await page.waitForSelector('.found');
    },
  ],
  ['tasks', (page) => page.keyboard.press('n').then(() => page.waitForSelector('dialog.new-task textarea')).then(noop)],
  [
    'tasks/20261122-00000',
    async (page) => {
      await page.locator('.composer textarea').fill('/s');
      await page.waitForSelector('.slash');
    },
  ],
];
const noop = () => undefined;

describe.skipIf(isLeftOut)('axe finds nothing serious', () => {
  let browser: Browser;
  let gateway: FakeGateway;
  beforeAll(async () => {
    browser = await startBrowser();
    gateway = await startFakeGateway({ pages: await builtPage() });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const visit = async (page: Page, place: string) => {
    await page.goto(`${gateway.url}/board/${place}`);
    await page.waitForSelector('.page .head');
    await page.waitForLoadState('networkidle');
    await page.locator('.loading').first().waitFor({ state: 'detached' });
  };

  test('on any page, wide and narrow, in light and dark', async () => {
    const { page, problems } = await logIn(browser, gateway, { width: 1_440 });
    const found: string[] = [];
    for (const place of PLACES) {
      await visit(page, place);
      found.push(...(await seriousFindings(page)).map((line) => `/${place}: ${line}`));
    }
    await page.context().close();
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });

  // Opened at each width: there it may open elsewhere.
  test.each([1_440, 390])('in what opens above or beside a page, %i px wide, in light and dark', async (width) => {
    const { page, problems } = await logIn(browser, gateway, { width });
    const found: string[] = [];
    for (const [place, open] of OPENED) {
      await visit(page, place);
      await open(page);
      found.push(...(await seriousFindings(page, [width])).map((line) => `/${place}: ${line}`));
    }
    await page.context().close();
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });
});
