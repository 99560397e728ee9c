/**
 * What may leave this machine on a run's word: one pure rule for pages of the web, tools of servers that reach out, and whatever
 * else carries words of a model to others. Whoever makes the addresses (the model) is not believed; what counts is who has
 * written them, what the run has seen by then, and how much has left already.
 */
import type { WorkingMode } from '../contract/settings.ts';

/** Characters that may leave in one run without a question, the run's agents included. */
export const MAX_UNASKED = 500;

export interface EgressFacts {
  mode: WorkingMode;
  /** It runs on the word of a guest. */
  isGuest: boolean;
  /** The configuration lists the host. */
  isListed: boolean;
  /** The whole address stands in the own words of the task's people: it carries nothing that they have not written. */
  isTheirs: boolean;
  /** It has been asked for in this run since something private was seen: the order of several would tell as much as words. */
  isUsed: boolean;
  /** The host stands in their words, or an owner has set up where it goes. */
  isNamed: boolean;
  /** The run has seen memory, files, or what tools gave. */
  isTainted: boolean;
  /** Somebody has approved a call to the same place in this run. */
  isAllowed: boolean;
  /** Somebody has said "always" to this place in the task. */
  isAlways: boolean;
  /** It looks as if it held a key or a piece of text. */
  isOdd: boolean;
  /** What this call sends, and what the run has sent unasked before, in characters. */
  characters: number;
  sent: number;
}

/** `count`: it goes, and its characters are noted before it does; `once`: it goes, and that it has gone is noted before. */
export type Egress = 'pass' | 'once' | 'count' | 'ask' | 'refuse';

export function judgeEgress(facts: EgressFacts): Egress {
  const { mode, isTainted, isAllowed, isAlways } = facts;
  if (facts.isGuest) return facts.isListed ? 'pass' : 'refuse';
  if (mode === 'execute') return 'pass';
  if (mode === 'ask' && !isAlways) return 'ask';
  if (facts.isListed || (facts.isTheirs && !isTainted)) return 'pass';
  if (facts.isTheirs && !facts.isUsed) return 'once';
  if (!isAlways && !isAllowed && (isTainted || !facts.isNamed)) return 'ask';
  if (facts.isOdd && !isAlways) return 'ask';
  return facts.sent + facts.characters > MAX_UNASKED ? 'ask' : 'count';
}
