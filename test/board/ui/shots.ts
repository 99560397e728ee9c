/** Pictures of every page in every form, to be looked at: `node test/board/ui/shots.ts FOLDER [NAME...]`. */
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { builtPage } from './browser.ts';
import { CODE, startFakeGateway } from './fake-gateway.ts';

// biome-ignore format: a row is a line
const PATHS: Record<string, string> = {
  ...{ now: '', tasks: 'tasks', task: 'tasks/20261122-00000', context: 'tasks/20261122-00000?tab=context' },
  ...{ trace: 'tasks/20261122-00000?tab=trace', cost: 'tasks/20261122-00000?tab=cost' },
  ...{ files: 'files', file: 'files?file=SOUL.md', jobs: 'jobs', job: 'jobs?job=morning', memory: 'memory' },
  ...{ health: 'health', usage: 'usage', logs: 'logs', people: 'people', skills: 'skills', skill: 'skills?skill=chart', agents: 'agents' },
};
const [folder = '/tmp/shots', ...names] = process.argv.slice(2);
fs.mkdirSync(folder, { recursive: true });
const gateway = await startFakeGateway({ pages: process.env.PAGES ?? (await builtPage()) });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const width of (process.env.WIDTHS ?? '1280 360').split(' ').map(Number)) {
  for (const colorScheme of (process.env.SCHEMES ?? 'light dark').split(' ') as ('light' | 'dark')[]) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const page = await context.newPage();
    page.on('pageerror', (error) => process.stdout.write(`${error.stack}\n`));
    page.on('console', (message) => message.type() === 'error' && process.stdout.write(`${message.text()}\n`));
    await page.goto(`${gateway.url}/board/login#${CODE}`);
    await page.waitForSelector('.shell .head');
    for (const [name, place] of Object.entries(PATHS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      await page.goto(`${gateway.url}/board/${place}`);
      await page.waitForSelector('.head');
      // What is being shown comes to rest.
      await page.waitForTimeout(500);
      await page.screenshot({ path: path.join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
    await context.close();
  }
}
await browser.close();
await gateway.close();
