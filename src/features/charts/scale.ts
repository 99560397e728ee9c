/** Places ticks on axes, and maps values to pixels. */
import { type DatePart, formatDate, formatNumber } from './values.ts';

export interface Scale {
  min: number;
  max: number;
  ticks: { value: number; label: string }[];
}

/** Uses steps of 1, 2 or 5 times a power of ten, from below the smallest value to above the largest. */
export function numberScale(
  min: number,
  max: number,
  wanted: number,
  format: (value: number, step: number) => string = formatNumber,
): Scale {
  const [low, high] = widened(min, max);
  const step = niceStep((high - low) / Math.max(1, wanted));
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: Math.min(last - first, 100) + 1 }, (_, at) => {
    const value = clean((first + at) * step);
    return { value, label: format(value, step) };
  });
  return { min: ticks[0]?.value ?? low, max: ticks.at(-1)?.value ?? high, ticks };
}

/** Widens a range whose ends are nearly equal. */
function widened(min: number, max: number): [number, number] {
  if (max - min > Math.max(Math.abs(min), Math.abs(max)) * 1e-9 && max - min > 1e-290) return [min, max];
  if (Math.abs(min) < 1e-290) return [0, 1];
  return min > 0 ? [0, max] : [min, 0];
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const part = rough / power;
  return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}

/** Removes rounding errors of binary fractions. */
const clean = (value: number): number => Number(value.toPrecision(12));

/** Formats whole numbers below 10,000 without separators, because they may be years. */
export const formatPlain = (value: number, step: number): string =>
  Number.isInteger(value) && Math.abs(value) < 10_000 ? String(value).replace('-', '−') : formatNumber(value, step);

const MINUTE = 60_000;
const DAY = 86_400_000;
const STEPS: readonly [step: number, part: DatePart][] = [
  ...[1, 5, 15, 30, 60, 180, 360, 720].map((n): [number, DatePart] => [n * MINUTE, 'time']),
  ...[1, 2, 7, 14].map((n): [number, DatePart] => [n * DAY, 'day']),
];
/** Steps in months. */
const LONG_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 6_000, 12_000];

/** Places ticks at whole minutes, hours, days, months or years, in UTC; the range is that of the values. */
export function dateScale(from: number, to: number, wanted: number): Scale {
  const [min, max] = to > from ? [from, to] : [from - DAY, from + DAY];
  const withYear = new Date(min).getUTCFullYear() !== new Date(max).getUTCFullYear();
  const rough = (max - min) / Math.max(1, wanted);
  const [step, part] = STEPS.find(([size]) => size >= rough) ?? [];
  const ticks: Scale['ticks'] = [];
  const add = (value: number, name: DatePart) => {
    if (value >= min && value <= max) ticks.push({ value, label: formatDate(value, name, withYear) });
  };
  if (step !== undefined && part !== undefined) {
    for (let value = Math.ceil(min / step) * step; value <= max; value += step) add(value, part);
    return { min, max, ticks };
  }
  const months = LONG_STEPS.find((size) => size * 30.4 * DAY >= rough) ?? 120_000;
  const first = new Date(min);
  const start = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months;
  for (let month = start; ticks.length < 100; month += months) {
    const value = Date.UTC(Math.floor(month / 12), month % 12);
    if (!(value <= max)) break;
    add(value, months >= 12 ? 'year' : 'month');
  }
  return { min, max, ticks };
}

/** Maps a value to a pixel. Values are halved first, so that no difference overflows. */
export function scaleTo(value: number, { min, max }: Scale, from: number, to: number): number {
  return from + ((value / 2 - min / 2) / (max / 2 - min / 2)) * (to - from);
}
