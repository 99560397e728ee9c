/**
 * Measures the gateway with all three channels on: cold start, memory, and how fast slash commands and buttons are
 * acknowledged while runs are active. `npm run bench:channels`; the built program, the emulators in this process.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLlm } from '../test/emulators/llm.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import { type Platform, waitFor } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { quantile } from './measure.ts';
import { startProgram } from './processes.ts';

const ROUNDS = 5;
const PER_SECOND = 200;
const SECONDS = 10;
const PEOPLE = 40;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-bench-'));
const llm = await startLlm({ keepRequests: 10 });
const quiet = { keepFiles: false, keepRequests: 10 };
const [telegram, discord, slack] = await Promise.all([
  telegramPlatform(quiet),
  discordPlatform(quiet),
  slackPlatform(quiet),
]);
const platforms: Platform[] = [telegram, discord, slack];

function start(home: string) {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const access = { dm: 'open', groups: 'mention', chats: ['*'] };
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: Object.fromEntries(platforms.map((each) => [each.name, { ...each.section, access }])),
    limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000 },
    http: { port: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  return startProgram(['dist/main.js', 'start', '--home', home]);
}

/** Returns the milliseconds from the start of the process until a message on each platform was answered. */
async function coldStart(round: number): Promise<number> {
  const began = performance.now();
  const program = start(path.join(folder, `cold${round}`));
  await program.ready;
  await Promise.all(
    platforms.map(async (platform) => {
      const place = platform.dm('alex');
      const after = platform.answers(place).length;
      platform.say(place, `hello ${round}`);
      await waitFor(platform, place, { after, timeoutMs: 20_000 });
    }),
  );
  const ms = performance.now() - began;
  await program.kill();
  return ms;
}

const cold: number[] = [];
for (let round = 0; round < ROUNDS + 1; round++) {
  const ms = await coldStart(round);
  if (round > 0) cold.push(ms);
}

const program = start(path.join(folder, 'load'));
await program.ready;
await sleep(5_000);
const idle = program.memory().now / 1e6;

// Runs are active all the time: the model takes a third of a second for each of these conversations.
llm.script(() => ({ text: 'done', delayMs: 300 }));
const people = Array.from({ length: PEOPLE }, (_, n) => n);
const discordPeople = people.map((n) => {
  const { id } = discord.emulator.person({ username: `person${n}` });
  return { id, channel: discord.emulator.dm(id, 'begin').channelId };
});
const slackPeople = people.map((n) => {
  const { id } = slack.emulator.addUser({ id: `U0PERSON${n}`, name: `person${n}` });
  slack.emulator.dm(id, 'begin');
  return { id, channel: slack.emulator.dmChannel(id) };
});
await sleep(3_000);
discord.emulator.reset();
slack.emulator.reset();
const waiting: Promise<unknown>[] = [];
const began = performance.now();
for (let n = 0; n < PER_SECOND * SECONDS; n++) {
  const turn = Math.floor(n / 4);
  const onDiscord = discordPeople[turn % PEOPLE];
  const onSlack = slackPeople[turn % PEOPLE];
  if (!onDiscord || !onSlack) throw new Error('there is nobody');
  const kind = n % 4;
  if (kind === 0)
    waiting.push(discord.emulator.slash({ channel: onDiscord.channel, user: onDiscord.id, subcommand: 'status' }));
  if (kind === 1) waiting.push(slack.emulator.slash({ channel: onSlack.channel, user: onSlack.id, text: 'status' }));
  if (kind === 2 && turn % 10 === 0) discord.emulator.say(onDiscord.channel, 'more', { from: onDiscord.id });
  else if (kind === 2)
    waiting.push(discord.emulator.slash({ channel: onDiscord.channel, user: onDiscord.id, subcommand: 'plan' }));
  if (kind === 3 && turn % 10 === 0) slack.emulator.dm(onSlack.id, 'more');
  else if (kind === 3) waiting.push(slack.emulator.slash({ channel: onSlack.channel, user: onSlack.id, text: 'plan' }));
  const due = began + ((n + 1) * 1_000) / PER_SECOND;
  if (due > performance.now()) await sleep(due - performance.now());
}
const took = (performance.now() - began) / 1_000;
await Promise.all(waiting);
const onDiscord = discord.emulator.counters().interactions;
const onSlack = slack.emulator.counters().ackMs.interactions;
const failed = onDiscord.failed;
const peak = program.memory().peak / 1e6;
await program.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });

const p99 = { discord: quantile(onDiscord.latenciesMs, 0.99), slack: quantile(onSlack, 0.99) };
const rows: [string, number, string, boolean | undefined][] = [
  [
    'cold start, three channels, to the first answer on each, ms',
    quantile(cold, 0.5),
    '<= 650',
    quantile(cold, 0.5) <= 650,
  ],
  ['memory, idle, three channels, MB', idle, '<= 135', idle <= 135],
  ['memory, peak, MB', peak, '', undefined],
  ['events per second', (PER_SECOND * SECONDS) / took, `${PER_SECOND}`, undefined],
  ['Discord: acknowledged after, p50, ms', quantile(onDiscord.latenciesMs, 0.5), '', undefined],
  ['Discord: acknowledged after, p99, ms', p99.discord, '< 500', p99.discord < 500],
  ['Slack: acknowledged after, p50, ms', quantile(onSlack, 0.5), '', undefined],
  ['Slack: acknowledged after, p99, ms', p99.slack, '< 500', p99.slack < 500],
  ['not acknowledged in time', failed, '0', failed === 0],
];
for (const [what, value, target, ok] of rows) {
  const verdict = ok === undefined ? '' : ok ? 'ok' : 'MISSED';
  process.stdout.write(`${what.padEnd(62)}${value.toFixed(value >= 100 ? 0 : 1).padStart(8)}  ${target} ${verdict}\n`);
}
// As in the other benchmark, Node's own cleanup may spin.
process.exit(rows.some(([, , , ok]) => ok === false) ? 1 : 0);
