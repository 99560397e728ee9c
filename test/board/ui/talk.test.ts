/** What people do with messages: copy, change and try again, commands, the model, a task begun from anywhere. */
import type { Browser } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLeftOut, type Look, logIn } from './browser.ts';
import { CODE, type FakeOptions, startFakeGateway } from './fake-gateway.ts';
import { useBrowser } from './open.ts';

const TASK = '20261122-00000';
let browser: Browser;
let pages: string;

async function board(place: string, options: Partial<FakeOptions> = {}, look: Look = {}) {
  const gateway = await startFakeGateway({ pages, paceMs: 1, ...options });
  onTestFinished(() => gateway.close());
  gateway.state.tasks = gateway.state.tasks.map((task) => ({ ...task, state: 'completed' }));
  const { page, problems } = await logIn(browser, gateway, look);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${gateway.url}/board/${place}`);
  await page.waitForSelector('.page .head');
  const box = page.getByLabel('Message', { exact: true });
  const said = () => page.locator('.message.user .message-body').allInnerTexts();
  return { gateway, page, problems, box, said };
}

describe.skipIf(isLeftOut)('a conversation', () => {
  useBrowser((started, built) => {
    browser = started;
    pages = built;
  });

  test('copies a message, and changes one and sends it again', async () => {
    const { page, problems, box, said } = await board(`tasks/${TASK}`);
    const first = page.locator('.message.user').first();
    await first.hover();
    await first.getByRole('button', { name: 'Copy this message' }).click();
    const words = 'Here are the three offers for the heating. Which one should I take?';
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(words);
    await first.getByRole('button', { name: 'Edit this message' }).click();
    expect(await box.inputValue()).toBe(words);
    await box.fill('Which one is the cheapest?');
    await page.keyboard.press('Enter');
    await page.getByText('You said: Which one is the cheapest?').waitFor();
    await page.locator('.message.live').waitFor({ state: 'detached' });
    expect(await said()).toContain('Which one is the cheapest?');
    expect(problems).toEqual([]);
  });

  test('keeps a draft over a reload, beside its task, until it is sent or somebody logs in', async () => {
    const { gateway, page, problems, box } = await board(`tasks/${TASK}`);
    await box.fill('Ask them about the price of');
    await page.reload();
    await page.waitForSelector('.page .head');
    expect(await box.inputValue()).toBe('Ask them about the price of');
    await page.goto(`${gateway.url}/board/`);
    await page.waitForSelector('.page .head');
    expect(await box.inputValue()).toBe('');
    await page.goto(`${gateway.url}/board/tasks/${TASK}`);
    await page.waitForSelector('.page .head');
    await box.press('Enter');
    await page.getByText('You said: Ask them about the price of').waitFor();
    await page.reload();
    await page.waitForSelector('.page .head');
    expect(await box.inputValue()).toBe('');
    // What somebody else began isn't shown to the next who logs in; odd values of the store harm nothing.
    await box.fill('A secret');
    await page.evaluate(() => localStorage.setItem('viber-draft now', '{"text":5'));
    await page.goto(`${gateway.url}/board/login#${CODE}`);
    await page.waitForSelector('.shell .head');
    for (const place of [`tasks/${TASK}`, '']) {
      await page.goto(`${gateway.url}/board/${place}`);
      await page.waitForSelector('.page .head');
      expect(await box.inputValue()).toBe('');
    }
    expect(problems).toEqual([]);
  });

  test.each(['task', 'now'])('puts a new attempt in the place of the answer, and keeps both (%s)', async (where) => {
    const { gateway, page, problems, box, said } = await board(where === 'task' ? `tasks/${TASK}` : '');
    await box.fill('Which one is the cheapest?');
    await page.keyboard.press('Enter');
    const answer = page.locator('.message.assistant', { hasText: 'cheapest?' });
    await expect
      .poll(() => answer.locator('.message-body').allInnerTexts())
      .toEqual(['You said: Which one is the cheapest?']);
    await page.locator('.message.live').waitFor({ state: 'detached' });
    const before = (await said()).length;
    const again = async () => {
      await answer.hover();
      await answer.getByRole('button', { name: 'Try again' }).click();
    };
    await again();
    await expect.poll(() => answer.locator('.versions').allInnerTexts()).toEqual(['2 of 2']);
    expect(await answer.locator('.message-body').innerText()).toMatch(/anew/);
    // By its event first, then by the list.
    await page.reload();
    await expect.poll(() => answer.locator('.versions').allInnerTexts()).toEqual(['2 of 2']);
    await answer.getByRole('button', { name: 'Earlier answer' }).click();
    expect(await answer.locator('.message-body').innerText()).toBe('You said: Which one is the cheapest?');
    expect(await answer.getByRole('link', { name: 'Why?' }).getAttribute('href')).toMatch(/why=[^&]*run-/);
    await answer.getByRole('button', { name: 'Newer answer' }).click();
    expect(await answer.locator('.message-body').innerText()).toMatch(/anew/);
    await again();
    await expect.poll(() => answer.locator('.versions').allInnerTexts()).toEqual(['3 of 3']);
    expect((await said()).length).toBe(before);
    expect(gateway.state.messages.get(TASK)?.filter(({ text }) => text === 'Which one is the cheapest?').length).toBe(
      3,
    );
    // One that isn't sent is shown as such, and takes nothing away.
    gateway.refuse(1);
    await again();
    await page.getByText('Not sent.').waitFor();
    expect(await answer.locator('.versions').allInnerTexts()).toEqual(['3 of 3']);
    expect(problems).toEqual([]);
  });

  test.each([390, 1_440])('explains an answer in the wide pane at %i pixels, and closes it by a key', async (width) => {
    const { page, problems } = await board(`tasks/${TASK}`, {}, { width });
    const answer = page.locator('.message.assistant').first();
    expect(await page.locator('.message.user').getByRole('link', { name: 'Why?' }).count()).toBe(0);
    await answer.hover();
    await answer.getByRole('link', { name: 'Why?' }).click();
    const pane = page.getByRole('dialog', { name: 'Why this answer' });
    await pane.getByText('Run run1: 12 tokens.').waitFor();
    expect(await pane.getByRole('heading', { level: 3 }).allInnerTexts()).toHaveLength(3);
    expect(await pane.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe('/board/memory');
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    expect(problems).toEqual([]);
  });

  test('offers commands while they are typed, by keys alone, and chooses model and thinking', async () => {
    const { gateway, page, problems, box } = await board(`tasks/${TASK}`);
    await box.fill('/st');
    const menu = page.getByRole('listbox', { name: 'Commands' });
    await expect.poll(() => menu.getByRole('option').count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    expect(await menu.locator('[aria-selected=true]').textContent()).toContain('/stop');
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe('/stop ');
    await menu.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await expect.poll(() => gateway.state.done).toContain('/stop');
    await box.fill('/st');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await box.fill('');
    await page.getByLabel('Model', { exact: true }).selectOption('anthropic/claude-opus');
    await expect.poll(() => gateway.state.done).toContain('/model anthropic/claude-opus');
    await page.getByLabel('Thinking').selectOption('high');
    await expect.poll(() => gateway.state.done).toContain('/think high');
    expect(problems).toEqual([]);
  });

  test.each([390, 1440])('at %i px a task is begun from anywhere, once', async (width) => {
    const { gateway, page, problems } = await board('memory', {}, { width });
    await page.locator('.page').focus();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Message', { exact: true }).fill('Find a plumber');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tasks\/20261123-/);
    await page.getByText('You said: Find a plumber').waitFor();
    await expect.poll(() => page.locator('.message.user', { hasText: 'Find a plumber' }).count()).toBe(1);
    expect(gateway.state.tasks.filter(({ goal }) => goal === 'Find a plumber').length).toBe(1);
    // Typing is no key of the page.
    await page.getByLabel('Message', { exact: true }).press('n');
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('n');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });

  test('sends again what was not sent, once', async () => {
    const { page, problems, box, said } = await board(`tasks/${TASK}`, { refuses: 1 });
    await box.fill('Is it there?');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent.').waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('You said: Is it there?').waitFor();
    await expect.poll(async () => (await said()).filter((text) => text.includes('Is it there?')).length).toBe(1);
    expect(problems).toEqual([]);
  });
});
