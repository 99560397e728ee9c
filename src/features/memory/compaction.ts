/**
 * Decides when sessions are compacted: once a request had to omit part of its session and its run has the answer, or on
 * demand. `compact.ts` does it and is loaded on first use.
 * Invariants: at most one compaction per task and few in total, never in a lane; what a process leaves undone is found
 * again by the next request that omits something.
 */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../../log.ts';
import type { CompactionResult, CompactOptions, Pass } from './compact.ts';
import type { CompactionOrder } from './digester.ts';

export type { CompactionResult } from './compact.ts';
export type { CompactionOrder } from './digester.ts';

export interface Compaction {
  /** A request of this task had to omit something: compacts once the run has its answer. */
  due(order: CompactionOrder): void;
  /** The task's run has its answer. Resolves once the resulting work is done; never rejects. */
  ended(taskId: string): Promise<void>;
  /** Compacts on demand: at once, or with `afterRun` once the current run has its answer. Never rejects. */
  compact(order: CompactionOrder, options: { afterRun: boolean }): Promise<CompactionResult>;
  /** Aborts running work and waits for it. */
  close(): Promise<void>;
}

export interface CompactionOptions extends Omit<CompactOptions, 'signal'> {
  /** `history.compaction`: whether to compact automatically. */
  isAutomatic: boolean;
  /** Receives the tasks for whose run something waits. */
  awaited?: Set<string>;
  log: Logger;
}

/** Work that starts when the run of its task has ended. */
interface Waiting {
  order: CompactionOrder;
  isDemand: boolean;
  resolve: (done: CompactionResult) => void;
}

/** The maximum number at the same time. */
const AT_ONCE = 2;
const MAX_WAITING = 1_000;
const NONE = { messages: 0, facts: 0, waiting: 0, text: '' };

/** Work that waits for runs to end, by task, and the set in which others look up these tasks. */
interface Waits {
  waiting: Map<string, Waiting[]>;
  awaited: Set<string> | undefined;
}

function takeFrom({ waiting, awaited }: Waits, taskId: string): readonly Waiting[] {
  const all = waiting.get(taskId) ?? [];
  waiting.delete(taskId);
  awaited?.delete(taskId);
  return all;
}

export function createCompaction(options: CompactionOptions): Compaction {
  const { log, awaited } = options;
  const waiting = new Map<string, Waiting[]>();
  const take = (taskId: string) => takeFrom({ waiting, awaited }, taskId);
  const running = new Map<string, Promise<CompactionResult>>();
  const closing = new AbortController();
  const queue: (() => void)[] = [];
  let free = AT_ONCE;
  let loaded: Promise<Pass> | undefined;

  const load = () => {
    loaded ??= import('./compact.ts').then(({ createPass }) => createPass({ ...options, signal: closing.signal }));
    return loaded;
  };

  async function inTurn(work: () => Promise<CompactionResult>): Promise<CompactionResult> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return closing.signal.aborted ? { ...NONE, end: 'closed' } : await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  }

  function start(order: CompactionOrder, isDemand: boolean): Promise<CompactionResult> {
    const key = `${order.viber}/${order.taskId}`;
    const before = running.get(key);
    if (before && !isDemand) return before;
    const work = Promise.resolve(before)
      .then(() => inTurn(async () => (await load())(order, isDemand)))
      .catch((error: unknown): CompactionResult => {
        log.error({ err: error, task: order.taskId }, 'a session could not be compacted');
        return { ...NONE, end: 'failed' };
      })
      .finally(() => {
        if (running.get(key) === work) running.delete(key);
      });
    running.set(key, work);
    return work;
  }

  function wait(one: Waiting): void {
    const { taskId } = one.order;
    waiting.set(taskId, [...(waiting.get(taskId) ?? []), one]);
    awaited?.add(taskId);
    if (waiting.size <= MAX_WAITING) return;
    const [oldest = ''] = waiting.keys();
    giveUp(oldest, 'later');
  }

  function giveUp(taskId: string, end: CompactionResult['end']): void {
    for (const { resolve } of take(taskId)) resolve({ ...NONE, end });
  }

  return {
    due(order) {
      const isKnown = waiting.get(order.taskId)?.some((one) => one.order.viber === order.viber);
      if (options.isAutomatic && !isKnown) wait({ order, isDemand: false, resolve: () => undefined });
    },
    async ended(taskId) {
      await Promise.all(take(taskId).map(({ order, isDemand, resolve }) => start(order, isDemand).then(resolve)));
    },
    compact(order, { afterRun }) {
      if (!afterRun) return start(order, true);
      return new Promise((resolve) => wait({ order, isDemand: true, resolve }));
    },
    async close() {
      closing.abort();
      for (const taskId of [...waiting.keys()]) giveUp(taskId, 'closed');
      await Promise.all(running.values());
      // Lets callers inform people first.
      await setImmediate();
    },
  };
}
