/** Words on a canvas: how wide they are, and drawing them at any angle. */
import type { Canvas, Colour, Polygon } from './canvas.ts';
import { glyphOf } from './font.ts';
import { type Point, stroke } from './shapes.ts';

export interface TextStyle {
  /** Pixels; capitals are 0.7 of it. */
  size: number;
  colour: Colour;
  isBold?: boolean;
}

/** Where the given point is in the words. `middle` and `end` along the line; always the middle of capitals across it. */
export type Anchor = 'start' | 'middle' | 'end';

const UNIT = 0.05;
const GAP = 3.7;
const BOLD_GAP = 4.4;
const SPACE = 6;
const CAPITAL = 14;

export const capHeight = (size: number): number => size * UNIT * CAPITAL;

export function textWidth(text: string, { size, isBold }: TextStyle): number {
  const gap = isBold ? BOLD_GAP : GAP;
  let units = 0;
  for (const char of text) units += char === ' ' ? SPACE : glyphOf(char).width + gap;
  return Math.max(0, units - gap) * size * UNIT;
}

/** @param angle radians, clockwise */
export function drawText(
  canvas: Canvas,
  text: string,
  [x, y]: Point,
  style: TextStyle,
  { anchor = 'start', angle = 0 }: { anchor?: Anchor; angle?: number } = {},
): void {
  const unit = style.size * UNIT;
  const gap = style.isBold ? BOLD_GAP : GAP;
  const shift = { start: 0, middle: 0.5, end: 1 }[anchor];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const polygons: Polygon[] = [];
  let at = (-shift * textWidth(text, style)) / unit;
  for (const char of text) {
    if (char === ' ') {
      at += SPACE;
      continue;
    }
    const glyph = glyphOf(char);
    for (const line of glyph.lines) {
      const placed = line.map(([gx, gy]): Point => {
        const [dx, dy] = [(gx + at) * unit, (gy - CAPITAL / 2) * unit];
        return [x + dx * cos - dy * sin, y + dx * sin + dy * cos];
      });
      polygons.push(...stroke(placed, (style.isBold ? 2.5 : 1.65) * unit));
    }
    at += glyph.width + gap;
  }
  canvas.fill(polygons, style.colour);
}

/** The words, cut with an ellipsis to fit a width in pixels. */
export function fitText(text: string, width: number, style: TextStyle): string {
  if (textWidth(text, style) <= width) return text;
  let fitting = '';
  let used = textWidth('…', style);
  for (const char of text) {
    used += (char === ' ' ? SPACE : glyphOf(char).width + (style.isBold ? BOLD_GAP : GAP)) * style.size * UNIT;
    if (used > width) break;
    fitting += char;
  }
  return `${fitting.trimEnd()}…`;
}

/** Lines that fit a width, broken at spaces; the last one is cut. */
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
