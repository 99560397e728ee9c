/** Measures terminal columns and wraps text to them. A character of two columns is never split between lines. Pure. */
import { createLru } from '../../lib/lru.ts';
import { displayWidth } from '../markdown/table.ts';

export { displayWidth } from '../markdown/table.ts';

export interface Range {
  start: number;
  end: number;
}

interface Grapheme extends Range {
  width: number;
  isBlank: boolean;
}

let segmenter: Intl.Segmenter | undefined;
/** Caches the widths of characters: measuring one anew costs twenty times as much. */
const widths = createLru<number>(5_000);

function widthOf(segment: string): number {
  const width = widths.get(segment) ?? displayWidth(segment);
  if (!widths.has(segment)) widths.set(segment, width);
  return width;
}

/** Returns the characters as a reader sees them, each with its columns. */
export function graphemes(text: string): Grapheme[] {
  if (/^[ -~]*$/.test(text))
    return Array.from(text, (letter, start) => ({ start, end: start + 1, width: 1, isBlank: letter === ' ' }));
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment, index }) => ({
    start: index,
    end: index + segment.length,
    width: widthOf(segment),
    isBlank: /^\s+$/.test(segment),
  }));
}

/** Wraps a text without line breaks, between words or within a word longer than a line. Returns at least one line. */
export function wrap(text: string, width: number): Range[] {
  if (text.length <= width && /^[ -~]*$/.test(text)) return [{ start: 0, end: text.length }];
  const lines: Range[] = [];
  let line: Range = { start: 0, end: 0 };
  let columns = 0;
  /** The last possible line end, and the width up to the text after it. */
  let cut: { end: number; next: number; columns: number } | undefined;
  let before: Grapheme | undefined;
  for (const one of graphemes(text)) {
    // Words begin after blanks; each East Asian character is a word.
    const isBetween = before !== undefined && !one.isBlank && (before.isBlank || before.width > 1 || one.width > 1);
    if (isBetween && one.start > line.start) cut = { end: line.end, next: one.start, columns };
    if (!one.isBlank && columns + one.width > width && one.start > line.start) {
      const at = cut ?? { end: one.start, next: one.start, columns };
      lines.push({ start: line.start, end: at.end });
      line = { start: at.next, end: Math.max(at.next, line.end) };
      columns -= at.columns;
      cut = undefined;
    }
    columns += one.width;
    if (!one.isBlank) line.end = one.end;
    before = one;
  }
  lines.push(line);
  return lines;
}

export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let columns = 0;
  let end = 0;
  for (const one of graphemes(text)) {
    if (columns + one.width > width - 1) break;
    columns += one.width;
    end = one.end;
  }
  return `${text.slice(0, end)}…`;
}
