/** Draws the axes of a chart: ticks, a grid, and labels that don't overlap. Maps values to pixels. */
import type { Canvas } from './canvas.ts';
import { hairLine } from './header.ts';
import { dateScale, formatPlain, numberScale, type Scale, scaleTo } from './scale.ts';
import type { ChartData, ChartType } from './series.ts';
import { capHeight, drawText, fitText, textWidth } from './text.ts';
import { AXIS, GRID, type Look } from './theme.ts';

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Pixels between two categories. */
  band: number;
  x(at: number): number;
  y(value: number): number;
}

const ANGLE = -Math.PI / 4.5;
/** The most characters of one label. */
const MAX_LABEL = 40;

export function drawAxes(canvas: Canvas, look: Look, data: ChartData, type: ChartType, top: number): Frame {
  const { pad, scale, label } = look;
  const isBand = data.xKind === 'category';
  const line = label.size * 1.5;
  const nameHeight = data.xName === '' ? 0 : line;
  const room = canvas.height - top - pad - nameHeight;
  const y = valueScale(data, type, Math.max(2, Math.min(8, room / (75 * scale))));
  let left = pad + Math.max(...y.ticks.map((tick) => textWidth(tick.label, label))) + 14 * scale;
  const right = canvas.width - pad;

  const count = data.labels.length;
  const texts = isBand ? data.labels.map((text) => cutLabel(text)) : [];
  const isTight = isCrowded(texts, (right - left) / Math.max(1, count), look);
  // Dates and numbers are regular, so some of the labels are enough.
  const slanted = isTight && !data.isOrdered;
  const most = Math.min(canvas.height * 0.25, 230 * scale);
  const longest = slanted ? Math.min(most, Math.max(...firstTexts(texts).map((text) => textWidth(text, label)))) : 0;
  if (slanted) {
    // The first label extends to the left of its bar.
    const first = Math.min(longest, textWidth(texts[0] ?? '', label)) * Math.cos(ANGLE);
    left = Math.max(left, pad / 2 + first - (right - left) / count / 2);
  }
  const slope = longest * Math.sin(-ANGLE) + 8 * scale;
  const bottom = canvas.height - pad - nameHeight - (slanted ? Math.max(slope, line * 0.6) : line * 0.75);

  const yOf = (value: number) => scaleTo(value, y, bottom, top);
  for (const tick of y.ticks) {
    const at = yOf(tick.value);
    hairLine(canvas, [left, at], [right, at], tick.value === 0 ? AXIS : GRID, tick.value === 0 ? 2 * scale : scale);
    drawText(canvas, tick.label, [left - 14 * scale, at], label, { anchor: 'end' });
  }
  const inner = type === 'bar' ? 0 : 16 * scale;
  const frame = { left, right, top, bottom, band: (right - left) / Math.max(1, count), y: yOf };
  const below = bottom + 14 * scale + capHeight(label.size) / 2;
  let xOf: Frame['x'];
  if (isBand) {
    xOf = (at) => left + (at + 0.5) * frame.band;
    drawCategories(canvas, look, texts, frame, xOf, slanted ? longest : undefined, below);
  } else {
    const x = positions(data, (right - left) / (150 * scale), type);
    xOf = (value) => scaleTo(value, x, left + inner, right - inner);
    let free = Number.NEGATIVE_INFINITY;
    for (const tick of x.ticks) {
      const at = xOf(tick.value);
      const half = textWidth(tick.label, label) / 2;
      hairLine(canvas, [at, bottom], [at, bottom + 6 * scale], AXIS, scale);
      if (at - half < free || at + half > canvas.width - 4) continue;
      drawText(canvas, tick.label, [at, below], label, { anchor: 'middle' });
      free = at + half + 16 * scale;
    }
  }
  if (y.min !== 0) hairLine(canvas, [left, bottom], [right, bottom], y.min < 0 && y.max > 0 ? GRID : AXIS, scale);
  if (data.xName !== '') {
    const name = fitText(data.xName, right - left, label);
    drawText(canvas, name, [(left + right) / 2, canvas.height - pad * 0.75], label, { anchor: 'middle' });
  }
  return { ...frame, x: xOf };
}

/** Returns the value axis. Bars and areas start at zero; lines may start above it if that shows more. */
function valueScale({ series }: ChartData, type: ChartType, wanted: number): Scale {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of series.flatMap((one) => one.values)) {
    if (value === undefined) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  // Room for the values above and below the bars.
  if (type === 'bar' && series.length === 1) {
    const room = (max / 2 - Math.min(min, 0) / 2) * 0.12;
    if (max > 0) max += room;
    if (min < 0) min -= room;
  }
  const needsZero = type === 'bar' || type === 'area' || (min > 0 && min < max * 0.4) || (max < 0 && max > min * 0.4);
  return numberScale(needsZero ? Math.min(0, min) : min, needsZero ? Math.max(0, max) : max, wanted);
}

function positions({ xs, xKind }: ChartData, wanted: number, type: ChartType): Scale {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const x of xs) {
    min = Math.min(min, x);
    max = Math.max(max, x);
  }
  if (xKind === 'date') return dateScale(min, max, wanted);
  const around = Math.max(1, Math.abs(min) / 1e3);
  if (min === max) return { min: min - around, max: max + around, ticks: [{ value: min, label: formatPlain(min, 0) }] };
  // Whole numbers get no ticks in between: there is no year 2019.5.
  const most = xs.every(Number.isInteger) ? Math.min(wanted, max - min) : wanted;
  const scale = numberScale(min, max, most, formatPlain);
  if (type === 'scatter') return scale;
  // A line fills its frame, so ticks beyond its ends would leave gaps.
  return { min, max, ticks: scale.ticks.filter(({ value }) => value >= min && value <= max) };
}

const cutLabel = (text: string): string => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text);

/** Limits how many labels are measured: beyond that, not all can be shown anyway. */
const firstTexts = (texts: readonly string[]): readonly string[] => (texts.length > 200 ? texts.slice(0, 200) : texts);

const isCrowded = (texts: readonly string[], band: number, { label, scale }: Look): boolean =>
  firstTexts(texts).some((text) => textWidth(text, label) + 12 * scale > band);

/** Draws labels below the bars, level or slanted. If there isn't room for all, only every second, fifth and so on. */
function drawCategories(
  canvas: Canvas,
  { label, scale }: Look,
  texts: readonly string[],
  { band, bottom }: { band: number; bottom: number },
  xOf: Frame['x'],
  slantedWidth: number | undefined,
  below: number,
): void {
  const widest = Math.max(0, ...firstTexts(texts).map((text) => textWidth(text, label))) + 20 * scale;
  const needed = slantedWidth === undefined ? (widest > band ? widest : 0) : label.size * 1.35;
  const every = Math.max(1, Math.ceil(needed / band));
  for (let at = 0; at < texts.length; at += every) {
    const text = texts[at] ?? '';
    if (slantedWidth === undefined) {
      drawText(canvas, text, [xOf(at), below], label, { anchor: 'middle' });
    } else {
      const fitted = fitText(text, slantedWidth, label);
      drawText(canvas, fitted, [xOf(at) + 4 * scale, bottom + 14 * scale], label, { anchor: 'end', angle: ANGLE });
    }
  }
}
