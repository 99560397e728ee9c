/** Draws the top of a chart: its title and the legend. */
import type { Canvas, Colour, Point } from './canvas.ts';
import { capHeight, drawText, fitText, textWidth, wrapText } from './text.ts';
import { colourOf, type Look } from './theme.ts';

/**
 * @param names of the series: several become a legend, a single one a line below the title
 * @returns where the chart itself may begin, in pixels from the top
 */
export function drawHeader(canvas: Canvas, look: Look, title: string, names: readonly string[]): number {
  const { pad, scale } = look;
  const width = canvas.width - 2 * pad;
  let y = pad;
  for (const line of title === '' ? [] : wrapText(title, width, look.title, 2)) {
    drawText(canvas, line, [pad, y + capHeight(look.title.size) / 2], look.title);
    y += look.title.size * 1.25;
  }
  const middle = capHeight(look.label.size) / 2;
  if (names.length <= 1) {
    const [name = ''] = names;
    if (name === '') return y + 6 * scale;
    drawText(canvas, fitText(name, width, look.label), [pad, y + middle + 4 * scale], look.label);
    return y + look.label.size * 1.6;
  }
  let x = pad;
  y += 6 * scale;
  for (const [at, name] of names.entries()) {
    const text = fitText(name || `series ${at + 1}`, Math.min(width / 2, 320 * scale), look.strong);
    const needed = 26 * scale + textWidth(text, look.strong);
    if (x > pad && x + needed > canvas.width - pad) {
      x = pad;
      y += look.strong.size * 1.5;
    }
    canvas.circle([x + 8 * scale, y + middle], 8 * scale, colourOf(at));
    drawText(canvas, text, [x + 26 * scale, y + middle], look.strong);
    x += needed + 34 * scale;
  }
  return y + look.strong.size * 1.7;
}

/** Draws a horizontal or vertical hairline, aligned to pixels. */
export function hairLine(canvas: Canvas, from: Point, to: Point, colour: Colour, width: number): void {
  const sharp = (value: number) => (Math.round(width) % 2 === 1 ? Math.floor(value) + 0.5 : Math.round(value));
  const points = [from, to].map(([x, y]) => [sharp(x), sharp(y)] as const);
  canvas.stroke([points], Math.max(1, Math.round(width)), colour);
}
