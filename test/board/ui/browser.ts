/** A real browser and the built page, for the tests of the page. Without a browser they are left out, and fail where CI is set. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { pageFolder } from '../../../src/features/board/page-files.ts';
import { CHROMIUM_FILES } from '../../helpers/chromium.ts';
import { CODE, type FakeGateway } from './fake-gateway.ts';

export const CHROMIUM = CHROMIUM_FILES.find((file) => existsSync(file));
/** In CI it has to be there. */
export const isLeftOut = CHROMIUM === undefined && !process.env.CI;

export async function builtPage(): Promise<string> {
  const folder = await pageFolder((reason) => {
    throw reason;
  });
  if (folder === undefined) throw new Error('there is nothing to build the page with');
  return folder;
}

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage'] });

export interface Look {
  width?: number;
  scheme?: 'light' | 'dark';
  /** The browser's language. */
  locale?: string;
  /** With the service worker, which may answer before a test's own routes do. */
  hasWorker?: boolean;
}

/** Somebody who has logged in by the link; whatever goes wrong in the page is kept in `problems`. */
export async function logIn(
  browser: Browser,
  gateway: FakeGateway,
  { width = 1280, scheme = 'light', locale = 'en-GB', hasWorker = false }: Look = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    locale,
    reducedMotion: 'reduce',
    serviceWorkers: hasWorker ? 'allow' : 'block',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
      problems.push(message.text());
  });
  await page.goto(`${gateway.url}/board/login#${CODE}`);
  await page.waitForSelector('.shell .head');
  return { page, problems };
}

/** Every page, and those within pages. */
export const PLACES = [
  ...['', 'tasks', 'tasks/20261122-00000', 'tasks/20261122-00000?tab=context', 'tasks/20261122-00000?tab=trace'],
  ...['tasks/20261122-00000?tab=cost', 'files', 'files?file=SOUL.md', 'jobs', 'jobs?job=morning', 'memory', 'health'],
  ...['usage', 'logs', 'people', 'skills', 'skills?skill=chart', 'agents'],
] as const;
