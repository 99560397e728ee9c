/**
 * Measures what one message costs a program, regardless of other work on the machine: `npm run bench:message`. Counts
 * processor time and system calls rather than elapsed time. To compare with another build, name its folder: `npm run
 * bench:message -- /path/of/its/dist`. The programs run alternately, so that changes in the machine's speed affect all.
 * With `strace` installed, system calls are counted in a separate run, because tracing costs processor time. With
 * PROFILE=FOLDER each gateway writes a CPU profile there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLlm } from '../test/emulators/llm.ts';
import { startTelegram } from '../test/emulators/telegram.ts';
import { latencies, quantile, type Side, throughput } from './measure.ts';
import { type Started, startBareBot, startGateway } from './processes.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 10);
const PER_ROUND = 60;
const WARM_UP = 100;
const TRACED = 200;
const profile = process.env.PROFILE;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-message-'));

interface Common {
  token: string;
  apiRoot: string;
  modelUrl: string;
}

async function sideOf(name: string, start: (common: Common) => Started): Promise<Side> {
  const telegram = await startTelegram({ keepFiles: false, keepRequests: 10 });
  const llm = await startLlm({ keepRequests: 10 });
  return {
    name,
    telegram,
    llm,
    start: () => start({ token: telegram.token, apiRoot: telegram.url, modelUrl: llm.url }),
  };
}

const gatewaySide = (dist: string, n: number) =>
  sideOf(dist, (common) => {
    const env = profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path.join(profile, String(n))}` } : {};
    return startGateway({ ...common, home: path.join(folder, String(n)), env }, path.join(dist, 'main.js'));
  });

/** Nanoseconds of processor time by thread: the main thread, and all others (disk, compiler, garbage collector). */
function cpuOf(pid: number): { main: number; others: number } {
  let [main, others] = [0, 0];
  for (const thread of fs.readdirSync(`/proc/${pid}/task`)) {
    const [ran = 0] = fs.readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ').map(Number);
    if (Number(thread) === pid) main = ran;
    else others += ran;
  }
  return { main, others };
}

/** The number of system calls of each kind per message, as strace counts them. */
async function systemCalls(pid: number, work: () => Promise<unknown>): Promise<Map<string, number>> {
  const file = path.join(folder, 'strace');
  const tracer = spawn('strace', ['-c', '-f', '-p', String(pid), '-o', file], { stdio: 'ignore' });
  await sleep(1_000);
  await work();
  tracer.kill('SIGINT');
  await once(tracer, 'exit');
  const counts = new Map<string, number>();
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const [, calls, name] = /^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$/.exec(line) ?? [];
    if (name !== undefined && name !== 'total') counts.set(name, Number(calls) / TRACED);
  }
  return counts;
}

const sides = [
  await sideOf('bare bot', (common) => startBareBot(common)),
  await gatewaySide('dist', 1),
  ...(await Promise.all(process.argv.slice(2).map((dist, n) => gatewaySide(dist, n + 2)))),
  await sideOf('with the AI SDK', (common) => startBareBot(common, 'bench/sdk-bot.ts')),
  await sideOf('overlapping', (common) => startBareBot({ ...common, env: { BARE_FORM: 'overlaps' } })),
];
const programs = sides.map((each) => each.start());
await Promise.all(programs.map(({ ready }) => ready));
for (const each of sides) await latencies(each, 1, WARM_UP);

const used = sides.map(() => ({ main: 0, others: 0 }));
const burst = sides.map(() => ({ cpu: 0, rates: [] as number[] }));
const times = sides.map((): number[] => []);
for (let round = 0; round < ROUNDS; round++) {
  for (const [n, each] of sides.entries()) {
    const { pid } = programs[n] as Started;
    const before = cpuOf(pid);
    times[n]?.push(...(await latencies(each, 1, PER_ROUND)));
    const after = cpuOf(pid);
    const sum = used[n] as { main: number; others: number };
    sum.main += after.main - before.main;
    sum.others += after.others - before.others;
  }
}
const BURSTS = Number(process.env.BURSTS ?? 2);
for (let round = 0; round < BURSTS; round++) {
  for (const [n, each] of sides.entries()) {
    const { pid } = programs[n] as Started;
    const before = cpuOf(pid);
    const { perSecond } = await throughput(each, 100_000 + round * 1_000, 50, 20);
    const after = cpuOf(pid);
    const sum = burst[n] as { cpu: number; rates: number[] };
    sum.cpu += after.main - before.main + after.others - before.others;
    sum.rates.push(perSecond);
  }
}

const out = (line: string) => process.stdout.write(`${line}\n`);
const show = (value: number) => value.toFixed(2).padStart(9);
out(`${'CPU ms a message'.padEnd(28)}     main   others      all    ratio  p50 ms  in a burst: CPU, a second`);
const each = (ns = 0, messages = ROUNDS * PER_ROUND) => ns / 1e6 / messages;
const all = (n: number) => each((used[n]?.main ?? 0) + (used[n]?.others ?? 0));
for (const [n, { name }] of sides.entries())
  out(
    name.padEnd(28) +
      [each(used[n]?.main), each(used[n]?.others), all(n), all(n) / all(0), quantile(times[n] ?? [], 0.5)]
        .concat(each(burst[n]?.cpu, BURSTS * 1000), Math.max(...(burst[n]?.rates ?? [])))
        .map(show)
        .join(''),
  );

const hasStrace = fs.existsSync('/usr/bin/strace');
if (hasStrace && !profile) {
  const counts: Map<string, number>[] = [];
  for (const [n, side] of sides.entries())
    counts.push(await systemCalls(programs[n]?.pid ?? 0, () => latencies(side, 1, TRACED)));
  const names = new Set(counts.flatMap((count) => [...count.keys()]));
  const most = (name: string) => Math.max(...counts.map((count) => count.get(name) ?? 0));
  out(`\nsystem calls a message${sides.map(({ name }) => name.slice(-10).padStart(11)).join('')}`);
  for (const name of [...names].sort((a, b) => most(b) - most(a)))
    if (most(name) >= 0.1)
      out(name.padEnd(22) + counts.map((count) => (count.get(name) ?? 0).toFixed(1).padStart(11)).join(''));
  const total = counts.map((count) => [...count.values()].reduce((sum, calls) => sum + calls, 0));
  out('all'.padEnd(22) + total.map((calls) => calls.toFixed(1).padStart(11)).join(''));
}
for (const program of programs) await program.kill();
for (const { telegram, llm } of sides) await Promise.all([telegram.close(), llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });
process.exit(0);
