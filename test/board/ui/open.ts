/** One browser and the built page for all tests of a group; each test has contexts of its own. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { builtPage, startBrowser } from './browser.ts';

/** Called within `describe`; `on` gets them before the first test. */
export function useBrowser(on: (browser: Browser, pages: string) => void): void {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const pages = await builtPage();
    browser = await startBrowser();
    on(browser, pages);
  });
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
  });
  afterAll(() => browser?.close());
}
