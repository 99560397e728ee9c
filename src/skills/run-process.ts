/**
 * Runs one process in its own group, bounded in time and output. Everything it left behind is killed with it: when the
 * returned promise is settled, nothing that it started is running any more.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, UserError } from '../errors.ts';
import { bytesInMemory, watchMemory } from '../lib/memory-watch.ts';
import { killGroup } from '../lib/process-group.ts';
import { within } from '../lib/within.ts';
import { createOutputBuffer, type OutputBuffer } from './output.ts';

/**
 * How to find processes that left the group. `marked`: by a text in their environment that no other process has (on
 * Linux); the command kills its group when descriptor 3 closes, which it does when we are killed. `namespace`: the
 * command is the sandbox, which reports on descriptor 3 which process is the first inside; all others end with that
 * one.
 */
export type Strays = { kind: 'marked'; marker: string } | { kind: 'namespace' };

export interface MemoryBound {
  limitMb: number;
  /**
   * Folders whose files use memory, if they are on an in-memory file system; `inside` are paths within the sandbox,
   * whose contents are all its own.
   */
  folders: readonly string[];
  inside: readonly string[];
}

export interface ProcessOrder {
  command: string;
  args: readonly string[];
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Its standard input; empty when absent. */
  stdin?: string;
  timeoutMs: number;
  /** Bytes kept of each stream. */
  maxOutput: number;
  signal: AbortSignal | undefined;
  /** Our files that it inherits open, from descriptor 4 on. */
  open?: readonly number[];
  /** How processes that leave the group are found. */
  strays: Strays;
  /** The limit of all its processes together. */
  memory?: MemoryBound;
}

export interface ProcessOutcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: OutputBuffer;
  stderr: OutputBuffer;
  /** Why we ended it. */
  endedBy: 'timeout' | 'abort' | 'output' | 'memory' | undefined;
  /** "used more than 2,048 MB of memory", when it was ended for that. */
  usedMemory?: string;
}

/** The time between asking a process to end and killing it. */
const GRACE_MS = 500;
/** How long to wait, after the process ended, for others that hold its output. */
const CLOSE_MS = 1000;
/** Bytes of both streams; a script that writes more is ended. */
const MAX_WRITTEN = 8 * 1024 * 1024;

/**
 * Runs it until it ends or is ended.
 * @throws UserError when it can't be started
 */
export async function runProcess(order: ProcessOrder): Promise<ProcessOutcome> {
  const { command, signal, maxOutput } = order;
  const child = start(order);
  const [stdout, stderr] = [createOutputBuffer(maxOutput), createOutputBuffer(maxOutput)];
  let endedBy: ProcessOutcome['endedBy'];
  let killer: NodeJS.Timeout | undefined;

  const end = (why: NonNullable<typeof endedBy>) => {
    if (endedBy) return;
    endedBy = why;
    killGroup(child, 'SIGTERM');
    killer = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS);
  };
  const collect = (buffer: OutputBuffer) => (chunk: Buffer) => {
    buffer.add(chunk);
    if (stdout.bytes + stderr.bytes > MAX_WRITTEN) end('output');
  };
  feed(child, order.stdin);
  child.stdout.on('data', collect(stdout));
  child.stderr.on('data', collect(stderr));
  const first = firstInside(child);
  let usedMemory: string | undefined;
  const unwatch = watch(order, child, first, (used) => {
    endedBy ??= 'memory';
    usedMemory = used;
    killGroup(child, 'SIGKILL');
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const onAbort = () => end('abort');
  const timer = setTimeout(() => end('timeout'), order.timeoutMs);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const [code, ended] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', (error) => reject(cannotStart(command, error)));
      child.once('exit', (exit, by) => {
        unwatch();
        killGroup(child, 'SIGKILL');
        resolve([exit, by]);
      });
    });
    await endStrays(order.strays, first);
    await within(closed, CLOSE_MS);
    return { code, signal: ended, stdout, stderr, endedBy, ...(usedMemory === undefined ? {} : { usedMemory }) };
  } finally {
    unwatch();
    clearTimeout(timer);
    clearTimeout(killer);
    signal?.removeEventListener('abort', onAbort);
    for (const stream of child.stdio) stream?.destroy();
  }
}

function start({
  command,
  args,
  env,
  cwd,
  stdin,
  open = [],
}: ProcessOrder): ChildProcess & { stdout: Readable; stderr: Readable } {
  try {
    const child = spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe', ...open],
    });
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error('a process without output');
    return Object.assign(child, { stdout, stderr });
  } catch (error) {
    throw error instanceof Error && errorCode(error) ? cannotStart(command, error) : error;
  }
}

/** Writes the input; a process that stops reading, or has ended, loses the rest. */
function feed({ stdin }: ChildProcess, text: string | undefined): void {
  if (!stdin || text === undefined) return;
  stdin.on('error', () => stdin.destroy());
  stdin.end(text);
}

/**
 * Returns a function that gives the process that the sandbox names on descriptor 3, once known. Only the first message
 * counts; others wouldn't be its own.
 */
function firstInside(child: ChildProcess): () => number | undefined {
  let said = '';
  const stream = child.stdio[3];
  if (stream instanceof Readable) {
    stream.on('data', (chunk: Buffer) => {
      if (said.length < 1000) said += chunk.toString('latin1');
    });
  }
  return () => {
    const [, pid] = /^\s*\{\s*"child-pid":\s*(\d+)/.exec(said) ?? [];
    return pid === undefined ? undefined : Number(pid);
  };
}

function watch(
  { memory, strays }: ProcessOrder,
  { pid }: ChildProcess,
  first: () => number | undefined,
  onOver: (used: string) => void,
): () => void {
  if (!memory || pid === undefined) return () => undefined;
  const { limitMb, folders, inside } = memory;
  const before = bytesInMemory(folders);
  return watchMemory({
    pid,
    ...(strays.kind === 'marked' ? { marker: strays.marker } : {}),
    limitMb,
    async heldBytes() {
      const grown = Math.max(0, (await bytesInMemory(folders)) - (await before));
      return (
        grown + (await bytesInMemory(inside.map((folder) => path.join('/proc', String(first() ?? 0), 'root', folder))))
      );
    },
    onOver,
  });
}

async function endStrays(strays: Strays, first: () => number | undefined): Promise<void> {
  if (strays.kind === 'marked') return killMarked(strays.marker);
  const pid = first();
  // The kernel ends them, which takes a moment.
  for (let round = 0; pid !== undefined && round < 400 && (await isNotZombie(pid)); round++) await sleep(5);
}

/** Returns false for a zombie, which only waits to be collected by its parent. */
async function isNotZombie(pid: number): Promise<boolean> {
  const stat = await readOf(pid, 'stat');
  return stat !== '' && !/\) [ZX] [^)]*$/.test(stat);
}

/**
 * Kills every process with this text in its environment. Repeats until none is found, since one may have been starting
 * during the search.
 */
export async function killMarked(marker: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let round = 0; round < 10; round++) {
    let found = 0;
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid || !(await readOf(pid, 'environ')).includes(marker))
        continue;
      found++;
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch (error) {
        if (errorCode(error) !== 'ESRCH') throw error;
      }
    }
    if (found === 0) return;
    await sleep(5);
  }
}

/** Returns '' for other users' processes and those that have ended. */
async function readOf(pid: number | string, what: 'environ' | 'stat'): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${what}`, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}

function cannotStart(command: string, error: Error): UserError {
  const code = errorCode(error);
  if (code === 'E2BIG') return new UserError('The values given to the script are too long together.', { cause: error });
  if (code === 'EAGAIN' || code === 'EMFILE') {
    return new UserError('The machine has too many processes or open files; try again in a moment.', { cause: error });
  }
  return new UserError(`The script cannot be started: ${command} is missing or must not be run.`, { cause: error });
}
