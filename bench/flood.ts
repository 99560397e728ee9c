/**
 * Floods the gateway: `npm run flood [-- SHARE [PLATFORM...]]`, with SHARE of the full size (1 by default); FLOOD=files
 * selects floods whose name contains that. While one member writes 100,000 messages, 10,000 conversations begin, or 50
 * files of 25 MB arrive, an owner asks occasionally. The answers must come within twice the usual time, the process
 * must stay below 300 MB, and everything that was accepted must be answered.
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLlm } from '../test/emulators/llm.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import { ask, type Platform } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { quantile } from './measure.ts';
import { type Started, startProgram } from './processes.ts';

const SHARE = Number(process.argv[2] ?? 1);
const MESSAGES = Math.round(100_000 * SHARE);
const CONVERSATIONS = Math.round(10_000 * SHARE);
const FILES = Math.max(2, Math.round(50 * SHARE));
/** Telegram gives bots files of at most 20 MB. */
const FILE_BYTES = { telegram: 19_000_000, discord: 25_000_000, slack: 25_000_000 };
/** Faster than a platform lets one person write. */
const MESSAGES_PER_SECOND = 1_000;
/** Discord allows a bot 50 requests a second, and an answer takes two. */
const CONVERSATIONS_PER_SECOND = 20;
const FILES_PER_SECOND = 1;
/** The time that a fast model takes for a short answer. */
const MODEL_MS = 300;
const USUAL = 40;
const MAX_RATIO = 2;
const MAX_MB = 300;
/** The time for what is left at the end of a flood. */
const DRAIN_MS = 300_000;

const out = (line: string) => process.stdout.write(`${line}\n`);
const quiet = { keepFiles: false, keepRequests: 10 };

/** A platform, and the message of somebody it hasn't seen before to the bot. */
interface Side {
  platform: Platform;
  newcomer(n: number, text: string): void;
}

const open = {
  async telegram(): Promise<Side> {
    const platform = await telegramPlatform(quiet);
    return { platform, newcomer: (n, text) => platform.emulator.say(9_000_000 + n, text) };
  },
  async discord(): Promise<Side> {
    const platform = await discordPlatform(quiet);
    return {
      platform,
      newcomer: (n, text) => platform.emulator.dm(String(710_000_000_000_000_000n + BigInt(n)), text),
    };
  },
  async slack(): Promise<Side> {
    const platform = await slackPlatform({ keepRequests: 10 });
    return {
      platform,
      newcomer(n, text) {
        const { id } = platform.emulator.addUser({ id: `U9${String(n).padStart(7, '0')}` });
        platform.emulator.dm(id, text);
      },
    };
  },
};
type Name = keyof typeof open;
const isName = (name: string): name is Name => name in open;

interface Flood {
  name: string;
  count: number;
  perSecond: number;
  /** Messages of one person per minute; the default if absent. */
  perMinute?: number;
  say(side: Side, n: number): void;
  /** What is wrong at the end; undefined means not yet, '' means that all is well. */
  left(world: World): string | undefined;
}

interface World {
  platform: Platform;
  home: string;
  /** The member's messages that reached the model. */
  asked: Set<string>;
}

const bytes = new Map<number, Buffer>();
function fileBytes(size: number): Buffer {
  const known = bytes.get(size) ?? randomBytes(size);
  bytes.set(size, known);
  return known;
}

/** Complete files below the folder that have this hash. */
function keptFiles(home: string, size: number): number {
  const wanted = createHash('sha256').update(fileBytes(size)).digest('hex');
  const found = fs.readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.statSync(file).size === size)
    .filter((file) => createHash('sha256').update(fs.readFileSync(file)).digest('hex') === wanted).length;
}

const floods: Flood[] = [
  {
    name: `${MESSAGES} messages of one member`,
    ...{ count: MESSAGES, perSecond: MESSAGES_PER_SECOND },
    say: ({ platform }, n) => platform.say(platform.dm('sam'), `flood ${n}.`, { by: 'sam' }),
    // Excess messages are refused, and the sender is told.
    left: ({ platform, asked }) => {
      if (asked.size === 0) return 'nothing of the member was answered';
      const told = platform.answers(platform.dm('sam')).length;
      return told === 0 ? 'the member was told nothing' : undefined;
    },
  },
  {
    name: `${CONVERSATIONS} conversations`,
    ...{ count: CONVERSATIONS, perSecond: CONVERSATIONS_PER_SECOND, perMinute: 1_000_000 },
    say: ({ newcomer }, n) => newcomer(n, `flood ${n}.`),
    left: ({ asked }) => (asked.size < CONVERSATIONS ? `${CONVERSATIONS - asked.size} were not answered` : undefined),
  },
  {
    name: `${FILES} files of 19 or 25 MB`,
    ...{ count: FILES, perSecond: FILES_PER_SECOND, perMinute: 1_000_000 },
    say({ platform }, n) {
      const size = FILE_BYTES[platform.name as keyof typeof FILE_BYTES];
      const files = [{ name: `big-${n}.bin`, bytes: fileBytes(size), type: 'application/octet-stream' }];
      platform.say(platform.dm('sam'), `flood ${n}.`, { by: 'sam', files });
    },
    left({ platform, asked, home }) {
      if (asked.size < FILES) return `${FILES - asked.size} were not answered`;
      const kept = keptFiles(home, FILE_BYTES[platform.name as keyof typeof FILE_BYTES]);
      return kept < FILES ? `${FILES - kept} files are not whole` : undefined;
    },
  },
];

/** Measures how long an owner waits for an answer in milliseconds, once a second, while `goes` returns true. */
async function waits(platform: Platform, goes: (n: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; goes(n); n++) {
    const began = performance.now();
    await ask(platform, platform.dm('alex'), `and me ${n}?`, { text: 'for the owner', timeoutMs: 60_000 });
    times.push(performance.now() - began);
    await sleep(100);
  }
  return times;
}

async function pour(side: Side, flood: Flood): Promise<void> {
  const began = performance.now();
  for (let n = 0; n < flood.count; ) {
    const due = Math.min(flood.count, Math.ceil(((performance.now() - began) / 1_000) * flood.perSecond));
    for (; n < due; n++) flood.say(side, n);
    await sleep(10);
  }
}

async function measure(name: Name, flood: Flood): Promise<boolean> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-flood-'));
  const side = await open[name]();
  const { platform } = side;
  const asked = new Set<string>();
  const llm = await startLlm({ keepRequests: 10 });
  llm.script(({ messages }) => {
    // Messages that arrive during a turn are added to it together.
    const floods = [...JSON.stringify(messages.slice(-5)).matchAll(/flood (\d+)\./g)];
    for (const [, n = ''] of floods) asked.add(n);
    return { text: floods.length === 0 ? 'for the owner' : 'for the member', delayMs: MODEL_MS };
  });
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: { [name]: { ...platform.section, access: { dm: 'open', groups: 'mention', chats: ['*'] }, live: 'off' } },
    people: [{ name: 'alex', role: 'owner', ids: [platform.identity('alex')] }],
    limits: {
      downloadBytes: 30_000_000,
      queue: 100_000,
      ...(flood.perMinute === undefined ? {} : { messagesPerMinute: flood.perMinute }),
    },
    http: { port: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  const gateway: Started = startProgram(['dist/main.js', 'start', '--home', home]);
  try {
    await gateway.ready;
    const usual = quantile(await waits(platform, (n) => n < USUAL), 0.95);
    let isPouring = true;
    const poured = pour(side, flood).finally(() => {
      isPouring = false;
    });
    const times = await waits(platform, () => isPouring);
    await poured;
    const world = { platform, home, asked };
    let left = flood.left(world);
    for (const end = Date.now() + DRAIN_MS; left !== undefined && Date.now() < end; left = flood.left(world))
      await sleep(1_000);
    const behind = quantile(times, 0.95);
    const { peak } = gateway.memory();
    const isOk = behind <= usual * MAX_RATIO && peak / 1e6 <= MAX_MB && left === undefined;
    const figures = `usual ${usual.toFixed(0)} ms, meanwhile ${behind.toFixed(0)} ms (${(behind / usual).toFixed(2)}x of ${times.length}), ${(peak / 1e6).toFixed(0)} MB`;
    out(
      `${isOk ? 'ok    ' : 'missed'}  ${name}: ${flood.name}: p95 ${figures}; the model was asked for ${asked.size}${left ? `; ${left}` : ''}`,
    );
    return isOk;
  } finally {
    await gateway.kill();
    await Promise.all([platform.close(), llm.close()]);
    fs.rmSync(home, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(3);
const names = (wanted.length > 0 ? wanted : Object.keys(open)).filter(isName);
out(`an owner's wait while others flood, at ${SHARE} of the full size; at most ${MAX_RATIO}x and ${MAX_MB} MB`);
let isOk = true;
const only = process.env.FLOOD;
for (const name of names)
  for (const flood of floods.filter((each) => only === undefined || each.name.includes(only)))
    isOk = (await measure(name, flood)) && isOk;
process.exit(isOk ? 0 : 1);
