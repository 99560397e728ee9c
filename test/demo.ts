/**
 * `npm run demo`: a short conversation on an emulated Telegram, with a restart of the gateway in the middle. The built-in
 * model answers, so that nothing is needed; both sides are printed as a reader would like to see them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatMessage, startTelegram } from './emulators/telegram.ts';

const ALEX = 1001;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-demo-'));
const telegram = await startTelegram({ bot: { first_name: 'Viber' } });
const out = (line: string) => process.stdout.write(`${line}\n`);
const color = (code: number, text: string) => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);

fs.writeFileSync(
  path.join(home, 'config.yaml'),
  JSON.stringify({
    model: 'offline/viber',
    channels: { telegram: { token: telegram.token, apiRoot: telegram.url } },
    people: [{ name: 'alex', role: 'owner', ids: [`telegram:${ALEX}`] }],
    http: { port: 0 },
  }),
);

async function start(): Promise<ChildProcess> {
  const gateway = spawn(process.execPath, ['src/main.ts', 'start', '--home', home], {
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

function show(who: string, text: string, code: number): void {
  const [first = '', ...rest] = text.split('\n');
  out(`${color(code, who.padStart(6))}  ${first}`);
  for (const line of rest) out(`        ${line}`);
}

interface Block {
  text?: unknown;
  blocks?: Block[];
  items?: (Block & { is_checked?: boolean; has_checkbox?: boolean })[];
}

/** The blocks of a rich message as lines, the way Telegram shows them. */
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

function showAnswer(message: ChatMessage): void {
  const text = message.isRich ? richLines(JSON.parse(message.text)).join('\n') : message.text;
  show('viber', text || '(files)', 36);
  for (const file of message.files) out(`        ${color(33, `[file] ${file.name}, ${file.size} bytes`)}`);
  const labels = message.buttons.flat().map((button) => `[ ${button.text} ]`);
  if (labels.length > 0) out(`        ${labels.join(' ')}`);
}

async function say(text: string): Promise<ChatMessage> {
  const before = telegram.chat(ALEX).messages.at(-1)?.id ?? 0;
  show('alex', text, 32);
  telegram.say(ALEX, text);
  const answer = await telegram.wait({ chat: ALEX, from: 'bot', after: before, timeoutMs: 10_000 });
  showAnswer(answer);
  return answer;
}

const note = (text: string) => out(`\n        ${color(90, `— ${text} —`)}\n`);

note('Alex writes to the viber on Telegram');
let gateway = await start();
await say('make a plan: collect the numbers; write the report; send it to Kim');
await say('done 1');
const first = await say('write a file report.md: Sales went up 4% in October.');
note('the gateway is killed; Alex writes meanwhile; it starts again');
// The answer has been seen; a moment later its receipt is on the gateway's disk too.
await sleep(300);
await stop(gateway, 'SIGKILL');
const before = telegram.chat(ALEX).messages.at(-1)?.id ?? 0;
show('alex', 'done 2', 32);
telegram.say(ALEX, 'done 2');
gateway = await start();
showAnswer(await telegram.wait({ chat: ALEX, from: 'bot', after: before, timeoutMs: 10_000 }));
const asked = await say('remember that Kim likes short reports');
telegram.press(ALEX, 'Remember');
show('alex', '(presses Remember)', 32);
showAnswer(await telegram.wait({ chat: ALEX, from: 'bot', after: asked.id, timeoutMs: 10_000 }));
await say('/plan');
const again = await say('/get report.md');
await stop(gateway, 'SIGTERM');

const same = first.files[0]?.sha256 === again.files[0]?.sha256;
const task = fs.readdirSync(path.join(home, 'artifacts'))[0] ?? '';
note(`what is on disk: artifacts/${task}/`);
for (const file of fs.readdirSync(path.join(home, 'artifacts', task)).sort()) out(`        ${file}`);
out(`\n        the file before and after the restart is ${same ? 'the same' : 'NOT the same'}`);
await telegram.close();
fs.rmSync(home, { recursive: true, force: true });
process.exitCode = same ? 0 : 1;
