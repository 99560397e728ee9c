/**
 * Estimates token counts (within about 15% of real tokenizers). Counting costs 0.1 µs per character, so it is skipped
 * where the length alone decides, and cached for longer texts, since memory and plan seldom change between messages.
 */
import { estimateTokenCount } from 'tokenx';
import { createLru } from './lru.ts';

/** Characters per token that never fit: tokens are shorter on average. */
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
