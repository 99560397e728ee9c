/**
 * Kills the gateway at random moments on three platforms: `npm run crash [-- KILLS [SEED [SIGNAL]]]`. People write all
 * the time, even while nothing runs; every third message makes the model use a tool first. At the end, every message
 * must have been answered, in the order of its chat. Discord and Slack may show no answer twice. Telegram can't be
 * asked, so copies there are compared with the number of sends that a kill may have interrupted. With SIGTERM as the
 * signal nothing may be interrupted at all, and each stop has its time (R14). Work that was interrupted twice is
 * retried, alone, three seconds after a start. On a slow machine a kill may come later than that and interrupt it a
 * third time. It is then given up as promised, and each such kill may account for one message.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLlm } from '../test/emulators/llm.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import { type Person, type Platform, waitFor } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { startProgram } from './processes.ts';

const KILLS = Number(process.argv[2] ?? 100);
const PEOPLE: Person[] = ['alex', 'sam', 'kim'];
let seed = Number(process.argv.slice(3).find((each) => /^\d+$/.test(each)) ?? Date.now() % 1_000_000);
const firstSeed = seed;
const SIGNAL = process.argv.includes('SIGTERM') ? 'SIGTERM' : 'SIGKILL';
const MAX_STOP_MS = 25_000;
const STUCK_MS = 60_000;
/** The same wait as in `src/engine/local/spool.ts` for a message that was part of two crashes. */
const SUSPECT_DELAY_MS = 3_000;
/**
 * In a long run, no chat gets more messages than may be answered: platforms accept about one message per second and
 * chat.
 */
const PAUSE_MS = KILLS > 100 ? 60 : 20;

/** A linear congruential generator, so that a run can be repeated with its seed. */
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-crash-'));
const home = path.join(folder, 'home');
const quiet = { keepFiles: false, keepRequests: 10 };
const only = process.env.ONLY?.split(',');
const platforms: Platform[] = (
  await Promise.all([
    telegramPlatform(quiet),
    discordPlatform(quiet),
    slackPlatform({ ...quiet, retryDelaysMs: [0, 1_000, 5_000] }),
  ])
).filter((platform) => !only || only.includes(platform.name));
const llm = await startLlm({ keepRequests: 10 });
llm.script((request) => {
  const n = Number(/(\d+)$/.exec(request.lastUser)?.[1] ?? 0);
  if (n % 3 === 0 && request.toolResults.length === 0) {
    return {
      toolCalls: [{ name: 'write_file', arguments: { path: `n${n % 10}.txt`, content: request.lastUser } }],
      delayMs: n % 20,
    };
  }
  return { text: request.lastUser, delayMs: n % 30 };
});
const access = { dm: 'open', groups: 'off' };
const config = {
  model: 'local/test-model',
  providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
  channels: Object.fromEntries(
    platforms.map((each) => [each.name, { ...each.section, access, injection: 'followup' }]),
  ),
  limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000, freeBytes: 0 },
  http: { port: 0 },
};
fs.mkdirSync(home, { recursive: true, mode: 0o700 });
fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
const log = path.join(folder, 'gateway.log');
const start = () =>
  startProgram(['dist/main.js', 'start', '--home', home], {}, (line) => fs.appendFileSync(log, `${line}\n`));

interface Chat {
  platform: Platform;
  person: Person;
  said: number;
}
const chats: Chat[] = platforms.flatMap((platform) => PEOPLE.map((person) => ({ platform, person, said: 0 })));

let writing = true;
async function write(): Promise<void> {
  while (writing) {
    const chat = chats[random(chats.length)] as Chat;
    chat.said++;
    chat.platform.say(chat.platform.dm(chat.person), `message ${chat.said}`, { by: chat.person });
    await sleep(PAUSE_MS + random(2 * PAUSE_MS));
  }
}

// Nobody can ask Discord or Slack for unknown chats, so everybody has said hello before.
const first = start();
await first.ready;
for (const { platform, person } of chats) {
  platform.say(platform.dm(person), 'hello', { by: person });
  await waitFor(platform, platform.dm(person), { timeoutMs: 20_000 });
}
await first.kill();
const writer = write();
const stops: number[] = [];
let left = 0;
let lateKills = 0;
for (let kill = 0; kill < KILLS; kill++) {
  const startedAt = Date.now();
  const gateway = start();
  // Some kills happen during the start and the recovery, most during the work.
  if (random(4) === 0) await sleep(random(600));
  else {
    await Promise.race([gateway.ready, sleep(10_000)]);
    await sleep(random(900));
  }
  const children = fs
    .readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean);
  const signalled = Date.now();
  await gateway.kill(SIGNAL);
  if (signalled - startedAt > SUSPECT_DELAY_MS) lateKills++;
  stops.push(Date.now() - signalled);
  left += children.filter((pid) => fs.existsSync(`/proc/${pid}`)).length;
}
writing = false;
await writer;
const began = Date.now();
const gateway = start();

interface Result {
  answered: Map<number, number>;
  inversions: number;
}

function read({ platform, person }: Chat): Result {
  const answered = new Map<number, number>();
  let last = 0;
  let inversions = 0;
  for (const { text } of platform.answers(platform.dm(person))) {
    const n = Number(/message (\d+)/.exec(text)?.[1] ?? 0);
    if (n === 0) continue;
    if (!answered.has(n)) {
      if (n < last) inversions++;
      last = Math.max(last, n);
    }
    answered.set(n, (answered.get(n) ?? 0) + 1);
  }
  return { answered, inversions };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const unsureNow = () => fs.readdirSync(path.join(home, 'spool', 'unsure')).length;
/** The messages that were given up, as the spool keeps them. */
const givenUp = () => {
  const dead = path.join(home, 'spool', 'dead');
  return fs.readdirSync(dead).map((file) => fs.readFileSync(path.join(dead, file), 'utf8'));
};
const missing = () => -unsureNow() - givenUp().length + sum(chats.map((chat) => chat.said - read(chat).answered.size));
let least = missing();
let lastAnswer = began;
// However much has piled up on a busy machine: as long as it decreases, nothing is lost yet.
while (least > 0 && Date.now() - lastAnswer < STUCK_MS) {
  await sleep(500);
  const now = missing();
  if (now < least) lastAnswer = Date.now();
  least = Math.min(least, now);
}
const drained = Date.now() - began;
// A copy that arrives late counts too.
await sleep(3_000);
const dead = givenUp();
const allowedDead = SIGNAL === 'SIGKILL' ? lateKills : 0;
const unsure = fs.readdirSync(path.join(home, 'spool', 'unsure')).length;
const out = (line: string) => process.stdout.write(`${line}\n`);
out(
  `${SIGNAL} ${KILLS} times (seed ${firstSeed}), messages ${sum(chats.map((chat) => chat.said))}, chats ${chats.length}`,
);
const slowest = Math.max(0, ...stops);
let failed = dead.length > allowedDead || (SIGNAL === 'SIGTERM' && (slowest > MAX_STOP_MS || left > 0));
for (const platform of platforms) {
  const own = chats.filter((chat) => chat.platform === platform);
  const results = own.map(read);
  // Only Telegram's answers can end as `unsure`, and then their person was told.
  const told =
    (platform.name === 'telegram' ? unsure : 0) +
    dead.filter((text) => text.includes(`"channel":"${platform.name}"`)).length;
  const lost = sum(own.map((chat) => chat.said)) - sum(results.map((result) => result.answered.size)) - told;
  const inversions = sum(results.map((result) => result.inversions));
  const extra = sum(results.flatMap((result) => [...result.answered.values()].map((count) => count - 1)));
  // Each kill can interrupt at most one send in each chat.
  const allowed = platform.name === 'telegram' && SIGNAL === 'SIGKILL' ? KILLS * PEOPLE.length : 0;
  failed ||= lost > 0 || inversions > 0 || extra > allowed;
  const said = sum(own.map((chat) => chat.said));
  out(
    `${platform.name.padEnd(9)} said ${said}, lost ${lost}, out of order ${inversions}, answers that came twice ${extra} (allowed ${allowed})`,
  );
  for (const chat of own) {
    const { answered } = read(chat);
    const gone = Array.from({ length: chat.said }, (_, n) => n + 1).filter((n) => !answered.has(n));
    if (gone.length > 0) out(`  ${chat.person}: not answered: ${gone.slice(0, 20).join(', ')}`);
  }
}
if (SIGNAL === 'SIGTERM') out(`the slowest stop took ${slowest} ms, children left ${left}`);
out(
  `given up ${dead.length} (allowed ${allowedDead}: kills later than 3 s after a start), unsure ${unsure}, caught up ${drained} ms after the last start`,
);
await gateway.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close()]);
if (failed) out(`the home and the log of this run are in ${folder}`);
else fs.rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
