/** Every page in light and dark, wide and narrow, as those read it who see little, hear it, or use keys alone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPage, isLeftOut, logIn, PLACES, startBrowser } from './browser.ts';
import { type FakeGateway, startFakeGateway } from './fake-gateway.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
    [1280, 'light'],
    [1280, 'dark'],
    [360, 'light'],
    [360, 'dark'],
  ] as const)('%i px, %s', async (width, scheme) => {
    const { page, problems } = await logIn(browser, gateway, { width, scheme });
    const found: string[] = [];
    for (const place of PLACES) {
      await page.goto(`${gateway.url}/board/${place}`);
      await page.waitForSelector('.page .head');
      await page.waitForTimeout(150);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) found.push(`/${place}: ${wide} px wider than the screen`);
      // Handed over as a value: the page's policy allows no script of others.
      await page.evaluate(axe);
      const violations: Finding[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
      for (const { id, impact, nodes } of violations)
        if (impact === 'serious' || impact === 'critical')
          found.push(`/${place}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
    }
    await page.context().close();
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });
});
