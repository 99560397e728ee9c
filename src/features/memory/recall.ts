/** Selects the parts of the viber's memory for a prompt: MEMORY.md, and the daily logs for complex work. */

import type { Clock } from '../../lib/clock.ts';
import type { MemoryLimits } from '../../runtime/context/context.ts';
import { selectMemory } from '../../runtime/context/inject.ts';
import type { MemoryRecall, RecallFor } from '../../runtime/contract/feature.ts';
import type { Home } from '../../workspace/home.ts';
import { isToDo, openTask } from '../../workspace/tasks/index.ts';
import { clockOf, type DailyLog, linesBefore, localDay, readDailyLogs } from './store/daily.ts';
import { readMemory } from './store/memory.ts';
import { createExclusion } from './store/patterns.ts';

export interface RecallFrom {
  readonly home: Home;
  readonly config: { memory: MemoryLimits };
  readonly clock: Clock;
}

const COMPLEX_STEPS = 3;

/**
 * Includes daily logs for complex work only; otherwise the model searches them when it needs to. Relevance is measured
 * against the task rather than its latest message, and today's log ends where today's conversation begins: otherwise
 * the memory would change with each message, and no provider could cache the text after it.
 */
export async function recall({ viber, taskId, query, plan }: RecallFor, from: RecallFrom): Promise<MemoryRecall> {
  const { home } = from;
  const limits = from.config.memory;
  const { maxMemoryTokens: maxTokens, maxDailyLogs, truncationStrategy: strategy } = limits;
  const isComplex = (plan?.steps.filter(isToDo).length ?? 0) >= COMPLEX_STEPS;
  const isExcluded = exclusionOf(limits.excludePatterns ?? NOTHING);
  const [memory, logs, task] = await Promise.all([
    isExcluded('MEMORY.md') ? undefined : readMemory(home, viber),
    isComplex && maxDailyLogs > 0 ? recentLogs(viber, taskId, isExcluded, from) : [],
    openTask(home, taskId).record(),
  ]);
  const sought = [task?.goal ?? query, plan?.goal ?? ''].join('\n');
  const text = selectMemory({ memory, logs, maxTokens, maxDailyLogs, strategy, query: sought });
  return { text, hasLogs: logs.length > 0 };
}

async function recentLogs(
  viber: string,
  taskId: string,
  isExcluded: (relative: string) => boolean,
  { home, config, clock }: RecallFrom,
): Promise<DailyLog[]> {
  const logs = await readDailyLogs(home, viber, config.memory.maxDailyLogs);
  const now = new Date(clock.now());
  const today = localDay(now);
  const kept = logs.filter(({ date }) => !isExcluded(`memory/${date}.md`));
  if (kept[0]?.date !== today) return kept;
  const { entries } = openTask(home, taskId, viber).session.window();
  const first = entries.find((entry) => entry.type === 'message' && localDay(new Date(entry.at)) === today);
  const end = clockOf(first?.type === 'message' ? new Date(first.at) : now);
  return kept.map((log) => (log.date === today ? { ...log, text: linesBefore(log.text, end) } : log));
}

const NOTHING: readonly string[] = [];
const exclusions = new WeakMap<readonly string[], (relative: string) => boolean>();

function exclusionOf(patterns: readonly string[]): (relative: string) => boolean {
  const isExcluded = exclusions.get(patterns) ?? createExclusion(patterns);
  exclusions.set(patterns, isExcluded);
  return isExcluded;
}
