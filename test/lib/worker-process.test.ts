/** Processes for work on what people send: their limits, their order, and that they end with the run that asked and with the gateway. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createProcesses, type ProcessError, type ProcessLimits } from '../../src/lib/worker-process.ts';
import { tempFolder } from '../helpers/temp.ts';
import { processesWith, uniqueSleep } from '../skills/helpers.ts';

const OWN = pathToFileURL(path.resolve('src/lib/worker-process.ts')).href;
const WORK = `
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { answerInProcess } from ${JSON.stringify(OWN)};
class Refusal extends Error {}
const all = [];
const WAYS = {
  refuse: () => { throw new Refusal('Not this one.'); },
  throw: () => { throw new Error('inner'); },
  exit: () => process.exit(0),
  spin: () => { for (;;); },
  kill: () => { process.kill(process.pid, 'SIGKILL'); for (;;); },
  abort: () => process.abort(),
  stop: () => { process.kill(process.pid, 'SIGSTOP'); },
  child: (seconds) => { spawn('sleep', [seconds], { detached: false, stdio: 'ignore' }); for (;;); },
  'objects': () => { for (let rest;;) rest = { rest }; },
  'typed arrays': () => { for (;;) all.push(new Float64Array(1 << 22).fill(1)); },
  'one typed array': () => all.push(new Uint8Array(6_000_000_000).fill(1)),
  'buffers': () => { for (;;) all.push(Buffer.alloc(100_000_000, 1)); },
  'small buffers': () => { for (;;) all.push(Buffer.alloc(1_000, 1)); },
  'strings': () => { for (let at = 0;; at++) all.push(Buffer.alloc(50_000_000, 65 + (at % 20)).toString('latin1')); },
  'wide strings': () => { for (;;) all.push(Buffer.alloc(50_000_000, 66).toString('utf16le')); },
  'a string that doubles': () => { for (let text = 'abc';; ) { text += text; all.push(Buffer.from(text)); } },
  'an array': () => { for (let at = 0;; at++) all.push(at); },
  'an array of holes': () => { for (;;) all.push(new Array(30_000_000).fill(0.5)); },
  'a pattern': () => all.push(/(x+x+)+y/.exec('x'.repeat(40))),
  'memory of WebAssembly': () => { for (;;) { const one = new WebAssembly.Memory({ initial: 2_000 }); new Uint8Array(one.buffer).fill(1); all.push(one); } },
  'memory of WebAssembly that grows': () => { const one = new WebAssembly.Memory({ initial: 1 }); for (;;) { one.grow(1_000); new Uint8Array(one.buffer).fill(1); } },
  'an answer without end': () => { for (;;) fs.writeSync(4, Buffer.alloc(1_000_000)); },
  'an answer that breaks off': () => { fs.writeSync(4, '{"about":1,"length":10}\\nabc'); process.exit(0); },
  'an answer that is none': () => { fs.writeSync(4, '}{\\n'); process.exit(0); },
  'an answer of another form': () => { fs.writeSync(4, 'null\\n'); process.exit(0); },
};
await answerInProcess(async ([way, more], readOpenFile) => {
  await WAYS[way]?.(more);
  return { bytes: Buffer.from(way === 'read' ? readOpenFile() : 'did ' + way), about: { way } };
}, (error) => error instanceof Refusal);
`;

function entry(onEnd?: typeof afterAll): URL {
  const file = path.join(tempFolder(onEnd), 'worker.mjs');
  fs.writeFileSync(file, WORK);
  return pathToFileURL(file);
}

const never = new AbortController().signal;

function processes(at: URL = entry(), limits: ProcessLimits = { timeoutMs: 120_000, memoryMb: 200, atOnce: 1 }) {
  const inProcess = createProcesses<string[]>(at, limits);
  return async (input: string[], signal = never, timeoutMs?: number) =>
    (await inProcess({ input, signal, ...(timeoutMs !== undefined && { timeoutMs }) })).bytes.toString();
}

const onLinux = it.skipIf(process.platform !== 'linux');

describe('a piece of work', () => {
  // One at once: each has the place that the one before it gave up.
  const at = entry(afterAll);
  const work = processes(at);

  it.each<[string, ProcessError['why']]>([
    ['refuse', 'refused'],
    ['throw', 'broken'],
    ['exit', 'broken'],
    ['kill', 'broken'],
    ['abort', 'broken'],
    ['objects', 'broken'],
    ['an array', 'broken'],
    ['an answer without end', 'broken'],
    ['an answer that breaks off', 'broken'],
    ['an answer that is none', 'broken'],
    ['an answer of another form', 'broken'],
  ])('%s: ends as %s', async (way, why) => {
    await expect(work([way])).rejects.toMatchObject({ why });
    if (process.platform === 'linux') expect(processesWith(at.pathname)).toEqual([]);
  });

  onLinux.each(
    // biome-ignore format: a list is filled
    [
      'typed arrays', 'one typed array', 'buffers', 'small buffers', 'strings', 'wide strings', 'a string that doubles',
      'an array of holes', 'memory of WebAssembly', 'memory of WebAssembly that grows',
    ],
  )('that fills memory with %s ends alone, before it has taken much', async (way) => {
    const before = process.memoryUsage().rss;
    await expect(work([way])).rejects.toMatchObject({ why: 'broken' });
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    expect(processesWith(at.pathname)).toEqual([]);
  });

  it('is done after all of them', async () => {
    expect(await work(['more'])).toBe('did more');
  });

  it('reads a file by its descriptor, from the beginning, whatever stands at its path by then', async () => {
    const file = path.join(tempFolder(), 'file');
    fs.writeFileSync(file, 'what was opened');
    const fd = fs.openSync(file, 'r');
    onTestFinished(() => fs.closeSync(fd));
    fs.readSync(fd, Buffer.alloc(8));
    fs.rmSync(file);
    fs.symlinkSync('/etc/passwd', file);
    const limits = { timeoutMs: 60_000, memoryMb: 200, atOnce: 1 };
    const made = await createProcesses<string[]>(entry(), limits)({ input: ['read'], file: fd, signal: never });
    expect([made.bytes.toString(), made.about]).toEqual(['what was opened', { way: 'read' }]);
  });

  it('that cannot be started says why', async () => {
    const shell = process.execPath;
    process.execPath = path.join(tempFolder(), 'no node');
    onTestFinished(() => {
      process.execPath = shell;
    });
    await expect(processes()(['more'])).rejects.toMatchObject({ why: 'broken' });
  });
});

describe('it is ended', () => {
  it.each(['spin', 'stop', 'a pattern'])('when its time is over (%s), and gives its place to the next', async (way) => {
    const work = processes();
    const [slow, next] = [work([way], never, 1_000), work(['more'])];
    await expect(slow).rejects.toMatchObject({ why: 'late' });
    expect(await next).toBe('did more');
  });

  it('when it has used up its own processor time, which waiting and the processes of others don’t', async () => {
    const work = processes(entry(), { timeoutMs: 120_000, cpuSeconds: 2, memoryMb: 200, atOnce: 3 });
    const late = { why: 'late', message: expect.stringContaining('processor time') };
    const next = work(['more']);
    await Promise.all(['spin', 'a pattern'].map((way) => expect(work([way])).rejects.toMatchObject(late)));
    expect(await next).toBe('did more');
  });

  it('with the run that asked, while it works and while it waits', async () => {
    const work = processes();
    const [first, second] = [new AbortController(), new AbortController()];
    const works = work(['spin'], first.signal);
    const waits = work(['never done'], second.signal);
    const last = work(['last']);
    second.abort(new Error('second'));
    await expect(waits).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(works).rejects.toThrow('first');
    expect(await last).toBe('did last');
    await expect(work(['x'], second.signal)).rejects.toThrow('second');
  });

  onLinux('with all that it has started', async () => {
    const [at, seconds] = [entry(), uniqueSleep()];
    const stop = new AbortController();
    const works = processes(at)(['child', seconds], stop.signal);
    await expect.poll(() => processesWith(seconds).length).toBe(1);
    stop.abort(new Error('stopped'));
    await expect(works).rejects.toThrow('stopped');
    await expect.poll(() => processesWith(seconds)).toEqual([]);
  });

  onLinux.each(['spin', 'stop'])('when the gateway is killed, whatever it does (%s)', async (way) => {
    const [at, program] = [entry(), path.join(tempFolder(), 'gateway.mjs')];
    const limits = JSON.stringify({ timeoutMs: 600_000, memoryMb: 200, atOnce: 1 });
    fs.writeFileSync(
      program,
      `import { createProcesses } from ${JSON.stringify(OWN)};
       const inProcess = createProcesses(new URL(${JSON.stringify(at.href)}), ${limits});
       await inProcess({ input: [${JSON.stringify(way)}], signal: new AbortController().signal });`,
    );
    const gateway = spawn(process.execPath, [program], { stdio: 'ignore' });
    onTestFinished(() => void gateway.kill('SIGKILL'));
    await expect.poll(() => processesWith(at.pathname).length).toBeGreaterThan(0);
    gateway.kill('SIGKILL');
    await expect.poll(() => processesWith(at.pathname)).toEqual([]);
  });
});
