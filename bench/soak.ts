/**
 * Runs hours of strangers, threads and new tasks: `npm run soak [-- MINUTES [PER_SECOND]]`. Half of the messages are
 * from unknown people, each a new one, on every platform; the rest are from KNOWN people, who sometimes start over.
 * Every mention opens a thread and a task, at a pace that platforms allow. Memory and open files must not grow with any
 * of it (R22), and every message of a known person must be answered.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLlm } from '../test/emulators/llm.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import type { Platform } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { quantile } from './measure.ts';
import { startProgram } from './processes.ts';

const MINUTES = Number(process.argv[2] ?? 120);
const PER_SECOND = Number(process.argv[3] ?? 20);
/** Memory in the last quarter of the time may be this many times that in the second. */
const MAX_GROWTH = 1.1;
const MAX_MORE_FILES = 20;
const SAMPLES = 40;
const FIRST_STRANGER = 5_000_000;
/** Nobody writes more than a platform lets a bot answer in one chat, about one message a second. */
const KNOWN = 36;
const FIRST_KNOWN = 4_000_000;
/** One of this many messages opens a thread on Slack, and one on Discord. */
const THREAD_EVERY = 60;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-soak-'));
const home = path.join(folder, 'home');
const quiet = { keepFiles: false, keepRequests: 10 };
const [telegram, discord, slack] = await Promise.all([
  telegramPlatform(quiet),
  discordPlatform(quiet),
  slackPlatform(quiet),
]);
const platforms: Platform[] = [telegram, discord, slack];

/** How one person writes in private, with separate IDs on each platform. */
interface Speaker {
  identity: string;
  say(text: string): void;
}
const SNOWFLAKE = 710_000_000_000_000_000n;
const speaker: ((id: number) => Speaker)[] = [
  (id) => ({ identity: `telegram:${id}`, say: (text) => void telegram.emulator.say(id, text) }),
  (id) => {
    const user = String(SNOWFLAKE + BigInt(id));
    return { identity: `discord:${user}`, say: (text) => void discord.emulator.dm(user, text) };
  },
  (id) => {
    const user = `U${String(id).padStart(8, '0')}`;
    slack.emulator.addUser({ id: user });
    return {
      identity: `slack:${slack.emulator.team.id}:${user}`,
      say: (text) => void slack.emulator.dm(user, text),
    };
  },
];
const speakerOf = (id: number): Speaker => (speaker[id % speaker.length] as (id: number) => Speaker)(id);
const known = Array.from({ length: KNOWN }, (_, n) => speakerOf(FIRST_KNOWN + n));

const llm = await startLlm({ keepRequests: 10 });
/** The messages that reached the model; requests for notes of a long conversation count as well. */
const asked = new Set<number>();
llm.script(({ lastUser }) => {
  const [, n] = /message (\d+)$/.exec(lastUser) ?? [];
  if (n !== undefined) asked.add(Number(n));
  return { text: lastUser.slice(-100) };
});
const config = {
  model: 'local/test-model',
  providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
  channels: Object.fromEntries(
    platforms.map((each) => [
      each.name,
      { ...each.section, access: { dm: 'pairing', groups: 'mention', chats: ['*'] }, injection: 'followup' },
    ]),
  ),
  people: [
    { name: 'alex', role: 'owner', ids: platforms.map((each) => each.identity('alex')) },
    ...known.map(({ identity }, n) => ({ name: `known-${n}`, role: 'member', ids: [identity] })),
  ],
  limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000 },
  http: { port: 0 },
};
fs.mkdirSync(home, { recursive: true, mode: 0o700 });
fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
const gateway = startProgram(['dist/main.js', 'start', '--home', home]);
await gateway.ready;

const said = { known: 0, strangers: 0, threads: 0, fresh: 0 };

function speak(n: number): void {
  if (n % 2 === 0) {
    said.strangers++;
    speakerOf(FIRST_STRANGER + n / 2).say('hello?');
    return;
  }
  said.known++;
  const turn = n % THREAD_EVERY;
  const platform: Platform | undefined = turn === 1 ? slack : turn === 1 + THREAD_EVERY / 2 ? discord : undefined;
  if (platform) {
    said.threads++;
    platform.say(platform.room, `message ${n}`, { mention: true });
    return;
  }
  // A new task, in a conversation that stays.
  const isFresh = Math.floor(said.known / KNOWN) % 10 === 9;
  if (isFresh) said.fresh++;
  (known[said.known % KNOWN] as Speaker).say(isFresh ? '/new' : `message ${n}`);
}

interface Sample {
  memory: number;
  files: number;
}
const samples: Sample[] = [];
const out = (line: string) => process.stdout.write(`${line}\n`);

const length = MINUTES * 60_000;
const began = Date.now();
for (let n = 0; Date.now() - began < length; n++) {
  speak(n);
  const due = began + ((n + 1) * 1_000) / PER_SECOND;
  if (due > Date.now()) await sleep(due - Date.now());
  if (Date.now() - began >= (length / SAMPLES) * (samples.length + 1)) {
    const sample = { memory: gateway.memory().now / 1e6, files: fs.readdirSync(`/proc/${gateway.pid}/fd`).length };
    samples.push(sample);
    const minute = ((Date.now() - began) / 60_000).toFixed(1).padStart(6);
    out(
      `${minute} min  ${sample.memory.toFixed(0).padStart(4)} MB  ${sample.files} files open  ${JSON.stringify(said)}`,
    );
  }
}

// Strangers cost no call, and neither does /new.
const wanted = said.known - said.fresh;
for (const end = Date.now() + 60_000; asked.size < wanted && Date.now() < end; ) await sleep(500);
const quarter = Math.floor(samples.length / 4);
const middle = (of: Sample[], what: keyof Sample) =>
  quantile(
    of.map((sample) => sample[what]),
    0.5,
  );
const [second, last] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
const growth = middle(last, 'memory') / middle(second, 'memory');
const files = middle(last, 'files') - middle(second, 'files');
out(
  `strangers ${said.strangers}, threads ${said.threads}, messages of people known ${said.known}, of which ${said.fresh} begin anew and ${wanted - asked.size} were not answered`,
);
out(`memory, last quarter / second: ${growth.toFixed(2)}x (at most ${MAX_GROWTH}x); open files ${files} more`);
await gateway.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });
process.exit(growth > MAX_GROWTH || files > MAX_MORE_FILES || asked.size < wanted ? 1 : 0);
