/** Draws the marks of charts with two axes: bars, lines, areas and points. */
import type { Frame } from './axes.ts';
import type { Canvas, Point } from './canvas.ts';
import type { ChartData, Series } from './series.ts';
import { capHeight, drawText, textWidth } from './text.ts';
import { colourOf, type Look, WHITE } from './theme.ts';
import { formatNumber } from './values.ts';

/** The share of a category's width that its bars fill. */
const FILLED = 0.72;
const MAX_BAR = 110;
/** If points on a line are at least this far apart, in pixels, each gets a dot. */
const DOT_SPACE = 30;
/** The limit for all series together. More would take seconds and show no more. */
const MAX_POINTS = 10_000;

export const rectangle = (x: number, y: number, width: number, height: number): Point[] => [
  ...[[x, y] as const, [x + width, y] as const],
  ...[[x + width, y + height] as const, [x, y + height] as const],
];

export function drawBars(canvas: Canvas, look: Look, { series }: ChartData, frame: Frame): void {
  const group = Math.min(frame.band * (frame.band < 5 ? 1 : FILLED), MAX_BAR * look.scale * series.length);
  const width = group / series.length;
  const gap = width > 8 ? Math.min(3 * look.scale, width * 0.08) : 0;
  const zero = frame.y(0);
  for (const [which, { values }] of series.entries()) {
    const bars: Point[][] = [];
    for (const [at, value] of values.entries()) {
      if (value === undefined) continue;
      const x = frame.x(at) - group / 2 + which * width + gap / 2;
      const y = frame.y(value);
      // Use whole pixels where there is room, so that equal bars look equal.
      const [from, to] =
        width > 6 ? [Math.round(x), Math.round(x) + Math.round(width - gap)] : [x, x + Math.max(width, 0.5)];
      bars.push(rectangle(from, Math.min(y, zero), to - from, Math.max(Math.abs(y - zero), value === 0 ? 0 : 1)));
    }
    canvas.fill(bars, colourOf(which));
    if (series.length === 1) drawBarValues(canvas, look, values, frame);
  }
}

/** Draws values above the bars, if there is room for all. */
function drawBarValues(canvas: Canvas, { strong, scale }: Look, values: Series['values'], frame: Frame): void {
  if (values.length > 24) return;
  const texts = values.map((value) => (value === undefined ? '' : formatNumber(value)));
  if (texts.some((text) => textWidth(text, strong) + 6 * scale > frame.band)) return;
  const away = capHeight(strong.size) / 2 + 9 * scale;
  for (const [at, value] of values.entries()) {
    if (value === undefined) continue;
    const y = frame.y(value) + (value < 0 ? away : -away);
    drawText(canvas, texts[at] ?? '', [frame.x(at), y], strong, { anchor: 'middle' });
  }
}

export function drawLines(canvas: Canvas, look: Look, data: ChartData, frame: Frame, isArea: boolean): void {
  const order = data.xs.map((_, at) => at).sort((a, b) => (data.xs[a] ?? 0) - (data.xs[b] ?? 0));
  const width = (order.length > 500 ? 2 : 3.5) * look.scale;
  const lines = data.series.map(({ values }) => pieces(order, values, data.xs, frame, width));
  const zero = Math.min(Math.max(frame.y(0), frame.top), frame.bottom);
  if (isArea) {
    for (const [which, parts] of lines.entries()) {
      const areas = parts.map((points): Point[] => [
        [points[0]?.[0] ?? 0, zero],
        ...points,
        [points.at(-1)?.[0] ?? 0, zero],
      ]);
      for (const area of areas) canvas.fill([area], colourOf(which), lines.length > 1 ? 0.22 : 0.3);
    }
  }
  const isDotted = !isArea && (frame.right - frame.left) / order.length > DOT_SPACE * look.scale;
  // Drawn in reverse, so that the first series in the legend is on top.
  for (const [which, parts] of [...lines.entries()].reverse()) {
    canvas.stroke(parts, width, colourOf(which));
    if (!isDotted) continue;
    for (const point of parts.flat()) {
      canvas.circle(point, 7.5 * look.scale, WHITE);
      canvas.circle(point, 5.5 * look.scale, colourOf(which));
    }
  }
}

/**
 * Splits a line at its gaps and reduces it to pixel columns. Each is as wide as the stroke, and shows the lowest and
 * highest of its points. If the data is denser than that, only a completely empty column counts as a gap.
 */
function pieces(
  order: readonly number[],
  values: Series['values'],
  xs: readonly number[],
  frame: Frame,
  width: number,
) {
  const isDense = order.length > (2 * (frame.right - frame.left)) / width;
  const found: Point[][] = [];
  let part: Point[] = [];
  let column: { at: number; low: Point; high: Point } | undefined;
  let isMissing = false;
  const flush = () => {
    if (!column) return;
    const { low, high } = column;
    part.push(...(low === high ? [low] : low[0] <= high[0] ? [low, high] : [high, low]));
    column = undefined;
  };
  const endPart = () => {
    flush();
    if (part.length > 0) found.push(part);
    part = [];
  };
  for (const index of order) {
    const value = values[index];
    if (value === undefined) {
      if (!isDense) endPart();
      isMissing = true;
      continue;
    }
    const point: Point = [frame.x(xs[index] ?? 0), frame.y(value)];
    const at = Math.floor(point[0] / width);
    if (!isDense) part.push(point);
    else if (column?.at !== at) {
      if (isMissing && column && at > column.at + 1) endPart();
      else flush();
      column = { at, low: point, high: point };
    } else if (point[1] < column.low[1]) column.low = point;
    else if (point[1] > column.high[1]) column.high = point;
    isMissing = false;
  }
  endPart();
  return found;
}

/** Draws points, merging those that hide each other. */
export function drawPoints(canvas: Canvas, look: Look, { series, xs }: ChartData, frame: Frame): void {
  const radius = (xs.length > 2_000 ? 2.5 : xs.length > 300 ? 4.5 : 7) * look.scale;
  const cell = xs.length > 2_000 ? radius : 1;
  const most = Math.ceil(MAX_POINTS / series.length);
  for (const [which, { values }] of series.entries()) {
    const places = new Map<number, Point>();
    for (const [at, value] of values.entries()) {
      if (value === undefined) continue;
      const point: Point = [frame.x(xs[at] ?? 0), frame.y(value)];
      places.set(Math.round(point[0] / cell) * 10_000 + Math.round(point[1] / cell), point);
    }
    const points = [...places.values()];
    const step = Math.max(1, points.length / most);
    for (let at = 0; at < points.length; at += step) {
      canvas.circle(points[Math.floor(at)] ?? [0, 0], radius, colourOf(which), 0.7);
    }
  }
}
