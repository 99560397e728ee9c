/** The network goes a hundred times while people write and answers come: nothing disappears, nothing stands there twice. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtPage, isLeftOut, logIn, startBrowser } from './browser.ts';
import { startFakeGateway } from './fake-gateway.ts';

const TASK = '20261122-00001';
const DROPS = 100;
const MESSAGES = 25;

describe.skipIf(isLeftOut)('a connection that goes again and again', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test('loses no message and shows none twice', async () => {
    const gateway = await startFakeGateway({ pages: await builtPage(), paceMs: 40 });
    onTestFinished(() => gateway.close());
    const { page, problems } = await logIn(browser, gateway);
    await page.goto(`${gateway.url}/board/tasks/${TASK}`);
    const box = page.getByLabel('Message', { exact: true });
    await box.waitFor();
    let drops = 0;
    let isOver = false;
    const dropping = (async () => {
      while (!isOver || drops < DROPS) {
        gateway.drop();
        drops += 1;
        // It breaks at any moment.
        await new Promise((resolve) => setTimeout(resolve, 90 + Math.random() * 240));
      }
    })();
    for (let index = 0; index < MESSAGES; index++) {
      await box.fill(`message ${index}.`);
      await page.keyboard.press('Enter');
      // People write one after the other.
      await page.waitForTimeout(300);
      // What was written is in sight at every moment, and once.
      expect(await page.locator('.message.user', { hasText: `message ${index}.` }).count()).toBe(1);
    }
    isOver = true;
    await dropping;
    expect(drops).toBeGreaterThanOrEqual(DROPS);
    for (let index = 0; index < MESSAGES; index++) {
      await expect.poll(() => page.locator('.message.user', { hasText: `message ${index}.` }).count()).toBe(1);
      await expect
        .poll(() => page.locator('.message.assistant', { hasText: `You said: message ${index}.` }).count())
        .toBe(1);
    }
    const there = gateway.state.messages.get(TASK) ?? [];
    expect(there.filter(({ role }) => role === 'user').length).toBe(MESSAGES);
    await expect
      .poll(() => page.locator('.message.sending, .message.failed, .message.kept, .message.live').count())
      .toBe(0);
    expect(problems).toEqual([]);
  });
});
