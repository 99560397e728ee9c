/** Every page in light and dark, wide and narrow, as those read it who see little, hear it, or use keys alone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPage, isLeftOut, logIn, PLACES, startBrowser } from './browser.ts';
import { type FakeGateway, startFakeGateway } from './fake-gateway.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

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

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('%i px, %s', async (width, scheme) => {
    const { page, problems } = await logIn(browser, gateway, { width, scheme });
    const found: string[] = [];
    const look = async (place: string) => {
      await page.waitForTimeout(150);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) found.push(`/${place}: ${wide} px wider than the screen`);
      // Handed over as a value: the page's policy allows no script of others.
      await page.evaluate(axe);
      const violations: Finding[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
      for (const { id, impact, nodes } of violations)
        if (impact === 'serious' || impact === 'critical')
          found.push(`/${place}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
    };
    for (const [place, open] of [...PLACES.map((each) => [each, undefined] as const), ...OPENED]) {
      await page.goto(`${gateway.url}/board/${place}`);
      await page.waitForSelector('.page .head');
      await open?.(page);
      await look(place);
    }
    await page.context().close();
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });
});
