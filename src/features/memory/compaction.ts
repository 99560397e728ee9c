/**
 * Decides when to compact a session: on demand, or once a request had to omit part of the session and its run has an
 * answer. `compact.ts` does the work and is loaded on first use.
 * Invariants: at most one compaction runs per task, few run in total, and none runs in a lane. If a process leaves work
 * undone, the next request that omits something finds it again.
 */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../../log.ts';
import type { CompactionResult, CompactOptions, Pass } from './compact.ts';
import type { CompactionOrder } from './digester.ts';

export type { CompactionResult } from './compact.ts';
export type { CompactionOrder } from './digester.ts';

export interface Compaction {
  /** Must be called when a request had to omit part of this task's session: compacts once the run has its answer. */
  due(order: CompactionOrder): void;
  /** Must be called when the task's run has its answer. Resolves once the resulting work is done; never rejects. */
  ended(taskId: string): Promise<void>;
  /** Compacts on demand: at once or, with `afterRun`, once the current run has its answer. Never rejects. */
  compact(order: CompactionOrder, options: { afterRun: boolean }): Promise<CompactionResult>;
  close(): Promise<void>;
}

export interface CompactionOptions extends Omit<CompactOptions, 'signal'> {
  /** `history.compaction`: whether to compact automatically. */
  isAutomatic: boolean;
  /** Receives the tasks whose compaction waits for the end of a run. */
  awaited?: Set<string>;
  log: Logger;
}

/** Work that starts when its task's run has ended. */
interface Waiting {
  order: CompactionOrder;
  isDemand: boolean;
  resolve: (done: CompactionResult) => void;
}

const AT_ONCE = 2;
const MAX_WAITING = 1_000;
const NONE = { messages: 0, facts: 0, waiting: 0, text: '' };

/** Returns a function that runs at most `AT_ONCE` pieces of work at the same time. */
function createLimit(): (work: () => Promise<CompactionResult>) => Promise<CompactionResult> {
  const queue: (() => void)[] = [];
  let free = AT_ONCE;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
}

export function createCompaction(options: CompactionOptions): Compaction {
  const { log, awaited } = options;
  const waiting = new Map<string, Waiting[]>();
  const running = new Map<string, Promise<CompactionResult>>();
  const closing = new AbortController();
  const inTurn = createLimit();
  let loaded: Promise<Pass> | undefined;

  function take(taskId: string): readonly Waiting[] {
    const all = waiting.get(taskId) ?? [];
    waiting.delete(taskId);
    awaited?.delete(taskId);
    return all;
  }

  const load = () => {
    loaded ??= import('./compact.ts').then(({ createPass }) => createPass({ ...options, signal: closing.signal }));
    return loaded;
  };

  function start(order: CompactionOrder, isDemand: boolean): Promise<CompactionResult> {
    const key = `${order.viber}/${order.taskId}`;
    const before = running.get(key);
    if (before && !isDemand) return before;
    const work = Promise.resolve(before)
      .then(() =>
        inTurn(async () => (closing.signal.aborted ? { ...NONE, end: 'closed' } : (await load())(order, isDemand))),
      )
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
