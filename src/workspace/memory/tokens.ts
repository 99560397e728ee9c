/**
 * Token counts, estimated (within about 15% of real tokenizers). Counting costs 0.1 µs a character, so it is avoided where the
 * length alone decides, and remembered for longer texts: memory and plan seldom change from one message to the next.
 */
import { estimateTokenCount } from 'tokenx';
import { createLru } from '../../lib/lru.ts';

/** More characters than this for each token of the budget do not fit: tokens are shorter than that on average. */
export const MOST_CHARS = 12;
const LONG = 200;
const counts = createLru<number>(64);

export function countTokens(text: string): number {
  if (text.length < LONG) return estimateTokenCount(text);
  const known = counts.get(text);
  if (known !== undefined) return known;
  const count = estimateTokenCount(text);
  counts.set(text, count);
  return count;
}

export function fitsTokens(text: string, budget: number): boolean {
  if (text.length > budget * MOST_CHARS) return false;
  if (text.length <= budget && !/\P{ASCII}/u.test(text)) return true;
  return countTokens(text) <= budget;
}
