/**
 * Runs one process in its own group, bounded in time and output. Everything it left behind is killed with it: when the
 * returned promise is settled, nothing that it started is running any more.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, UserError } from '../errors.ts';
import { watchDisk } from '../lib/disk-watch.ts';
import { bytesInMemory, watchMemory } from '../lib/memory-watch.ts';
import { killGroup } from '../lib/process-group.ts';
import { killMarked, type ProcessMark } from '../lib/process-mark.ts';
import { within } from '../lib/within.ts';
import { type FirstInside, firstInside, passGate } from './begin.ts';
import { createOutputBuffer, type OutputBuffer } from './output.ts';

/**
 * How to find processes that left the group. `marked`: by a mark that they inherit (on Linux); the command kills its group when descriptor 3 closes, which it does when we are killed. `namespace`: the
 * command is the sandbox, which reports on descriptor 3 which process is the first inside; all others end with that
 * one.
 */
export type Strays = { kind: 'marked'; mark: ProcessMark } | { kind: 'namespace' };

export interface MemoryBound {
  limitMb: number;
  /** More processes than this end it. */
  mostProcesses?: number;
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
  /** Its standard input; open: it comes while it runs; absent: empty. */
  stdin?: string | { isOpen: true };
  timeoutMs: number;
  /** Bytes kept of each stream. */
  maxOutput: number;
  /** Bytes of both streams; a process that writes more is ended. */
  maxWritten?: number;
  /** Receives what both streams write, as it comes. */
  onOutput?(chunk: Buffer): void;
  signal: AbortSignal | undefined;
  /**
   * Called with the first process of a sandbox, which waits for descriptor 4 before it runs anything.
   * @throws what then ends it
   */
  gate?(first: number): Promise<void>;
  /** Our files that it inherits open, from descriptor 4 on, or from 5 with a gate. */
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
  /** "used more than 2,048 MB of memory", or what else it took too much of, when it was ended for that. */
  usedMemory?: string;
}

/** The time between asking a process to end and killing it. */
const GRACE_MS = 500;
/** How long to wait, after the process ended, for others that hold its output. */
const CLOSE_MS = 1000;
const MAX_WRITTEN = 8 * 1024 * 1024;

export interface StartedProcess {
  /** Settles once it has passed its gate, with why it hasn't; at once without one. */
  begun: Promise<string | undefined>;
  /** Rejects with a UserError when it can't be started. */
  ended: Promise<ProcessOutcome>;
  /** Writes to its standard input if that is open; undefined closes it. */
  write(text: string | undefined): void;
}

/**
 * Runs it until it ends or is ended.
 * @throws UserError when it can't be started
 */
export async function runProcess(order: ProcessOrder): Promise<ProcessOutcome> {
  return startProcess(order).ended;
}

/** @throws UserError when it can't be started */
export function startProcess(order: ProcessOrder): StartedProcess {
  const child = start(order);
  const { stdin } = child;
  stdin?.on('error', () => stdin.destroy());
  const first = firstInside(child);
  const state = { hasBegun: order.gate === undefined };
  return {
    begun: passGate(child, order, first, state),
    ended: untilEnd(child, order, first, state),
    write(text) {
      if (text === undefined) stdin?.end();
      else if (stdin?.writable) stdin.write(text);
    },
  };
}

type ChildWithOutput = ReturnType<typeof start>;

async function untilEnd(
  child: ChildWithOutput,
  order: ProcessOrder,
  first: FirstInside,
  state: { readonly hasBegun: boolean },
): Promise<ProcessOutcome> {
  const { command, signal, maxOutput, maxWritten = MAX_WRITTEN, onOutput } = order;
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
    if (stdout.bytes + stderr.bytes > maxWritten) end('output');
    if (endedBy !== 'output' && state.hasBegun) onOutput?.(chunk);
  };
  // A process that stops reading, or has ended, loses the rest.
  if (typeof order.stdin === 'string') child.stdin?.end(order.stdin);
  child.stdout.on('data', collect(stdout));
  child.stderr.on('data', collect(stderr));
  let usedMemory: string | undefined;
  const unwatch = watch(order, child, first.pid, (used) => {
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
    await endStrays(order.strays, first.pid);
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
  gate,
  open = [],
}: ProcessOrder): ChildProcess & { stdout: Readable; stderr: Readable } {
  try {
    const child = spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: [
        stdin === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        'pipe',
        ...(gate ? (['pipe'] as const) : []),
        ...open,
      ],
    });
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error('a process without output');
    return Object.assign(child, { stdout, stderr });
  } catch (error) {
    throw error instanceof Error && errorCode(error) ? cannotStart(command, error) : error;
  }
}

/** Watches its memory, and the disk that it writes. */
function watch(
  { memory, strays }: ProcessOrder,
  { pid }: ChildProcess,
  first: () => number | undefined,
  onOver: (used: string) => void,
): () => void {
  if (!memory || pid === undefined) return () => undefined;
  const { limitMb, mostProcesses, folders, inside } = memory;
  const before = bytesInMemory(folders);
  const undisk = watchDisk(folders, onOver);
  const unwatch = watchMemory({
    pid,
    ...(strays.kind === 'marked' ? { mark: strays.mark } : {}),
    limitMb,
    ...(mostProcesses !== undefined && { mostProcesses }),
    async heldBytes() {
      const grown = Math.max(0, (await bytesInMemory(folders)) - (await before));
      return (
        grown + (await bytesInMemory(inside.map((folder) => path.join('/proc', String(first() ?? 0), 'root', folder))))
      );
    },
    onOver,
  });
  return () => {
    undisk();
    unwatch();
  };
}

async function endStrays(strays: Strays, first: () => number | undefined): Promise<void> {
  if (strays.kind === 'marked') return killMarked(strays.mark);
  const pid = first();
  // The kernel ends them, which takes a moment.
  for (let round = 0; pid !== undefined && round < 400 && (await isNotZombie(pid)); round++) await sleep(5);
}

/** Returns false for a zombie, which only waits to be collected by its parent. */
async function isNotZombie(pid: number): Promise<boolean> {
  const stat = await processStat(pid);
  return stat !== '' && !/\) [ZX] [^)]*$/.test(stat);
}

/** Returns '' for other users' processes and those that have ended. */
async function processStat(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/stat`, 'latin1');
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
