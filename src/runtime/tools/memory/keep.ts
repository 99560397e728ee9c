/** Something to remember on its way in: it waits for an owner, unless it may be kept without a question: when it says no more than an owner's own words (promise 40). */
import { scrub } from '../../../log.ts';
import type { Home } from '../../../workspace/home.ts';
import { addToMemory, isRemembered } from '../../../workspace/memory/memory.ts';
import { isSaidIn } from '../../../workspace/memory/same-words.ts';
import { addSuggestion, type Suggestion } from '../../../workspace/memory/suggestions.ts';
import { ownWords } from './trust.ts';

export interface Keeping {
  home: Home;
  viber: string;
  taskId: string;
  runId: string;
  /** `memory.auto_accept`, and an owner is speaking. */
  autoAcceptMemory: boolean;
  /** Who said it, in which task. */
  provenance: string;
}

/** Gives what waits now; undefined when it stands in MEMORY.md. */
export async function keep(
  { home, viber, taskId, runId, autoAcceptMemory, provenance }: Keeping,
  given: { section?: string | undefined; text: string },
): Promise<Suggestion | undefined> {
  const fact = { section: given.section, text: scrub(given.text), provenance };
  if (await isRemembered(home, viber, fact.text)) return undefined;
  const said = autoAcceptMemory ? await ownWords(home, viber, taskId) : undefined;
  if (said !== undefined && isSaidIn(said, fact.text)) {
    await addToMemory(home, viber, fact);
    return undefined;
  }
  return addSuggestion(home, viber, { ...fact, run: runId });
}
