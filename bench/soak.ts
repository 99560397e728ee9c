/**
 * Hours of strangers, threads and new tasks: `npm run soak [-- MINUTES [PER_SECOND]]`. Half of what comes is from people nobody
 * knows, each a new one; every mention opens a thread and a task. Memory and open files must not grow with either (R22), and
 * every message of somebody known is answered.
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

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-soak-'));
const home = path.join(folder, 'home');
const quiet = { keepFiles: false, keepRequests: 10 };
const [telegram, discord, slack] = await Promise.all([
  telegramPlatform(quiet),
  discordPlatform(quiet),
  slackPlatform(quiet),
]);
const platforms: Platform[] = [telegram, discord, slack];
const llm = await startLlm({ keepRequests: 10 });
llm.script((request) => ({ text: request.lastUser.slice(-100) }));
const config = {
  model: 'local/test-model',
  providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
  channels: Object.fromEntries(
    platforms.map((each) => [
      each.name,
      { ...each.section, access: { dm: 'pairing', groups: 'mention', chats: ['*'] }, injection: 'followup' },
    ]),
  ),
  people: [{ name: 'alex', role: 'owner', ids: platforms.map((each) => each.identity('alex')) }],
  limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000 },
  http: { port: 0 },
};
fs.mkdirSync(home, { recursive: true, mode: 0o700 });
fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
const gateway = startProgram(['dist/main.js', 'start', '--home', home]);
await gateway.ready;

const said = { known: 0, strangers: 0, threads: 0 };

function speak(n: number): void {
  if (n % 2 === 0) {
    said.strangers++;
    telegram.emulator.say(FIRST_STRANGER + n, 'hello?');
    return;
  }
  said.known++;
  const kind = n % 10;
  if (kind === 1) telegram.say(telegram.dm('alex'), `message ${n}`);
  // A new task each time, in a conversation that stays.
  else if (kind === 3) telegram.say(telegram.dm('alex'), '/new');
  else {
    said.threads++;
    const platform = kind === 5 ? slack : discord;
    platform.say(platform.room, `message ${n}`, { mention: true });
  }
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

// Strangers cost no call: a call is one of somebody known who did not only say /new.
const asked = said.known - Math.floor(said.known / 5);
for (const end = Date.now() + 60_000; llm.stats().requests < asked - 5 && Date.now() < end; ) await sleep(500);
const quarter = Math.floor(samples.length / 4);
const middle = (of: Sample[], what: keyof Sample) =>
  quantile(
    of.map((sample) => sample[what]),
    0.5,
  );
const [second, last] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
const growth = middle(last, 'memory') / middle(second, 'memory');
const files = middle(last, 'files') - middle(second, 'files');
const calls = llm.stats().requests;
out(
  `strangers ${said.strangers}, threads ${said.threads}, messages of people known ${said.known}, model calls ${calls}`,
);
out(`memory, last quarter / second: ${growth.toFixed(2)}x (at most ${MAX_GROWTH}x); open files ${files} more`);
await gateway.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });
process.exit(growth > MAX_GROWTH || files > MAX_MORE_FILES || Math.abs(calls - asked) > 5 ? 1 : 0);
