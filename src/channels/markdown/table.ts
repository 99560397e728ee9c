/** A table as lines of equally wide characters, for platforms that have no tables of their own. */

export type Align = 'left' | 'center' | 'right';

// A longer cell runs over its column instead of widening every row: one huge cell must not multiply the message.
const MAX_PAD = 40;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

/** Columns the text takes in a monospace font: 2 for East Asian wide characters and emoji, 0 for what cannot be seen. */
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

/** Rows of cells without line breaks; the first row is the header. Lines have no trailing blanks. */
export function alignTable(rows: readonly (readonly string[])[], align: readonly (Align | undefined)[]): string {
  const sizes = rows.map((row) => row.map(displayWidth));
  const widths: number[] = [];
  for (const row of sizes) {
    for (const [column, size] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, Math.min(size, MAX_PAD));
  }
  const lines = rows.map((row, index) =>
    row
      .map((cell, column) => pad(cell, (widths[column] ?? 0) - (sizes[index]?.[column] ?? 0), align[column]))
      .join(' | ')
      .trimEnd(),
  );
  // Some tables are written with an empty header for want of another form.
  if (rows[0]?.every((cell) => cell.trim() === '')) return lines.slice(1).join('\n');
  lines.splice(1, 0, widths.map((width) => '-'.repeat(Math.max(width, 1))).join('-+-'));
  return lines.join('\n');
}

function pad(cell: string, missing: number, align: Align | undefined): string {
  if (missing <= 0) return cell;
  const before = align === 'right' ? missing : align === 'center' ? missing >> 1 : 0;
  return ' '.repeat(before) + cell + ' '.repeat(missing - before);
}
