/**
 * The gateway beside a bare grammY bot that makes the same model call: `npm run bench`. Both run as built programs
 * against emulators in this process, in turns, so that the machine's mood meets both. Ratios are what counts. A third bot, the
 * bare one with the AI SDK in it, tells how much of a ratio is the SDK's.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startLlm } from '../test/emulators/llm.ts';
import { startTelegram } from '../test/emulators/telegram.ts';
import { fillHome } from './big-home.ts';
import { coldStart, idleMemory, latencies, quantile, type Side, throughput } from './measure.ts';
import { startBareBot, startGateway } from './processes.ts';

const ROUNDS = 5;
const PER_ROUND = 60;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-bench-'));

async function side(name: string, home: string | undefined, program?: string): Promise<Side> {
  const telegram = await startTelegram({ keepFiles: false, keepRequests: 10 });
  const llm = await startLlm({ keepRequests: 10 });
  const common = { token: telegram.token, apiRoot: telegram.url, modelUrl: llm.url };
  return {
    name,
    telegram,
    llm,
    start: () => (home === undefined ? startBareBot(common, program) : startGateway({ ...common, home })),
  };
}

const bare = await side('bare bot', undefined);
const gateway = await side('gateway', path.join(folder, 'fresh'));
const big = await side('gateway, big home', path.join(folder, 'big'));
const BIG_CHAT = 77;
await fillHome(path.join(folder, 'big'), String(big.telegram.bot.id), BIG_CHAT);
const sdk = await side('bare bot with the AI SDK', undefined, 'bench/sdk-bot.ts');
const sides = [bare, gateway, big, sdk];

interface Row {
  what: string;
  unit: string;
  values: (number | undefined)[];
  /** The gateway's figure may be at most this many times the bare bot's, or absolute. */
  target: string;
  ok: boolean | undefined;
}
const rows: Row[] = [];
const ratio = (values: (number | undefined)[]) => (values[1] ?? Number.NaN) / (values[0] ?? Number.NaN);

// Cold start first: nothing has warmed the page cache for one and not for the other but the warm-up of all.
const cold = sides.map((): number[] => []);
for (let round = 0; round < ROUNDS + 1; round++) {
  for (const [n, each] of sides.entries()) {
    const ms = await coldStart(each, each === big ? BIG_CHAT : 500);
    if (round > 0) cold[n]?.push(ms);
  }
}
const coldMedians = cold.map((values) => quantile(values, 0.5));
rows.push({
  what: 'cold start to first answer',
  unit: 'ms',
  values: coldMedians,
  target: '<= 600 ms',
  ok: (coldMedians[1] ?? 1e9) <= 600,
});

const programs = sides.map((each) => each.start());
await Promise.all(programs.map((program) => program.ready));
const idle: number[] = [];
for (const program of programs) idle.push(await idleMemory(program));
rows.push({ what: 'memory, idle', unit: 'MB', values: idle, target: '<= 120 MB', ok: (idle[1] ?? 1e9) <= 120 });

const times = sides.map((): number[] => []);
for (const each of sides) await latencies(each, each === big ? BIG_CHAT : 1, 100);
for (let round = 0; round < ROUNDS; round++) {
  for (const [n, each] of sides.entries())
    times[n]?.push(...(await latencies(each, each === big ? BIG_CHAT : 1, PER_ROUND)));
}
const p50 = times.map((values) => quantile(values, 0.5));
const p95 = times.map((values) => quantile(values, 0.95));
rows.push({ what: 'update to reply, p50', unit: 'ms', values: p50, target: '<= 2x bare', ok: ratio(p50) <= 2 });
rows.push({ what: 'update to reply, p95', unit: 'ms', values: p95, target: '', ok: undefined });
const grown = (p50[2] ?? Number.NaN) / (p50[1] ?? Number.NaN);
rows.push({
  what: 'p50, big home / fresh home',
  unit: 'x',
  values: [undefined, 1, grown],
  target: '<= 1.2x',
  ok: grown <= 1.2,
});

const bytes = [];
for (const each of sides) {
  each.llm.reset();
  await latencies(each, each === big ? BIG_CHAT : 9_000, 1);
  bytes.push(each.llm.stats().bytes.last / 1024);
}
rows.push({
  what: 'request for a one-line message',
  unit: 'KB',
  values: bytes,
  target: '<= 12 KB',
  ok: Math.max(bytes[1] ?? 99, bytes[2] ?? 99) <= 12,
});

const rates = sides.map((): number[] => []);
let inversions = 0;
for (let round = 0; round < 3; round++) {
  for (const [n, each] of sides.entries()) {
    const result = await throughput(each, 100_000 + round * 1_000, 50, 20);
    rates[n]?.push(result.perSecond);
    if (each === gateway || each === big) inversions += result.inversions;
  }
}
const perSecond = rates.map((values) => quantile(values, 0.5));
rows.push({
  what: '50 chats x 20 messages',
  unit: '/s',
  values: perSecond,
  target: '>= 0.5x bare',
  ok: ratio(perSecond) >= 0.5,
});
rows.push({
  what: 'replies out of order',
  unit: '',
  values: [undefined, inversions, undefined],
  target: '0',
  ok: inversions === 0,
});
const peak = programs.map((program) => program.memory().peak / 1e6);
rows.push({ what: 'memory, peak', unit: 'MB', values: peak, target: '', ok: undefined });

for (const program of programs) await program.kill();
for (const each of sides) await Promise.all([each.telegram.close(), each.llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });

const show = (value: number | undefined) =>
  (value === undefined ? '-' : value >= 100 ? value.toFixed(0) : value.toFixed(2)).padStart(10);
const out = (line: string) => process.stdout.write(`${line}\n`);
out(
  `${'measured'.padEnd(34)}${['bare bot', 'gateway', 'big home', 'bare+SDK'].map((name) => name.padStart(10)).join('')}${'ratio'.padStart(8)}  target`,
);
for (const { what, unit, values, target, ok } of rows) {
  const times_ = values[0] === undefined || values[1] === undefined ? '' : `${ratio(values).toFixed(2)}x`;
  const verdict = ok === undefined ? '' : ok ? 'ok' : 'MISSED';
  out(
    `${`${what}${unit ? `, ${unit}` : ''}`.padEnd(34)}${[0, 1, 2, 3].map((n) => show(values[n])).join('')}${times_.padStart(8)}  ${target} ${verdict}`,
  );
}
process.exitCode = rows.some(({ ok }) => ok === false) ? 1 : 0;
