/**
 * Decides what may leave this machine in a run: one pure rule for web pages, tools of servers that reach out, and
 * everything else that carries a model's words to others. The model, which makes the addresses, isn't trusted; what
 * counts is who wrote them, what the run has seen by then, and how much has left already.
 */
import type { WorkingMode } from '../contract/settings.ts';

/** Includes those of the agents that the run asks. */
export const MAX_UNASKED = 500;

export interface EgressFacts {
  mode: WorkingMode;
  isGuest: boolean;
  isListed: boolean;
  /** The task's people wrote the whole address: it carries nothing that they haven't written. */
  isTheirs: boolean;
  /**
   * Requested in this run after something private was seen: the order of several requests could leak as much as words.
   */
  isUsed: boolean;
  /** The people's words contain the host, or an owner has set up where the call goes. */
  isNamed: boolean;
  /** The run has seen memory, files, or results of tools. */
  isTainted: boolean;
  isAllowed: boolean;
  isAlways: boolean;
  isOdd: boolean;
  /** Sent by this call, and by the run without a question before. */
  characters: number;
  sent: number;
}

/** It goes, but first its characters (`count`) or the fact that it went (`once`) are noted. */
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
