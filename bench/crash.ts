/**
 * SIGKILL at random moments under three chats: `npm run crash [-- KILLS [SEED]]`. People write all the time, also while
 * nothing runs; every third message makes the model use a tool first. At the end every message must have been answered,
 * in the order of its chat; answers that came twice are counted against the sends that a kill may have cut.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLlm } from '../test/emulators/llm.ts';
import { startTelegram } from '../test/emulators/telegram.ts';
import { startGateway } from './processes.ts';

const KILLS = Number(process.argv[2] ?? 100);
const CHATS = [11, 12, 13];
let seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const firstSeed = seed;

/** A linear congruential generator: a run can be repeated by its seed. */
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-crash-'));
const telegram = await startTelegram({ keepFiles: false, keepRequests: 10 });
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

const said = new Map<number, number>(CHATS.map((chat) => [chat, 0]));
let writing = true;
async function write(): Promise<void> {
  while (writing) {
    const chat = CHATS[random(CHATS.length)] ?? 11;
    const n = (said.get(chat) ?? 0) + 1;
    said.set(chat, n);
    telegram.say(chat, `message ${n}`);
    await sleep(10 + random(60));
  }
}

const options = { home: path.join(folder, 'home'), token: telegram.token, apiRoot: telegram.url, modelUrl: llm.url };
const writer = write();
for (let kill = 0; kill < KILLS; kill++) {
  const gateway = startGateway(options);
  // Some kills fall into the start and the recovery, most into the work.
  await sleep(random(4) === 0 ? random(400) : 350 + random(700));
  await gateway.kill('SIGKILL');
}
writing = false;
await writer;
const began = Date.now();
const gateway = startGateway(options);

interface Chat {
  answered: Map<number, number>;
  inversions: number;
}

function read(chat: number): Chat {
  const answered = new Map<number, number>();
  let last = 0;
  let inversions = 0;
  for (const message of telegram.chat(chat).messages) {
    if (message.from !== 'bot') continue;
    const n = Number(/message (\d+)/.exec(message.text)?.[1] ?? 0);
    if (n === 0) continue;
    if (!answered.has(n)) {
      if (n < last) inversions++;
      last = Math.max(last, n);
    }
    answered.set(n, (answered.get(n) ?? 0) + 1);
  }
  return { answered, inversions };
}

const total = [...said.values()].reduce((sum, count) => sum + count, 0);
const missing = () => total - CHATS.reduce((sum, chat) => sum + read(chat).answered.size, 0);
while (missing() > 0 && Date.now() - began < 120_000) await sleep(200);
const drained = Date.now() - began;
const results = CHATS.map(read);
const lost = missing();
const inversions = results.reduce((sum, chat) => sum + chat.inversions, 0);
const extra = results.reduce(
  (sum, chat) => sum + [...chat.answered.values()].reduce((s, count) => s + count - 1, 0),
  0,
);
const dead = fs.readdirSync(path.join(options.home, 'spool', 'dead')).length;
const unsure = fs.readdirSync(path.join(options.home, 'spool', 'unsure')).length;
await gateway.kill();
await Promise.all([telegram.close(), llm.close()]);
fs.rmSync(folder, { recursive: true, force: true });

// Each kill can cut at most one send in each chat.
const allowed = KILLS * CHATS.length;
const lines = [
  `kills ${KILLS} (seed ${firstSeed}), messages ${total}, chats ${CHATS.length}`,
  `lost ${lost}, out of order ${inversions}, given up ${dead}, unsure ${unsure}`,
  `answers that came twice ${extra} (sends that kills may have cut: at most ${allowed})`,
  `caught up ${drained} ms after the last start`,
];
for (const line of lines) process.stdout.write(`${line}\n`);
process.exitCode = lost === 0 && inversions === 0 && dead === 0 && extra <= allowed ? 0 : 1;
