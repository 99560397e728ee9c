/** The settings in a real browser, on a real gateway. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { STRANGER } from '../../dialogs/harness.ts';
import { seriousFindings } from '../axe.ts';
import { isLeftOut, startBrowser } from '../ui/browser.ts';
import { openBoard, type RealBoard } from './real.ts';

/** Runs in the page: whether an element has the focus. */
const hasFocus = (one: unknown) => Reflect.get(one as object, 'ownerDocument').activeElement === one;

const PARTS = ['general', 'model', 'chats', 'tools', 'push', 'keep'];

describe.skipIf(isLeftOut)('the settings', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => browser?.close());

  const configOf = ({ world }: RealBoard) => JSON.parse(world.read('config.json'));

  test('are found, changed and saved by keyboard alone; what is wrong stands at its field', async () => {
    const board = await openBoard(browser);
    const { page, problems } = board;
    // As the search of the Board leads there.
    await board.visit('settings?find=limits.runs');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('limits.runs');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type(' ');
    const runs = page.getByLabel('Runs', { exact: true });
    await runs.waitFor();
    while (!(await runs.evaluate(hasFocus))) await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('0');
    await page.keyboard.press('Enter');
    const alert = page.locator('.setting [role="alert"]');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('1 to 1000');
    expect(await runs.getAttribute('aria-invalid')).toBe('true');
    expect(configOf(board).limits.runs).toBeUndefined();
    await expect.poll(() => runs.evaluate(hasFocus)).toBe(true);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.locator('.waiting').waitFor();
    expect(configOf(board).limits).toEqual({ freeBytes: 0, messagesPerMinute: 1000, runs: 7 });
    expect(await page.locator('.waiting').textContent()).toContain('start');
    // The one answer that refused the change.
    expect(problems.filter((line) => !/400|status of 400/.test(line))).toEqual([]);
  });

  test('open at the one that a link names, and nothing else', async () => {
    const board = await openBoard(browser);
    const { page } = board;
    await board.visit('settings?find=model');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('model');
    await expect.poll(() => page.locator('.settings-group').count()).toBe(1);
    expect(await page.locator('.settings-group .setting').count()).toBe(1);
    await board.visit('settings?find=providers.local.baseURL');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('providers.local.baseURL');
    await expect.poll(() => page.locator('.settings-group .setting').count()).toBe(1);
  });

  test('keep what was typed when somebody else has changed the file', async () => {
    const board = await openBoard(browser);
    const { page, world } = board;
    await board.visit('settings');
    await page.getByRole('searchbox').fill('language');
    const field = page.getByLabel('Language', { exact: true }).first();
    await field.fill('de');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${world.home}/config.json`, JSON.stringify({ ...configOf(board), currency: 'EUR' }));
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.locator('.note').waitFor();
    expect(await page.locator('.note').textContent()).toContain('changed somewhere else');
    expect(await field.inputValue()).toBe('de');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.locator('.waiting').waitFor();
    await expect.poll(() => configOf(board)).toMatchObject({ currency: 'EUR', language: 'de' });
  });

  test('add a chat: its steps, its token, and a code to scan that makes the account the owner', async () => {
    const board = await openBoard(browser, { config: { channels: {} } });
    const { page, world, problems } = board;
    process.env.TELEGRAM_API_ROOT = world.telegram.url;
    onTestFinished(() => void delete process.env.TELEGRAM_API_ROOT);
    await board.visit('settings?part=chats');
    await page.getByRole('button', { name: 'Add: Telegram' }).click();
    await page.getByRole('link', { name: 'https://t.me/BotFather' }).waitFor();
    await page.getByLabel(/Paste the token/).fill('12:not-a-token');
    await page.getByRole('button', { name: 'Check and add' }).click();
    await page.locator('.finding.wrong').waitFor();
    await page.getByLabel(/Paste the token/).fill(world.telegram.token);
    await page.getByRole('button', { name: 'Check and add' }).click();
    await page.locator('.note').waitFor();
    expect(await page.locator('.note').textContent()).toContain('already listening');
    await page.getByRole('button', { name: 'Link my account' }).click();
    await page.locator('.scan svg path').waitFor();
    const link = new URL((await page.locator('.scan a').first().getAttribute('href')) ?? '');
    world.telegram.say(STRANGER, `/start ${link.searchParams.get('start')}`);
    await page.getByText(`Yours: telegram:${STRANGER}`).waitFor();
    expect(await page.content()).not.toContain(world.telegram.token);
    expect(problems).toEqual([]);
  });

  test('choose a model, whose answer to one word is shown', async () => {
    const board = await openBoard(browser);
    const { page, world, problems } = board;
    world.llm.script(() => ({ text: 'OK' }));
    await board.visit('settings?part=model');
    await page.getByLabel('Model', { exact: true }).fill('other-model');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.locator('.finding.ok').waitFor();
    expect(configOf(board).model).toBe('local/test-model');
    await page.getByRole('button', { name: 'Use this model' }).click();
    await expect.poll(() => configOf(board).model).toBe('local/other-model');
    await page.locator('.waiting').waitFor();
    expect(problems).toEqual([]);
  });

  test('have nothing serious for axe, wide and narrow, in light and dark, and no secret', async () => {
    const board = await openBoard(browser);
    const { page, problems } = board;
    const found: string[] = [];
    for (const part of PARTS) {
      await board.visit(`settings?part=${part}`);
      await board.idle();
      await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
      found.push(...(await seriousFindings(page)).map((line) => `${part}: ${line}`));
      expect(await page.content()).not.toContain('sk-test-model-key-123');
    }
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });
});
