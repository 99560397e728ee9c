/**
 * Reads a page of `/metrics` as strictly as the specifications, and throws at the first wrong line:
 * https://prometheus.io/docs/specs/om/open_metrics_spec/ and
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export interface ReadFamily {
  name: string;
  type: string;
  unit?: string;
  help?: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=[a-zA-Z_])|$)/;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i;
const SUFFIXES: Record<string, string[]> = {
  counter: ['_total', '_created'],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  gauge: [''],
};

export function readMetrics(text: string, format: 'openmetrics' | 'text'): Map<string, ReadFamily> {
  const isOpen = format === 'openmetrics';
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const lines = text.slice(0, -1).split('\n');
  if (isOpen && lines.pop() !== '# EOF') throw new Error('it does not end with # EOF');
  const families = new Map<string, ReadFamily>();
  const seen = new Set<string>();
  let last: ReadFamily | undefined;
  for (const line of lines) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    if (line.startsWith('#')) {
      const told = /^# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/.exec(line) ?? fail('no such line');
      const [, what, name = '', rest] = told;
      if (last?.name !== name && families.has(name)) fail('a family in two places');
      const current: ReadFamily = last?.name === name ? last : { name, type: 'unknown', samples: [] };
      families.set(name, current);
      last = current;
      if (current.samples.length > 0) fail('told after samples');
      if (what === 'TYPE') current.type = SUFFIXES[rest ?? ''] ? (rest ?? '') : fail('an unknown type');
      else if (what === 'HELP') current.help = rest ?? '';
      else if (isOpen && current.name.endsWith(`_${rest}`)) current.unit = rest ?? '';
      else fail('a unit that the name does not end with');
      if (isOpen && current.type === 'counter' && current.name.endsWith('_total'))
        fail('a counter named by its sample');
      continue;
    }
    const [, name = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? fail('no sample');
    if (!NUMBER.test(number)) fail('no number');
    const family = last ?? fail('a sample of nothing');
    const suffixes = !isOpen && family.type === 'counter' ? [''] : (SUFFIXES[family.type] ?? []);
    if (!suffixes.some((suffix) => name === family.name + suffix)) fail(`not of ${family.name}`);
    const labels: Record<string, string> = {};
    for (let rest = labelText; rest !== ''; ) {
      const [whole = '', key = '', value = ''] = LABEL.exec(rest) ?? fail('a label of another form');
      if (key in labels) fail('a label twice');
      labels[key] = value.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
      rest = rest.slice(whole.length);
    }
    const bound = labels.le ?? '+Inf';
    if (isOpen && !/^(\+Inf|\d+\.\d+)$/.test(bound)) fail('no canonical bound');
    const own = `${name} ${JSON.stringify(labels)}`;
    if (seen.has(own)) fail('a sample twice');
    seen.add(own);
    family.samples.push({ name, labels, value: Number(number.replace('Inf', 'Infinity')) });
  }
  for (const family of families.values()) checkHistogram(family);
  return families;
}

/** Checks that buckets increase, that the last contains everything, and that their number matches the count. */
function checkHistogram({ name, type, samples }: ReadFamily): void {
  if (type !== 'histogram') return;
  const series = new Map<string, typeof samples>();
  for (const sample of samples) {
    const { le: _, ...own } = sample.labels;
    series.set(JSON.stringify(own), [...(series.get(JSON.stringify(own)) ?? []), sample]);
  }
  for (const [labels, all] of series) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map((sample) => Number((sample.labels.le ?? '').replace('Inf', 'Infinity')));
    const values = buckets.map((sample) => sample.value);
    const count = all.find((sample) => sample.name === `${name}_count`)?.value;
    const rises = (list: number[], isMore: (a: number, b: number) => boolean) =>
      list.every((value, index) => index === 0 || isMore(value, list[index - 1] ?? 0));
    const isRight =
      rises(bounds, (a, b) => a > b) && rises(values, (a, b) => a >= b) && bounds.at(-1) === Number.POSITIVE_INFINITY;
    const hasSum = all.some((sample) => sample.name === `${name}_sum`);
    if (!isRight || values.at(-1) !== count || !hasSum) throw new Error(`${name}${labels} is no histogram`);
  }
}
