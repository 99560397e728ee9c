/**
 * Tests clock changes and sleeping machines, with the built program on three platforms: `npm run clock [-- MINUTES]`. A
 * minute of its time is a second, and MINUTES pass in each part: the night in which clocks go forward, a step of an
 * hour forward, one back, a sleep of an hour (the process is stopped), and the night in which clocks go back. Every
 * slot of the jobs must fire once, no question may close before its ten minutes are over or long after, and every
 * message must be answered once.
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
import { startProgram } from './processes.ts';

const MINUTES = Number(process.argv[2] ?? 75);
const RATE = 60;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const out = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];
const fail = (line: string) => {
  problems.push(line);
  out(`BROKEN ${line}`);
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-clock-'));
const home = path.join(folder, 'home');
const clockFile = path.join(folder, 'clock.json');
let setting = { at: Date.parse('2026-03-29T00:30:00Z'), real: Date.now(), rate: RATE, asleep: 0 };
const nowThere = () => setting.at + (Date.now() - setting.real) * RATE;
const minutes = (count: number) => sleep((count * MINUTE) / RATE);

/** @param asleep whether the machine knows that time has passed */
function setClock(at: number, asleep = false): void {
  const step = at - nowThere();
  setting = { ...setting, at, real: Date.now(), asleep: setting.asleep + (asleep ? step : 0) };
  fs.writeFileSync(clockFile, JSON.stringify(setting));
  if (gateway) process.kill(gateway.pid, 'SIGWINCH');
}

const quiet = { keepFiles: false, keepRequests: 10 };
const platforms: Platform[] = await Promise.all([
  telegramPlatform(quiet),
  // A beat must arrive within 45 seconds of its time.
  discordPlatform({ ...quiet, heartbeatMs: 400 }),
  slackPlatform(quiet),
]);
const llm = await startLlm({ keepRequests: 10 });
const call = { name: 'write_file', arguments: { path: 'workspace/note.md', content: 'x' } };
llm.script(({ lastUser, toolResults }) => {
  if (lastUser.includes('please save') && toolResults.length === 0) return { toolCalls: [call] };
  return { text: `heard: ${lastUser.slice(-60)}` };
});
const config = {
  model: 'local/test-model',
  providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
  channels: Object.fromEntries(platforms.map((each) => [each.name, { ...each.section, injection: 'followup' }])),
  // Somebody else on each platform, so that a person's message doesn't close another's question.
  people: platforms.map((each) => ({ name: `alex-${each.name}`, role: 'owner', ids: [each.identity('alex')] })),
  limits: { messagesPerMinute: 100_000, freeBytes: 0 },
  http: { port: 0 },
};
const JOBS: Record<string, string> = {
  often: 'schedule: "*/5 * * * *"\ntimezone: Europe/Berlin',
  night: 'schedule: "30 2 * * *"\ntimezone: Europe/Berlin',
  hourly: 'schedule: "0 * * * *"\ntimezone: America/New_York\ncatch_up: false',
};
fs.mkdirSync(path.join(home, 'jobs'), { recursive: true, mode: 0o700 });
fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
for (const [name, text] of Object.entries(JOBS))
  fs.writeFileSync(path.join(home, 'jobs', `${name}.yaml`), `name: ${name}\n${text}\nprompt: job ${name}\n`);

let gateway: ReturnType<typeof startProgram> | undefined;
setClock(setting.at);
const fired: { job: string; slot: string; at: number }[] = [];
gateway = startProgram(
  ['--import', './bench/stepping-clock.ts', 'dist/main.js', 'start', '--home', home],
  { CLOCK_FILE: clockFile },
  (line) => {
    if (process.env.SHOW) out(line.slice(0, 400));
    const [, job = ''] = /"job":"(\w+)"/.exec(line) ?? [];
    const [, slot = ''] = /"slot":"([^"]+)"/.exec(line) ?? [];
    // After a step back, a slot is checked again, and the queue says that it has had its run.
    const isRun = line.includes('"msg":"a job is fired"') && line.includes('"outcome":"accepted"');
    if (isRun) fired.push({ job, slot, at: nowThere() });
  },
);
await gateway.ready;

let said = 0;
/** Sends a message on every platform; each must be answered once. */
async function talk(when: string): Promise<void> {
  const text = `message ${++said} ${when}`;
  for (const platform of platforms) platform.say(platform.dm('alex'), text);
  for (const platform of platforms) {
    const began = Date.now();
    await waitFor(platform, platform.dm('alex'), { text: `heard: ${text}`, timeoutMs: 30_000 }).catch(() =>
      fail(`${platform.name}: no answer to "${text}"`),
    );
    if (Date.now() - began > 15_000) fail(`${platform.name}: "${text}" waited ${Date.now() - began} ms`);
  }
}

/** Causes a question on each platform. */
async function question(): Promise<{ isOpen(): boolean[]; yes(): Promise<void> }> {
  const before = platforms.map((platform) => platform.answers(platform.dm('alex')).length);
  for (const platform of platforms) platform.say(platform.dm('alex'), 'please save it');
  for (const [index, platform] of platforms.entries())
    await waitFor(platform, platform.dm('alex'), { after: before[index] ?? 0, text: /Save note/ });
  const isOpen = () =>
    platforms.map((platform) => platform.answers(platform.dm('alex')).at(-1)?.buttons.includes('Save') === true);
  return {
    isOpen,
    async yes() {
      for (const [index, platform] of platforms.entries()) {
        const after = platform.answers(platform.dm('alex')).length;
        if (!isOpen()[index]) continue;
        await platform.press(platform.dm('alex'), 'Save');
        await waitFor(platform, platform.dm('alex'), { after, text: 'heard:' }).catch(() =>
          fail(`${platform.name}: nothing came of a yes`),
        );
      }
    },
  };
}
const all = (open: boolean[], isOpen: boolean) => open.every((each) => each === isOpen);

/** Checks that every slot within a part was fired exactly once. */
function slotsOf(job: string, since: number, from: number, to: number, everyMinutes: number, part: string): void {
  const own = fired.slice(since).filter((each) => each.job === job);
  const missed: string[] = [];
  const step = everyMinutes * MINUTE;
  for (let slot = Math.ceil((from + 1) / step) * step; slot < to - 2 * MINUTE; slot += step)
    if (!own.some((each) => Date.parse(each.slot) === slot)) missed.push(new Date(slot).toISOString());
  if (missed.length > 0) fail(`${part}: ${job} was not fired at ${missed.join(', ')}`);
  out(`${part}: ${job} fired ${own.length} times`);
}

async function part(name: string, from: number | undefined, run: () => Promise<void>, everySlot = true): Promise<void> {
  if (from !== undefined) setClock(from);
  const [began, since] = [nowThere(), fired.length];
  // The first check after a step happens within a minute.
  await minutes(2);
  const steady = nowThere();
  await run();
  const left = MINUTES - (nowThere() - began) / MINUTE;
  if (left > 0 && everySlot) await minutes(left);
  if (everySlot) slotsOf('often', since, steady, nowThere(), 5, name);
}

await part('clocks go forward', undefined, () => talk('in the night'));
await part(
  'a step of an hour forward',
  undefined,
  async () => {
    const asked = await question();
    setClock(nowThere() + HOUR);
    await minutes(4);
    if (!all(asked.isOpen(), true)) fail('a question was closed 4 minutes after it was asked, by a step forward');
    await asked.yes();
    await talk('after a step forward');
  },
  false,
);
await part(
  'a step of an hour back',
  undefined,
  async () => {
    const asked = await question();
    for (const platform of platforms) platform.fault({ kind: 'rate-limit', times: 1, seconds: 2 });
    for (const platform of platforms) platform.say(platform.dm('alex'), 'while it fails');
    await sleep(500);
    setClock(nowThere() - HOUR);
    await talk('after a step back');
    await minutes(13);
    if (!all(asked.isOpen(), false)) fail('a question was open for more than its ten minutes, by a step back');
  },
  false,
);
await part(
  'asleep for an hour',
  undefined,
  async () => {
    const asked = await question();
    process.kill(gateway?.pid ?? 0, 'SIGSTOP');
    for (const platform of platforms) platform.say(platform.dm('alex'), 'said to a sleeper');
    await sleep(Math.min(MINUTES, 60) * 500);
    setClock(nowThere() + HOUR, true);
    process.kill(gateway?.pid ?? 0, 'SIGCONT');
    for (const platform of platforms)
      await waitFor(platform, platform.dm('alex'), { text: 'heard: said to a sleeper', timeoutMs: 90_000 }).catch(() =>
        fail(`${platform.name}: what was said to a sleeper was not answered`),
      );
    await talk('after a sleep');
    await minutes(2);
    if (!all(asked.isOpen(), false)) fail('a question was open after an hour of sleep');
  },
  false,
);
await part('clocks go back', Date.parse('2026-10-25T00:10:00Z'), () => talk('in the long night'));

const twice = fired.filter(
  ({ job, slot }, index) => fired.findIndex((each) => each.job === job && each.slot === slot) !== index,
);
for (const { job, slot } of twice) fail(`${job} was fired twice at ${slot}`);
const nights = fired.filter(({ job }) => job === 'night').map(({ slot }) => slot);
const texts = platforms.flatMap((platform) =>
  platform
    .answers(platform.dm('alex'))
    .flatMap(({ text }) => /heard: (?:message \d+ .*|said to a sleeper)/.exec(text)?.[0] ?? []),
);
const copies = platforms.reduce((sum) => sum, texts.length - new Set(texts).size * platforms.length);
if (copies !== 0) fail(`${copies} answers too many or too few`);
out(`slots fired ${fired.length}, twice ${twice.length}; at half past two in the night: ${nights.join(', ')}`);
out(`messages ${said * platforms.length}, answers too many or too few ${copies}, broken ${problems.length}`);
await gateway.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });
process.exit(problems.length > 0 ? 1 : 0);
