/** What people do with messages: copy, change and try again, commands, the model, a task begun from anywhere. */
import type { Browser, Page } from 'playwright-core';
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
    await expect.poll(said).toContain('Which one is the cheapest?');
    expect(problems).toEqual([]);
  });

  test('keeps a draft over a reload and a login, beside its task, until it is sent in any tab', async () => {
    const { gateway, page, problems, box } = await board(`tasks/${TASK}`);
    const open = async (tab: Page, place: string) => {
      await tab.goto(`${gateway.url}/board/${place}`);
      await tab.waitForSelector('.page .head');
    };
    const begun = 'Ask them about the price of';
    await box.fill(begun);
    await page.reload();
    await page.waitForSelector('.page .head');
    expect(await box.inputValue()).toBe(begun);
    await open(page, '');
    expect(await box.inputValue()).toBe('');
    await open(page, `login#${CODE}`);
    await open(page, `tasks/${TASK}`);
    expect(await box.inputValue()).toBe(begun);
    const other = await page.context().newPage();
    await open(other, `tasks/${TASK}`);
    const there = other.getByLabel('Message', { exact: true });
    expect(await there.inputValue()).toBe(begun);
    await there.press('Enter');
    await other.getByText(`You said: ${begun}`).waitFor();
    await expect.poll(() => box.inputValue()).toBe('');
    await page.reload();
    await page.waitForSelector('.page .head');
    expect(await box.inputValue()).toBe('');
    expect(problems).toEqual([]);
  });

  test('shows nobody what somebody else began, and no odd values of the store', async () => {
    const { gateway, page, problems, box } = await board(`tasks/${TASK}`);
    await box.fill('A secret');
    await page.evaluate(() => {
      for (const [key = '', value = ''] of Object.entries(localStorage).filter(([name]) =>
        name.startsWith('viber-unsent '),
      ))
        localStorage.setItem(key, value.replace(/"of":"[^"]*"/, '"of":"person:kim"'));
      localStorage.setItem('viber-unsent draft now', '{"text":5');
      localStorage.setItem('viber-unsent message x', '[]');
    });
    for (const place of [`tasks/${TASK}`, '']) {
      await page.goto(`${gateway.url}/board/${place}`);
      await page.waitForSelector('.page .head');
      expect(await box.inputValue()).toBe('');
    }
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => / /.test(key)))).toEqual([]);
    // After a login in another tab, this one begins anew, in the name of whoever it is.
    const reloaded = page.waitForEvent('load');
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/board/`);
    await other.evaluate(() => localStorage.setItem('viber-key', `${localStorage.getItem('viber-key')}-of-another`));
    await reloaded;
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

  test('shows no message as not sent once another tab has sent it or dropped it, not even a command', async () => {
    const { gateway, page, problems, box } = await board(`tasks/${TASK}`, { refuses: 2 });
    await box.fill('/stop');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent.').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/board/tasks/${TASK}`);
    await other.getByText('Not sent.').waitFor();
    // Refused once more, it is still not sent. What is typed later reaches the other tab later, too.
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Not sent.').waitFor();
    await box.fill('later');
    await expect.poll(() => other.getByLabel('Message', { exact: true }).inputValue()).toBe('later');
    expect(await other.getByText('Not sent.').count()).toBe(1);
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => gateway.state.done).toContain('/stop');
    await expect.poll(() => other.getByText('Not sent.').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('sends again what was not sent, once', async () => {
    const { gateway, page, problems, box, said } = await board(`tasks/${TASK}`, { refuses: 1 });
    await box.fill('Is it there?');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent.').waitFor();
    // It isn't lost with the page either, and another task doesn't show it.
    await page.goto(`${gateway.url}/board/tasks/20261122-00004`);
    await page.waitForSelector('.page .head');
    await page.reload();
    await page.waitForSelector('.page .head');
    expect(await page.getByText('Not sent.').count()).toBe(0);
    await page.goto(`${gateway.url}/board/tasks/${TASK}`);
    await page.getByText('Not sent.').waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('You said: Is it there?').waitFor();
    await expect.poll(async () => (await said()).filter((text) => text.includes('Is it there?')).length).toBe(1);
    await page.reload();
    await page.getByText('You said: Is it there?').waitFor();
    expect(await page.getByText('Not sent.').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
