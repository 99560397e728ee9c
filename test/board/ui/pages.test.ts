/** The Board in a real browser, against a stand-in for the gateway. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtPage, isLeftOut, type Look, logIn, startBrowser } from './browser.ts';
import { CODE, type FakeOptions, startFakeGateway } from './fake-gateway.ts';

let browser: Browser;
let pages: string;

async function board(options: Partial<FakeOptions> = {}, look: Look = {}) {
  const gateway = await startFakeGateway({ pages, ...options });
  onTestFinished(() => gateway.close());
  const { page, problems } = await logIn(browser, gateway, look);
  const visit = async (place: string) => {
    await page.goto(`${gateway.url}/board/${place}`);
    await page.waitForSelector('.page .head');
  };
  return { gateway, page, problems, visit };
}

describe.skipIf(isLeftOut)('the Board', () => {
  beforeAll(async () => {
    pages = await builtPage();
    browser = await startBrowser();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(() => browser?.close());

  test('lets in by the link, keeps the code out of the address, and says how to get a link otherwise', async () => {
    const { gateway, page, problems } = await board();
    expect(page.url()).toBe(`${gateway.url}/board/`);
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(`${gateway.url}/board/tasks`);
    await stranger.getByText('viber board').waitFor();
    await stranger.goto(`${gateway.url}/board/login#wrong`);
    await stranger.getByText('has been used or is too old').waitFor();
    expect(stranger.url()).not.toContain('wrong');
    await stranger.goto('about:blank');
    await stranger.goto(`${gateway.url}/board/login#${CODE}`);
    await stranger.getByRole('heading', { name: 'Compare the three offers' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('shows what is written at once, the answer as it grows, and both once', async () => {
    const { gateway, page, problems, visit } = await board({ paceMs: 30 });
    await visit('tasks/20261122-00000');
    await page.getByLabel('Message', { exact: true }).fill('And the date?');
    await page.keyboard.press('Enter');
    await page.locator('.message.live').waitFor();
    await page.getByText('You said: And the date?').waitFor();
    await page.locator('.message.live').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.message.user', { hasText: 'And the date?' }).count()).toBe(1);
    expect(await page.locator('.message.assistant', { hasText: 'You said: And the date?' }).count()).toBe(1);
    expect(gateway.state.messages.get('20261122-00000')?.length).toBe(5);
    expect(problems).toEqual([]);
  });

  test('sends the digest that was shown with the answer to a question, and the card goes', async () => {
    const { gateway, page, visit } = await board();
    await visit('tasks/20261122-00000');
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.approval').waitFor({ state: 'detached' });
    expect(gateway.state.done).toContain('9b1d5f3a7c2e4f60a1b2c3d4 approve');
    await visit('');
    await page.getByRole('button', { name: '10 to 20' }).click();
    await expect.poll(() => gateway.state.done).toContain('ffeeddccbbaa998877665544 answer 10 to 20');
  });

  test('ticks a step of the plan that was changed by hand meanwhile, and loses neither', async () => {
    const { gateway, page, visit } = await board();
    await visit('tasks/20261122-00000');
    const step = page.getByLabel('Ask the installer about the date');
    await step.waitFor();
    const before = gateway.state.plans.get('20261122-00000') ?? '';
    gateway.state.plans.set('20261122-00000', before.replace('## Plan\n', '## Plan\n- [ ] Measure the cellar\n'));
    await step.click();
    await page.getByLabel('Measure the cellar').waitFor();
    await expect
      .poll(() => gateway.state.plans.get('20261122-00000'))
      .toContain('- [x] Ask the installer about the date');
    expect(gateway.state.plans.get('20261122-00000')).toContain('- [ ] Measure the cellar');
  });
});
