/** Chooses columns for the x axis (labels or positions) and for the series. */
import { UserError } from '../../errors.ts';
import type { Letters } from './font.ts';
import type { Table } from './table.ts';
import { type DatePart, formatDate, parseDate, parseNumber } from './values.ts';

export type ChartType = 'bar' | 'line' | 'area' | 'pie' | 'scatter';

export interface Series {
  name: string;
  /** One per position on the x axis; undefined for a missing value. */
  values: (number | undefined)[];
}

export interface ChartData {
  /** `category`: uses `labels` in their order. `number`, `date` (milliseconds): uses `xs`. */
  xKind: 'category' | 'number' | 'date';
  xName: string;
  labels: string[];
  /** Whether the labels are dates or numbers, so that some of them are enough. */
  isOrdered: boolean;
  xs: number[];
  series: Series[];
  /** Sentences about data that was left out or changed. */
  notes: string[];
}

export const MAX_SERIES = 7;

/** @throws UserError if a named column is missing or nothing can be drawn */
export function chooseSeries(
  { columns, rows }: Table,
  { type, x, y }: { type: ChartType; x?: string | undefined; y?: string | undefined },
  { drawable }: Letters,
): ChartData {
  const numbers = columns.map((_, at) => rows.map((row) => parseNumber(row[at] ?? '')));
  const isNumeric = numbers.map((column, at) => {
    const filled = rows.reduce((sum, row) => sum + (row[at] === '' ? 0 : 1), 0);
    return filled > 0 && column.filter((value) => value !== undefined).length * 2 >= filled;
  });
  const xAt = x === undefined ? usualX(columns, isNumeric, type, y) : columnAt(columns, x);
  const yAts = y === undefined ? usualY(numbers, isNumeric, xAt) : columnsNamed(columns, y);
  const most = type === 'pie' ? 1 : MAX_SERIES;
  const shown = yAts.slice(0, most);
  const series = shown.map((at): Series => ({ name: drawable(columns[at] ?? ''), values: numbers[at] ?? [] }));
  const missing = series.flatMap(({ values }) => values).filter((value) => value === undefined).length;
  if (missing === series.length * rows.length) {
    const where = y ? ` in ${y.slice(0, 100)}` : '';
    throw new UserError(`There are no numbers to draw${where}: the columns are ${columnList(columns)}.`);
  }
  const notes: string[] = [];
  const why = type === 'pie' ? 'a pie has one' : 'name the ones you want in y';
  if (yAts.length > most) notes.push(`Only ${most} of ${yAts.length} columns are shown: ${why}.`);
  if (missing > 0) notes.push(`${missing} cells without a number are left out.`);
  const cells = rows.map((row, at) => (xAt === undefined ? String(at + 1) : (row[xAt] ?? '')));
  return {
    ...xAxis(cells, type, drawable),
    xName: xAt === undefined ? '' : drawable(columns[xAt] ?? ''),
    series,
    notes,
  };
}

/** Returns every numeric column except the x axis; if there is none, those with any number. */
function usualY(
  numbers: readonly Series['values'][],
  isNumeric: readonly boolean[],
  xAt: number | undefined,
): number[] {
  const others = numbers.map((_, at) => at).filter((at) => at !== xAt);
  const numeric = others.filter((at) => isNumeric[at]);
  if (numeric.length > 0) return numeric;
  return others.filter((at) => numbers[at]?.some((value) => value !== undefined));
}

function usualX(columns: readonly string[], isNumeric: readonly boolean[], type: ChartType, y: string | undefined) {
  const taken = y === undefined ? [] : columnsNamed(columns, y);
  const free = columns.map((_, at) => at).filter((at) => !taken.includes(at));
  const numeric = free.filter((at) => isNumeric[at]);
  // A single numeric column belongs to the labels; two are compared with each other.
  if (type === 'scatter' && numeric.length > (y === undefined ? 1 : 0)) return numeric[0];
  const first = free.find((at) => !isNumeric[at]) ?? free[0];
  return columns.length === 1 ? undefined : first;
}

function columnAt(columns: readonly string[], name: string): number {
  const wanted = name.trim().toLowerCase();
  const at = columns.findIndex((column) => column.toLowerCase() === wanted);
  if (at < 0)
    throw new UserError(`There is no column "${name.slice(0, 100)}": the columns are ${columnList(columns)}.`);
  return at;
}

/** Accepts one name, or several separated by commas. */
function columnsNamed(columns: readonly string[], names: string): number[] {
  if (columns.some((column) => column.toLowerCase() === names.trim().toLowerCase())) return [columnAt(columns, names)];
  return [
    ...new Set(
      names
        .split(',')
        .filter((name) => name.trim() !== '')
        .map((name) => columnAt(columns, name)),
    ),
  ];
}

const columnList = (columns: readonly string[]): string => columns.slice(0, 20).join(', ').slice(0, 300);

function xAxis(
  cells: readonly string[],
  type: ChartType,
  drawable: Letters['drawable'],
): Pick<ChartData, 'xKind' | 'labels' | 'isOrdered' | 'xs'> {
  const dates = cells.map(parseDate);
  const isPlaced = type === 'line' || type === 'area' || type === 'scatter';
  if (dates.every((time) => time !== undefined)) {
    return { xKind: isPlaced ? 'date' : 'category', labels: dateLabels(cells, dates), isOrdered: true, xs: dates };
  }
  const numbers = cells.map(parseNumber);
  const isOrdered = numbers.every((value) => value !== undefined);
  if (isPlaced && isOrdered) return { xKind: 'number', labels: [...cells], isOrdered, xs: numbers };
  const labels = cells.map((cell) => drawable(cell.slice(0, 200)));
  return { xKind: 'category', labels, isOrdered, xs: cells.map((_, at) => at) };
}

function dateLabels(cells: readonly string[], dates: readonly number[]): string[] {
  const years = new Set(dates.map((time) => new Date(time).getUTCFullYear()));
  const length = Math.max(...cells.slice(0, 1_000).map((cell) => cell.length));
  const part: DatePart = length === 7 ? 'month' : length === 10 ? 'day' : 'time';
  return dates.map((time) =>
    part === 'time'
      ? `${formatDate(time, 'day', years.size > 1)} ${formatDate(time, 'time', false)}`
      : formatDate(time, part, years.size > 1),
  );
}
