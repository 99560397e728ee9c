/** A voice message is recorded in the browser and sent as what its sender said. */
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtPage, CHROMIUM, isLeftOut, logIn } from './browser.ts';
import { startFakeGateway } from './fake-gateway.ts';

let browser: Browser;
let pages: string;

describe.skipIf(isLeftOut)('a voice message', () => {
  beforeAll(async () => {
    pages = await builtPage();
    // A microphone that hums.
    const args = ['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args });
  });
  afterAll(() => browser?.close());

  test('is recorded, sent once and marked as spoken, or discarded', async () => {
    const gateway = await startFakeGateway({ pages });
    onTestFinished(() => gateway.close());
    const { page, problems } = await logIn(browser, gateway, { width: 390 });
    await page.goto(`${gateway.url}/board/tasks/20261122-00001`);
    const record = page.getByRole('button', { name: 'Record a voice message' });
    await record.click();
    await page.getByText('Recording, 0:01').waitFor();
    await page.getByRole('button', { name: 'Discard the recording' }).click();
    await record.waitFor();
    expect(gateway.state.done).toEqual([]);
    await record.click();
    await page.getByText('Recording, 0:01').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Send the recording' }).click();
    await expect.poll(() => gateway.state.done).toContain('spoken uploads/1');
    expect(gateway.state.done.filter((done) => done.startsWith('POST /api/uploads'))).toHaveLength(1);
    await record.waitFor();
    expect(problems).toEqual([]);
  });
});
