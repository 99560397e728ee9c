/**
 * Kills the gateway at random moments while programs use it: `npm run crash:programs [-- KILLS [SEED]]`. Two clients of
 * `viber.v1` and a hub submit tasks all the time, even while nothing runs. Acknowledgements and connections are lost
 * with each kill, and the hub loses every fifth of its own. At the end, every submission must have been accepted once
 * and have ended once: one task, one run, whatever was repeated. Work that was interrupted twice is retried, alone,
 * three seconds after a start. On a slow machine a kill may come later than that and interrupt it a third time. It is
 * then given up as promised, which is an end as well, and each such kill may account for one submission.
 */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ViberClient } from '../src/client/client.ts';
import { HubEmulator } from '../test/emulators/hub.ts';
import { startLlm } from '../test/emulators/llm.ts';
import { startProgram } from './processes.ts';

const KILLS = Number(process.argv[2] ?? 50);
let seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const firstSeed = seed;
/**
 * Work that was interrupted twice runs alone, so catching up takes as long as the machine needs. It has failed when
 * nothing ends any more.
 */
const STALLED_MS = 60_000;
/** The same wait as in `src/engine/local/spool.ts` for a message that was part of two crashes. */
const SUSPECT_DELAY_MS = 3_000;
const TOKENS = { first: 'token-of-the-first-program', second: 'token-of-the-second-program' };

/** A linear congruential generator, so that a run can be repeated with its seed. */
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-crash-'));
const home = path.join(folder, 'home');
const llm = await startLlm({ keepRequests: 10 });
llm.script((request) => ({ text: request.lastUser, delayMs: Number(/(\d+)$/.exec(request.lastUser)?.[1] ?? 0) % 40 }));
const hub = new HubEmulator({ token: 'token-of-the-hub' });
hub.acknowledges = false;
await hub.start();
const port = await freePort();
const config = {
  model: 'local/test-model',
  providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
  channels: { terminal: { enabled: false } },
  limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000, freeBytes: 0 },
  http: { port, clients: Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, { token }])) },
  hub: { url: hub.url, token: 'token-of-the-hub' },
};
fs.mkdirSync(home, { recursive: true, mode: 0o700 });
fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
const start = () => startProgram(['dist/main.js', 'start', '--home', home]);

/** What a program knows about one submission. */
interface Submission {
  goal: string;
  tasks: Set<string>;
  runs: Set<string>;
  /** Every end that arrived, including repetitions. */
  ends: number;
  text: string;
}

let writing = true;
const submissions: Submission[] = [];
function begin(program: string, n: number): Submission {
  const submission = {
    goal: `${program} submission ${n}`,
    tasks: new Set<string>(),
    runs: new Set<string>(),
    ends: 0,
    text: '',
  };
  submissions.push(submission);
  return submission;
}

/** A program that uses this package's client, with up to eight submissions in progress. */
async function program(name: keyof typeof TOKENS): Promise<void> {
  const client = new ViberClient({ url: `ws://127.0.0.1:${port}/ws`, token: TOKENS[name], maxWaitMs: 500 });
  const under = new Set<Promise<void>>();
  for (let n = 1; writing || under.size > 0; n++) {
    while (under.size >= 8 || (!writing && under.size > 0)) await Promise.race(under);
    if (!writing) break;
    const submission = begin(name, n);
    const run = client.run({ goal: submission.goal, live: n % 2 === 0 ? 'events' : 'off' }, `${name}-${n}`).then(
      ({ taskId, runId, result }) => {
        submission.tasks.add(taskId);
        submission.runs.add(runId);
        submission.ends++;
        submission.text = result.text;
      },
      (error: unknown) => {
        submission.text = String(error);
      },
    );
    under.add(run);
    void run.finally(() => under.delete(run));
    await sleep(20 + random(80));
  }
  client.close();
}

/** A hub that repeats what wasn't acknowledged, and acknowledges most ends when they arrive. */
async function submitByHub(): Promise<void> {
  const open = new Map<string, Submission>();
  let read = 0;
  const look = () => {
    for (const frame of hub.frames.slice(read)) {
      if (frame.type === 'ack' && frame.ok) open.get(frame.id ?? '')?.tasks.add(frame.taskId ?? '');
      if (frame.type !== 'task:completed' && frame.type !== 'task:error') continue;
      const submission = [...open.values()].find(({ tasks }) => tasks.has(frame.taskId ?? ''));
      if (!submission) continue;
      submission.runs.add(frame.runId ?? '');
      submission.ends++;
      submission.text = frame.result?.text ?? JSON.stringify(frame.error);
      if (random(5) > 0) hub.acknowledge(frame.runId);
    }
    read = hub.frames.length;
  };
  const submit = ({ goal }: Submission, id: string) => hub.send({ type: 'task:submit', id, goal, messages: [] });
  let wasConnected = false;
  for (let n = 1; writing || [...open.values()].some(({ runs }) => runs.size === 0); n++) {
    if (writing) open.set(`hub-${n}`, begin('hub', n));
    if (hub.isConnected && !wasConnected) for (const [id, one] of open) if (one.tasks.size === 0) submit(one, id);
    wasConnected = hub.isConnected;
    const latest = open.get(`hub-${n}`);
    if (latest && hub.isConnected) submit(latest, `hub-${n}`);
    await sleep(40 + random(80));
    look();
  }
}

const programs = Promise.all([program('first'), program('second'), submitByHub()]);
let lateKills = 0;
for (let kill = 0; kill < KILLS; kill++) {
  const startedAt = Date.now();
  const gateway = start();
  if (random(4) === 0) await sleep(random(600));
  else {
    await Promise.race([gateway.ready, sleep(10_000)]);
    await sleep(random(1_200));
  }
  await gateway.kill('SIGKILL');
  if (Date.now() - startedAt > SUSPECT_DELAY_MS) lateKills++;
}
writing = false;
const began = Date.now();
const gateway = start();
const isDone = await Promise.race([programs.then(() => true), stalled()]);
const drained = Date.now() - began;
// Ends that are still pending arrive now and are acknowledged.
hub.acknowledges = true;
await sleep(2_000);
await gateway.kill();

const records = fs.readdirSync(path.join(home, 'artifacts')).map(
  (id) =>
    JSON.parse(fs.readFileSync(path.join(home, 'artifacts', id, 'task.json'), 'utf8')) as {
      goal: string;
      runs: number;
    },
);
const accepted = new Map<string, number>();
for (const { goal, runs } of records) accepted.set(goal, (accepted.get(goal) ?? 0) + Math.max(1, runs));
const isGivenUp = ({ text }: Submission) => /I tried 3 times and failed|gave up on the task/.test(text);
const givenUp = submissions.filter(isGivenUp);
const lost = submissions.filter((one) => one.runs.size === 0 && !isGivenUp(one));
const wrong = submissions.filter((one) => one.runs.size > 0 && one.text !== one.goal && !isGivenUp(one));
const doubled = submissions.filter(
  ({ goal, tasks, runs }) => tasks.size > 1 || runs.size > 1 || (accepted.get(goal) ?? 0) > 1,
);
const repeated = submissions.reduce((sum, { ends }) => sum + Math.max(0, ends - 1), 0);
const out = (line: string) => process.stdout.write(`${line}\n`);
out(`SIGKILL ${KILLS} times (seed ${firstSeed}), submissions ${submissions.length} by two programs and a hub`);
out(`given up ${givenUp.length} (allowed ${lateKills}: kills later than 3 s after a start)`);
out(`lost ${lost.length}, done twice ${doubled.length}, answered wrongly ${wrong.length}`);
out(`ends that the hub was told again (of the same run) ${repeated}, caught up ${drained} ms after the last start`);
for (const { goal, text } of [...lost, ...wrong, ...doubled].slice(0, 10)) out(`  ${goal}: ${text || 'no end came'}`);
hub.stop();
await llm.close();
const failed = !isDone || givenUp.length > lateKills || lost.length + wrong.length + doubled.length > 0;
if (!failed) fs.rmSync(folder, { recursive: true, force: true });
else out(`the home is kept in ${folder}`);
process.exit(failed ? 1 : 0);

/** Resolves with false once no submission has ended for STALLED_MS. */
async function stalled(): Promise<false> {
  const countEnded = () => submissions.filter(({ runs, text }) => runs.size > 0 || text !== '').length;
  for (let before = -1, now = countEnded(); now > before; ) {
    before = now;
    await sleep(STALLED_MS, undefined, { ref: false });
    now = countEnded();
  }
  return false;
}

/** Chosen once, because clients reconnect to the same address. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
