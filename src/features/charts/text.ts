/** Measures text on a canvas, and draws it at any angle. */
import type { Canvas, Colour, Point } from './canvas.ts';
import { widthOf } from './font.ts';

export interface TextStyle {
  /** In pixels. Capitals are 0.73 of it. */
  size: number;
  colour: Colour;
  isBold?: boolean;
}

/** The position of the given point in the text: along the line as named; across it, always the middle of capitals. */
export type Anchor = 'start' | 'middle' | 'end';

const CAPITAL = 0.729;

export const capHeight = (size: number): number => size * CAPITAL;

export function textWidth(text: string, { size, isBold = false }: TextStyle): number {
  let ems = 0;
  for (const char of text) ems += widthOf(char, isBold);
  return ems * size;
}

/** @param angle radians, clockwise */
export function drawText(
  canvas: Canvas,
  text: string,
  [x, y]: Point,
  { size, colour, isBold = false }: TextStyle,
  { anchor = 'start', angle = 0 }: { anchor?: Anchor; angle?: number } = {},
): void {
  const down = capHeight(size) / 2;
  const foot: Point = [x - down * Math.sin(angle), y + down * Math.cos(angle)];
  if (text !== '') canvas.text(text, foot, { size, colour, isBold, anchor, angle });
}

/** Cuts text with an ellipsis to fit a width in pixels. */
export function fitText(text: string, width: number, style: TextStyle): string {
  if (textWidth(text, style) <= width) return text;
  let fitting = '';
  let used = textWidth('…', style);
  for (const char of text) {
    used += textWidth(char, style);
    if (used > width) break;
    fitting += char;
  }
  return `${fitting.trimEnd()}…`;
}

/** Breaks text at spaces into lines that fit a width; the last one is cut. */
export function wrapText(text: string, width: number, style: TextStyle, maxLines: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || lines.length === maxLines - 1 || textWidth(longer, style) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((one) => fitText(one, width, style));
}
