/**
 * Work whose time grows with what people send, in threads of its own: bounded in time and memory, a few at a time, and ended with the
 * run that asked. What breaks its thread breaks nothing else, and the main thread goes on meanwhile.
 */
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface ThreadLimits {
  timeoutMs: number;
  memoryMb: number;
  /** Threads at the same time; further work waits. */
  atOnce: number;
}

type Answer = { value: unknown } | { refused: string };

/** `refused`: the thread itself says why, in a sentence for people; `late`, `broken`: a limit ended it. */
export class ThreadError extends Error {
  readonly why: 'refused' | 'late' | 'broken';

  constructor(why: ThreadError['why'], message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
  }
}

export type InThread<Input, Output> = (input: Input, signal: AbortSignal, timeoutMs?: number) => Promise<Output>;

/**
 * @param file where the thread begins; it calls `answerInThread`
 * @returns rejects with ThreadError, or with the signal's reason
 */
export function createThreads<Input, Output>(file: URL, limits: ThreadLimits): InThread<Input, Output> {
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

  /** The place is handed on, so that nobody who comes in between takes it. */
  function leave(): void {
    const [next] = waiting;
    if (!next) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return async (input, signal, timeoutMs = limits.timeoutMs) => {
    await enter(signal);
    try {
      return (await run(file, input, signal, { ...limits, timeoutMs })) as Output;
    } finally {
      leave();
    }
  };
}

async function run(file: URL, input: unknown, signal: AbortSignal, { timeoutMs, memoryMb }: ThreadLimits) {
  signal.throwIfAborted();
  const worker = new Worker(file, {
    ...{ workerData: input, env: {}, execArgv: [], stdout: true, stderr: true },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 64 },
  });
  const over = Promise.withResolvers<unknown>();
  const fail = (why: ThreadError['why'], message: string, cause?: unknown) =>
    over.reject(new ThreadError(why, message, cause));
  worker.once('message', (answer: Answer) =>
    'value' in answer ? over.resolve(answer.value) : fail('refused', answer.refused),
  );
  worker.once('error', (error) => fail('broken', 'The thread broke.', error));
  worker.once('exit', () => fail('broken', 'The thread ended.'));
  const timer = setTimeout(() => fail('late', `The thread took more than ${timeoutMs} ms.`), timeoutMs);
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

/** The thread's side: one input, one answer. @param isRefusal errors whose message is for people; every other breaks the thread */
export async function answerInThread<Input>(
  work: (input: Input) => Promise<unknown>,
  isRefusal: (error: unknown) => error is Error,
): Promise<void> {
  parentPort?.postMessage(await answerOf(work, workerData as Input, isRefusal));
}

async function answerOf<Input>(
  work: (input: Input) => Promise<unknown>,
  input: Input,
  isRefusal: (error: unknown) => error is Error,
): Promise<Answer> {
  try {
    return { value: await work(input) };
  } catch (error) {
    if (isRefusal(error)) return { refused: error.message };
    throw error;
  }
}
