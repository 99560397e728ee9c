/** The pictures of the Board in README.md and docs/board.md: `npm run board:pictures`. Small files: few colours, as the page has. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { builtPage, startBrowser } from './browser.ts';
import { CODE, startFakeGateway } from './fake-gateway.ts';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures');
const SHOTS = [
  { name: 'board-task', place: 'tasks/20261122-00000', scheme: 'light', width: 1280 },
  { name: 'board-tasks', place: 'tasks', scheme: 'dark', width: 1280 },
  { name: 'board-jobs', place: 'jobs?job=morning', scheme: 'light', width: 1280 },
  { name: 'board-usage', place: 'usage', scheme: 'dark', width: 1280 },
] as const;

mkdirSync(folder, { recursive: true });
const gateway = await startFakeGateway({ pages: await builtPage(), at: new Date().setHours(14, 20, 0, 0) });
const browser = await startBrowser();
for (const { name, place, scheme, width } of SHOTS) {
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
  await page.waitForTimeout(700);
  const file = path.join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  // Where ImageMagick is there: a palette instead of millions of colours.
  try {
    execFileSync('convert', [file, '+dither', '-colors', '128', '-define', 'png:compression-level=9', `PNG8:${file}`]);
  } catch {
    process.stdout.write('ImageMagick is not installed: the pictures are larger than they need be\n');
  }
  process.stdout.write(`${path.relative(process.cwd(), file)} ${Math.round(statSync(file).size / 1024)} KB\n`);
  await context.close();
}
await browser.close();
await gateway.close();
