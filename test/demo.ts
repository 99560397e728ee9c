/**
 * `npm run demo`: one task on three emulated platforms. A plan and a file are begun on Telegram, the gateway is killed and
 * started again, Slack goes on with a slash command, a Discord thread finishes it. The built-in model answers, so that
 * nothing is needed. The three chats are printed side by side, in the order in which things were said.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from './helpers/program.ts';
import { discordPlatform } from './platforms/discord.ts';
import { type Place, type Platform, type Seen, waitFor } from './platforms/platform.ts';
import { slackPlatform } from './platforms/slack.ts';
import { telegramPlatform } from './platforms/telegram.ts';

const WIDTH = 44;
const FILE = 'report.md';
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-demo-'));
const [telegram, slack, discord] = await Promise.all([telegramPlatform(), slackPlatform(), discordPlatform()]);
const columns: Platform[] = [telegram, slack, discord];
const out = (line: string) => process.stdout.write(`${line}\n`);
const color = (code: number, text: string) => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);

fs.writeFileSync(
  path.join(home, 'config.yaml'),
  JSON.stringify({
    model: 'offline/viber',
    channels: Object.fromEntries(columns.map((platform) => [platform.name, platform.section])),
    people: [{ name: 'alex', role: 'owner', ids: columns.map((platform) => platform.identity('alex')) }],
    http: { port: 0 },
  }),
);

async function start(): Promise<ChildProcess> {
  const gateway = spawn(process.execPath, [PROGRAM, 'start', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: gateway.stdout })) if (line.includes('"msg":"ready"')) break;
  gateway.stdout.resume();
  return gateway;
}

async function stop(gateway: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  gateway.kill(signal);
  await once(gateway, 'exit');
}

/** Lines of at most the column's width; long words are cut. */
function wrap(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > WIDTH - 2) {
      const space = rest.lastIndexOf(' ', WIDTH - 2);
      const cut = space > WIDTH / 2 ? space : WIDTH - 2;
      lines.push(rest.slice(0, cut));
      rest = rest.slice(cut).trimStart();
    }
    return [...lines, rest];
  });
}

function show(platform: Platform, text: string, code: number): void {
  const indent = columns.indexOf(platform) * WIDTH;
  for (const line of wrap(text.trim())) out(`${' '.repeat(indent)}${color(code, line)}`);
}

/** The blocks of a rich message as lines, the way Telegram shows them. */
interface Block {
  text?: unknown;
  blocks?: Block[];
  items?: (Block & { is_checked?: boolean; has_checkbox?: boolean })[];
}

function richLines(blocks: Block[]): string[] {
  const words = (text: unknown): string => {
    if (typeof text === 'string') return text;
    if (Array.isArray(text)) return text.map(words).join('');
    return typeof text === 'object' && text !== null && 'text' in text ? words(text.text) : '';
  };
  return blocks.flatMap((block) => [
    ...(block.text === undefined ? [] : [words(block.text)]),
    ...(block.items ?? []).map((item) => {
      const mark = item.has_checkbox ? (item.is_checked ? '☑ ' : '☐ ') : '• ';
      return `${mark}${richLines(item.blocks ?? []).join(' ')}`;
    }),
  ]);
}

function showAnswer(platform: Platform, seen: Seen): void {
  show(platform, seen.text.startsWith('[{') ? richLines(JSON.parse(seen.text)).join('\n') : seen.text, 36);
  for (const file of seen.files) show(platform, `[file] ${file.name}, ${file.size} bytes`, 33);
  if (seen.buttons.length > 0) show(platform, seen.buttons.map((label) => `[ ${label} ]`).join(' '), 36);
  out('');
}

/** Shows every answer that comes from here on until one fits, and gives that one. */
async function answers(platform: Platform, place: Place, after: number, file?: string): Promise<Seen> {
  const last = await waitFor(platform, place, { after, ...(file === undefined ? {} : { file }) });
  for (const seen of platform.answers(place).slice(after)) showAnswer(platform, seen);
  return last;
}

async function say(platform: Platform, place: Place, text: string, file?: string): Promise<Seen> {
  const after = platform.answers(place).length;
  show(platform, `alex: ${text}`, 32);
  platform.say(place, text);
  return answers(platform, place, after, file);
}

/** A slash command; the answer is for alex's eyes, files come to the chat. */
async function command(platform: Platform, place: Place, words: string, file?: string): Promise<Seen> {
  const [name = '', ...args] = words.split(' ');
  const after = platform.answers(place).length;
  show(platform, `alex: /viber ${words}`, 32);
  const answer = await platform.command(place, name, args.join(' '));
  if (file === undefined) {
    showAnswer(platform, answer);
    return answer;
  }
  return answers(platform, place, after, file);
}

const note = (text: string) => out(`${color(90, `--- ${text} `.padEnd(3 * WIDTH, '-'))}\n`);

out(columns.map((platform) => color(1, platform.name.toUpperCase().padEnd(WIDTH))).join(''));
out('');
let gateway = await start();
const [atTelegram, atSlack] = [telegram.dm('alex'), slack.dm('alex')];
await say(telegram, atTelegram, 'make a plan: collect the numbers; write the report; send it to Kim');
const first = await say(telegram, atTelegram, `write a file ${FILE}: Sales went up 4% in October.`, FILE);
await say(telegram, atTelegram, 'done 1');
note('the gateway is killed; alex writes meanwhile; it starts again');
// The answer has been seen; a moment later its receipt is on the gateway's disk too.
await sleep(300);
await stop(gateway, 'SIGKILL');
const before = telegram.answers(atTelegram).length;
show(telegram, 'alex: done 2', 32);
telegram.say(atTelegram, 'done 2');
gateway = await start();
await answers(telegram, atTelegram, before);
note('alex goes on in Slack, with slash commands and in words');
await command(slack, atSlack, 'plan');
const second = await command(slack, atSlack, `get ${FILE}`, FILE);
await say(slack, atSlack, 'remember that Kim likes short reports');
const asked = slack.answers(atSlack).length;
show(slack, 'alex: (presses Accept)', 32);
await slack.press(atSlack, 'Accept');
await answers(slack, atSlack, asked);
note('and finishes in a thread of its own on Discord');
const task = fs.readdirSync(path.join(home, 'artifacts'))[0] ?? '';
await command(discord, discord.room, `open ${task}`);
const [thread] = discord.threads();
if (!thread) throw new Error('no thread was opened');
const third = await answers(discord, thread, 0, FILE);
await say(discord, thread, 'done 3');
await say(discord, thread, 'what do you know?');
await stop(gateway, 'SIGTERM');

const hashes = new Set([first, second, third].map((seen) => seen.files.find((file) => file.name === FILE)?.sha256));
note(`on disk: artifacts/${task}/`);
for (const file of fs.readdirSync(path.join(home, 'artifacts', task)).sort()) out(file);
const same = hashes.size === 1 && !hashes.has(undefined);
out(`\nthe file on the three platforms is ${same ? 'the same' : 'NOT the same'}`);
await Promise.all(columns.map((platform) => platform.close()));
fs.rmSync(home, { recursive: true, force: true });
process.exitCode = same ? 0 : 1;
