/**
 * The pictures of the Board in README.md, docs/board.md and docs/board-pictures.md: `npm run board:pictures [-- NAME...]`. Small files: few
 * colours, as the page has.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { builtPage, startBrowser } from './browser.ts';
import { CODE, startFakeGateway } from './fake-gateway.ts';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures');
const TASK = 'tasks/20261122-00000';
const OFFERS = `artifacts/20261122-00000/offers.csv`;
const CHANGE = `artifacts/20261122-00000/change.diff`;

interface Shot {
  name: string;
  place: string;
  scheme?: 'light' | 'dark';
  width?: number;
  /** What is done on the page before the picture is taken. */
  act?: (page: Page) => Promise<void>;
}

const opened = (ref: string) => `${TASK}?open=${encodeURIComponent(ref)}`;
// biome-ignore format: a row is a line
const SHOTS: Shot[] = [
  { name: 'board-task', place: TASK },
  { name: 'board-tasks', place: 'tasks', scheme: 'dark' },
  { name: 'board-jobs', place: 'jobs?job=morning' },
  { name: 'board-usage', place: 'usage', scheme: 'dark' },
  { name: 'board-now', place: '' },
  { name: 'board-task-dark', place: TASK, scheme: 'dark' },
  { name: 'board-task-phone', place: TASK, width: 390 },
  { name: 'board-tasks-phone', place: 'tasks', width: 390, scheme: 'dark' },
  { name: 'board-context', place: `${TASK}?tab=context` },
  { name: 'board-trace', place: `${TASK}?tab=trace` },
  { name: 'board-table', place: opened(OFFERS) },
  { name: 'board-diff', place: opened(CHANGE), scheme: 'dark' },
  {
    name: 'board-search',
    place: 'tasks',
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill('hea');
    },
  },
  {
    name: 'board-new-task',
    place: 'tasks',
    async act(page) {
      await page.keyboard.press('n');
      await page.locator('dialog textarea').fill('Compare the three offers for the new heating');
    },
  },
  { name: 'board-commands', place: TASK, act: (page) => page.locator('.composer textarea').fill('/s') },
  { name: 'board-file', place: 'files?file=SOUL.md' },
  { name: 'board-memory', place: 'memory' },
  { name: 'board-health', place: 'health' },
  { name: 'board-people', place: 'people' },
  { name: 'board-skill', place: 'skills?skill=chart', scheme: 'dark' },
];

const chosen = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const gateway = await startFakeGateway({ pages: await builtPage(), at: new Date().setHours(14, 20, 0, 0) });
const browser = await startBrowser();
const file = (name: string, type: string, text: string) => ({ name, type, bytes: Buffer.from(text) });
gateway.state.artifacts.set(
  OFFERS,
  file(
    'offers.csv',
    'text/csv',
    'Company,Heat pump,Price,Weeks\nBergmann,Aurea 9,"18,400",6\nHolt & Son,Nord 8,"19,950",4\nKlima Ost,Aurea 9,"17,800",11\n',
  ),
);
gateway.state.artifacts.set(
  CHANGE,
  file(
    'change.diff',
    'text/x-diff',
    'diff --git a/src/price.ts b/src/price.ts\n--- a/src/price.ts\n+++ b/src/price.ts\n@@ -1,3 +1,4 @@\n export function price(net: number): number {\n-  return net * 1.19;\n+  const tax = 0.19;\n+  return Math.round(net * (1 + tax) * 100) / 100;\n }\n',
  ),
);
for (const { name, place, scheme = 'light', width = 1280, act } of SHOTS) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(gateway.state.at);
  await page.goto(`${gateway.url}/board/login#${CODE}`);
  await page.waitForSelector('.shell .head');
  await page.goto(`${gateway.url}/board/${place}`);
  await page.waitForSelector('.page .head');
  await act?.(page);
  // What is being shown comes to rest.
  await page.waitForTimeout(700);
  const target = path.join(folder, `${name}.png`);
  await page.screenshot({ path: target });
  // Where ImageMagick is there: a palette instead of millions of colours.
  try {
    execFileSync('convert', [
      target,
      '+dither',
      '-colors',
      '128',
      '-define',
      'png:compression-level=9',
      `PNG8:${target}`,
    ]);
  } catch {
    process.stdout.write('ImageMagick is not installed: the pictures are larger than they need be\n');
  }
  process.stdout.write(`${path.relative(process.cwd(), target)} ${Math.round(statSync(target).size / 1024)} KB\n`);
  await context.close();
}
await browser.close();
await gateway.close();
