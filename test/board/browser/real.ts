/** A real browser on a real gateway, logged in as its owner by the link that `viber board` prints. */
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openWorld, type World, type WorldOptions } from '../../dialogs/harness.ts';
import { viberLink } from '../../helpers/board-link.ts';

/** Longer than the page gathers events before it asks again. */
const IDLE_MS = 200;

export interface RealBoard {
  world: World;
  page: Page;
  url: string;
  /** What went wrong in the page: errors, complaints of the console, answers of 400 and above. */
  problems: string[];
  visit(place: string): Promise<void>;
  /** Until the page has asked for nothing for a moment, and waits for nothing. */
  idle(): Promise<void>;
  /** Its other windows. */
  another(width?: number): Promise<Page>;
}

export async function openBoard(browser: Browser, options: WorldOptions & { width?: number } = {}): Promise<RealBoard> {
  const { width = 1440, ...rest } = options;
  const world = await openWorld(rest);
  const url = `http://127.0.0.1:${world.app.port}/board/`;
  const problems: string[] = [];
  let waiting = 0;
  let askedAt = 0;
  async function another(wide = width): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: wide, height: 900 }, reducedMotion: 'reduce' });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(`${page.url()}: ${message.text()}`);
    });
    page.on('request', () => {
      waiting += 1;
      askedAt = Date.now();
    });
    const over = () => {
      waiting -= 1;
    };
    page.on('requestfinished', over);
    page.on('requestfailed', over);
    page.on('response', (response) => {
      if (response.status() >= 400)
        problems.push(`${page.url()}: ${response.status()} ${response.request().method()} ${response.url()}`);
    });
    await page.goto(await viberLink(world.home));
    await page.waitForSelector('.shell .head');
    return page;
  }
  const page = await another();
  const visit = async (place: string) => {
    await page.goto(`${url}${place}`);
    await page.waitForSelector('.page .head, .page .empty');
  };
  const idle = () => expect.poll(() => waiting === 0 && Date.now() - askedAt > IDLE_MS, { interval: 25 }).toBe(true);
  return { world, page, url, problems, visit, idle, another };
}
