/** Draws a ring of shares, the largest first, with names, values and percentages beside it. */
import { UserError } from '../../errors.ts';
import type { Canvas, Point } from './canvas.ts';
import { rectangle } from './plots.ts';
import type { ChartData } from './series.ts';
import { drawText, fitText, textWidth } from './text.ts';
import { colourOf, INK, type Look, WHITE } from './theme.ts';
import { formatNumber } from './values.ts';

const MAX_SLICES = 7;

export interface Slice {
  label: string;
  value: number;
}

/**
 * Merges equal labels. If there are more than seven slices, the smallest become `Other`.
 * @throws UserError for data without shares
 */
export function slicesOf({ labels, series }: ChartData): Slice[] {
  const sums = new Map<string, number>();
  for (const [at, value] of (series[0]?.values ?? []).entries()) {
    if (value === undefined) continue;
    if (value < 0) throw new UserError('A pie cannot show negative values: a bar chart can.');
    const label = labels[at] ?? '';
    sums.set(label, (sums.get(label) ?? 0) + value);
  }
  const all = [...sums].map(([label, value]): Slice => ({ label, value })).filter(({ value }) => value > 0);
  if (all.length === 0) throw new UserError('A pie needs at least one value above zero.');
  all.sort((a, b) => b.value - a.value);
  if (all.length <= MAX_SLICES) return all;
  const rest = all.slice(MAX_SLICES - 1);
  const sum = rest.reduce((total, { value }) => total + value, 0);
  // Not translated, because the model wrote all other labels.
  return [...all.slice(0, MAX_SLICES - 1), { label: `+${rest.length}`, value: sum }];
}

export function drawPie(canvas: Canvas, look: Look, slices: readonly Slice[], top: number): void {
  const { pad, scale, strong, label } = look;
  // Scaled down first, so that the sum of huge values doesn't overflow.
  const total = slices.reduce((sum, { value }) => sum + value / 1e3, 0);
  const height = canvas.height - top - pad;
  const radius = Math.min(height / 2, canvas.width * 0.24);
  const x = pad + radius + 20 * scale;
  const y = top + height / 2;
  const hole = radius * 0.58;
  let angle = -Math.PI / 2;
  const edges: number[] = [];
  for (const [at, { value }] of slices.entries()) {
    const end = angle + (value / 1e3 / total) * 2 * Math.PI;
    canvas.fill([ringSlice(x, y, hole, radius, angle, end)], colourOf(at));
    edges.push(end);
    angle = end;
  }
  if (slices.length > 1) {
    const gaps = edges.map((edge): Point[] => {
      const [cos, sin] = [Math.cos(edge), Math.sin(edge)];
      return [
        [x + cos * hole * 0.98, y + sin * hole * 0.98],
        [x + cos * radius * 1.01, y + sin * radius * 1.01],
      ];
    });
    canvas.stroke(gaps, 3 * scale, WHITE);
  }
  canvas.circle([x, y], hole, WHITE);
  const sum = formatNumber(total * 1e3);
  if (textWidth(sum, look.title) < hole * 1.7) drawText(canvas, sum, [x, y], look.title, { anchor: 'middle' });

  const left = x + radius + Math.min(70 * scale, canvas.width * 0.05);
  const line = Math.min(52 * scale, height / slices.length);
  let rowY = y - (line * (slices.length - 1)) / 2;
  const share = canvas.width - pad;
  const shareWidth = textWidth('100.0%', strong);
  const values = slices.map(({ value }) => formatNumber(value));
  const widest = Math.max(...values.map((text) => textWidth(text, label)));
  const nameWidth = share - shareWidth - left - 34 * scale - 24 * scale;
  // In a small picture, names matter more than values.
  const valueWidth = nameWidth - widest > 110 * scale ? widest + 24 * scale : 0;
  for (const [at, slice] of slices.entries()) {
    const percent = `${((slice.value / 1e3 / total) * 100).toFixed(1)}%`;
    canvas.fill([rectangle(left, rowY - 9 * scale, 18 * scale, 18 * scale)], colourOf(at));
    drawText(canvas, fitText(slice.label, nameWidth - valueWidth, strong), [left + 34 * scale, rowY], {
      ...strong,
      colour: INK,
    });
    if (valueWidth > 0)
      drawText(canvas, values[at] ?? '', [share - shareWidth - 24 * scale, rowY], label, { anchor: 'end' });
    drawText(canvas, percent, [share, rowY], strong, { anchor: 'end' });
    rowY += line;
  }
}

/** Returns a slice of a ring; angles in radians clockwise from three o'clock. */
function ringSlice(x: number, y: number, inner: number, outer: number, from: number, to: number): Point[] {
  return [...arc(x, y, outer, from, to), ...arc(x, y, inner, to, from)];
}

function arc(x: number, y: number, radius: number, from: number, to: number): Point[] {
  const steps = Math.max(2, Math.ceil((Math.abs(to - from) * Math.sqrt(Math.max(radius, 0.5))) / 0.6));
  return Array.from({ length: steps + 1 }, (_, step): Point => {
    const angle = from + ((to - from) * step) / steps;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}
