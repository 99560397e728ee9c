/**
 * Every link is followed and every control used, on every page, with an empty and a full home, on a telephone and on a desk: nothing answers
 * with 400 or more, the console says nothing, and no page is wider than its window.
 *
 * One walk serves both windows. Each page and what each control leads to is measured in both; a control is used in one of them, and must
 * be within reach of a click in the other. A page is loaded again only after a control has changed it, and an empty home is walked for
 * the controls that a full one doesn't have.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPage, isLeftOut, startBrowser } from '../ui/browser.ts';
import { furnish, live } from './full-home.ts';
import { openBoard, type RealBoard } from './real.ts';

let browser: Browser;

// biome-ignore format: a list is filled
const PLACES = [
  '', 'tasks', 'files', 'jobs', 'memory', 'settings', 'health', 'usage', 'logs', 'people', 'skills', 'agents',
];

const NARROW = 390;
const WIDE_ENOUGH = 1_440;

async function resize(page: Page, width: number): Promise<void> {
  if (page.viewportSize()?.width === width) return;
  await page.setViewportSize({ width, height: 900 });
  // By the second frame the page has drawn what it shows at this width.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

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
const kindOf = (place: string) =>
  place
    .replace(/(?<=^\w+\/)[^?]+/, '*')
    .replace(/^(settings|jobs)\?.*/, '$1')
    .replace(/(?<=[?&](?!tab)\w+=)[^&]*/g, '*');

class Walk {
  readonly #board: RealBoard;
  readonly #seen = new Set<string>();
  /** How often a control was used on this kind of page. */
  readonly #usedOf: Map<string, number>;
  readonly wrong: string[] = [];
  used = 0;
  #mayDelete = false;

  /** Leaves out what another walk has used twice, and counts in the same table. */
  constructor(board: RealBoard, usedOf = new Map<string, number>()) {
    this.#board = board;
    this.#usedOf = usedOf;
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

  /** In the window as it is, then in the other one, which stays. */
  async #look(where: string): Promise<void> {
    const { page } = this.#board;
    const now = page.viewportSize()?.width ?? WIDE_ENOUGH;
    for (const width of [now, now === NARROW ? WIDE_ENOUGH : NARROW]) {
      await resize(page, width);
      const { wide, culprits } = await widthOf(page);
      if (wide > 0) this.wrong.push(`${where} is ${wide} px wider than ${width} px: ${culprits.join('; ')}`);
    }
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

  /** One control after the other, those that only one of the windows shows too. */
  async #useAll(place: string): Promise<void> {
    for (const width of [WIDE_ENOUGH, NARROW]) {
      await resize(this.#board.page, width);
      const labels = await this.#labels();
      for (const [index, label] of labels.entries()) await this.#useOne(place, { index, label, width });
    }
  }

  async #useOne(place: string, { index, label, width }: { index: number; label: string; width: number }) {
    const { page } = this.#board;
    const key = `${kindOf(place)} › ${label}`;
    const count = this.#usedOf.get(key) ?? 0;
    // The third of the same kind says nothing new, nor the second on a part of a page; what logs this window out comes not at all.
    const enough = place.includes('?') ? 1 : 2;
    if (count >= enough || this.#usedOf.has(`${place} ${index} ${key}`) || /^Log out/.test(label)) return;
    await resize(page, width);
    const control = page.locator(CONTROLS).nth(index);
    if ((await this.#labels())[index] !== label || !(await control.isVisible())) return;
    // What an open pane covers was used without it.
    const pane = control.locator('xpath=ancestor::*[contains(concat(" ", @class, " "), " pane ")]');
    if (/[?&](open|why)=/.test(place) && (await pane.count()) === 0) return;
    this.#usedOf.set(key, count + 1);
    this.#usedOf.set(`${place} ${index} ${key}`, 1);
    const where = `${place || 'now'} › ${label}`;
    const other = width === NARROW ? WIDE_ENOUGH : NARROW;
    await this.#reach(control, label, `${where}, ${other} px`, other);
    await resize(page, width);
    const before = await this.#state();
    await this.#use(control, where);
    await resize(page, width);
    if ((await this.#state()) !== before) await this.#go(place);
  }

  /** A click would get there in this window, if the control is shown in it. */
  async #reach(control: ReturnType<Page['locator']>, label: string, where: string, width: number): Promise<void> {
    await resize(this.#board.page, width);
    if (!(await this.#labels()).includes(label) || !(await control.isVisible())) return;
    await control.click({ trial: true, timeout: 10_000 }).catch((error) => {
      this.wrong.push(`${where}: ${String(error).slice(0, 500)}`);
    });
  }

  /** All that decides which controls are used next: the address, the controls, and what is open above them. */
  async #state(): Promise<string> {
    const { page } = this.#board;
    const open = await page.locator('dialog[open], .pane, .problem[role=alert]').count();
    return JSON.stringify([page.url(), open, await this.#labels()]);
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

  test('390 and 1440 px wide, every link leads somewhere and every control works', { timeout: 1_200_000 }, async () => {
    const used = new Map<string, number>();
    const full = await openBoard(browser, { prepare: furnish });
    await live(full);
    const walk = new Walk(full, used);
    await walk.all(PLACES);
    expect(walk.wrong).toEqual([]);
    expect(walk.used).toBeGreaterThan(60);

    const empty = new Walk(await openBoard(browser), used);
    await empty.all(PLACES);
    expect(empty.wrong).toEqual([]);
    expect(empty.used).toBeGreaterThan(0);
  });

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
