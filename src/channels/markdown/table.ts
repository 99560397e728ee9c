/** Writes a table as lines of equally wide characters, for platforms that have no tables. */

export type Align = 'left' | 'center' | 'right';

// A longer cell overruns its column instead of widening every row: one huge cell must not multiply the message.
const MAX_PAD = 40;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the columns the text takes in a monospace font: 2 for East Asian wide characters and emoji, 0 for invisible
 * ones.
 */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    if (WIDE.test(segment)) width += 2;
    else if (!/^\p{Cf}+$/u.test(segment)) width += 1;
  }
  return width;
}

/**
 * Aligns rows of cells; the first row is the header. A row has as many lines as its longest cell, without trailing
 * blanks.
 */
export function alignTable(rows: readonly (readonly string[])[], align: readonly (Align | undefined)[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Math.min(cellWidth(cell), MAX_PAD));
    }
  }
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => pad(cell, (widths[column] ?? 0) - displayWidth(cell), align[column]))
      .join(' | ')
      .trimEnd();
  const written = rows.map((row) => splitRow(row).map(lineOf).join('\n'));
  // Some tables have an empty header because Markdown requires one.
  if (rows[0]?.every((cell) => cell.trim() === '')) return written.slice(1).join('\n');
  written.splice(1, 0, widths.map((width) => '-'.repeat(Math.max(width, 1))).join('-+-'));
  return written.join('\n');
}

export function cellWidth(cell: string): number {
  return cell.includes('\n') ? Math.max(...cell.split('\n').map(displayWidth)) : displayWidth(cell);
}

function splitRow(row: readonly string[]): string[][] {
  if (!row.some((cell) => cell.includes('\n'))) return [[...row]];
  const cells = row.map((cell) => cell.split('\n'));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''));
}

function pad(cell: string, missing: number, align: Align | undefined): string {
  if (missing <= 0) return cell;
  const before = align === 'right' ? missing : align === 'center' ? missing >> 1 : 0;
  return ' '.repeat(before) + cell + ' '.repeat(missing - before);
}
