/**
 * Every link is followed and every control used, on every page, with an empty and a full home, on a telephone and on a desk: nothing answers
 * with 400 or more, the console says nothing, and no page is wider than its window.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALEX, STRANGER } from '../../dialogs/harness.ts';
import { put as write } from '../../helpers/temp.ts';
import { builtPage, isLeftOut, startBrowser } from '../ui/browser.ts';
import { openBoard, type RealBoard } from './real.ts';

let browser: Browser;
const LONG = 'x'.repeat(400);
const ADDRESS = `https://example.org/${'a-very-long-path/'.repeat(30)}end?query=${'q'.repeat(300)}`;
/** All that may be too wide. */
const WIDE = [
  `# A heading ${LONG}`,
  `Words ${LONG} and \`code ${LONG}\` and ${ADDRESS}`,
  `| ${Array.from({ length: 14 }, (_, n) => `column ${n}`).join(' | ')} |`,
  `|${'---|'.repeat(14)}`,
  `| ${Array.from({ length: 14 }, (_, n) => `${n} ${'cell '.repeat(8)}`).join(' | ')} |`,
  '',
  `- a list ${LONG}\n  - within ${LONG}\n    - within ${LONG}\n`,
  `> quoted ${LONG}\n> > twice ${LONG}\n`,
  `\`\`\`ts\nconst line = '${LONG}${LONG}';\n\`\`\``,
].join('\n');

function furnish(home: string): void {
  const at = new Date().toISOString();
  for (const [id, name] of [
    ['morning', 'Morning'],
    ['long', `Name ${'long '.repeat(30)}`],
  ])
    write(home, `jobs/${id}.yaml`, `name: ${name}\nschedule: "0 9 * * 1-5"\nprompt: "${LONG}"\n`);
  write(home, 'jobs/broken.yaml', `name: [\n${LONG}`);
  write(home, 'workspace/MEMORY.md', `# Memory\n\n## ${LONG}\n- ${LONG}\n- Likes tea ${ADDRESS}\n`);
  write(home, `workspace/memory/${at.slice(0, 10)}.md`, `# Today\n\n- ${LONG}\n`);
  for (const [id, text] of [
    ['aaaaaaaaaaa1', `Alex ${LONG}`],
    ['aaaaaaaaaaa2', 'Alex drinks tea'],
  ])
    write(
      home,
      `workspace/memory/suggestions/${id}.json`,
      JSON.stringify({ id, text, provenance: `the task ${LONG}`, createdAt: at }),
    );
  write(home, 'skills/wide/SKILL.md', `---\nname: wide\ndescription: ${LONG}\n---\n\n${WIDE}\n`);
  write(home, 'vibers/dev/SOUL.md', 'Short.\n');
  write(home, 'playbooks/trip.yaml', `name: trip\ndescription: ${LONG}\nsteps:\n  - title: ${LONG}\n`);
}

/** A home in which everything has happened that a page can show. */
async function live({ world }: RealBoard): Promise<void> {
  world.llm.script((request) => {
    const last = JSON.stringify(request.messages.at(-1));
    if (last.includes('asked'))
      return {
        toolCalls: [
          { name: 'ask_user', arguments: { question: WIDE.slice(0, 1_500), options: [LONG.slice(0, 60), 'No'] } },
        ],
      };
    if (last.includes('fails')) return { fault: 'unauthorized' };
    if (last.includes('writes') && !request.messages.some(({ role }) => role === 'tool'))
      return { toolCalls: [{ name: 'write_file', arguments: { path: `${'long-'.repeat(30)}.md`, content: WIDE } }] };
    return {
      text: `${WIDE}\n\n\`\`\`plan\n# Current Task\n\n## Goal\n${LONG}\n\n## Plan\n- [x] Done ${LONG}\n- [ ] Open ${ADDRESS}\n\`\`\``,
    };
  });
  await world.ask(`A first one that writes ${LONG}`);
  await world.ask('/new A task that fails');
  world.telegram.say(ALEX, '/new Something is asked');
  await expect.poll(() => fs.readdirSync(path.join(world.home, 'artifacts')).length).toBe(3);
  world.telegram.say(STRANGER, 'Let me in');
  await expect.poll(() => world.telegram.chat(STRANGER).messages.length).toBeGreaterThan(1);
}

// biome-ignore format: a list is filled
const PLACES = [
  '', 'tasks', 'files', 'jobs', 'memory', 'settings', 'health', 'usage', 'logs', 'people', 'skills', 'agents',
];

async function widthOf(page: Page): Promise<{ wide: number; culprits: string[] }> {
  return page.evaluate(`(() => {
    const room = document.documentElement.clientWidth;
    const wide = document.documentElement.scrollWidth - room;
    const scrolls = (one) => one && one !== document.body && (/auto|scroll|hidden|clip/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
    const culprits = [...document.body.querySelectorAll('*')]
      .filter((one) => one.getBoundingClientRect().right > room + 1 && one.getBoundingClientRect().width > 1 && !scrolls(one.parentElement) && getComputedStyle(one).position !== 'fixed')
      .map((one) => one.tagName + '.' + one.className + ' ' + (one.textContent ?? '').slice(0, 40));
    return { wide, culprits: culprits.slice(0, 5) };
  })()`);
}

/** What is on the page besides the frame around it, which is looked at once. */
const CONTROLS = '#page :is(button, select, summary, input[type=checkbox]):not(:disabled)';

/** Until nothing is being loaded. */
async function settled({ page, idle }: RealBoard): Promise<void> {
  await idle();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

/** The page without what it is about: all tasks' costs are one kind of page, and so are all files. */
const kindOf = (place: string) => place.replace(/(?<=^\w+\/)[^?]+/, '*').replace(/(?<=[?&](?!tab)\w+=)[^&]*/g, '*');

class Walk {
  readonly #board: RealBoard;
  readonly #seen = new Set<string>();
  /** How often a control was used on this kind of page. */
  readonly #usedOf = new Map<string, number>();
  readonly wrong: string[] = [];
  used = 0;
  #mayDelete = false;

  constructor(board: RealBoard) {
    this.#board = board;
  }

  /** Begins with these pages, and goes wherever a link leads. */
  async all(places: readonly string[]): Promise<void> {
    const left = [...places];
    for (let place = left.shift(); place !== undefined; place = left.shift()) {
      if (this.#seen.has(place)) continue;
      this.#seen.add(place);
      await this.#go(place);
      await this.#look(place || 'now');
      left.push(...(await this.#links()));
      await this.#useAll(place);
    }
    await this.#go('jobs');
    this.#mayDelete = true;
    for (let label = await this.#deletion(); label !== undefined; label = await this.#deletion())
      await this.#use(this.#board.page.getByRole('button', { name: label, exact: true }), `jobs › ${label}`);
    this.wrong.push(...this.#board.problems);
  }

  async #deletion(): Promise<string | undefined> {
    const all = await this.#board.page.locator('#page button[aria-label^="Delete"]').all();
    return (await all[0]?.getAttribute('aria-label')) ?? undefined;
  }

  async #go(place: string): Promise<void> {
    await this.#board.visit(place);
    await settled(this.#board);
  }

  async #look(where: string): Promise<void> {
    const { wide, culprits } = await widthOf(this.#board.page);
    if (wide > 0) this.wrong.push(`${where} is ${wide} px wider than its window: ${culprits.join('; ')}`);
    const problem = await this.#board.page.locator('.problem[role=alert]').allTextContents();
    if (problem.length > 0) this.wrong.push(`${where}: ${problem.join('; ')}`);
  }

  async #links(): Promise<string[]> {
    const { page, url } = this.#board;
    const all = await page
      .locator('a[href]')
      .evaluateAll((anchors) => anchors.map((one) => String(Reflect.get(one, 'href'))));
    const within = all.filter((href) => href.startsWith(url)).map((href) => href.slice(url.length).replace(/#.*$/, ''));
    // One of each kind of lines of the log is enough.
    return [...new Set(within)].filter((place) => !place.startsWith('logs?trace'));
  }

  /** One control after the other, each on the page as it is when it is opened. */
  async #useAll(place: string): Promise<void> {
    const { page } = this.#board;
    const labels = await this.#labels();
    for (const [index, label] of labels.entries()) {
      const key = `${kindOf(place)} › ${label}`;
      const count = this.#usedOf.get(key) ?? 0;
      // The third of the same kind says nothing new; what logs this window out comes not at all.
      if (count >= 2 || /^Log out/.test(label)) continue;
      const control = page.locator(CONTROLS).nth(index);
      if ((await this.#labels())[index] !== label || !(await control.isVisible())) continue;
      // What an open pane covers was used without it.
      const pane = control.locator('xpath=ancestor::*[contains(concat(" ", @class, " "), " pane ")]');
      if (/[?&](open|why)=/.test(place) && (await pane.count()) === 0) continue;
      this.#usedOf.set(key, count + 1);
      await this.#use(control, `${place || 'now'} › ${label}`);
      await this.#go(place);
    }
  }

  async #labels(): Promise<string[]> {
    return this.#board.page
      .locator(CONTROLS)
      .evaluateAll((all) =>
        all.map((one) => `${Reflect.get(one, 'ariaLabel') ?? ''}${one.textContent ?? ''}`.slice(0, 80)),
      );
  }

  async #use(control: ReturnType<Page['locator']>, where: string): Promise<void> {
    const { page } = this.#board;
    this.used += 1;
    try {
      if ((await control.evaluate((one) => one.nodeName)) === 'SELECT') {
        const values = await control
          .locator('option')
          .evaluateAll((all) => all.map((one) => String(Reflect.get(one, 'value'))));
        for (const value of values.slice(0, 3)) {
          await control.selectOption(value);
          await settled(this.#board);
          await this.#look(`${where} ${value}`);
        }
        return;
      }
      await control.click({ timeout: 10_000 });
      // A deleted task could be used no more.
      if (where.endsWith('› Delete')) await page.getByRole('button', { name: 'Undo' }).click();
      await settled(this.#board);
      await this.#look(where);
      // A form that isn't filled in can't be sent yet.
      const dialog = page.locator('dialog[open] button:enabled');
      if ((await dialog.count()) === 0) return;
      // What is deleted could be used no more: that comes last.
      await (/Delete/.test(where) && !this.#mayDelete ? dialog.first() : dialog.last()).click();
      await settled(this.#board);
      await this.#look(`${where}, answered`);
    } catch (error) {
      this.wrong.push(`${where}: ${String(error).slice(0, 500)}`);
    }
  }
}

describe.skipIf(isLeftOut)('on every page', () => {
  beforeAll(async () => {
    await builtPage();
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test.each([
    ['an empty home', 390],
    ['an empty home', 1_440],
    ['a full home', 390],
    ['a full home', 1_440],
  ])(
    'of %s, %i px wide, every link leads somewhere and every control works',
    { timeout: 1_200_000 },
    async (home, width) => {
      const isFull = home === 'a full home';
      const board = await openBoard(browser, { width, ...(isFull && { prepare: furnish }) });
      if (isFull) await live(board);
      const walk = new Walk(board);
      await walk.all(PLACES);
      expect(walk.wrong).toEqual([]);
      expect(walk.used).toBeGreaterThan(isFull ? 60 : 15);
    },
  );

  test.each([390, 1_440])('the frame around it leads everywhere, %i px wide', async (width) => {
    const board = await openBoard(browser, { width });
    const { page, problems } = board;
    const frame = width < 800 ? '.foot' : '.side';
    for (const button of await page.locator(`${frame} button`).all()) {
      for (let again = 0; again < 3; again += 1) {
        await button.click();
        await settled(board);
        // What opens above the page covers the frame until it is left.
        if ((await page.locator('dialog:modal').count()) > 0) await page.keyboard.press('Escape');
      }
    }
    if (width < 800) await page.locator('.foot > ul button').click();
    for (const place of await page
      .locator(`${frame} a`)
      .evaluateAll((all) => all.map((one) => String(Reflect.get(one, 'href'))))) {
      await page.goto(place);
      await page.locator('.page .head, .page .empty').first().waitFor();
      expect((await widthOf(page)).wide).toBeLessThanOrEqual(0);
    }
    expect(problems).toEqual([]);
  });
});
