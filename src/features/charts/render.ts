/** Renders a chart from its data to a PNG. The same data gives the same bytes. */
import { drawAxes } from './axes.ts';
import { Canvas } from './canvas.ts';
import { openLettering } from './font.ts';
import { drawHeader } from './header.ts';
import { drawPie, slicesOf } from './pie.ts';
import { drawBars, drawLines, drawPoints } from './plots.ts';
import { type ChartData, type ChartType, chooseSeries, type Series } from './series.ts';
import { parseTable } from './table.ts';
import { lookFor, WHITE } from './theme.ts';

export interface ChartSpec {
  title: string;
  type: ChartType;
  /** CSV with a header line, or JSON rows. */
  data: string;
  /** Names of columns; several in `y`, separated by commas. */
  x?: string | undefined;
  y?: string | undefined;
  /** Pixels. */
  width: number;
  height: number;
  /** Folders with fonts for letters that the charts' own typeface lacks. */
  fonts?: readonly string[] | undefined;
}

export interface RenderedChart {
  png: Buffer;
  rows: number;
  series: SeriesFacts[];
  /** Sentences about data that was left out or changed. */
  notes: string[];
}

/** A type alias, since interfaces aren't assignable to Json. */
type SeriesFacts = { name: string; points: number; min: number; max: number };

/** The most bars: more would be thinner than a pixel, so they are averaged. */
const MAX_BARS = 300;

/** @throws UserError for data that can't be drawn */
export async function renderChart(spec: ChartSpec): Promise<RenderedChart> {
  const { type, width, height } = spec;
  const table = parseTable(spec.data);
  const letters = openLettering(spec.fonts ?? []);
  const data = chooseSeries(table, spec, letters);
  const canvas = new Canvas(width, height, WHITE);
  const look = lookFor(width, height);
  const title = letters.drawable(spec.title.slice(0, 500));
  const names = data.series.map(({ name }) => name);
  if (type === 'pie') {
    const slices = slicesOf(data);
    drawPie(canvas, look, slices, drawHeader(canvas, look, title, names));
  } else {
    const shown = type === 'bar' ? bundled(data) : data;
    const top = drawHeader(canvas, look, title, names) + 24 * look.scale;
    const frame = drawAxes(canvas, look, shown, type, top);
    if (type === 'bar') drawBars(canvas, look, shown, frame);
    else if (type === 'scatter') drawPoints(canvas, look, shown, frame);
    else drawLines(canvas, look, shown, frame, type === 'area');
  }
  const notes = [...data.notes, ...letters.notes()];
  const png = await canvas.toPng(letters.files());
  return { png, rows: table.rows.length, series: data.series.map(factsOf), notes };
}

function factsOf({ name, values }: Series): SeriesFacts {
  const facts = { name, points: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  for (const value of values) {
    if (value === undefined) continue;
    facts.points++;
    facts.min = Math.min(facts.min, value);
    facts.max = Math.max(facts.max, value);
  }
  // A column without numbers has neither a minimum nor a maximum, and JSON has no infinity.
  return facts.points > 0 ? facts : { ...facts, min: 0, max: 0 };
}

/** Replaces neighbouring bars by their mean if there are too many, and notes it. */
function bundled(data: ChartData): ChartData {
  const size = Math.ceil(data.labels.length / MAX_BARS);
  if (size <= 1) return data;
  data.notes.push(`Each bar is the mean of ${size} rows: there are too many to show.`);
  const starts = Array.from({ length: Math.ceil(data.labels.length / size) }, (_, at) => at * size);
  const series = data.series.map(({ name, values }) => ({
    name,
    values: starts.map((start) => mean(values.slice(start, start + size))),
  }));
  return { ...data, labels: starts.map((start) => data.labels[start] ?? ''), xs: starts, series };
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value / known.length, 0);
}
