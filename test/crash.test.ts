/** Crashes at named points (R2), a message that kills (R11), two gateways (R15), clean stops (R14): real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { HubEmulator } from './emulators/hub.ts';
import { startLlm } from './emulators/llm.ts';
import { startTelegram } from './emulators/telegram.ts';
import { ownTime, waitedForProcessor } from './helpers/own-time.ts';
import { PROGRAM } from './helpers/program.ts';
import { tempFolder } from './helpers/temp.ts';

const ALEX = 1001;

interface Process {
  child: ChildProcess;
  exit: Promise<number | null>;
  lines: string[];
  ready: Promise<void>;
}

/** `atEnd` is the test's own: with tests side by side the global one cannot tell whose end is meant. */
async function setUp(
  atEnd: typeof onTestFinished = onTestFinished,
  limits: Record<string, number> = {},
  more: Record<string, unknown> = {},
) {
  const telegram = await startTelegram();
  const llm = await startLlm();
  const home = tempFolder(atEnd);
  const running = new Set<ChildProcess>();
  atEnd(async () => {
    for (const child of running) child.kill('SIGKILL');
    await Promise.all([telegram.close(), llm.close()]);
  });
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: {
      telegram: { token: telegram.token, apiRoot: telegram.url, access: { dm: 'open' }, injection: 'followup' },
    },
    limits: { freeBytes: 0, messagesPerMinute: 1000, ...limits },
    http: { port: 0 },
    ...more,
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  function start(env: Record<string, string> = {}): Process {
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    running.add(child);
    const lines: string[] = [];
    const ready = Promise.withResolvers<void>();
    const keep = (line: string) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) ready.resolve();
    };
    createInterface({ input: child.stdout }).on('line', keep);
    createInterface({ input: child.stderr }).on('line', keep);
    const exit = once(child, 'exit').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    return { child, exit, lines, ready: ready.promise };
  }
  const texts = (chat = ALEX) =>
    telegram
      .chat(chat)
      .messages.filter((message) => message.from === 'bot')
      .map((message) => message.text);
  return { telegram, llm, home, start, texts };
}

describe('a crash at a named point', () => {
  // biome-ignore format: a list is filled
  const POINTS = [
    'accept-before-commit', 'accept-after-commit', 'run-claimed', 'run-message-written', 'run-step-written',
    'run-answered', 'run-result-written', 'run-out-written', 'send-intent', 'send-posted', 'send-recorded',
  ];
  /** The platform has the message, our record of it is lost: Telegram cannot be asked, so it comes twice. */
  const MAY_REPEAT = new Set(['send-posted']);

  it('between a first message and the binding of its conversation: what is said next belongs to the same task', async () => {
    // One run at a time, and somebody else's is before it: the task is not begun when the next message comes.
    const { telegram, llm, home, start } = await setUp(onTestFinished, { runs: 1 });
    const OTHER = 1002;
    llm.script(() => ({ text: 'finished', delayMs: 1_500 }));
    telegram.say(OTHER, 'slow');
    telegram.say(ALEX, 'first');
    await start({ OPENVIBER_CRASH_AT: 'accept-after-commit:2' }).exit;
    // The crash may have come before or after it was written.
    for (const name of fs.readdirSync(path.join(home, 'conversations'))) {
      const file = path.join(home, 'conversations', name);
      if (fs.statSync(file).isFile() && fs.readFileSync(file, 'utf8').includes(`"${ALEX}"`)) fs.rmSync(file);
    }
    telegram.say(ALEX, 'second');
    const last = start();
    await telegram.wait({ chat: ALEX, from: 'bot', text: 'finished', count: 2 });
    expect(fs.readdirSync(path.join(home, 'agents/default/sessions'))).toHaveLength(2);
    last.child.kill();
    expect(await last.exit).toBe(0);
  });

  it.concurrent.for(POINTS)(
    '%s: the answer comes after the restart, once, and no finished step is repeated',
    async (point, { onTestFinished: atEnd }) => {
      const { telegram, llm, home, start, texts } = await setUp(atEnd);
      llm.script((request) =>
        request.toolResults.length === 0
          ? { toolCalls: [{ name: 'write_file', arguments: { path: 'note.txt', content: 'x' } }] }
          : { text: 'finished' },
      );
      telegram.say(ALEX, 'work');
      const first = start({ OPENVIBER_CRASH_AT: point });
      await first.exit;
      const began = ownTime();
      const second = start();
      await telegram.wait({ chat: ALEX, from: 'bot', text: 'finished' }).catch((error: unknown) => {
        throw new Error([...first.lines, '-- restart --', ...second.lines].join('\n'), { cause: error });
      });
      await second.ready;
      expect(ownTime() - began - waitedForProcessor(second.child.pid)).toBeLessThan(5_000);
      // The next answer comes behind whatever else the restart has to say.
      telegram.say(ALEX, 'again');
      await telegram.wait({
        chat: ALEX,
        from: 'bot',
        text: 'finished',
        count: MAY_REPEAT.has(point) ? 3 : 2,
      });
      expect(texts()).toHaveLength(MAY_REPEAT.has(point) ? 3 : 2);
      const [session = ''] = fs.readdirSync(path.join(home, 'agents/default/sessions'));
      const entries = fs
        .readFileSync(path.join(home, 'agents/default/sessions', session), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const of = (type: string) => entries.filter((entry) => entry.type === type);
      expect([of('message').length, of('step').length, of('result').length]).toEqual([2, 2, 2]);
      second.child.kill();
      expect(await second.exit).toBe(0);
    },
  );
});

test('a program hears of a message that was given up as the end of its run, until it acknowledges it', async () => {
  const hub = new HubEmulator({ token: 'token-of-the-hub' });
  await hub.start();
  onTestFinished(() => hub.stop());
  hub.acknowledges = false;
  const { start } = await setUp(onTestFinished, {}, { hub: { url: hub.url, token: 'token-of-the-hub' } });
  hub.greeting = { type: 'task:submit', id: 'deadly', goal: 'Say it', messages: [] };
  for (let n = 0; n < 3; n++) await start({ OPENVIBER_CRASH_AT: 'run-claimed' }).exit;
  start();
  const told = () => hub.frames.filter(({ type }) => type === 'task:error');
  await expect.poll(() => told().length).toBeGreaterThan(0);
  const [{ taskId, runId, error } = {}] = told();
  expect(hub.sent('ack')[0]).toMatchObject({ ok: true, taskId });
  expect(error).toMatchObject({ message: expect.stringContaining('I tried 3 times and failed'), trace: runId });
  hub.drop();
  await expect.poll(() => told().length).toBeGreaterThan(1);
  expect(new Set(told().map((frame) => frame.runId))).toEqual(new Set([runId]));
});

describe('turns that a crash cut', () => {
  it('begin again side by side: the model is asked for all of them before it has answered one', async () => {
    const { telegram, llm, start } = await setUp();
    const chats = [1001, 1002, 1003, 1004, 1005, 1006];
    llm.script(() => ({ text: 'finished', fault: 'stall-start' }));
    for (const chat of chats) telegram.say(chat, 'take your time');
    const first = start();
    await expect.poll(() => llm.stats().active).toBe(chats.length);
    first.child.kill('SIGKILL');
    await first.exit;
    await expect.poll(() => llm.stats().active).toBe(0);
    const second = start();
    await expect.poll(() => llm.stats().active).toBe(chats.length);
    second.child.kill('SIGKILL');
    await second.exit;
    // Any of them may be what ends the gateway: the next time they take turns, and all have theirs.
    await expect.poll(() => llm.stats().active).toBe(0);
    llm.script(() => ({ text: 'finished', delayMs: 100 }));
    const before = llm.requests().length;
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, llm.stats().active);
    }, 5);
    const third = start();
    for (const chat of chats) await telegram.wait({ chat, from: 'bot', text: 'finished' });
    clearInterval(watching);
    expect([most, llm.requests().length - before]).toEqual([1, chats.length]);
    third.child.kill();
    expect(await third.exit).toBe(0);
  });
});

describe('a message that makes the gateway fail', () => {
  it('is given up after three crashes with a notice, while others are served', async () => {
    const { telegram, home, start, texts } = await setUp();
    telegram.say(ALEX, 'poison');
    for (let crash = 0; crash < 3; crash++) {
      const process_ = start({ OPENVIBER_CRASH_AT: 'run-claimed' });
      await process_.exit;
    }
    const last = start();
    telegram.say(2002, 'innocent');
    await telegram.wait({ chat: 2002, from: 'bot', text: 'innocent' });
    await telegram.wait({ chat: ALEX, from: 'bot', text: 'trace' });
    expect(texts()).toEqual([expect.stringMatching(/I tried 3 times and failed\. .*viber trace [0-9a-f]{12}\)/)]);
    expect(fs.readdirSync(path.join(home, 'spool/dead'))).toHaveLength(1);
    last.child.kill();
    await last.exit;
  });
});

describe('processes', () => {
  it('lets one gateway hold a home and tells the other so, with exit code 3', async () => {
    const { home, start } = await setUp();
    const first = start();
    await first.ready;
    const second = start();
    expect(await second.exit).toBe(3);
    const { pid } = first.child;
    expect(second.lines.join('\n')).toContain(
      `Process ${pid} already runs a gateway on ${home}, so this command ends: `,
    );
    expect(second.lines.join('\n')).toContain(`stop that one first (kill ${pid})`);
    first.child.kill('SIGKILL');
    await first.exit;
    const third = start();
    await third.ready;
    third.child.kill();
    expect(await third.exit).toBe(0);
  });

  it('has one holder however many start at the same moment', async () => {
    const { start } = await setUp();
    const all = Array.from({ length: 6 }, () => start());
    const outcomes = await Promise.all(all.map((each) => Promise.race([each.ready.then(() => 'ready'), each.exit])));
    expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 3)).toHaveLength(5);
    for (const each of all) each.child.kill();
    await Promise.all(all.map((each) => each.exit));
  });

  it('finishes what is in hand on SIGTERM, takes nothing new, and ends with 0', async () => {
    const { telegram, llm, start, texts } = await setUp();
    llm.script(() => ({ text: 'done', delayMs: 700 }));
    const gateway = start();
    await gateway.ready;
    telegram.say(ALEX, 'work');
    await llm.waitFor(() => true);
    gateway.child.kill();
    telegram.say(ALEX, 'late');
    expect(await gateway.exit).toBe(0);
    expect(texts()).toEqual(['done']);
    const next = start();
    await telegram.wait({ chat: ALEX, from: 'bot', count: 2 });
    next.child.kill();
    await next.exit;
  });

  it.each([
    ['a wrong token', { channels: { telegram: { token: '1:wrong' } } }, 2, /channels\.telegram\.token/],
    ['several wrong keys at once', { maxSteps: 'many', http: { port: 'x' } }, 2, /maxSteps[\s\S]*http\.port/],
  ])('ends with code 2 and names the key for %s', async (_what, change, code, message) => {
    const { telegram, home, start } = await setUp();
    const config = {
      http: { port: 0 },
      ...change,
      ...('channels' in change ? { channels: { telegram: { token: '1:wrong', apiRoot: telegram.url } } } : {}),
    };
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
    const gateway = start();
    expect(await gateway.exit).toBe(code);
    expect(gateway.lines.join('\n')).toMatch(message);
  });
});
