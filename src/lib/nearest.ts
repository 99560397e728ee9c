/** Returns the candidate within two edits (one for short words); undefined when none is that close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const allowed = word.length < 4 ? 1 : 2;
  const scored = candidates.map((name) => ({ name, changes: distance(word.toLowerCase(), name.toLowerCase()) }));
  return scored.filter(({ changes }) => changes <= allowed).sort((a, b) => a.changes - b.changes)[0]?.name;
}

/**
 * Counts letters changed, removed, inserted, or swapped with their neighbour. Anything longer than 40 characters is far
 * from everything.
 */
export function distance(a: string, b: string): number {
  if (a.length > 40 || b.length > 40) return 40;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
