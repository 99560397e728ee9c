/** Ctrl-K: everything is found by keys alone. */
import type { Browser } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLeftOut, type Look, logIn } from './browser.ts';
import { startFakeGateway } from './fake-gateway.ts';
import { useBrowser } from './open.ts';

let browser: Browser;
let pages: string;

async function board(look: Look = {}, tasks = 40) {
  const gateway = await startFakeGateway({ pages, tasks });
  onTestFinished(() => gateway.close());
  const { page, problems } = await logIn(browser, gateway, look);
  const box = page.getByRole('combobox', { name: 'Search' });
  const options = () => page.locator('.found').allTextContents();
  const find = async (query: string) => {
    await page.keyboard.press('Control+k');
    await box.fill(query);
  };
  return { gateway, page, problems, box, options, find };
}

describe.skipIf(isLeftOut)('the search', () => {
  useBrowser((started, built) => {
    browser = started;
    pages = built;
  });

  test('acts on the open task: it is archived, renamed and deleted by keys alone, and nothing acts elsewhere', async () => {
    const { gateway, page, problems, options, find } = await board();
    const task = '20261122-00004';
    const state = () => gateway.state.tasks.find(({ taskId }) => taskId === task);
    await page.goto(`${gateway.url}/board/tasks/${task}`);
    await page.getByRole('button', { name: 'Archive' }).waitFor();
    const act = async (query: string, label: string) => {
      await find(query);
      const at = () => options().then((all) => all.findIndex((text) => text.startsWith(label)));
      await expect.poll(at).toBeGreaterThanOrEqual(0);
      for (let left = await at(); left > 0; left -= 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    };
    await act('arch', 'Archive');
    await expect.poll(state).toMatchObject({ archived: true });
    await act('back to the list', 'Back to the list');
    await expect.poll(() => state()?.archived ?? false).toBe(false);
    await act('rename', 'Rename');
    await page.keyboard.type('By train');
    await page.keyboard.press('Enter');
    await expect.poll(state).toMatchObject({ title: 'By train' });
    await act('delete', 'Delete');
    await expect.poll(state).toBeUndefined();
    await find('archive');
    await page.locator('.palette-none', { hasText: 'Nothing about' }).waitFor();
    expect(await options()).toEqual([]);
    expect(problems).toEqual([]);
  });

  test.each([390, 1440])(
    'at %i px finds tasks, messages, files, jobs, skills, commands and settings',
    async (width) => {
      const { gateway, page, problems, options, find } = await board({ width });
      const ref = 'artifacts/20261122-00000/q-quote.csv';
      gateway.state.artifacts.set(ref, { name: 'quote.csv', type: 'text/csv', bytes: Buffer.from('a,b\n1,2\n') });
      for (const [query, group, hit, address] of [
        ['vienna', 'Tasks', 'Find a train to Vienna', /\/tasks\/20261122-00004$/],
        ['covers the most', 'Messages', 'Bergmann', /\/tasks\/20261122-00000$/],
        ['quote.csv', 'Files', 'quote.csv', /open=artifacts/],
        ['soul', 'Files', 'SOUL.md', /\/files\?file=SOUL\.md$/],
        ['digest', 'Jobs', '', /\/jobs\?job=/],
        ['chart', 'Skills', 'chart', /\/skills\?skill=chart$/],
        ['channels.telegram', 'Settings', 'channels.telegram.token', /\/settings\?find=channels\.telegram\.token$/],
        ['usage', 'Pages', 'Usage', /\/usage$/],
      ] as const) {
        await find(query);
        const found = page.locator('.palette-found > div', { hasText: hit });
        await page.locator('.palette-group', { hasText: group }).waitFor();
        await found.first().waitFor();
        const wanted = (await options()).findIndex((text) => text.includes(hit));
        const at = group === 'Jobs' || group === 'Skills' ? await indexIn(page, group) : wanted;
        for (let step = 0; step < at; step += 1) await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await expect.poll(() => page.url()).toMatch(address);
        if (query === 'quote.csv') {
          await page.locator('.pane').waitFor();
          await page.keyboard.press('Escape');
          await page.locator('.pane').waitFor({ state: 'detached' });
        }
      }
      await find('/stat');
      await page.locator('.found', { hasText: '/status' }).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('/status ');
      await find('nothing of the kind');
      await page.getByText('Nothing about').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.palette').waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    },
  );

  test.each([390, 1440])('at %i px opens a task at the message that was found, and marks it', async (width) => {
    const { gateway, page, problems, find } = await board({ width });
    const taskId = '20261122-00002';
    const at = new Date().toISOString();
    const said = Array.from({ length: 320 }, (_, n) => ({
      ...{ id: `n${n}`, role: n % 2 === 0 ? ('user' as const) : ('assistant' as const), at, runId: `r${n >> 1}` },
      text: n === 40 ? `${'Long before it. '.repeat(12)}\n\nThe **walrus** is grey.` : `Line ${n}\n\nand more`,
    }));
    gateway.state.messages.set(taskId, said);
    await find('walrus');
    const hit = page.locator('.found', { hasText: 'walrus' });
    await hit.waitFor();
    expect(await hit.locator('mark').allTextContents()).toEqual(['walrus']);
    expect(await hit.textContent()).not.toContain('**');
    // The word can be seen, not only found.
    const isSeen = await hit.locator('mark').evaluate((mark) => {
      const [own, box] = [mark.getBoundingClientRect(), mark.parentElement?.getBoundingClientRect()];
      return box !== undefined && own.right <= box.right + 1;
    });
    expect(isSeen).toBe(true);
    await page.keyboard.press('Enter');
    const sought = page.locator('.message.sought');
    await sought.waitFor();
    expect(await sought.textContent()).toContain('The walrus is grey.');
    await expect.poll(() => sought.evaluate((one) => one === document.activeElement)).toBe(true);
    const top = await sought.evaluate((one) => one.getBoundingClientRect().top / innerHeight);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(1);
    expect(new URL(page.url()).search).toBe('');
    await sought.waitFor({ state: 'detached' });
    // What is gone is said to be.
    await page.goto(`${gateway.url}/board/tasks/${taskId}?message=nowhere`);
    await page.getByText('too far back').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('keeps what is typed before it is loaded, and so does a new task', async () => {
    const { page, problems, box } = await board();
    const loads = Promise.withResolvers<void>();
    // The parts of the page that a dialog is made of come late.
    await page.route(/assets\/(?:palette|new-task)/, async (route) => {
      await loads.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('now no');
    loads.resolve();
    await box.waitFor();
    await expect.poll(() => box.inputValue()).toBe('now no');
    expect(await page.locator('.new-task').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('.palette').waitFor({ state: 'detached' });
    await page.keyboard.type('nCall Kim');
    await expect.poll(() => page.locator('.new-task textarea').inputValue()).toBe('Call Kim');
    expect(problems).toEqual([]);
  });
});

/** The place of a group's first finding among all. */
const indexIn = (page: Awaited<ReturnType<typeof logIn>>['page'], group: string): Promise<number> =>
  page.evaluate(
    (name) =>
      [...document.querySelectorAll('.palette-found > div')].findIndex(
        (one) => one.querySelector('.palette-group')?.textContent === name,
      ),
    group,
  );
