/** Few file handles: it says so and takes nothing in, or it answers everybody. Processes whose limit the system keeps. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkHandles } from '../src/cli/doctor/checks.ts';
import { runningGateways } from '../src/cli/running.ts';
import { openLedger } from '../src/engine/local/ledger.ts';
import { connectionsFor, createHandles, handleLimit, limitProblem } from '../src/lib/handles.ts';
import { startLlm } from './emulators/llm.ts';
import { startTelegram } from './emulators/telegram.ts';
import { eventually } from './helpers/eventually.ts';
import { PROGRAM } from './helpers/program.ts';
import { tempFolder } from './helpers/temp.ts';

const isLinux = process.platform === 'linux';
/** The limit of a process that runs is changed by this program of util-linux. */
const canChange = isLinux && spawnSync('prlimit', ['--version']).status === 0;
const PEOPLE = Array.from({ length: 10 }, (_, n) => 1001 + n);

async function setUp() {
  const telegram = await startTelegram();
  const llm = await startLlm();
  const home = tempFolder();
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: { telegram: { token: telegram.token, apiRoot: telegram.url, access: { dm: 'open' } } },
    limits: { freeBytes: 0 },
    http: { port: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  const running = new Set<ReturnType<typeof spawn>>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await Promise.all([telegram.close(), llm.close()]);
  });

  /** `until`: a part of the line after which it counts as started. */
  async function start(limit: number | 'as it is', until = '"msg":"ready"') {
    const set = limit === 'as it is' ? '' : `ulimit -n ${limit}; `;
    const command = `${set}exec "$0" ${PROGRAM} start --home "$1"`;
    const child = spawn('bash', ['-c', command, process.execPath, home], { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const lines: string[] = [];
    const begun = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (line.includes(until)) begun.resolve();
      });
    }
    const exited = once(child, 'exit').then(([code]) => {
      running.delete(child);
      begun.resolve();
      return code as number | null;
    });
    await begun.promise;
    return { pid: child.pid ?? 0, lines, exited, kill: (signal: NodeJS.Signals = 'SIGKILL') => child.kill(signal) };
  }

  const readyz = async () => {
    const { port } = JSON.parse(fs.readFileSync(path.join(home, 'run', 'gateway.json'), 'utf8'));
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    return { status: response.status, body: await response.json() };
  };
  const sayAll = () => {
    for (const person of PEOPLE) telegram.say(person, `hello from ${person}`);
  };
  const answersTo = (person: number) =>
    telegram
      .chat(person)
      .messages.filter(({ from }) => from === 'bot')
      .map(({ text }) => text);
  /** Everybody has one answer, the right one. */
  const expectAll = () =>
    eventually(() => {
      for (const person of PEOPLE) expect(answersTo(person)).toEqual([`hello from ${person}`]);
    });
  return { telegram, home, start, readyz, sayAll, answersTo, expectAll };
}

describe.runIf(isLinux)('a limit that is too low', () => {
  it('40: not ready, says which limit and how to raise it, takes nothing in, and answers all ten once it is raised', async () => {
    const { telegram, start, readyz, sayAll, answersTo, expectAll } = await setUp();
    sayAll();
    const low = await start(40, 'at most 40');
    await expect.poll(readyz).toMatchObject({
      status: 503,
      body: {
        ready: false,
        handles: { enough: false, detail: expect.stringMatching(/at most 40 .*ulimit -n.*LimitNOFILE/) },
      },
    });
    expect(telegram.counters().updates.pending).toBe(10);
    expect(PEOPLE.flatMap(answersTo)).toEqual([]);
    low.kill('SIGTERM');
    expect(await low.exited).toBe(0);
    const enough = await start('as it is');
    await expectAll();
    expect(enough.lines.join('\n')).not.toContain('LimitNOFILE');
  });

  it('24: it ends, and names the limit', async () => {
    const { start } = await setUp();
    const none = await start(24, 'never said');
    expect(await none.exited).toBe(1);
    expect(none.lines.join('\n')).toMatch(/EMFILE[\s\S]*ulimit -n.*LimitNOFILE/);
  });

  it('128: ready with a warning, and answers all ten', async () => {
    const { home, start, sayAll, expectAll } = await setUp();
    const { lines } = await start(128);
    sayAll();
    await expectAll();
    expect(lines.join('\n')).toMatch(/"level":40.*at most 128 .*LimitNOFILE/);
    // The doctor looks at the gateway that runs, whatever its own limit is.
    expect(checkHandles(await runningGateways({ home, config: undefined, env: {} }))).toEqual([
      { name: 'handles', state: 'note', detail: limitProblem(128)?.detail },
    ]);
  });
});

it.runIf(isLinux).each([
  [60, /^✗ handles {8}at most 60 /m, 1],
  [300, /^! handles {8}at most 300 /m, 0],
  [600, /^(?![\s\S]*handles)/, 0],
])('the doctor with %i', (limit, line, code) => {
  const file = path.join(tempFolder(), 'config.json');
  fs.writeFileSync(file, JSON.stringify({ model: 'offline/viber', limits: { freeBytes: 0 } }));
  const command = `ulimit -n ${limit}; exec "$0" ${PROGRAM} doctor --home "$1" --config "$2"`;
  const { stdout, status } = spawnSync('bash', ['-c', command, process.execPath, tempFolder(), file]);
  expect(stdout.toString()).toMatch(line);
  expect(status).toBe(code);
});

it.runIf(canChange)(
  'handles that run out at work: not ready, the reason told, nothing lost and nothing twice',
  async () => {
    const { home, start, readyz, sayAll, expectAll } = await setUp();
    const { pid, lines } = await start('as it is');
    expect((await readyz()).status).toBe(200);
    // From now on what is open stays open, and no more than two besides.
    const limitTo = (count: number | string) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
    const before = handleLimit(pid) ?? 0;
    // A new one gets the lowest number that is free, and the limit is on that number.
    const open = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
    const free = Array.from({ length: open.size + 10 }, (_, n) => n).filter((n) => !open.has(n));
    limitTo(free[2] ?? 0);
    sayAll();
    await expect.poll(() => lines.join('\n')).toMatch(/"msg":"not ready"/);
    expect(lines.find((line) => line.includes('"msg":"not ready"'))).toMatch(
      /"enough":false.*(EMFILE|left).*LimitNOFILE/,
    );
    limitTo(before);
    // It has been told for a quarter of a minute after it was seen last.
    expect(await readyz()).toMatchObject({
      status: 503,
      body: { handles: { detail: expect.stringContaining('ulimit -n') } },
    });
    await expectAll();
    await expect.poll(async () => (await readyz()).status).toBe(200);
    await expectAll();
    expect(fs.readdirSync(path.join(home, 'spool', 'dead'))).toEqual([]);
  },
);

it.runIf(isLinux)('a sentence whose catalogue cannot be opened is shown by its key, and as itself once it can', () => {
  const program = `
    const { closeSync, openSync } = await import('node:fs');
    const { messagesIn } = await import(process.argv[1]);
    const said = () => messagesIn('en').text('doctor.noGateway');
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')); } catch { held.length > 0 || process.exit(1); }
    const short = said();
    held.forEach((fd) => closeSync(fd));
    console.log(JSON.stringify([short, said()]));
  `;
  const command = 'ulimit -n 64; exec "$0" --input-type=module -e "$1" "$2"';
  const file = path.join(import.meta.dirname, '../src/messages/messages.ts');
  const { stdout, stderr } = spawnSync('bash', ['-c', command, process.execPath, program, file], { encoding: 'utf8' });
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual(['doctor.noGateway', 'none runs on this machine now']);
});

describe('the limit', () => {
  it.each([
    [undefined, undefined, 512],
    [40, true, 10],
    [127, true, 31],
    [128, false, 32],
    [511, false, 127],
    [512, undefined, 128],
    [1_048_576, undefined, 512],
  ])('%s', (limit, isTooLow, connections) => {
    expect([limitProblem(limit)?.isTooLow, connectionsFor(limit)]).toEqual([isTooLow, connections]);
  });

  it.runIf(isLinux)('is read of this process and of another', () => {
    const child = spawn('bash', ['-c', 'ulimit -n 77; read'], { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => void child.kill());
    expect(handleLimit()).toBeGreaterThan(77);
    return expect.poll(() => handleLimit(child.pid)).toBe(77);
  });

  it('seen to be reached is told for a quarter of a minute, whatever hides the reason', () => {
    let time = 0;
    const handles = createHandles(undefined, () => time);
    const emfile = Object.assign(new Error('EMFILE: too many open files, open x'), { code: 'EMFILE' });
    handles.note(new Error('refused', { cause: new Error('no space', { cause: { code: 'ENOSPC' } }) }));
    expect(handles.state()).toEqual({ enough: true });
    handles.note(new Error('fetch failed', { cause: new Error('connect', { cause: emfile }) }));
    expect(handles.state()).toMatchObject({ enough: false, detail: expect.stringContaining('EMFILE') });
    time = 14_999;
    expect(handles.state().enough).toBe(false);
    time = 15_000;
    expect(handles.state().enough).toBe(true);
  });
});

it('the ledger goes on once its file can be opened, and in the file of the day before where a new one cannot', async () => {
  const root = tempFolder();
  const folder = path.join(root, 'ledger');
  const ledger = openLedger(folder, 1);
  onTestFinished(() => ledger.close());
  await expect(ledger.intent('a', 0)).rejects.toMatchObject({ code: 'ENOENT' });
  fs.mkdirSync(folder);
  await ledger.intent('a', 0);
  vi.useFakeTimers({ now: Date.now() + 86_400_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const none = vi.spyOn(fs, 'openSync').mockImplementation(() => {
    throw Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE' });
  });
  ledger.outcome('a', 0, 'sent', '77');
  expect(none).toHaveBeenCalled();
  none.mockRestore();
  expect(
    ledger
      .load(new Set(['a']))
      .get('a')
      ?.get(0),
  ).toMatchObject({ sentId: '77' });
});
