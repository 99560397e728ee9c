/** Handles `<memory_suggestion>` blocks in an answer: each waits for an owner, or is kept if it needs no question. */
import { principalText } from '../../access/principal.ts';
import type { BlockOf } from '../../runtime/contract/feature.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { parseSuggestion } from './store/suggestions.ts';
import { type Keeping, suggestFact } from './tools/keep.ts';

export async function keepSuggestions(
  texts: readonly string[],
  { viber, task, run, principal, made }: BlockOf,
  gw: Gateway,
): Promise<void> {
  const mayAccept = configOf(gw).memory.autoAccept && principal.role === 'owner' && !made.hasLogs;
  const keeping: Keeping = {
    home: gw.home,
    viber,
    taskId: task,
    runId: run,
    autoAcceptMemory: mayAccept,
    provenance: `${principalText(principal)} in task ${task}`,
  };
  for (const text of texts) {
    const waiting = await suggestFact(keeping, parseSuggestion(text));
    if (waiting) made.pending.push(waiting);
  }
}
