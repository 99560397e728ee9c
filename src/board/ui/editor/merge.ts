/**
 * Merges two versions of a text (three-way): keeps changes that don't overlap, and shows both versions between markers
 * where they do. Pure.
 */
import { diff3Merge, diffIndices } from 'node-diff3';

export interface MergeResult {
  text: string;
  conflicts: number;
}

const splitLines = (text: string): string[] => text.split('\n');

export function mergeTexts(
  mine: string,
  base: string,
  theirs: string,
  labels: { mine: string; theirs: string },
): MergeResult {
  let conflicts = 0;
  const lines = diff3Merge(splitLines(mine), splitLines(base), splitLines(theirs), {
    excludeFalseConflicts: true,
  }).flatMap(({ ok, conflict }): string[] => {
    if (ok) return ok;
    if (!conflict) return [];
    conflicts += 1;
    return [`<<<<<<< ${labels.mine}`, ...conflict.a, '=======', ...conflict.b, `>>>>>>> ${labels.theirs}`];
  });
  return { text: lines.join('\n'), conflicts };
}

export interface ShownLine {
  text: string;
  isChanged: boolean;
}

/** Compares two texts and marks the lines that only one of them has. */
export function compare(one: string, other: string): { one: ShownLine[]; other: ShownLine[] } {
  const [left, right] = [splitLines(one), splitLines(other)];
  const marked = (lines: string[]): ShownLine[] => lines.map((text) => ({ text, isChanged: false }));
  const shown = { one: marked(left), other: marked(right) };
  for (const { buffer1, buffer2 } of diffIndices(left, right)) {
    for (let at = buffer1[0]; at < buffer1[0] + buffer1[1]; at++)
      (shown.one[at] ?? { isChanged: false }).isChanged = true;
    for (let at = buffer2[0]; at < buffer2[0] + buffer2[1]; at++)
      (shown.other[at] ?? { isChanged: false }).isChanged = true;
  }
  return shown;
}
