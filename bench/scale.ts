/**
 * Measures several gateways on one home and one server: `npm run bench:scale [-- MESSAGES]`, with this many messages
 * for each of 64 lanes (10 by default). Real processes, the Telegram emulator, Debian's redis-server with every write
 * synced. Prints throughput with 1, 2 and 4 processes, and what happens to answers and waits if a process, the leader
 * or the server is killed or hangs.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Llm, startLlm } from '../test/emulators/llm.ts';
import { startTelegram, type Telegram } from '../test/emulators/telegram.ts';
import { type RedisServer, startRedis } from '../test/helpers/redis.ts';
import { quantile } from './measure.ts';
import { type Started, startProgram } from './processes.ts';
import { testRows } from './scale-tests.ts';

const EACH = Number(process.argv[2] ?? 10);
const only = process.env.SCALE;
const LANES = 64;
const FIRST_CHAT = 5_000;
const MODEL_MS = 50;
const RUNS = 2;
const LEASE_MS = 6_000;
const WAIT_MS = 120_000;

const out = (line: string) => process.stdout.write(`${line}\n`);
let isOk = true;
function row(name: string, isMet: boolean, figures: string): void {
  isOk &&= isMet;
  out(`${isMet ? 'ok    ' : 'missed'}  ${name}: ${figures}`);
}

/** The parts of a check: its own home, server, platform and model. */
interface Cluster {
  telegram: Telegram;
  llm: Llm;
  redis: RedisServer;
  gateways: Started[];
  /** How long the model takes. */
  modelMs: number;
  /** What to do with messages that arrive during a run, for gateways that start from now on. */
  injection: 'followup' | 'steer';
  start(count: number): Promise<void>;
}

async function cluster(work: (cluster: Cluster) => Promise<void>): Promise<void> {
  const endings: (() => void | Promise<void>)[] = [];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-scale-'));
  const home = path.join(folder, 'home');
  fs.mkdirSync(home, { mode: 0o700 });
  const redis = await startRedis(undefined, (end) => void endings.push(end));
  const telegram = await startTelegram({ keepRequests: 10 });
  const llm = await startLlm({ keepRequests: 10 });
  const gateways: Started[] = [];
  const world: Cluster = {
    ...{ telegram, llm, redis, gateways, modelMs: MODEL_MS, injection: 'followup' },
    async start(count) {
      const begun = Array.from({ length: count }, (_, n) => startOne(folder, home, world, gateways.length + n));
      for (const gateway of begun) gateways.push(gateway);
      await Promise.all(begun.map((gateway) => gateway.ready));
    },
  };
  // The model repeats its input, so that the order is visible.
  llm.script(({ lastUser }) => ({ text: lastUser.trim().split(/\s/).at(-1) ?? '', delayMs: world.modelMs }));
  try {
    await work(world);
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill('SIGKILL')));
    await Promise.all([telegram.close(), llm.close()]);
    for (const end of endings.reverse()) await end();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function startOne(folder: string, home: string, { telegram, llm, redis, injection }: Cluster, n: number): Started {
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: {
      telegram: {
        ...{ token: telegram.token, apiRoot: telegram.url, pollSeconds: 5, injection, live: 'off' },
        access: { dm: 'open', groups: 'all', chats: ['*'] },
      },
    },
    limits: { runs: RUNS, runsPerPerson: RUNS, messagesPerMinute: 100_000, queue: 100_000 },
    http: { port: 0 },
    engine: { kind: 'redis', url: redis.url, leaseMs: LEASE_MS, runDir: path.join(folder, `run-${n}`) },
  };
  const file = path.join(folder, `config-${n}-${process.hrtime.bigint()}.yaml`);
  fs.writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return startProgram(['dist/main.js', 'start', '--home', home, '--config', file]);
}

/** Answers by chat, in the order of arrival. */
class Answers {
  readonly #byChat = new Map<number, number[]>();
  readonly #stop: () => void;
  count = 0;

  constructor(telegram: Telegram) {
    this.#stop = telegram.onMessage((message) => {
      if (message.from !== 'bot' || message.chat < FIRST_CHAT) return;
      const answers = this.#byChat.get(message.chat) ?? [];
      this.#byChat.set(message.chat, answers);
      answers.push(Number(/(\d+)\D*$/.exec(message.text)?.[1] ?? -1));
      this.count++;
    });
  }

  /** Returns the milliseconds until all had arrived, or undefined. */
  async all(wanted: number, ms = WAIT_MS): Promise<number | undefined> {
    const began = performance.now();
    while (this.count < wanted) {
      if (performance.now() - began > ms) return undefined;
      await sleep(5);
    }
    return performance.now() - began;
  }

  faults(each: number): { lost: number; twice: number; disorder: number } {
    const found = { lost: 0, twice: 0, disorder: 0 };
    for (let chat = FIRST_CHAT; chat < FIRST_CHAT + LANES; chat++) {
      const answers = this.#byChat.get(chat) ?? [];
      found.lost += each - new Set(answers).size;
      found.twice += answers.length - new Set(answers).size;
      found.disorder += answers.filter((n, at) => at > 0 && n < (answers[at - 1] ?? 0)).length;
    }
    return found;
  }

  close(): void {
    this.#stop();
  }
}

const chats = Array.from({ length: LANES }, (_, n) => FIRST_CHAT + n);
const wanted = LANES * EACH;
const isClean = ({ lost, twice, disorder }: ReturnType<Answers['faults']>) => lost + twice + disorder === 0;
const told = ({ lost, twice, disorder }: ReturnType<Answers['faults']>) =>
  `lost ${lost}, twice ${twice}, out of order ${disorder}`;

const perSecond = new Map<number, number>();
async function throughput(count: number): Promise<void> {
  await cluster(async ({ telegram, start }) => {
    await start(count);
    const warm = new Answers(telegram);
    telegram.burst(chats, 1, '');
    await warm.all(LANES);
    warm.close();
    const answers = new Answers(telegram);
    telegram.burst(chats, EACH, '');
    const ms = await answers.all(wanted);
    await sleep(500);
    const faults = answers.faults(EACH);
    const rate = (wanted / (ms ?? Number.POSITIVE_INFINITY)) * 1_000;
    perSecond.set(count, rate);
    row(`${count} processes`, isClean(faults), `${rate.toFixed(0)} messages/s, ${told(faults)}`);
  });
}

/**
 * Waits until half of the messages are answered, then lets something happen to one process. Everything must still
 * arrive.
 */
async function withFault(name: string, limitMs: number, fault: (world: Cluster) => Promise<void>): Promise<void> {
  await cluster(async (world) => {
    const { telegram, start } = world;
    await start(3);
    const answers = new Answers(telegram);
    telegram.burst(chats, EACH, '');
    await answers.all(wanted / 2);
    const before = answers.count;
    const began = performance.now();
    await fault(world);
    while (answers.count < before + 1) await sleep(5);
    const ms = await answers.all(wanted);
    const seconds = (performance.now() - began) / 1_000;
    await sleep(2_000);
    const faults = answers.faults(EACH);
    // A message in flight to Telegram at a kill may arrive twice, because Telegram has no key for a message.
    const isMet = ms !== undefined && faults.lost + faults.disorder === 0 && seconds * 1_000 < limitMs;
    row(name, isMet, `all answered after ${seconds.toFixed(1)} s, ${told(faults)}`);
  });
}

/** Measures the turns of a killed process: the time until the model is asked again. */
async function killWorker(): Promise<void> {
  await cluster(async (world) => {
    const { telegram, llm, gateways, start } = world;
    await start(3);
    world.modelMs = 3_000;
    const asked: { text: string; at: number }[] = [];
    llm.script(({ lastUser }) => {
      const text = lastUser.trim().split(/\s/).at(-1) ?? '';
      asked.push({ text, at: performance.now() });
      return { text, delayMs: world.modelMs };
    });
    const answers = new Answers(telegram);
    for (const [n, chat] of chats.slice(0, RUNS * 3).entries()) telegram.say(chat, String(100 + n));
    for (const end = performance.now() + 10_000; asked.length < RUNS * 3 && performance.now() < end; ) await sleep(5);
    const began = performance.now();
    await gateways[1]?.kill('SIGKILL');
    await answers.all(RUNS * 3, 40_000);
    const again = asked.filter(({ at }) => at > began).map(({ at }) => at - began);
    const slowest = Math.max(...again) / 1_000;
    const isMet = again.length >= 1 && slowest <= 10 && answers.count === RUNS * 3;
    row(
      'kill -9 of a worker',
      isMet,
      `${again.length} turns began again, the last after ${slowest.toFixed(1)} s (at most 10)`,
    );
  });
}

async function hang(): Promise<void> {
  await cluster(async (world) => {
    const { telegram, gateways, start } = world;
    await start(3);
    world.modelMs = 1_000;
    const answers = new Answers(telegram);
    telegram.burst(chats.slice(0, 12), 3, '');
    await answers.all(6);
    // While models are asked. A message in flight to Telegram at that moment may arrive twice, as at a kill.
    await sleep(300);
    const pid = gateways[1]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    await sleep(14_000);
    process.kill(pid, 'SIGCONT');
    await answers.all(36, 60_000);
    await sleep(3_000);
    const all = answers.count;
    row('SIGSTOP of 14 s', all === 36, `36 messages, ${all} answers`);
  });
}

/**
 * Measures the time from words in a chat, which the leader receives, to the aborted model call of a turn that any
 * process may be running: for `/stop`, and for words that steer.
 */
async function cuts(name: string, words: string): Promise<void> {
  await cluster(async (world) => {
    const { telegram, llm, start } = world;
    world.injection = 'steer';
    await start(3);
    let begun = 0;
    llm.script(({ lastUser }) => {
      const isWork = lastUser.trim() === 'work';
      if (isWork) begun++;
      return { text: 'done', delayMs: isWork ? 20_000 : 10 };
    });
    const times: number[] = [];
    for (let n = 0; n < 30; n++) {
      const chat = FIRST_CHAT + n;
      for (const end = performance.now() + 10_000; llm.stats().active > 0 && performance.now() < end; ) await sleep(1);
      const before = llm.stats();
      telegram.say(chat, 'work');
      // The model may also be asked for an earlier answer, so count only the requests for this work.
      for (const end = performance.now() + 10_000; begun <= n && performance.now() < end; ) await sleep(1);
      await sleep(50);
      const began = performance.now();
      telegram.say(chat, words);
      for (const end = began + 10_000; llm.stats().aborted === before.aborted && performance.now() < end; )
        await sleep(1);
      times.push(performance.now() - began);
    }
    const p99 = quantile(times, 0.99);
    row(name, p99 <= 100, `p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (at most 100)`);
  });
}

/** The process that polls: the only one whose end stops incoming messages. */
async function killLeader(): Promise<void> {
  await cluster(async ({ telegram, gateways, start }) => {
    await start(1);
    const leader = gateways[0];
    await start(2);
    await leader?.kill('SIGKILL');
    const began = performance.now();
    const answers = new Answers(telegram);
    telegram.say(FIRST_CHAT, '1');
    await answers.all(1, 60_000);
    const seconds = (performance.now() - began) / 1_000;
    row(
      'kill -9 of the leader',
      answers.count === 1 && seconds <= 15,
      `answered after ${seconds.toFixed(1)} s (at most 15)`,
    );
  });
}

const checks: Record<string, () => Promise<void>> = {
  throughput: async () => {
    for (const count of [1, 2, 4]) await throughput(count);
    const ratio = (perSecond.get(4) ?? 0) / (perSecond.get(1) ?? 1);
    row('4 processes to 1', ratio >= 3.2, `${ratio.toFixed(2)}x (at least 3.2)`);
  },
  kill: killWorker,
  leader: killLeader,
  hang,
  redis: () =>
    // Ten seconds from when it is back.
    withFault('redis-server killed, back after 1.5 s', 11_500, async ({ redis }) => {
      await redis.kill();
      await sleep(1_500);
      await redis.start();
    }),
  stops: async () => {
    await cuts('/stop anywhere', '/stop');
    await cuts('new words anywhere', 'no, something else');
  },
  tests: async () => testRows(row),
};
out(
  `${LANES} lanes x ${EACH} messages, model ${MODEL_MS} ms, limits.runs ${RUNS}, lease ${LEASE_MS} ms, ${os.availableParallelism()} cores`,
);
for (const [name, check] of Object.entries(checks)) if (only === undefined || only === name) await check();
process.exit(isOk ? 0 : 1);
