/** The Board in a real browser, against a stand-in for the gateway. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as de from '../../../src/board/ui/words/de.ts';
import { english } from '../../../src/board/ui/words/en.ts';
import { englishPages } from '../../../src/board/ui/words/en-pages.ts';
import * as es from '../../../src/board/ui/words/es.ts';
import { isLeftOut, type Look, logIn, PLACES } from './browser.ts';
import { hostileMessages, UNSENT, XSS } from './data.ts';
import { CODE, type FakeOptions, startFakeGateway } from './fake-gateway.ts';
import { useBrowser } from './open.ts';

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
  useBrowser((started, built) => {
    browser = started;
    pages = built;
  });

  test('lets in by the link, keeps the code out of the address, and says how to get a link otherwise', async () => {
    const { gateway, page, problems } = await board();
    expect(page.url()).toBe(`${gateway.url}/board/`);
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(`${gateway.url}/board/tasks`);
    await stranger.getByText('viber board').waitFor();
    await stranger.goto(`${gateway.url}/board/login#wrong`);
    await stranger.getByText('has expired or was already used').waitFor();
    expect(stranger.url()).not.toContain('wrong');
    // The browser doesn't load the page again for a fragment alone.
    await stranger.goto(`${gateway.url}/board/login#${CODE}`);
    await stranger.getByRole('heading', { name: 'Compare the three offers' }).waitFor();
    expect(stranger.url()).toBe(`${gateway.url}/board/`);
    expect(problems).toEqual([]);
  });

  test('shows a task with steps left as open, without a tick', async () => {
    const { gateway, page, visit } = await board();
    const task = gateway.state.tasks.find(({ state }) => state === 'completed');
    if (task) Object.assign(task, { open: true, title: 'Paint the wall' });
    await visit('tasks');
    const row = page.locator('.task-row', { hasText: 'Paint the wall' });
    await row.getByText('Open', { exact: true }).waitFor();
    expect(await row.locator('.dot .icon').count()).toBe(0);
    expect(await page.locator('.task-row .dot.completed .icon').count()).toBeGreaterThan(0);
  });

  test('warns of a job whose chat is switched off', async () => {
    const { page, visit } = await board();
    await visit('jobs');
    const card = page.locator('.job', { hasText: 'Support digest' });
    await card.getByText(UNSENT).waitFor();
    expect(await page.getByText(UNSENT).count()).toBe(1);
  });

  test.each([
    ['tasks/%', 'Page not found'],
    ['tasks/%E0%A4', 'Page not found'],
    ['%25', 'Page not found'],
    ['tasks%2F20261122-00000', 'Page not found'],
    ['tasks/50%25', "Can't load this"],
    ['tasks/20261122%2D00000', 'Compare the three offers'],
  ])('decodes each part of the address %s once', async (address, expected) => {
    const { gateway, page, problems } = await board();
    await page.goto(`${gateway.url}/board/${address}`);
    await page.locator('.page').getByText(expected).first().waitFor();
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

  // `npm run bench:board` measures how soon the rows can be used.
  test('lists 10,000 tasks with at most 60 rows in the page, and each by one scroll', async () => {
    const { page, problems, visit } = await board({ tasks: 10_000 });
    await visit('tasks');
    await page.locator('.task-row').first().waitFor();
    let most = 0;
    for (let step = 0; step < 30; step++) {
      await page.mouse.wheel(0, 2_500);
      // What follows from a scroll is in the page after two frames.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      most = Math.max(most, await page.locator('.virtual > li').count());
    }
    expect(most).toBeLessThanOrEqual(60);
    expect(most).toBeGreaterThan(5);
    await expect
      .poll(() => page.locator('.virtual > li').first().getAttribute('aria-setsize').then(Number))
      .toBeGreaterThan(400);
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator('[data-row="1"] a').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Weekly digest');
    expect(problems).toEqual([]);
  });

  test('waits for no timer between an event and what it paints', async () => {
    const taskId = '20261122-00000';
    const { gateway, page, visit } = await board({ paceMs: -1 });
    // Longer waits never end here, so what waited for one would never be painted.
    await page.addInitScript(() => {
      const later = window.setTimeout.bind(window);
      Object.assign(window, {
        setTimeout: (work: () => void, ms = 0) => later(work, ms > 60 ? 3_600_000 : ms),
      });
    });
    await visit(`tasks/${taskId}`);
    await page.locator('.message').first().waitFor();
    gateway.emit({ type: 'task:started', taskId, runId: 'r9' });
    await page.locator('.message.live').waitFor();
    const told = (event: object) => gateway.emit({ type: 'task:progress', taskId, runId: 'r9', event });
    // Written on Telegram, say.
    const at = new Date().toISOString();
    gateway.state.messages.get(taskId)?.push({ id: 'm9', role: 'user', text: 'From elsewhere', at });
    told({ type: 'state-change', state: 'thinking' });
    await page.locator('.message.user', { hasText: 'From elsewhere' }).waitFor();
    for (let index = 0; index < 40; index++) told({ type: 'text-delta', content: `word${index}. ` });
    await page.locator('.message.live', { hasText: 'word39.' }).waitFor();
    expect(await page.locator('.message.live').textContent()).toContain('word0. word1. ');
    const plan = gateway.state.plans.get(taskId) ?? '';
    gateway.state.plans.set(taskId, plan.replaceAll('- [ ]', '- [x]'));
    gateway.emit({ type: 'plan:changed', taskId, hash: 'h2' });
    await expect.poll(() => page.locator('.steps input:not(:checked)').count()).toBe(0);
    const asked = { ...gateway.state.approvals[0], id: 'a9', taskId, sentence: 'Shall I call them?' };
    gateway.state.approvals.push(asked);
    gateway.emit({ type: 'approval:asked', taskId, runId: 'r9', approval: 'a9' });
    await page.getByText('Shall I call them?').first().waitFor();
    gateway.emit({ type: 'task:completed', taskId, runId: 'r9', result: { text: 'It is settled.', artifactRefs: [] } });
    await page.locator('.message.assistant', { hasText: 'It is settled.' }).waitFor();
    await visit('tasks');
    const row = page.locator('.task-row', { hasText: gateway.state.tasks[7]?.title ?? '' });
    await row.waitFor();
    gateway.emit({ type: 'task:error', taskId: gateway.state.tasks[7]?.taskId, runId: 'r1', error: { message: '' } });
    await row.filter({ hasText: 'Failed' }).waitFor();
    gateway.emit({ type: 'task:changed', taskId: gateway.state.tasks[7]?.taskId, title: 'Renamed elsewhere' });
    await page.locator('.task-row', { hasText: 'Renamed elsewhere' }).waitFor();
  });

  test('says that the connection is lost, keeps what is seen, and heals by itself', async () => {
    const { gateway, page, visit } = await board();
    await visit('tasks');
    await page.locator('.task-row').first().waitFor();
    await page.context().setOffline(true);
    gateway.drop();
    await page.getByText('Connection lost.').first().waitFor();
    expect(await page.locator('.task-row').count()).toBeGreaterThan(5);
    gateway.state.tasks[5] = {
      ...(gateway.state.tasks[5] as (typeof gateway.state.tasks)[0]),
      title: 'Changed meanwhile',
    };
    await page.context().setOffline(false);
    await page.locator('.lost').waitFor({ state: 'detached' });
    await page.getByText('Changed meanwhile').waitFor();
  });

  test('shows both texts when a file was changed by hand, and loses neither', async () => {
    const { gateway, page, problems, visit } = await board();
    await visit('files?file=SOUL.md');
    const editor = page.getByRole('textbox', { name: 'Text of SOUL.md' });
    await editor.click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('Written on the Board. ');
    gateway.state.files['SOUL.md'] += 'Written by hand.\n';
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('This was changed while you were editing').first().waitFor();
    expect(await page.locator('.conflict-text').first().textContent()).toContain('Written by hand.');
    expect(await page.locator('.conflict-text').nth(1).textContent()).toContain('Written on the Board.');
    await page.getByRole('button', { name: 'Merge both' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(() => gateway.state.files['SOUL.md'])
      .toMatch(/^Written on the Board\. # Manner[\s\S]*Written by hand\.\n$/);
    expect(problems).toEqual([]);
  });

  test('says what the loader makes of a job while it is written, and does not leave what is unsaved', async () => {
    const { gateway, page, visit } = await board();
    await visit('jobs?job=morning');
    await page.getByText('Valid:').waitFor();
    const editor = page.getByRole('textbox', { name: 'Text of morning.yaml' });
    await editor.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('schedule: every 3 dys');
    await page.getByText('perhaps "every 3 days"').waitFor();
    await page.getByRole('link', { name: 'Tasks' }).first().click();
    await page.getByRole('button', { name: 'Stay' }).click();
    expect(page.url()).toContain('jobs?job=morning');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('link', { name: 'Tasks' }).first().click();
    await page.locator('.task-row').first().waitFor();
    expect(gateway.state.done.filter((line) => line.startsWith('PUT'))).toEqual([]);
  });

  test('runs nothing of what stands in titles, names, messages, files and logs', async () => {
    const { gateway, page, problems, visit } = await board();
    gateway.state.messages.set('20261122-00000', hostileMessages(Date.now()));
    for (const task of gateway.state.tasks.slice(0, 3)) task.title = XSS;
    gateway.state.files['SOUL.md'] = XSS;
    gateway.state.approvals = gateway.state.approvals.map((one) => ({ ...one, sentence: XSS, details: XSS }));
    gateway.state.suggestions = [{ id: 's', text: XSS, section: XSS }];
    for (const place of PLACES) {
      await visit(place);
      await page.waitForLoadState('networkidle');
    }
    await visit('tasks/20261122-00000');
    await page.getByText('onerror=').first().waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img, script:not([src]), a[href^="javascript"], a[href^="data"]').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('is used by keys alone: from a page to a task, its question and its message', async () => {
    const { gateway, page } = await board();
    const focused = () =>
      page.evaluate(
        () => (document.activeElement?.matches('a, button') ? document.activeElement.textContent : '') ?? '',
      );
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Skip to the page');
    for (let step = 0; step < 20 && !/^Tasks$/.test(await focused()); step++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.task-row').first().waitFor();
    for (let step = 0; step < 30 && !/Compare the three/.test(await focused()); step++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.approval').waitFor();
    for (let step = 0; step < 40 && (await focused()) !== 'No'; step++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => gateway.state.done).toContain('9b1d5f3a7c2e4f60a1b2c3d4 reject');
    await page.locator('.approval').waitFor({ state: 'detached' });
    for (let step = 0; step < 40 && (await page.evaluate(() => document.activeElement?.tagName)) !== 'TEXTAREA'; step++)
      await page.keyboard.press('Tab');
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await page.getByText('You said: By keys').waitFor();
  });

  describe('in another language', () => {
    const texts = (of: object): string[] =>
      Object.values(of).flatMap((text): string[] => {
        if (typeof text === 'string') return [text];
        return typeof text === 'object' && text !== null ? texts(text) : [];
      });
    /** Words of the stand-in's own questions, of the model's context, and the ID of the usual viber. */
    const asked = new Set(['More', 'Send', 'Memory', 'Plan', 'Conversation', 'default']);
    const onlyEnglish = (other: { words: object; pageWords: object }) => {
      const own = new Set(texts({ words: other.words, pageWords: other.pageWords }));
      return new Set(texts({ english, englishPages }).filter((text) => !own.has(text) && !asked.has(text)));
    };
    /** Everything that is read or heard on the page. */
    const shown = (page: Page) =>
      page.evaluate(() => {
        const found: string[] = [];
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
          if (node instanceof Element)
            for (const name of ['aria-label', 'title', 'placeholder']) found.push(node.getAttribute(name) ?? '');
          else found.push(node.textContent ?? '');
        }
        return found.map((text) => text.trim());
      });

    test.each([
      ['the person’s, in an English browser', 'de', 'en-GB', 'de'],
      ['the browser’s, while the person’s is unknown', undefined, 'de-AT', 'de'],
      ['the person’s, in a German browser', 'en', 'de-DE', 'en'],
      ['the browser’s, in Latin America', undefined, 'es-419', 'es'],
      ['English, for a browser in a language without a catalogue', undefined, 'fr-FR', 'en'],
    ])('speaks %s', async (_, language, locale, spoken) => {
      const { page, problems, visit } = await board({ language }, { locale });
      await visit('tasks');
      const tasks = { de: 'Aufgaben', es: 'Tareas' }[spoken] ?? 'Tasks';
      await page.getByRole('heading', { name: tasks }).first().waitFor();
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(spoken);
      expect(await page.title()).toContain(tasks);
      expect(problems).toEqual([]);
    });

    test.each([
      ['de', de, 'Noch einmal versuchen', 'ist abgelaufen oder wurde schon benutzt'],
      ['es', es, 'Intentarlo de nuevo', 'ha caducado o ya se usó'],
    ])('has no English on any page, and amounts and times as they are written in %s', async (...given) => {
      const [language, other, again, expired] = given;
      const { gateway, page, problems, visit } = await board({ language });
      const english = onlyEnglish(other);
      expect(english.size).toBeGreaterThan(150);
      for (const place of PLACES) {
        await visit(place);
        await expect.poll(() => page.locator('.loading').count()).toBe(0);
        expect([place, (await shown(page)).filter((text) => english.has(text))]).toEqual([place, []]);
      }
      await visit('usage');
      await page
        .getByText(/^\d+,\d{2,3}\sUSD$/)
        .first()
        .waitFor();
      gateway.state.failing.set('/api/jobs', 503);
      await visit('jobs');
      await page.getByRole('button', { name: again }).waitFor();
      const stranger = await (await browser.newContext({ locale: language })).newPage();
      await stranger.goto(`${gateway.url}/board/login#wrong`);
      await stranger.getByText(expired).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('says what went wrong where something cannot be loaded, and tries again', async () => {
    const { gateway, page, visit } = await board();
    gateway.state.failing.set('/api/jobs', 503);
    await visit('jobs');
    await page.getByText('The disk is full.').waitFor();
    gateway.state.failing.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Morning briefing').waitFor();
    gateway.state.role = 'member';
    await visit('tasks');
    expect(await page.getByRole('link', { name: 'Health' }).count()).toBe(0);
  });
});
