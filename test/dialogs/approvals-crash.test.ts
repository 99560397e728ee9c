/** A crash at each point between a question and what comes of the answer: what was approved never runs twice, and nobody waits in vain. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLlm } from '../emulators/llm.ts';
import { startTelegram } from '../emulators/telegram.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';

const ALEX = 1001;

async function setUp() {
  const telegram = await startTelegram();
  const llm = await startLlm();
  const home = tempFolder();
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await Promise.all([telegram.close(), llm.close()]);
  });
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: { telegram: { token: telegram.token, apiRoot: telegram.url } },
    people: [{ name: 'alex', role: 'owner', ids: [`telegram:${ALEX}`] }],
    limits: { freeBytes: 0 },
    http: { port: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  const start = (point?: string) => {
    const env = { ...process.env, ...(point === undefined ? {} : { OPENVIBER_CRASH_AT: point }) };
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], { stdio: 'ignore', env });
    running.add(child);
    return once(child, 'exit').then(() => running.delete(child));
  };
  const said = (text: string) => telegram.wait({ chat: ALEX, from: 'bot', text }).then((message) => message.text);
  const texts = () => telegram.chat(ALEX).messages.flatMap(({ from, text }) => (from === 'bot' ? [text] : []));
  return { telegram, llm, home, start, said, texts };
}

describe('a crash', () => {
  it.each([
    // [where, what the file holds in the end, what is said in the end]
    ['run-parked', 'once', 'finished'],
    ['run-out-written', 'once', 'finished'],
    ['approval-decided', 'once', 'finished'],
    ['run-step-written:2', 'once', 'finished'],
    ['run-call-written', '', 'may or may not have happened'],
  ])('at %s leaves the file as "%s" and ends in "%s"', async (point, written, end) => {
    const { telegram, llm, home, start, said, texts } = await setUp();
    const call = { name: 'write_file', arguments: { path: 'workspace/note.md', content: 'once' } };
    llm.script(({ toolResults }) => (toolResults.length === 0 ? { toolCalls: [call] } : { text: 'finished' }));
    telegram.say(ALEX, 'work');
    const crashed = start(point);
    const isEarly = ['run-parked', 'run-out-written'].includes(point);
    if (isEarly) await crashed;
    else {
      await said('Save note.md');
      telegram.press(ALEX, 'Save');
      await crashed;
    }
    start();
    if (isEarly) {
      await said('Save note.md');
      telegram.press(ALEX, 'Save');
    }
    await said(end);
    const file = path.join(home, 'workspace/note.md');
    expect(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '').toBe(written);
    expect(texts().filter((text) => text.includes('Save note.md'))).toHaveLength(1);
    expect(texts().filter((text) => text.includes(end))).toHaveLength(1);
    const sessions = path.join(home, 'agents/default/sessions');
    const lines = fs.readFileSync(path.join(sessions, fs.readdirSync(sessions)[0] ?? ''), 'utf8');
    expect(lines.match(/"type":"approval"/g)).toHaveLength(1);
    expect(lines.match(/"type":"decision"/g)).toHaveLength(1);
  });
});
