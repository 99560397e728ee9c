/**
 * Processes untrusted input, each piece in a separate process: bounded in time and memory, a few at a time, and ended
 * with the run that asked. A crash, even inside V8, ends only that process; and when this gateway is killed, the
 * process ends too. A thread offers none of that: a large allocation aborts the whole program.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fstatSync, readFileSync, readSync, writeSync } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../errors.ts';
import { memoryLimitMb, watchMemory } from './memory-watch.ts';
import { FIRST_TO_GO, killGroup, LIFELINE } from './process-group.ts';

export interface ProcessLimits {
  timeoutMs: number;
  /** Seconds of its own processor time, which other programs don't use up, so that `timeoutMs` can be generous. */
  cpuSeconds?: number;
  /** Limit of its whole memory; half of it may be JavaScript's heap. */
  memoryMb: number;
  /** Most processes at the same time; further work waits. */
  atOnce: number;
}

/** The result of work: bytes, and facts about them. */
export interface WorkResult {
  bytes: Uint8Array;
  /** JSON. */
  about?: unknown;
}

export interface Work<Input> {
  /** JSON. */
  input: Input;
  /** An open file, which the process reads by its descriptor. */
  file?: number;
  signal: AbortSignal;
  timeoutMs?: number;
}

/** The first line of an answer, followed by `length` bytes. */
type Answer = { about: unknown; length: number } | { refused: string } | { broke: string };

/** `refused`: the process itself gives the reason, in a sentence for people; `late`, `broken`: a limit ended it. */
export class ProcessError extends Error {
  readonly why: 'refused' | 'late' | 'broken';

  constructor(why: ProcessError['why'], message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
  }
}

export type InProcess<Input> = (work: Work<Input>) => Promise<{ bytes: Buffer; about: unknown }>;

/** Descriptors of the process, after its three streams. */
const [LIFE, ANSWER, FILE] = [3, 4, 5];
const MAX_ANSWER = 64 * 1024 * 1024;
const MAX_LINE = 64 * 1024;
const MAX_REFUSAL = 500;
/** Node reserves this much at its start without using it. */
const RESERVED_MB = 1024;
/** The kernel refuses allocations that the watch would see too late. */
const SHELL = `ulimit -c 0; ulimit -d "$1" 2>/dev/null; ulimit -S -t "$2"; ${FIRST_TO_GO}; ${LIFELINE}; shift 2; exec "$@"`;

/**
 * @param entry the process's main module, which calls `answerInProcess`
 * @returns a function that rejects with ProcessError, with the signal's reason, or with the system's error when no
 * process can be started
 */
export function createProcesses<Input>(entry: URL, limits: ProcessLimits): InProcess<Input> {
  let free = limits.atOnce;
  const waiting = new Set<() => void>();

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const onAbort = () => turn.reject(signal.reason);
    waiting.add(turn.resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await turn.promise;
    } finally {
      waiting.delete(turn.resolve);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Passes the slot on directly, so that no newcomer takes it. */
  function leave(): void {
    const [next] = waiting;
    if (!next) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return async (work) => {
    await enter(work.signal);
    try {
      return await runEntry(entry, work, limits);
    } finally {
      leave();
    }
  };
}

async function runEntry(
  entry: URL,
  { input, file, signal, timeoutMs: wantedMs }: Work<unknown>,
  limits: ProcessLimits,
): Promise<{ bytes: Buffer; about: unknown }> {
  signal.throwIfAborted();
  const timeoutMs = wantedMs ?? limits.timeoutMs;
  const memoryMb = memoryLimitMb(limits.memoryMb);
  const child = start(entry, { memoryMb, cpuSeconds: limits.cpuSeconds }, file).on('error', () => undefined);
  const over = Promise.withResolvers<never>();
  // It may fail after the answer has arrived.
  over.promise.catch(() => undefined);
  // Processes left running would keep the answer's stream open.
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      killGroup(child, 'SIGKILL');
      resolve();
    });
  });
  const fail = (why: 'late' | 'broken', message: string) => over.reject(new ProcessError(why, message));
  const unwatch =
    child.pid === undefined
      ? undefined
      : watchMemory({ pid: child.pid, limitMb: memoryMb, onOver: (used) => fail('broken', `The process ${used}.`) });
  const timer = setTimeout(() => fail('late', `The process took more than ${timeoutMs} ms.`), timeoutMs);
  const onAbort = () => over.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await once(child, 'spawn');
    give(child.stdin, JSON.stringify(input));
    return readAnswer(await Promise.race([collectAnswer(child), over.promise]));
  } catch (error) {
    killGroup(child, 'SIGKILL');
    if (child.pid !== undefined) await ended;
    if (child.signalCode !== 'SIGXCPU') throw error;
    throw new ProcessError('late', `The process used more than ${limits.cpuSeconds} s of processor time.`, error);
  } finally {
    unwatch?.();
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    killGroup(child, 'SIGKILL');
    for (const stream of child.stdio) stream?.destroy();
    // A process that never started never exits.
    if (child.pid !== undefined) await ended;
  }
}

function start(
  entry: URL,
  { memoryMb, cpuSeconds }: { memoryMb: number; cpuSeconds: number | undefined },
  file: number | undefined,
): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${Math.ceil(memoryMb / 2)}`, '--max-semi-space-size=32'];
  const most = [String((memoryMb + RESERVED_MB) * 1024), String(cpuSeconds ?? 'unlimited')];
  const args = ['-c', SHELL, 'sh', ...most, ...node, fileURLToPath(entry)];
  const stdio = ['pipe', 'ignore', 'ignore', 'pipe', 'pipe', ...(file === undefined ? [] : [file])] as const;
  return spawn('/bin/sh', args, { cwd: '/', env: {}, detached: true, stdio: [...stdio] });
}

/** Writes the input; a process that stops reading, or has ended, loses the rest. */
function give(stdin: Writable | null, text: string): void {
  stdin?.on('error', () => stdin.destroy());
  stdin?.end(text);
}

/** Rejects an answer above the size limit before it fills this process's memory. */
async function collectAnswer(child: ChildProcess): Promise<Buffer> {
  const stream = child.stdio[ANSWER];
  if (!(stream instanceof Readable)) throw new Error('a process without a way to answer');
  child.stdio[LIFE]?.on('error', () => undefined);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MAX_ANSWER) throw new ProcessError('broken', "The process's answer is too large.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function readAnswer(answer: Buffer): { bytes: Buffer; about: unknown } {
  const end = answer.subarray(0, MAX_LINE).indexOf('\n');
  const line = end < 0 ? undefined : parseAnswer(answer.toString('utf8', 0, end));
  if (line && 'refused' in line) throw new ProcessError('refused', String(line.refused));
  if (line && 'broke' in line) throw new ProcessError('broken', 'The process broke.', new Error(String(line.broke)));
  const bytes = answer.subarray(end + 1);
  if (line?.length === bytes.length) return { bytes, about: line.about };
  throw new ProcessError('broken', 'The process ended before it had answered.');
}

/** Returns undefined for anything that no process of ours writes. */
function parseAnswer(line: string): Answer | undefined {
  try {
    const found: unknown = JSON.parse(line);
    return typeof found === 'object' && found !== null ? (found as Answer) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Runs inside the process: one input, one answer.
 * @param work gets the input, and reads the open file, if there is one
 * @param isRefusal selects errors whose message is for people; every other breaks the process
 */
export async function answerInProcess<Input>(
  work: (input: Input, readOpenFile: () => Buffer) => Promise<WorkResult>,
  isRefusal: (error: unknown) => error is Error,
): Promise<void> {
  try {
    const { bytes, about = null } = await work(JSON.parse(readFileSync(0, 'utf8')), readOpenFile);
    writeAnswer({ about, length: bytes.length }, bytes);
  } catch (error) {
    const text = errorMessage(error).slice(0, MAX_REFUSAL);
    writeAnswer(isRefusal(error) ? { refused: text } : { broke: text });
  }
  // Doesn't wait for anything that a library has left running.
  process.exit();
}

/** Reads from the beginning, wherever the gateway has read to. */
function readOpenFile(): Buffer {
  const bytes = Buffer.alloc(fstatSync(FILE).size);
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(FILE, bytes, at, bytes.length - at, at);
    if (read === 0) return bytes.subarray(0, at);
    at += read;
  }
  return bytes;
}

function writeAnswer(line: Answer, bytes: Uint8Array = new Uint8Array()): void {
  const all = Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), bytes]);
  for (let at = 0; at < all.length; ) at += writeSync(ANSWER, all, at);
}
