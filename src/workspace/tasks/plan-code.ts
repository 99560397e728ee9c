/** Code in a plan: what stands between two fences is no heading and no step, whatever it looks like. Pure. */

const FENCE = /^[ \t]*(`{3,}|~{3,})(.*)$/s;
const SECTION = /^#{1,6}[ \t]+(?:goal|plan|steps|context|blockers)[ \t:#]*$/i;

/**
 * Which lines are code, the fences themselves too. Invariant: no step and no section of a plan is lost to a fence that nobody has closed: a fence
 * without an end, or around one of the sections, is none.
 */
export function codeIn(lines: readonly string[]): boolean[] {
  const code = lines.map(() => false);
  /** By their sign: how short fences are of which no end comes in this section. */
  const endless = new Map<string, number>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (SECTION.test(line)) endless.clear();
    const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
    const sign = marks.charAt(0);
    if (marks === '' || (sign === '`' && info.includes('`'))) continue;
    if (marks.length >= (endless.get(sign) ?? Number.POSITIVE_INFINITY)) continue;
    const end = endOf(lines, at + 1, marks);
    if (end < 0) endless.set(sign, marks.length);
    else {
      code.fill(true, at, end + 1);
      at = end;
    }
  }
  return code;
}

/** The same lines with the code left empty. */
export function withoutCode(lines: readonly string[]): string[] {
  const code = codeIn(lines);
  return lines.map((line, at) => (code[at] ? '' : line));
}

function endOf(lines: readonly string[], from: number, marks: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (SECTION.test(line)) break;
    const [, found = '', info = ''] = FENCE.exec(line) ?? [];
    if (found.startsWith(marks) && info.trim() === '') return at;
  }
  return -1;
}
