/** Counts and times what the gateway does, for `/metrics`; `families.ts` lists all metrics. */
import { type Distribution, type Family, type Labels, type Page, pageOf } from './exposition.ts';
import { COUNTERS, type CounterName, GAUGES, type GaugeName, HISTOGRAMS, type HistogramName } from './families.ts';

export type { Page } from './exposition.ts';

type GaugeValue = number | readonly (readonly [Labels, number])[];

export interface Metrics {
  count(name: CounterName, labels: Labels, by?: number): void;
  /** Records a duration. A negative one, from a clock that was set back, counts as 0. */
  observe(name: HistogramName, labels: Labels, seconds: number): void;
  /** Registers a value that is read on request, or one per label set. */
  gauge(name: GaugeName, read: () => GaugeValue | Promise<GaugeValue>): void;
  /** Returns the page in the format that a request's `Accept` header asks for. */
  page(accept?: string): Promise<Page>;
}

/**
 * The most series per name, so that no list of models or event kinds makes the page grow forever. Others count as
 * `other`.
 */
const MAX_SERIES = 200;

interface TimedDistribution extends Distribution {
  counts: number[];
}

export function createMetrics(): Metrics {
  const counters = new Map<CounterName, Map<string, number>>();
  const timed = new Map<HistogramName, Map<string, TimedDistribution>>();
  const gauges = new Map<GaugeName, () => GaugeValue | Promise<GaugeValue>>();
  return {
    count(name, labels, by = 1) {
      const series = seriesOf(counters, name);
      const key = keyIn(series, labels);
      series.set(key, (series.get(key) ?? 0) + by);
    },
    observe(name, labels, seconds) {
      const series = seriesOf(timed, name);
      const key = keyIn(series, labels);
      const { buckets: bounds } = HISTOGRAMS[name];
      const known = series.get(key) ?? { bounds, counts: new Array(bounds.length + 1).fill(0), sum: 0 };
      if (!series.has(key)) series.set(key, known);
      const value = Math.max(0, seconds);
      const index = bounds.findIndex((bound) => value <= bound);
      const at = index < 0 ? bounds.length : index;
      known.counts[at] = (known.counts[at] ?? 0) + 1;
      known.sum += value;
    },
    gauge: (name, read) => void gauges.set(name, read),
    async page(accept) {
      const families: Family[] = [];
      for (const [name, help] of typedEntries(COUNTERS)) {
        const samples = [...(counters.get(name) ?? [])].map(([labels, value]) => ({ labels, value }));
        families.push({ name, type: 'counter', help, samples });
      }
      for (const [name, { help }] of typedEntries(HISTOGRAMS)) {
        const samples = [...(timed.get(name) ?? [])].map(([labels, values]) => ({ labels, ...values }));
        families.push({ name, type: 'histogram', help, samples });
      }
      for (const [name, read] of gauges) {
        const given = await read();
        const all = typeof given === 'number' ? [[{}, given] as const] : given;
        const samples = all.map(([labels, value]) => ({ labels: labelText(labels), value }));
        families.push({ name, type: 'gauge', help: GAUGES[name], samples });
      }
      return pageOf(families, accept);
    },
  };
}

function seriesOf<Name, Value>(all: Map<Name, Map<string, Value>>, name: Name): Map<string, Value> {
  const known = all.get(name) ?? new Map<string, Value>();
  if (!all.has(name)) all.set(name, known);
  return known;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** Matches nearly all values, which need no escaping, because this runs at each count. */
const USUAL = /^[\w.:/ -]{0,60}$/;

function labelText(labels: Labels): string {
  let text = '';
  for (const key in labels) {
    const value = labels[key] ?? '';
    text += `${text === '' ? '' : ','}${key}="${USUAL.test(value) ? value : escapeLabel(value)}"`;
  }
  return text;
}

const escapeLabel = (value: string): string =>
  value
    .slice(0, 60)
    .toWellFormed()
    .replace(/[\\"\n]/g, (found) => ESCAPES[found] ?? '');

function keyIn(series: ReadonlyMap<string, unknown>, labels: Labels): string {
  const key = labelText(labels);
  if (series.has(key) || series.size < MAX_SERIES) return key;
  return labelText(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])));
}

const typedEntries = <Key extends string, Value>(all: Readonly<Record<Key, Value>>) =>
  Object.entries(all) as [Key, Value][];
