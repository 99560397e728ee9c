/**
 * Documents to text, each in a thread of its own: bounded in time and memory, two at a time, and ended with the run that asked.
 * A document that breaks its thread breaks nothing else.
 */
import { Worker } from 'node:worker_threads';
import { Unreadable } from '../contract/reading.ts';
import type { WorkerAnswer } from './documents/worker.ts';

const TIMEOUT_MS = 30_000;
const MEMORY_MB = 384;
const AT_ONCE = 2;
/** Where the bundled program keeps it. */
const FILE = import.meta.filename.endsWith('.ts') ? './documents/worker.ts' : './document-worker.js';

let running = 0;
const waiting: (() => void)[] = [];

/** @throws Unreadable; the signal's reason */
export async function readDocument(path: string, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<string> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    signal.throwIfAborted();
    return await inThread(path, signal, timeoutMs);
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

async function inThread(path: string, signal: AbortSignal, timeoutMs: number): Promise<string> {
  const worker = new Worker(new URL(FILE, import.meta.url), {
    ...{ workerData: { path }, env: {}, execArgv: [], stdout: true, stderr: true },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 64 },
  });
  const over = Promise.withResolvers<string>();
  const fail = (message: string, cause?: unknown) => over.reject(new Unreadable('unreadable', message, { cause }));
  worker.once('message', (answer: WorkerAnswer) =>
    'text' in answer ? over.resolve(answer.text) : fail(answer.refused),
  );
  worker.once('error', (error) => fail('It is too large or too damaged to be read.', error));
  worker.once('exit', () => fail('It is too large or too damaged to be read.'));
  const timer = setTimeout(() => fail('It takes too long to be read.'), timeoutMs);
  const onAbort = () => over.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await over.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}
