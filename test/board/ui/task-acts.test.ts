/** A task is named, archived, deleted and brought back on its page, by keys alone. */
import type { Browser } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLeftOut, logIn } from './browser.ts';
import { startFakeGateway } from './fake-gateway.ts';
import { useBrowser } from './open.ts';

const TASK = '20261122-00001';
let browser: Browser;
let pages: string;

describe.skipIf(isLeftOut)('a task', () => {
  useBrowser((started, built) => {
    browser = started;
    pages = built;
  });

  test.each([390, 1440])('at %i px is renamed, archived, deleted and brought back', async (width) => {
    const gateway = await startFakeGateway({ pages });
    onTestFinished(() => gateway.close());
    const { page, problems } = await logIn(browser, gateway, { width });
    const visit = (place: string) => page.goto(`${gateway.url}/board/${place}`);
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    await visit(`tasks/${TASK}`);
    await press('Rename');
    await page.getByLabel('Name of the task').fill('Support, weekly');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Support, weekly' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await press('Archive');
    await page.getByText('Archived Support, weekly.').first().waitFor();
    await visit('tasks');
    await page.locator('.task-row').first().waitFor();
    expect(await page.locator('.task-title', { hasText: 'Support, weekly' }).count()).toBe(0);
    await visit('tasks?state=archived');
    await page.locator('.task-title', { hasText: 'Support, weekly' }).click();
    await press('Back to the list');
    await press('Delete');
    await page.waitForURL(/\/tasks$/);
    await page.locator('.task-row').first().waitFor();
    expect(await page.locator('.task-title', { hasText: 'Support, weekly' }).count()).toBe(0);
    await press('Undo');
    await page.waitForURL(new RegExp(`${TASK}$`));
    await page.getByRole('heading', { name: 'Support, weekly' }).waitFor();
    await visit('tasks');
    await page.locator('.task-title', { hasText: 'Support, weekly' }).waitFor();
    expect(problems).toEqual([]);
  });
});
