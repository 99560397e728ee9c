/**
 * Decides what happens to a new fact. It waits for an owner's approval, unless an owner stated it completely in their
 * own words, so that it may be kept without asking (promise 40).
 */

import { UserError } from '../../../errors.ts';
import { scrub } from '../../../log.ts';
import type { Suggestion } from '../../../runtime/contract/memory.ts';
import type { Home } from '../../../workspace/home.ts';
import { type Bullet, bulletsOf, matching, wholeOf } from '../store/bullets.ts';
import { addToMemory, isRemembered, readMemory } from '../store/memory.ts';
import { likeness } from '../store/same-words.ts';
import { isStatedIn } from '../store/stated.ts';
import { addSuggestion } from '../store/suggestions.ts';
import { ownWords } from './trust.ts';

export interface Fact {
  section?: string | undefined;
  text: string;
  /** Words of the line that it corrects. */
  replaces?: string | undefined;
}

export interface Keeping {
  home: Home;
  viber: string;
  taskId: string;
  runId: string;
  /** Whether `memory.autoAccept` is on and an owner is speaking. */
  autoAcceptMemory: boolean;
  /** The person who said it, and the task. */
  provenance: string;
}

/** Returns the pending suggestion; undefined if the fact is now in MEMORY.md. */
export async function suggestFact(
  { home, viber, taskId, runId, autoAcceptMemory, provenance }: Keeping,
  given: Fact,
): Promise<Suggestion | undefined> {
  const fact = { section: given.section, text: scrub(given.text), provenance };
  if (await isRemembered(home, viber, fact.text)) return undefined;
  const lines = bulletsOf((await readMemory(home, viber)) ?? '');
  if (lines.some(({ text }) => likeness(text, fact.text) === 'same') && !given.replaces?.trim()) return undefined;
  const old = corrected(lines, fact.text, given.replaces);
  // Removing something from memory always needs approval.
  if (old) {
    const section = fact.section ?? (old.section === '' ? undefined : old.section);
    return addSuggestion(home, viber, { ...fact, section, replaces: wholeOf(old), run: runId });
  }
  const said = autoAcceptMemory ? await ownWords(home, viber, taskId) : undefined;
  if (said !== undefined && isStatedIn(said, fact.text)) {
    await addToMemory(home, viber, fact);
    return undefined;
  }
  return addSuggestion(home, viber, { ...fact, run: runId });
}

/**
 * Returns the line that is named, or the one that says almost the same.
 * @throws {UserError} if the words match no line, or several
 */
function corrected(lines: readonly Bullet[], text: string, named: string | undefined): Bullet | undefined {
  if (named === undefined || named.trim() === '') {
    const near = lines.filter((line) => likeness(line.text, text) === 'near');
    return near.length === 1 && !text.includes('\n') ? near[0] : undefined;
  }
  const found = lines.filter((line) => line.text === named.trim());
  const [only, other] = found.length > 0 ? found : matching(lines, named);
  if (!only) throw new UserError('No line of memory has the words in replaces; check them, or omit replaces.');
  if (other) throw new UserError('Several lines have the words in replaces: give all words of the line that you mean.');
  return only;
}
