/** The marks of charts with two axes: bars, lines, areas and points. */
import type { Frame } from './axes.ts';
import type { Canvas, Point } from './canvas.ts';
import type { ChartData, Series } from './series.ts';
import { capHeight, drawText, textWidth } from './text.ts';
import { colourOf, type Look, WHITE } from './theme.ts';
import { formatNumber } from './values.ts';

/** Share of a category's width that its bars take. */
const FILLED = 0.72;
const MAX_BAR = 110;
/** Points of a line this many pixels apart get a dot each. */
const DOT_SPACE = 30;
const MAX_POINTS = 20_000;

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
      // On whole pixels where there is room, so that equal bars look equal.
      const [from, to] =
        width > 6 ? [Math.round(x), Math.round(x) + Math.round(width - gap)] : [x, x + Math.max(width, 0.5)];
      bars.push(rectangle(from, Math.min(y, zero), to - from, Math.max(Math.abs(y - zero), value === 0 ? 0 : 1)));
    }
    canvas.fill(bars, colourOf(which));
    if (series.length === 1) drawBarValues(canvas, look, values, frame);
  }
}

/** Above the bars, when all of them have room. */
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
  const lines = data.series.map(({ values }) => pieces(order, values, data.xs, frame));
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
  // The first series is the first in the legend and stays on top.
  for (const [which, parts] of [...lines.entries()].reverse()) {
    const width = (order.length > 500 ? 2 : 3.5) * look.scale;
    canvas.stroke(parts, width, colourOf(which));
    if (!isDotted) continue;
    for (const point of parts.flat()) {
      canvas.circle(point, 7.5 * look.scale, WHITE);
      canvas.circle(point, 5.5 * look.scale, colourOf(which));
    }
  }
}

/** The line without its gaps; of many points in one pixel column the first, lowest, highest and last. */
function pieces(order: readonly number[], values: Series['values'], xs: readonly number[], frame: Frame): Point[][] {
  const found: Point[][] = [];
  let part: Point[] = [];
  let column: Point[] = [];
  const flush = () => {
    const [first] = column;
    if (!first) return;
    if (column.length <= 4) part.push(...column);
    else {
      const byHeight = column.toSorted((a, b) => a[1] - b[1]);
      const kept = [first, byHeight[0], byHeight.at(-1), column.at(-1)].filter((point) => point !== undefined);
      part.push(...kept.sort((a, b) => a[0] - b[0]));
    }
    column = [];
  };
  for (const at of order) {
    const value = values[at];
    if (value === undefined) {
      flush();
      if (part.length > 0) found.push(part);
      part = [];
      continue;
    }
    const point: Point = [frame.x(xs[at] ?? 0), frame.y(value)];
    if (column[0] && Math.floor(column[0][0]) !== Math.floor(point[0])) flush();
    column.push(point);
  }
  flush();
  return part.length > 0 ? [...found, part] : found;
}

export function drawPoints(canvas: Canvas, look: Look, { series, xs }: ChartData, frame: Frame): void {
  const radius = (xs.length > 2_000 ? 2.5 : xs.length > 300 ? 4.5 : 7) * look.scale;
  for (const [which, { values }] of series.entries()) {
    // Points on the same pixel are one: what nobody could tell apart is not drawn a thousand times.
    const places = new Map<string, Point>();
    for (const [at, value] of values.entries()) {
      if (value === undefined) continue;
      const point: Point = [frame.x(xs[at] ?? 0), frame.y(value)];
      places.set(`${Math.round(point[0])},${Math.round(point[1])}`, point);
    }
    const points = [...places.values()];
    const step = Math.max(1, points.length / MAX_POINTS);
    for (let at = 0; at < points.length; at += step) {
      canvas.circle(points[Math.floor(at)] ?? [0, 0], radius, colourOf(which), 0.7);
    }
  }
}
