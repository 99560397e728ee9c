/**
 * Ranks skills by how well they match some words. Uses the words of the memory's index; rare words count more, and
 * words of the name most. Built once for each set of skills.
 */
import { indexWords, queryTerms } from '../../lib/words.ts';

type NamedText = { name: string; description: string };

export interface Relevance<Of extends NamedText> {
  /** Returns the skills that share a word with the query, best first; ties keep the order of the skills. */
  rank(query: string): Of[];
}

/** How much more a word of the name counts than one of the description. */
const NAME_WEIGHT = 3;
/** The usual constants of BM25: how soon a repeated word counts less, and how much a text's length does. */
const [K1, B] = [1.2, 0.75];

export function relevanceOf<Of extends NamedText>(skills: readonly Of[]): Relevance<Of> {
  /** How often each word occurs in which text. */
  const found = new Map<string, Map<number, number>>();
  const lengths = skills.map(({ name, description }, index) => {
    const named = indexWords(name.replaceAll('-', ' '));
    const words = [...Array.from({ length: NAME_WEIGHT }, () => named).flat(), ...indexWords(description)];
    for (const word of words) {
      const at = found.get(word) ?? new Map<number, number>();
      at.set(index, (at.get(index) ?? 0) + 1);
      found.set(word, at);
    }
    return words.length;
  });
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, skills.length);

  function add(scores: Map<number, number>, at: ReadonlyMap<number, number>): void {
    const rarity = Math.log(1 + (skills.length - at.size + 0.5) / (at.size + 0.5));
    for (const [index, count] of at) {
      const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / Math.max(1, usual));
      scores.set(index, (scores.get(index) ?? 0) + (rarity * count * (K1 + 1)) / (count + norm));
    }
  }

  return {
    rank(query) {
      const scores = new Map<number, number>();
      for (const { text, isPrefix } of queryTerms(query)) {
        const whole = found.get(text);
        if (whole) add(scores, whole);
        else if (isPrefix) for (const [word, at] of found) if (word.startsWith(text)) add(scores, at);
      }
      const ranked = [...scores].sort(([a, x], [b, y]) => y - x || a - b);
      return ranked.flatMap(([index]) => skills[index] ?? []);
    },
  };
}
