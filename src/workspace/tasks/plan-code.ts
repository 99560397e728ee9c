/** Finds code in a plan: lines between two fences are never headings or steps. Pure. */

const FENCE = /^[ \t]*(`{3,}|~{3,})(.*)$/s;
const SECTION = /^#{1,6}[ \t]+(?:goal|plan|steps|context|blockers)[ \t:#]*$/i;

/**
 * Marks lines of code, with their fences. A fence without an end, or around a section, doesn't count, so that it hides
 * no step and no section.
 */
export function codeIn(lines: readonly string[]): boolean[] {
  const code = lines.map(() => false);
  /** Length of the shortest fence without an end in this section, by character. */
  const endless = new Map<string, number>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (SECTION.test(line)) endless.clear();
    const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
    const sign = marks.charAt(0);
    if (marks === '' || (sign === '`' && info.includes('`'))) continue;
    if (marks.length >= (endless.get(sign) ?? Number.POSITIVE_INFINITY)) continue;
    const end = fenceEnd(lines, at + 1, marks);
    if (end < 0) endless.set(sign, marks.length);
    else {
      code.fill(true, at, end + 1);
      at = end;
    }
  }
  return code;
}

export function withoutCode(lines: readonly string[]): string[] {
  const code = codeIn(lines);
  return lines.map((line, at) => (code[at] ? '' : line));
}

function fenceEnd(lines: readonly string[], from: number, marks: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (SECTION.test(line)) break;
    const [, found = '', info = ''] = FENCE.exec(line) ?? [];
    if (found.startsWith(marks) && info.trim() === '') return at;
  }
  return -1;
}
