/** What people meet on the Board first, in a real browser on a real gateway. */
import fs from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALEX } from '../../dialogs/harness.ts';
import { builtPage, isLeftOut, startBrowser } from '../ui/browser.ts';
import { openBoard } from './real.ts';

let browser: Browser;

/** More than a message can have. */
const NAMES = [
  ...['a b.txt', '100%.txt', '%41%2F.txt', 'a#b?c=d&e.txt', `quo"te's.txt`, '<img src=x onerror=alert(1)>.txt', '   '],
  ...['\u202egnp.txt', 'שלום עולם.txt', '😀 👨‍👩‍👧.txt', `${'x'.repeat(200)}.txt`, '..', 'index.html', 'con', '.env'],
  ...['__proto__.txt', '$XX.txt', '[x](y).md', '-rf.txt', '日本語.csv', 'more.txt', 'most.txt'],
];

describe.skipIf(isLeftOut)('the Board of a real gateway', () => {
  beforeAll(async () => {
    await builtPage();
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test('opens each file of the viber by a click', async () => {
    const { page, visit, problems } = await openBoard(browser);
    await visit('files');
    const names = await page.locator('.split-list a span span:first-child').allTextContents();
    expect(names).toContain('SOUL.md');
    for (const name of names) {
      await page.locator('.split-list a', { hasText: name }).click();
      await page.locator('.cm-content, .editor').first().waitFor();
      expect(new URL(page.url()).search).toBe(`?file=${name.replaceAll('/', '%2F')}`);
    }
    expect(problems).toEqual([]);
  });

  test('shows the tasks of the filter that is chosen, and no other', async () => {
    const { world, page, visit, problems } = await openBoard(browser);
    world.llm.script((request) =>
      JSON.stringify(request.messages.at(-1)).includes('fails') ? { fault: 'unauthorized' } : { text: 'Done.' },
    );
    await world.ask('This works');
    await world.ask('/new This fails');
    await visit('tasks');
    const titles = () => page.locator('.task-title').allTextContents();
    await expect.poll(async () => (await titles()).length).toBe(2);
    const choose = (name: string) => page.locator('.choice button', { hasText: name }).click();
    await choose('Failed');
    await expect.poll(titles).toEqual(['This fails']);
    await choose('Done');
    await expect.poll(titles).toEqual(['This works']);
    await choose('All');
    await page.getByLabel('Channel').selectOption('terminal');
    await expect.poll(titles).toEqual([]);
    await page.getByLabel('Channel').selectOption('telegram');
    await expect.poll(async () => (await titles()).length).toBe(2);
    expect(problems).toEqual([]);
  });

  test('shows that it works, with Stop, from the first instant of a second message to its end', async () => {
    const { world, page, visit, problems } = await openBoard(browser);
    world.llm.script((request) =>
      JSON.stringify(request.messages.at(-1)).includes('second')
        ? { text: 'The second answer.', delayMs: 1_500 }
        : { text: 'The first answer.' },
    );
    await world.ask('The first one');
    const id = path.basename(world.task());
    await visit(`tasks/${id}`);
    await page.getByText('The first answer.').waitFor();
    await expect.poll(() => page.locator('.task-head-state').textContent()).toContain('Done');
    // Every state that is painted from the key on, as somebody sees it.
    await page.evaluate(`
      window.seen = [];
      const look = () => {
        const state = document.querySelector('.task-head-state')?.textContent ?? '';
        const stop = [...document.querySelectorAll('.composer button')].some((one) => one.textContent === 'Stop');
        const now = (state.includes('Done') ? 'done' : 'working') + (stop ? ' stop' : ' no stop');
        if (window.seen.at(-1) !== now) window.seen.push(now);
        requestAnimationFrame(look);
      };
      look();
    `);
    await page.getByLabel('Message', { exact: true }).fill('The second one');
    await page.keyboard.press('Enter');
    await page.getByText('The second answer.').waitFor();
    await expect.poll(() => page.evaluate('window.seen')).toEqual(['done no stop', 'working stop', 'done no stop']);
    expect(problems).toEqual([]);
  });

  test('puts what waits for a person first, counts it in the navigation and the title, and lets it go once decided', async () => {
    const { world, page, visit, problems } = await openBoard(browser);
    world.llm.script((request) => {
      const last = JSON.stringify(request.messages.at(-1));
      if (last.includes('cleanly'))
        return { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which colour?' } }] };
      return { text: 'Done.' };
    });
    world.telegram.say(ALEX, 'Work cleanly');
    await expect.poll(() => page.title()).toBe('(1) Viber');
    expect(await page.locator('.side .badge').textContent()).toContain('1');
    await world.ask('/new Another one');
    await visit('tasks');
    await expect.poll(() => page.locator('.task-title').allTextContents()).toEqual(['Work cleanly', 'Another one']);
    expect(await page.locator('.task-row').first().textContent()).toContain('Waiting for you');
    expect(await page.title()).toBe('(1) Tasks – Viber');
    await page.locator('.choice button', { hasText: 'Waiting for you' }).click();
    await expect.poll(() => page.locator('.task-title').allTextContents()).toEqual(['Work cleanly']);
    await page.locator('.task-row').click();
    await page.getByPlaceholder('Your answer').fill('Blue');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).not.toContain('(');
    await expect.poll(() => page.locator('.task-head-state').textContent()).toContain('Done');
    expect(await page.locator('.badge').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('answers a command where it was typed, and not in the chat', async () => {
    const { world, page, visit, problems } = await openBoard(browser);
    world.llm.script([{ text: 'Hello.' }, { text: 'Later.' }]);
    await world.ask('Hi there');
    const chat = () => world.telegram.chat(ALEX).messages.length;
    const before = chat();
    await visit('');
    for (const place of ['', `tasks/${path.basename(world.task())}`]) {
      await visit(place);
      await page.getByLabel('Message', { exact: true }).fill('/status');
      await page.keyboard.press('Enter');
      await page.locator('.message.aside').waitFor();
      expect(await page.locator('.message.aside').textContent()).toContain('Hi there');
      await expect.poll(() => page.locator('.composer button', { hasText: 'Stop' }).count()).toBe(0);
    }
    expect(chat()).toBe(before);
    // What is said later stands below it.
    await page.getByLabel('Message', { exact: true }).fill('And on');
    await page.keyboard.press('Enter');
    await page.getByText('Later.').waitFor();
    const said = await page.locator('.messages > li .message-body').allInnerTexts();
    expect(said.map((text) => text.split('\n')[0])).toEqual([
      ...['Hi there', 'Hello.', '/status', expect.any(String), 'And on', 'Later.'],
    ]);
    expect(world.llm.requests()).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  test('shows a message with a file once, in the words of its person', async () => {
    const { world, page, visit, problems } = await openBoard(browser);
    world.llm.script((_request) => ({ text: 'Read.' }));
    await visit('');
    const send = async (text: string) => {
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('All of it.\n') });
      await page.locator('.uploads li:not(.coming)').waitFor();
      await page.getByLabel('Message', { exact: true }).fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    await send('Look at this');
    await page.locator('.message.assistant', { hasText: 'Read.' }).waitFor();
    await send('');
    await expect.poll(() => page.locator('.message.assistant', { hasText: 'Read.' }).count()).toBe(2);
    await expect.poll(() => page.locator('.message.user').count()).toBe(2);
    const bodies = await page.locator('.message.user .message-body').allInnerTexts();
    expect(bodies.map((text) => text.replace(/\s*notes(?: \(2\))?\.txt[\s\S]*$/, ''))).toEqual(['Look at this', '']);
    await page.reload();
    await expect.poll(() => page.locator('.message.user .message-body').allInnerTexts()).toEqual(bodies);
    // Opened by a click.
    await page.locator('.message.user .file-name').first().click();
    await page.locator('.pane-body', { hasText: 'All of it.' }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each([390, 1440])(
    'at %i px opens files by a click, whatever they are called, and says how many a message can have',
    async (width) => {
      const { world, page, visit, idle, problems } = await openBoard(browser, { width });
      world.llm.script((_request) => ({ text: 'Read.' }));
      await visit('');
      for (let sent = 0; sent < NAMES.length; sent += 10) {
        const files = NAMES.slice(sent).map((name) => ({
          ...{ name, mimeType: 'text/plain', buffer: Buffer.from(`words of ${name}\n`) },
        }));
        await page.locator('input[type=file]').setInputFiles(files);
        if (files.length > 10) await page.getByText('A message can have 10 files').first().waitFor();
        const taken = Math.min(10, files.length);
        await expect.poll(() => page.locator('.uploads li:not(.coming)').count()).toBe(taken);
        await page.getByRole('button', { name: 'Send' }).click();
        const answers = page.locator('.message.assistant:not(.live)', { hasText: 'Read.' });
        await expect.poll(() => answers.count()).toBe(sent / 10 + 1);
      }
      for (const place of ['', `tasks/${path.basename(world.task())}`]) {
        await visit(place);
        await idle();
        const files = page.locator('.message.user .file');
        await expect.poll(() => files.count()).toBe(NAMES.length);
        for (const [at, file] of (await files.all()).entries()) {
          await file.locator('.file-name').click();
          // Markdown is shown as such.
          const shown = NAMES[at] === '[x](y).md' ? 'x.md' : NAMES[at];
          await page.locator('.pane-body', { hasText: `words of ${shown}`.trim() }).waitFor();
          await page.keyboard.press('Escape');
          await page.locator('.pane').waitFor({ state: 'detached' });
        }
        const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(Number(await page.evaluate(beyond))).toBeLessThanOrEqual(0);
      }
      expect(problems).toEqual([]);
    },
  );

  test('lets go of a suggestion that was decided in the chat', async () => {
    const { world, page, visit, problems } = await openBoard(browser);
    world.llm.script([{ text: 'Noted.\n<memory_suggestion>Add to MEMORY.md: - Alex drinks tea</memory_suggestion>' }]);
    await visit('memory');
    await world.ask('I drink tea');
    await page.locator('.card', { hasText: 'drinks tea' }).waitFor();
    const [file = ''] = fs.readdirSync(path.join(world.home, 'workspace/memory/suggestions'));
    await world.ask(`/memory accept ${path.basename(file, '.json')}`);
    await page.locator('.card', { hasText: 'drinks tea' }).waitFor({ state: 'detached' });
    await page.locator('.notes', { hasText: 'drinks tea' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('shows whoever comes late the answer from its beginning', async () => {
    const { world, page, visit, problems } = await openBoard(browser);
    const words = Array.from({ length: 120 }, (_, n) => `word${n}`).join(' ');
    world.llm.script([{ chunks: words.split(/(?<= )/), chunkDelayMs: 60 }]);
    world.telegram.say(ALEX, 'Tell me a long story');
    await expect
      .poll(
        () =>
          fs.existsSync(path.join(world.home, 'artifacts')) &&
          fs.readdirSync(path.join(world.home, 'artifacts')).length,
      )
      .toBe(1);
    await expect.poll(() => world.llm.requests().length).toBe(1);
    await visit(`tasks/${path.basename(world.task())}`);
    await page.locator('.message.live .md').waitFor();
    expect(await page.locator('.message.live .md').textContent()).toMatch(/^word0 word1 /);
    expect(problems).toEqual([]);
  });

  test('says without a model that there is none, what works, and does not call itself well', async () => {
    const { page, visit, problems } = await openBoard(browser, { offline: true });
    await page.getByText('No language model is connected yet').waitFor();
    // All that is offered works.
    const ideas = await page.locator('.ideas button').allTextContents();
    for (const [index, idea] of ideas.entries()) {
      if (index === 0) await page.locator('.ideas button').first().click();
      else {
        await page.getByLabel('Message', { exact: true }).fill(idea);
        await page.keyboard.press('Enter');
      }
      await expect.poll(() => page.locator('.message.assistant:not(.live)').count()).toBe(index + 1);
    }
    const answers = (await page.locator('.message.assistant').allInnerTexts()).join('\n');
    for (const words of ['The plan has 3 steps', 'I wrote shopping.md', 'I drink tea', '/status'])
      expect(answers).toContain(words);
    expect(answers).not.toMatch(/real model|didn't understand/);
    await visit('health');
    await page.getByText('No language model is connected').waitFor();
    expect(await page.getByText('Everything works').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
