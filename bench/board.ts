/**
 * Measures the Board's cost and speed: `npm run bench:board`. The built program, an emulated model, a real Chromium.
 * Measures memory without viewers, with one viewer and with a reader that stops reading; a list of 10,000 tasks; and
 * the time from an event until it is painted. Exits with 1 if a target is missed.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { type Llm, startLlm } from '../test/emulators/llm.ts';
import { CHROMIUM_FILES } from '../test/helpers/chromium.ts';
import { fillTasks } from '../test/helpers/many-tasks.ts';
import { quantile } from './measure.ts';
import { type Started, startProgram } from './processes.ts';

const TOKEN = 'the-token-of-the-bench';
const MB = 1e6;
const TASKS = 10_000;
/** The size of events that a reader doesn't read. */
const ANSWERS = 400;
const ANSWER_WORDS = 4_000;

interface Row {
  what: string;
  value: number;
  unit: string;
  target: number;
}
const rows: Row[] = [];
const note = (what: string, value: number, unit: string, target: number) => {
  rows.push({ what, value, unit, target });
  const isMet = value <= target;
  process.stdout.write(
    `${what.padEnd(66)} ${value.toFixed(1).padStart(7)} ${unit}  <= ${target} ${isMet ? 'ok' : 'MISSED'}\n`,
  );
};

interface Gateway {
  program: Started;
  home: string;
  port: number;
  url: string;
  /**
   * Resident memory: the least of several samples, because memory that the collector hasn't freed yet doesn't count.
   */
  memory(): Promise<number>;
}

async function start(llm: Llm, tasks = 0): Promise<Gateway> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-board-'));
  if (tasks > 0) fillTasks(home, tasks);
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    people: [{ name: 'alex', role: 'owner', ids: ['telegram:1'] }],
    limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000 },
    http: { port: 0, token: TOKEN },
  };
  const file = path.join(home, 'config.yaml');
  fs.writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const program = startProgram(['dist/main.js', 'start', '--home', home, '--config', file]);
  await program.ready;
  const { port } = JSON.parse(fs.readFileSync(path.join(home, 'run', 'gateway.json'), 'utf8'));
  async function memory(): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 20; n++) {
      await sleep(250);
      least = Math.min(least, program.memory().now);
    }
    return least / MB;
  }
  return { program, home, port, url: `http://127.0.0.1:${port}`, memory };
}

async function stop({ program, home }: Gateway): Promise<void> {
  await program.kill();
  fs.rmSync(home, { recursive: true, force: true });
}

async function submit({ url }: Gateway, goal: string): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/tasks`, { method: 'POST', headers, body: JSON.stringify({ goal }) });
  if (response.status !== 202) throw new Error(`a task was refused: ${response.status} ${await response.text()}`);
  const { taskId } = (await response.json()) as { taskId: string };
  return taskId;
}

async function linkTo({ home }: Gateway): Promise<string> {
  const told = await promisify(execFile)(process.execPath, ['dist/main.js', 'board', '--json', '--home', home]);
  return JSON.parse(told.stdout).url;
}

async function openPage(gateway: Gateway, place: string): Promise<{ page: Page; close(): Promise<void> }> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM_FILES.find((file) => fs.existsSync(file)) ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(await linkTo(gateway));
  await page.waitForSelector('.shell .head');
  await page.goto(`${gateway.url}/board/${place}`);
  return { page, close: () => browser.close() };
}

/** Sends the events of long answers, which one reader doesn't read. Returns the additional megabytes. */
async function load(gateway: Gateway, hasStuckReader: boolean): Promise<number> {
  const before = await gateway.memory();
  const socket = hasStuckReader
    ? new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`, { headers: { authorization: `Bearer ${TOKEN}` } })
    : undefined;
  if (socket) {
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'task:subscribe', id: 's', taskId: '*' }));
    await sleep(300);
    socket.pause();
  }
  const words = 'word '.repeat(ANSWER_WORDS);
  for (let n = 0; n < ANSWERS; n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => submit(gateway, `${n + at} ${words}`)));
    await sleep(200);
  }
  const after = await gateway.memory();
  socket?.terminate();
  return after - before;
}

/** Measures the milliseconds between frames while the page is scrolled. */
const SCROLL = `(async () => {
  const frames = [];
  let last = performance.now();
  for (let n = 0; n < 240; n++) {
    scrollBy(0, 60);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  return frames;
})()`;

async function memoryFigures(llm: Llm): Promise<void> {
  const gateway = await start(llm);
  const unused = await gateway.memory();
  const { close } = await openPage(gateway, '');
  await sleep(3_000);
  const watched = await gateway.memory();
  note('memory with one viewer, above that with none', watched - unused, 'MB', 15);
  await close();
  await stop(gateway);
}

async function stuckFigures(llm: Llm): Promise<void> {
  const free = await start(llm);
  const usual = await load(free, false);
  await stop(free);
  const stuck = await start(llm);
  const more = await load(stuck, true);
  await stop(stuck);
  note('memory of a reader that stops reading', more - usual, 'MB', 10);
}

async function pageFigures(llm: Llm): Promise<void> {
  const gateway = await start(llm, TASKS);
  await submit(gateway, 'the first look at all tasks');
  const { page, close } = await openPage(gateway, '');
  await sleep(2_000);
  const began = performance.now();
  await page.goto(`${gateway.url}/board/tasks`);
  await page.waitForSelector('.task-row');
  note(`${TASKS} tasks: usable after`, performance.now() - began, 'ms', 1_000);
  const frames = await page.evaluate<number[]>(SCROLL);
  note(`${TASKS} tasks: frames while scrolling, p95`, quantile(frames, 0.95), 'ms', 20);
  note(`${TASKS} tasks: rows in the document`, await page.locator('.virtual > li').count(), '', 60);
  await page.evaluate('scrollTo(0, 0)');
  const painted: number[] = [];
  for (let n = 0; n < 40; n++) {
    const title = `painted ${n}`;
    const seen = page.getByText(title, { exact: true }).first().waitFor({ timeout: 10_000 });
    const from = performance.now();
    await submit(gateway, title);
    await seen;
    painted.push(performance.now() - from);
  }
  note('from a submission to its row on the screen, p95', quantile(painted, 0.95), 'ms', 200);
  await close();
  await stop(gateway);
}

const llm = await startLlm({ keepRequests: 10 });
await memoryFigures(llm);
await stuckFigures(llm);
await pageFigures(llm);
await llm.close();
process.exitCode = rows.every(({ value, target }) => value <= target) ? 0 : 1;
