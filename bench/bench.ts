/**
 * Compares the gateway with a bare grammY bot that makes the same model call: `npm run bench`. Both run as built
 * programs against emulators in this process, alternately, so that changes in the machine's speed affect both. Ratios
 * matter, and they refer to the bare bot as grammY's documentation writes one (`bare-bot.ts`), which handles one
 * message after the other. A variant that accepts the next message before it has answered has a separate column,
 * because nobody who must not lose messages would write it. The other columns show the alternatives: a bare bot that
 * stores each message on disk before it answers, one with the AI SDK's loop, and Chat SDK with the AI SDK.
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
const FIRST_CHATS = 40;
const NEW_CHATS = 400;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-bench-'));

async function side(name: string, home?: string, program?: string, form = 'awaits'): Promise<Side> {
  const telegram = await startTelegram({ keepFiles: false, keepRequests: 10 });
  const llm = await startLlm({ keepRequests: 10 });
  const common = { token: telegram.token, apiRoot: telegram.url, modelUrl: llm.url };
  const bare = { ...common, env: { BARE_FORM: form, BARE_FILE: path.join(folder, 'updates.jsonl') } };
  return {
    name,
    telegram,
    llm,
    start: () => (home === undefined ? startBareBot(bare, program) : startGateway({ ...common, home })),
  };
}

const bare = await side('bare bot');
const gateway = await side('gateway', path.join(folder, 'fresh'));
const big = await side('gateway, big home', path.join(folder, 'big'));
const BIG_CHAT = 77;
await fillHome(path.join(folder, 'big'), String(big.telegram.bot.id), BIG_CHAT);
const sdk = await side('bare bot with the AI SDK', undefined, 'bench/sdk-bot.ts');
const chatSdk = await side('Chat SDK', undefined, 'bench/chat-sdk-bot.ts');
const appending = await side('bare bot, appends', undefined, undefined, 'appends');
const overlapping = await side('bare bot, overlaps', undefined, undefined, 'overlaps');
const sides = [bare, gateway, big, appending, sdk, chatSdk, overlapping];
const NAMES = ['bare bot', 'gateway', 'big home', 'appends', 'with SDK', 'Chat SDK', 'overlaps'];

interface Row {
  what: string;
  unit: string;
  values: (number | undefined)[];
  /** The gateway's figure may be at most this many times the bare bot's, or this absolute value. */
  target: string;
  ok: boolean | undefined;
}
const rows: Row[] = [];
const ratio = (values: (number | undefined)[]) => (values[1] ?? Number.NaN) / (values[0] ?? Number.NaN);

// Cold start first: except for the common warm-up, nothing has filled the page cache for one program only.
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
  target: '<= 2.4x bare',
  ok: ratio(coldMedians) <= 2.4,
});
const restart = (coldMedians[2] ?? Number.NaN) / (coldMedians[1] ?? Number.NaN);
rows.push({
  what: 'cold start, big home / fresh home',
  unit: 'x',
  values: [undefined, 1, restart],
  target: '<= 1.1x',
  ok: restart <= 1.1,
});

const programs = sides.map((each) => each.start());
await Promise.all(programs.map((program) => program.ready));
const idle: number[] = [];
for (const program of programs) idle.push(await idleMemory(program));
rows.push({ what: 'memory, idle', unit: 'MB', values: idle, target: '<= 1.4x bare', ok: ratio(idle) <= 1.4 });

const times = sides.map((): number[] => []);
const work = sides.map(() => 0);
for (const each of sides) await latencies(each, each === big ? BIG_CHAT : 1, 100);
for (let round = 0; round < ROUNDS; round++) {
  for (const [n, each] of sides.entries()) {
    const before = programs[n]?.cpu() ?? Number.NaN;
    times[n]?.push(...(await latencies(each, each === big ? BIG_CHAT : 1, PER_ROUND)));
    work[n] = (work[n] ?? 0) + (programs[n]?.cpu() ?? Number.NaN) - before;
  }
}
const p50 = times.map((values) => quantile(values, 0.5));
const p95 = times.map((values) => quantile(values, 0.95));
rows.push({ what: 'known chat, p50', unit: 'ms', values: p50, target: '<= 1.6x bare', ok: ratio(p50) <= 1.6 });
rows.push({ what: 'known chat, p95', unit: 'ms', values: p95, target: '', ok: undefined });
const workEach = work.map((ms) => ms / (ROUNDS * PER_ROUND));
rows.push({ what: 'CPU a message', unit: 'ms', values: workEach, target: '<= 1.7x bare', ok: ratio(workEach) <= 1.7 });

const firsts = sides.map((): number[] => []);
for (let chat = 20_000; chat < 20_000 + FIRST_CHATS; chat++)
  for (const [n, each] of sides.entries()) firsts[n]?.push(...(await latencies(each, chat, 1)));
const first = firsts.map((values) => quantile(values, 0.5));
rows.push({
  what: 'first message of a chat, p50',
  unit: 'ms',
  values: first,
  target: '<= 1.75x bare',
  ok: ratio(first) <= 1.75,
});
const grown = (p50[2] ?? Number.NaN) / (p50[1] ?? Number.NaN);
rows.push({
  what: 'p50, big home / fresh home',
  unit: 'x',
  values: [undefined, 1, grown],
  target: '<= 1.2x',
  ok: grown <= 1.2,
});

const bytes = [];
const calls = [];
const shared = [];
for (const each of sides) {
  each.llm.reset();
  await latencies(each, each === big ? BIG_CHAT : 9_000, 1);
  bytes.push(each.llm.stats().bytes.last / 1024);
  await latencies(each, each === big ? BIG_CHAT : 9_000, 4);
  calls.push(each.llm.stats().requests / 5);
  const [before = '', after = ''] = each.llm
    .requests()
    .slice(-2)
    .map(({ body }) => asRead(body));
  shared.push((100 * commonStart(before, after)) / after.length);
}
rows.push({
  what: 'model calls a message',
  unit: '',
  values: calls,
  target: '1',
  ok: calls[1] === 1,
});
rows.push({
  what: 'prompt that is the same as before',
  unit: '%',
  values: shared,
  target: '>= 95%',
  ok: Math.min(shared[1] ?? 0, shared[2] ?? 0) >= 95,
});
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
  target: '>= 0.65x bare',
  ok: ratio(perSecond) >= 0.65,
});
const newRates = sides.map((): number[] => []);
for (let round = 0; round < 3; round++)
  for (const [n, each] of sides.entries())
    newRates[n]?.push((await throughput(each, 300_000 + round * 1_000, NEW_CHATS, 1)).perSecond);
const newPerSecond = newRates.map((values) => quantile(values, 0.5));
rows.push({
  what: `${NEW_CHATS} new chats x 1 message`,
  unit: '/s',
  values: newPerSecond,
  target: '>= 0.3x bare',
  ok: ratio(newPerSecond) >= 0.3,
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

/**
 * In the order in which providers read and cache a prompt: tools, system, messages. The order in JSON means nothing.
 */
function asRead({ tools, messages }: Record<string, unknown>): string {
  return `${JSON.stringify(tools ?? [])}${JSON.stringify(messages)}`;
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

const show = (value: number | undefined) =>
  (value === undefined ? '-' : value >= 100 ? value.toFixed(0) : value.toFixed(2)).padStart(10);
const out = (line: string) => process.stdout.write(`${line}\n`);
out(`${'measured'.padEnd(34)}${NAMES.map((name) => name.padStart(10)).join('')}${'ratio'.padStart(8)}  target`);
for (const { what, unit, values, target, ok } of rows) {
  const times_ = values[0] === undefined || values[1] === undefined ? '' : `${ratio(values).toFixed(2)}x`;
  const verdict = ok === undefined ? '' : ok ? 'ok' : 'MISSED';
  out(
    `${`${what}${unit ? `, ${unit}` : ''}`.padEnd(34)}${NAMES.map((_, n) => show(values[n])).join('')}${times_.padStart(8)}  ${target} ${verdict}`,
  );
}
// Not by `exitCode`: Node's cleanup after so many broken connections has been seen to spin forever.
process.exit(rows.some(({ ok }) => ok === false) ? 1 : 0);
