/**
 * How long it takes from an event of the gateway until a page of the Board has painted it, in a real Chromium. The
 * event counts from when another client of the gateway receives it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { WebSocket } from 'ws';
import type { Frame } from '../test/board/wire.ts';
import type { Llm } from '../test/emulators/llm.ts';
import { CHROMIUM_FILES } from '../test/helpers/chromium.ts';
import { quantile } from './measure.ts';

const TARGET_MS = 100;
/** Of an empty answer and a frame, p95, on a machine with nothing else to do: about 20. */
const BUSY_MS = 50;
/** Words of one answer, and milliseconds between them: what a fast model writes. */
const [WORDS, WORD_MS, ROUNDS] = [200, 15, 3];
const GAP_MS = 100;

interface At {
  home: string;
  port: number;
  token: string;
  llm: Llm;
  /** Has its first step ticked, and unticked, by somebody elsewhere. */
  taskId: string;
  tick(isDone: boolean): void;
  count: number;
}

const BARE = 'an empty answer and a frame';
/** Nothing takes so long; what does was never painted. */
const LOST_MS = 20_000;

/** Notes when an element with these words was first painted. */
const WATCH = `{
  const wanted = [];
  const look = () => {
    for (const want of wanted) {
      if (want.at !== undefined || want.isSeen) continue;
      if (![...document.querySelectorAll(want.selector)].some((one) => one.textContent.includes(want.text))) continue;
      want.isSeen = true;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => (want.at = Date.now());
        port2.postMessage(0);
      });
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  // What this machine takes for an empty answer and a frame, without anything of the Board.
  window.bare = async (count) => {
    const all = [];
    for (let n = 0; n < count; n += 1) {
      const began = Date.now();
      await (await fetch('/healthz')).text();
      await new Promise(requestAnimationFrame);
      await new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); });
      all.push(Date.now() - began);
    }
    return all;
  };
  window.want = (selector, text) => wanted.push({ selector, text }) - 1;
  window.paintedAt = (id) => wanted[id].at ?? 0;
}`;

interface Events {
  follow(taskId: string): void;
  /** The time of the first such event from now on; rejects if none comes. */
  next(isMeant: (frame: Frame) => boolean): Promise<number>;
  close(): void;
}

async function openEvents(port: number, token: string): Promise<Events> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
  const waiting = new Set<(frame: Frame, at: number) => void>();
  socket.on('message', (data) => {
    const at = Date.now();
    const frame = JSON.parse(String(data)) as Frame;
    for (const take of [...waiting]) take(frame, at);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const follow = (taskId: string) =>
    socket.send(JSON.stringify({ type: 'task:subscribe', id: `f-${taskId}`, taskIds: [taskId], live: 'events' }));
  socket.send(JSON.stringify({ type: 'task:subscribe', id: 'f-all', taskIds: '*' }));
  return {
    follow,
    next: (isMeant) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('an event never came')), LOST_MS);
        const take = (frame: Frame, at: number) => {
          if (!isMeant(frame)) return;
          clearTimeout(timer);
          waiting.delete(take);
          resolve(at);
        };
        waiting.add(take);
      }),
    close: () => socket.close(),
  };
}

async function openPage({
  home,
  port,
}: At): Promise<{ page: Page; visit(place: string): Promise<void>; close(): Promise<void> }> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM_FILES.find((file) => existsSync(file)) ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const said = await promisify(execFile)(process.execPath, ['dist/main.js', 'board', '--json', '--home', home]);
  await page.goto(JSON.parse(said.stdout).url);
  await page.waitForSelector('.shell .head');
  const visit = async (place: string) => {
    await page.goto(`http://127.0.0.1:${port}/board/${place}`);
    await page.waitForSelector('.page .head');
  };
  return { page, visit, close: () => browser.close() };
}

/**
 * Returns what reads the processor time of the page's main thread from now on, in ms. Other programs on the machine
 * don't lengthen it.
 */
async function countCpu(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN) * 1_000;
  };
  const before = await read();
  return async () => (await read()) - before;
}

/** Prints a line for each kind of event, and returns whether a target is missed. */
export async function measurePaints(at: At): Promise<boolean> {
  const { taskId, llm, count } = at;
  const events = await openEvents(at.port, at.token);
  const { page, visit, close } = await openPage(at);
  const waits = new Map<string, number[]>();
  let lost = 0;
  const want = (selector: string, text = '') =>
    page.evaluate<number>(`want(${JSON.stringify(selector)}, ${JSON.stringify(text)})`);
  async function paintedAt(id: number): Promise<number> {
    for (const began = Date.now(); Date.now() - began < LOST_MS; await sleep(20)) {
      const at = await page.evaluate<number>(`paintedAt(${id})`);
      if (at > 0) return at;
    }
    lost += 1;
    return Number.NaN;
  }
  async function measure(kind: string, event: Promise<number>, wanted: number): Promise<void> {
    const began = await event;
    const took = (await paintedAt(wanted)) - began;
    // Where the page is told first, its event counts as the other client's.
    if (!Number.isNaN(took)) waits.set(kind, [...(waits.get(kind) ?? []), Math.max(0, took)]);
  }
  const submit = async (goal: string): Promise<string> => {
    const headers = { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ goal });
    const answer = await fetch(`http://127.0.0.1:${at.port}/api/tasks`, { method: 'POST', headers, body });
    return ((await answer.json()) as { taskId: string }).taskId;
  };
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' };
    await fetch(`http://127.0.0.1:${at.port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };

  await visit(`tasks/${taskId}`);
  await page.waitForSelector('.steps input');
  waits.set(BARE, await page.evaluate<number[]>(`bare(${count})`));
  for (let n = 0; n < count; n += 1) {
    const isDone = n % 2 === 0;
    // The page's own reading of what it was told before is not what is measured.
    await sleep(GAP_MS);
    const paint = await want(`.steps li:first-child${isDone ? '.done' : ':not(.done)'}`);
    const event = events.next((frame) => frame.type === 'plan:changed' && frame.taskId === taskId);
    at.tick(isDone);
    await measure('a ticked step', event, paint);
  }

  events.follow(taskId);
  const spent = await countCpu(page);
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = Array.from({ length: WORDS }, (_, n) => `w${round}x${n}.`);
    const chunks = names.map((name, n) => `${name}${n % 12 === 11 ? '\n\n- **Point** ' : ' '}`);
    llm.script([{ chunks, chunkDelayMs: WORD_MS }]);
    const question = `Question ${round}?`;
    const asked = await want('.message.user', question);
    const measured = names.filter((_, n) => n % 20 === 10);
    const paints: number[] = [];
    for (const name of measured) paints.push(await want('.message.live, .message.assistant', name));
    const started = events.next((frame) => frame.type === 'task:started' && frame.taskId === taskId);
    const ends = events.next((frame) => frame.type === 'task:completed' && frame.taskId === taskId);
    const told = measured.map((name) =>
      events.next(({ event }) => event?.type === 'text-delta' && String(event.content).includes(name)),
    );
    await post(`/api/tasks/${taskId}/messages`, { message: question });
    await measure('a message from elsewhere', started, asked);
    await ends;
    for (const [n, event] of told.entries()) await measure('a word of an answer', event, paints[n] ?? 0);
  }

  const perWord = (await spent()) / (WORDS * ROUNDS);
  process.stdout.write(`processor time of the page for a word of an answer: ${perWord.toFixed(2)} ms\n`);

  for (let n = 0; n < count; n += 1) {
    const question = `Short question ${n}?`;
    llm.script([{ text: 'A short answer.' }]);
    const asked = await want('.message.user', question);
    const started = events.next((frame) => frame.type === 'task:started' && frame.taskId === taskId);
    const ended = events.next((frame) => frame.type === 'task:completed' && frame.taskId === taskId);
    await post(`/api/tasks/${taskId}/messages`, { message: question });
    await measure('a message from elsewhere', started, asked);
    await ended;
  }

  await visit('tasks');
  await page.waitForSelector('.task-row');
  for (let n = 0; n < count; n += 1) {
    const goal = `painted ${n}`;
    llm.script([{ toolCalls: [{ name: 'ask_user', arguments: { question: `Colour ${n}?` } }] }, { text: 'Done.' }]);
    const paints = [await want('.task-row', goal), await want('.task-row.waiting', goal)] as const;
    const started = events.next((frame) => frame.type === 'task:started');
    const asking = events.next((frame) => frame.type === 'approval:asked');
    const id = await submit(goal);
    await measure('a task that begins', started, paints[0]);
    await measure('a question', asking, paints[1]);
    const done = await want(`.task-row.completed[href*="${id}"]`);
    const ended = events.next((frame) => frame.type === 'task:completed' && frame.taskId === id);
    await post(`/api/tasks/${id}/messages`, { message: 'Blue' });
    await measure('a task that ends', ended, done);
  }
  events.close();
  await close();
  if (lost > 0) process.stdout.write(`never painted: ${lost}\n`);
  return printed(waits) || lost > 0;
}

function printed(waits: ReadonlyMap<string, readonly number[]>): boolean {
  let isMissed = false;
  process.stdout.write(
    `${'painted on the Board, ms'.padEnd(28)}${'p50'.padStart(6)}${'p95'.padStart(6)}${'max'.padStart(6)}\n`,
  );
  for (const [kind, all] of waits) {
    const p95 = quantile(all, 0.95);
    // A machine that takes so long for nothing says nothing of the Board.
    const isBusy = quantile(waits.get(BARE) ?? [], 0.95) > BUSY_MS;
    isMissed ||= p95 >= TARGET_MS && !isBusy && kind !== BARE;
    const figures = [quantile(all, 0.5), p95, Math.max(...all)].map((ms) => ms.toFixed(0).padStart(6)).join('');
    const verdict = p95 < TARGET_MS ? 'ok' : isBusy ? 'missed on a busy machine' : 'MISSED';
    process.stdout.write(`${kind.padEnd(28)}${figures}  p95 < ${TARGET_MS} ${verdict} (${all.length})\n`);
  }
  return isMissed;
}
