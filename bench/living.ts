/**
 * Measures how long it takes until a step that was ticked in one place is ticked everywhere: on all three platforms and
 * the Board, with at least 100 ticks from each. Then measures how long an event takes until a page of the Board has
 * painted it. `npm run bench:living -- [TICKS] [PAINTS]`; the built program, the emulators in this process.
 */
import fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWire } from '../test/board/wire.ts';
import { startLlm } from '../test/emulators/llm.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import { type Platform, waitFor } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { quantile } from './measure.ts';
import { measurePaints } from './painted.ts';
import { startProgram } from './processes.ts';

const TICKS = Number(process.argv[2] ?? 100);
const PAINTS = Number(process.argv[3] ?? 60);
/** People don't tick faster, and platforms accept about one message a second in a chat. */
const GAP_MS = 300;
const WAIT_MS = 20_000;
const TOKEN = 'the-token-of-the-owner';
const PLAN = '# Move house\n\n- [ ] Find boxes\n- [ ] Book a van\n- [ ] Tell everybody\n';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-bench-'));
const llm = await startLlm({ keepRequests: 10 });
const quiet = { keepFiles: false, keepRequests: 10 };
const platforms: Platform[] = await Promise.all([
  telegramPlatform(quiet),
  discordPlatform(quiet),
  slackPlatform(quiet),
]);
const port = await freePort();
const home = path.join(folder, 'home');
fs.mkdirSync(home, { mode: 0o700 });
const config = {
  model: 'local/test-model',
  providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
  channels: Object.fromEntries(platforms.map((each) => [each.name, { ...each.section, live: 'off' }])),
  people: [{ name: 'alex', role: 'owner', ids: platforms.map((each) => each.identity('alex')) }],
  limits: { messagesPerMinute: 100_000 },
  http: { port, token: TOKEN },
};
fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
const program = startProgram(['dist/main.js', 'start', '--home', home]);
await program.ready;

const dm = (platform: Platform) => platform.dm('alex');
async function say(platform: Platform, words: string, text: string): Promise<void> {
  const after = platform.answers(dm(platform)).length;
  platform.say(dm(platform), words);
  await waitFor(platform, dm(platform), { after, text });
}

const [first] = platforms;
if (!first) throw new Error('there is no platform');
llm.script([{ toolCalls: [{ name: 'update_plan', arguments: { plan: PLAN } }] }, { text: 'Planned.' }]);
await say(first, 'plan to move house', 'Planned.');
for (const platform of platforms) await say(platform, '/plan', 'Find boxes');
const [taskId = ''] = fs.readdirSync(path.join(home, 'artifacts'));
const wire = await openWire(port, TOKEN);
await wire.command({ type: 'task:subscribe', taskIds: [taskId] });

/** Returns whether the newest plan there shows the first step as done. */
const isDoneAt = (platform: Platform): boolean | undefined => {
  const { buttons = [] } = platform.answers(dm(platform)).findLast(({ text }) => text.includes('Find boxes')) ?? {};
  return buttons.includes('2 is done') ? true : buttons.includes('1 is done') ? false : undefined;
};
const changes = (): number => wire.frames.filter(({ type }) => type === 'plan:changed').length;

async function tickOnBoard(isDone: boolean): Promise<() => Promise<unknown>> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(`http://127.0.0.1:${port}/api/tasks/${taskId}`, { headers });
  const { plan } = (await answer.json()) as { plan: { text: string; hash: string } };
  const text = plan.text.replace(/- \[.\] Find boxes/, `- [${isDone ? 'x' : ' '}] Find boxes`);
  return () => wire.command({ type: 'plan:write', taskId, text, baseHash: plan.hash });
}

const waits = new Map<string, number[]>();
let missed = 0;
async function measure(name: string, began: number, isThere: () => boolean): Promise<void> {
  while (!isThere() && performance.now() - began < WAIT_MS) await sleep(2);
  const took = performance.now() - began;
  if (took >= WAIT_MS) missed += 1;
  waits.set(name, [...(waits.get(name) ?? []), took]);
}

let isDone = false;
for (const source of [...platforms, undefined]) {
  for (let tick = 0; tick < TICKS; tick++) {
    isDone = !isDone;
    const wanted = isDone;
    const before = changes();
    const write = source ? undefined : await tickOnBoard(wanted);
    const began = performance.now();
    if (source) source.say(dm(source), `/plan ${wanted ? 'done' : 'open'} 1`);
    else await write?.();
    await Promise.all([
      ...platforms
        .filter((platform) => platform !== source)
        .map((platform) => measure(platform.name, began, () => isDoneAt(platform) === wanted)),
      measure('Board', began, () => changes() > before),
    ]);
    const left = GAP_MS - (performance.now() - began);
    if (left > 0) await sleep(left);
  }
}

wire.close();
const tick = (isDone: boolean) => void first.say(dm(first), `/plan ${isDone ? 'done' : 'open'} 1`);
if (isDone) await say(first, '/plan open 1', 'Find boxes');
const isPaintedLate = await measurePaints({ home, port, token: TOKEN, llm, taskId, tick, count: PAINTS });
await program.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });

let isMissed = missed > 0 || isPaintedLate;
process.stdout.write(`ticks from each of ${platforms.length + 1} sides: ${TICKS}; never seen: ${missed}\n`);
process.stdout.write(`${'seen on, after ms'.padEnd(24)}${'p50'.padStart(8)}${'p95'.padStart(8)}${'max'.padStart(8)}\n`);
for (const [name, all] of waits) {
  const p95 = quantile(all, 0.95);
  isMissed ||= p95 >= 1_000;
  const figures = [quantile(all, 0.5), p95, Math.max(...all)].map((ms) => ms.toFixed(0).padStart(8)).join('');
  process.stdout.write(`${name.padEnd(24)}${figures}  p95 < 1000 ${p95 < 1_000 ? 'ok' : 'MISSED'}\n`);
}
// As in the other benchmarks, Node's own cleanup may spin.
process.exit(isMissed ? 1 : 0);
