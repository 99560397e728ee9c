/**
 * Traces the actual path of one message: `npm run path`. A gateway from the source, warm and with `live: off`, gets one
 * plain Telegram message. Prints the functions that V8 counts meanwhile, by file and in the order of first call as far
 * as turns of the event loop show it. `~` marks files that are also entered while nobody writes; they don't count.
 * Exits with 1 if there are more files than `MAX_FILES`.
 */
import fs from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { startLlm } from '../test/emulators/llm.ts';
import { startTelegram } from '../test/emulators/telegram.ts';
import { latencies, type Side } from './measure.ts';
import { writeConfig } from './processes.ts';

const SOURCE = path.join(import.meta.dirname, '..', 'src');
const CHAT = 500;
const WARM_UP = 20;
/** What follows an answer: its record, its receipt, the end of the run. */
const AFTER_MS = 1_000;
/** Watchers of folders and the like begin a moment after the start. */
const SETTLED_MS = 5_000;
/** Longer than the interval of anything that checks periodically. */
const IDLE_MS = 11_000;
const maxFiles = Number(process.env.MAX_FILES ?? Number.POSITIVE_INFINITY);

interface Seen {
  turn: number;
  /** Calls by function; a nameless one is identified by its line. */
  calls: Map<string, number>;
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-path-'));
const telegram = await startTelegram({ keepFiles: false, keepRequests: 10 });
const llm = await startLlm({ keepRequests: 10 });
const written = writeConfig({ home, token: telegram.token, apiRoot: telegram.url, modelUrl: llm.url });
const given = JSON.parse(fs.readFileSync(written, 'utf8'));
given.channels.telegram.live = 'off';
fs.writeFileSync(written, JSON.stringify(given));
const { config } = await loadConfig({ file: written, home, env: {} });
const log = createLog({ level: 'warn', pretty: false, write: (line) => process.stderr.write(line) });
const app = await startApp({ config, homeRoot: home, log, env: {}, terminal: false });
await app.connected;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/**
 * Returns what was called since the last time. The session is this thread's own, so its answer is there when `post`
 * returns.
 */
function takeCoverage(): Profiler.ScriptCoverage[] {
  let result: Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error;
    result = answer.result;
  });
  return result;
}

const lines = new Map<string, string>();
function lineOf(file: string, offset: number): number {
  const text = lines.get(file) ?? fs.readFileSync(file, 'utf8');
  lines.set(file, text);
  return text.slice(0, offset).split('\n').length;
}

const seen = new Map<string, Seen>();
function note(turn: number): void {
  for (const { url, functions } of takeCoverage()) {
    if (!url.startsWith('file:')) continue;
    const file = fileURLToPath(url);
    if (!file.startsWith(SOURCE + path.sep)) continue;
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset } = { count: 0, startOffset: 0 }] = ranges;
      if (count === 0) continue;
      const of = seen.get(file) ?? { turn, calls: new Map<string, number>() };
      seen.set(file, of);
      const name = functionName || `line ${lineOf(file, startOffset)}`;
      of.calls.set(name, (of.calls.get(name) ?? 0) + count);
    }
  }
}

const side: Side = {
  ...{ name: 'gateway', telegram, llm },
  start() {
    throw new Error('it runs in this process');
  },
};
let idle = new Set<string>();
try {
  await latencies(side, CHAT, WARM_UP);
  await sleep(SETTLED_MS);
  takeCoverage();
  await sleep(IDLE_MS);
  note(0);
  idle = new Set(seen.keys());
  seen.clear();
  let isOver = false;
  const answered = latencies(side, CHAT, 1)
    .then(() => sleep(AFTER_MS))
    .finally(() => {
      isOver = true;
    });
  for (let turn = 1; !isOver; turn++) {
    note(turn);
    await nextTurn();
  }
  await answered;
  note(Number.POSITIVE_INFINITY);
} finally {
  session.disconnect();
  await app.stop();
  await Promise.all([telegram.close(), llm.close()]);
  fs.rmSync(home, { recursive: true, force: true });
}

for (const [file, { turn, calls }] of [...seen].sort(([, a], [, b]) => a.turn - b.turn)) {
  const functions = [...calls].map(([name, count]) => (count === 1 ? name : `${name} x${count}`)).join(', ');
  const mark = idle.has(file) ? '~' : ' ';
  process.stdout.write(`${String(turn).padStart(5)} ${mark} ${path.relative(SOURCE, file)}: ${functions}\n`);
}
const own = [...seen].filter(([file]) => !idle.has(file));
const functions = own.reduce((sum, [, { calls }]) => sum + calls.size, 0);
process.stdout.write(
  `\n${own.length} files of src/ and ${functions} functions for one plain message; ` +
    `${seen.size - own.length} files more (~) are entered while nobody writes, too\n`,
);
if (own.length > maxFiles) process.exitCode = 1;
