/**
 * Takes everything around the gateway down, one after the other and all at once: `npm run outage [-- SECONDS
 * [PATTERN]]`. On three platforms, with the built program: each platform refuses connections, hangs, answers 503,
 * breaks its sockets; the model refuses, hangs, answers 500 and 529; the disk is full, then read-only. All are down
 * together for SECONDS; PATTERN selects some by name. People write all the time. At the end every message has one
 * answer, in order; an answer may be a sentence about the model, and nothing else is sent. Meanwhile nothing is called
 * more often than `PACES` allows, and people who don't need what is down are answered.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LlmFault, startLlm } from '../test/emulators/llm.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import { type Person, waitFor } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { type Chat, judge, openMessages } from './outage-chats.ts';
import { PACES, readRequests, worstMinute } from './outage-paces.ts';
import { startProgram } from './processes.ts';
import { mountSmallDisk } from './small-disk.ts';

const SECONDS = Number(process.argv[2] ?? 600);
const PATTERN = new RegExp(process.argv[3] ?? '');
const PEOPLE: Person[] = ['alex', 'sam', 'kim'];
const MESSAGES = 20;
const DISK_MB = 64;
/** Pauses grow to a minute, and several may follow each other. */
const BACK_MS = 180_000;
const OTHERS_MS = 20_000;
const NONE = { name: '', count: 0 };
const out = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];
const fail = (line: string) => {
  problems.push(line);
  out(`BROKEN ${line}`);
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-outage-'));
const disk = mountSmallDisk(folder, DISK_MB);
const home = disk?.folder ?? path.join(folder, 'home');
process.on('exit', () => disk?.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
const quiet = { keepFiles: false, keepRequests: 10 };
const [telegram, discord, slack] = await Promise.all([
  telegramPlatform(quiet),
  discordPlatform(quiet),
  slackPlatform({ ...quiet, retryDelaysMs: [0, 1_000, 5_000] }),
]);
const platforms = [telegram, discord, slack];
const llm = await startLlm({ keepRequests: 10 });
let modelFault: { fault: LlmFault; status?: number } | undefined;
/** Long enough for an answer to be in progress when its platform disappears. */
const MODEL_MS = 150;
llm.script((request) => modelFault ?? { text: request.lastUser, delayMs: MODEL_MS });
const config = {
  model: 'local/test-model',
  providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
  channels: Object.fromEntries(
    platforms.map((each) => [
      each.name,
      { ...each.section, access: { dm: 'open', groups: 'off' }, injection: 'followup' },
    ]),
  ),
  timeouts: { connect: 2, firstToken: 2, idle: 2 },
  limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000, freeBytes: 0 },
  http: { port: 0 },
};
fs.mkdirSync(home, { recursive: true, mode: 0o700 });
fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
const requests = path.join(folder, 'requests');
fs.writeFileSync(requests, '');
const gateway = startProgram(
  ['--import', './bench/note-requests.ts', 'dist/main.js', 'start', '--home', home],
  { REQUESTS_FILE: requests },
  (line) => process.env.SHOW && out(line.slice(0, 600)),
);
let hasEnded = false;
void gateway.exited.then(() => {
  hasEnded = true;
});
await gateway.ready;

/** What may be down. */
interface Part {
  name: string;
  /** The platforms on which nobody can be answered meanwhile. */
  affects: readonly string[];
  leave(): unknown;
  back(): unknown;
}
const NAMES = platforms.map(({ name }) => name);
const KINDS = ['refuse', 'hang', 503, 'reset'] as const;
const parts: Part[] = platforms.flatMap(({ name, emulator, drop }) =>
  KINDS.map((kind) => ({
    name: `${name} ${kind}`,
    affects: [name],
    async leave() {
      await emulator.outage(kind);
      // Open sockets don't survive it.
      if (kind !== 'hang' && name !== 'telegram') drop();
    },
    back: () => emulator.outage(),
  })),
);
const model = (name: string, fault: LlmFault, status?: number): Part => ({
  ...{ name: `model ${name}`, affects: NAMES },
  leave() {
    modelFault = { fault, ...(status === undefined ? {} : { status }) };
  },
  back() {
    modelFault = undefined;
  },
});
parts.push({ name: 'model refuse', affects: NAMES, leave: () => llm.down(), back: () => llm.up() });
parts.push(model('hang', 'stall-start'), model('500', 'server-error'), model('529', 'overloaded', 529));
if (disk) {
  const { full, readOnly, well } = disk;
  parts.push({ name: 'disk full', affects: NAMES, leave: full, back: well });
  parts.push({ name: 'disk read-only', affects: NAMES, leave: readOnly, back: well });
} else out('no disk of its own can be mounted here (root alone may): a full and a read-only disk are left out');
const everything = parts.filter(({ name }) => / refuse$|full$/.test(name));
parts.push({
  ...{ name: 'all at once', affects: NAMES },
  leave: () => Promise.all(everything.map((part) => part.leave())),
  back: () => Promise.all(everything.map((part) => part.back())),
});
const chosen = parts.filter(({ name }) => PATTERN.test(name));
const awayMs = Math.max(2_000, (SECONDS * 1_000) / chosen.length);

const chats: Chat[] = platforms.flatMap((platform) =>
  PEOPLE.map((person) => ({ platform, person, said: 0, before: 0 })),
);
for (const chat of chats) {
  const { platform, person } = chat;
  platform.say(platform.dm(person), 'hello', { by: person });
  await waitFor(platform, platform.dm(person), { timeoutMs: 20_000 });
  chat.before = platform.answers(platform.dm(person)).length;
}

/** Waits until these have all their answers; returns those who don't. */
async function answered(among: Chat[], ms: number): Promise<Chat[]> {
  for (const end = Date.now() + ms; ; await sleep(50)) {
    const open = among.filter((chat) => openMessages(chat) > 0);
    if (open.length === 0 || hasEnded || Date.now() > end) return open;
  }
}
const list = (open: Chat[]) =>
  open.map((chat) => `${openMessages(chat)} of ${chat.person} on ${chat.platform.name}`).join(', ');

function sayAll(): void {
  for (const chat of chats) {
    chat.said++;
    chat.platform.say(chat.platform.dm(chat.person), `message ${chat.said}`, { by: chat.person });
  }
}

const away: { part: Part; from: number; to: number }[] = [];
for (const part of chosen) {
  sayAll();
  await sleep(MODEL_MS / 2);
  const from = Date.now();
  await part.leave();
  while (Date.now() - from < awayMs) {
    sayAll();
    await sleep(Math.max(500, awayMs / MESSAGES));
  }
  const others = await answered(
    chats.filter(({ platform }) => !part.affects.includes(platform.name)),
    OTHERS_MS,
  );
  if (others.length > 0) fail(`${part.name}: others had to wait: ${list(others)}`);
  const to = Date.now();
  away.push({ part, from, to });
  await part.back();
  const open = await answered(chats, BACK_MS);
  if (open.length > 0) fail(`${part.name}: no answer after it: ${list(open)}`);
  if (hasEnded) {
    fail(`${part.name}: the program has ended:\n${gateway.output()}`);
    break;
  }
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  out(`${part.name.padEnd(16)} away ${seconds(to - from)} s, all answered ${seconds(Date.now() - to)} s after it`);
}
// A copy that arrives late counts too.
await sleep(3_000);

const words = new Map<string, number>();
for (const platform of platforms) {
  const results = chats.filter((chat) => chat.platform === platform).map(judge);
  const sum = (what: (result: ReturnType<typeof judge>) => number) =>
    results.reduce((total, each) => total + what(each), 0);
  const said = sum((each) => each.said);
  const lost = sum((each) => each.lost);
  const inversions = sum((each) => each.inversions);
  const twice = sum((each) => each.twice);
  out(`${platform.name.padEnd(9)} said ${said}, lost ${lost}, out of order ${inversions}, too many ${twice}`);
  if (lost + inversions + twice > 0) fail(`${platform.name}: answers`);
  for (const { problem } of results) if (problem) out(`  ${problem}`);
  for (const each of results.flatMap(({ others }) => others)) {
    const text = each.replace(/trace [0-9a-f]+/, 'trace ID');
    words.set(text, (words.get(text) ?? 0) + 1);
  }
}
out('what people read instead of an answer:');
for (const [text, count] of words) {
  out(`  ${String(count).padStart(4)} times: ${text}`);
  if (/[{}]|undefined|\bE[A-Z]{4,}\b|\bError\b|\bat \S+:\d+/.test(text))
    fail(`these words are not for people: ${text}`);
}
const all = readRequests(requests);
const portOf = { telegram: telegram.emulator.url, discord: discord.emulator.url, slack: slack.emulator.url };
out('calls in the worst minute while it was away:');
for (const { platform, what, path: called, atMost } of PACES) {
  const port = new URL(portOf[platform]).port;
  const own = all.filter((request) => request.port === port && called.test(request.path));
  const times = away
    .filter(({ part }) => part.name === 'all at once' || part.name.startsWith(platform))
    .map(({ part, from, to }) => ({ name: part.name, count: worstMinute(own, from, to) }));
  const { count: worst, name } = times.reduce((most, each) => (each.count > most.count ? each : most), NONE);
  out(`  ${platform.padEnd(9)} ${what}: ${worst} (at most ${atMost})${worst > 0 ? `, in ${name}` : ''}`);
  if (worst > atMost) fail(`${platform}: ${what} ${worst} times in a minute`);
}
out(
  `Discord: identified ${discord.emulator.gateway().identifies} times, resumed ${discord.emulator.gateway().resumes}`,
);
const messages = chats.reduce((total, { said }) => total + said, 0);
out(`${chosen.length} outages, ${messages} messages, broken ${problems.length}`);
await gateway.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close()]);
disk?.remove();
fs.rmSync(folder, { recursive: true, force: true });
process.exit(problems.length > 0 ? 1 : 0);
