/**
 * Formats the page of `/metrics` in the two formats that scrapers request: OpenMetrics 1.0
 * (https://prometheus.io/docs/specs/om/open_metrics_spec/) and the text format 0.0.4. Pure.
 */

export interface Family {
  /** A counter's name ends in `_total`. */
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  samples: readonly Sample[];
}

/** `labels` is the text between the braces; '' if there are none. */
export type Sample = { labels: string } & ({ value: number } | Distribution);

export interface Distribution {
  bounds: readonly number[];
  /** The number of values in each bucket, not cumulative; the last bucket is for values above all bounds. */
  counts: readonly number[];
  sum: number;
}

export interface Page {
  type: string;
  body: string;
}

export type Labels = Readonly<Record<string, string>>;

const OPEN_METRICS = 'application/openmetrics-text';
const PLAIN = 'text/plain; version=0.0.4; charset=utf-8';
const UNITS = ['seconds', 'bytes'];

/** @param accept the request's header: OpenMetrics is used if it is named */
export function pageOf(families: readonly Family[], accept: string | undefined): Page {
  if (!wantsOpenMetrics(accept))
    return { type: PLAIN, body: families.map((family) => formatFamily(family, false)).join('') };
  const body = `${families.map((family) => formatFamily(family, true)).join('')}# EOF\n`;
  return { type: `${OPEN_METRICS}; version=1.0.0; charset=utf-8`, body };
}

/** Returns whether OpenMetrics is named, in a known version, and not ranked below plain text. */
export function wantsOpenMetrics(accept = ''): boolean {
  let open = 0;
  let plain = 0;
  for (const range of accept.slice(0, 2_000).split(',')) {
    const [type, ...params] = range.split(';').map((part) => part.trim().toLowerCase());
    const given = new Map(params.map((param) => param.split('=', 2).map((side) => side.trim()) as [string, string]));
    const q = Number(given.get('q') ?? 1);
    if (!(q > 0)) continue;
    const version = (given.get('version') ?? '1.0.0').replaceAll('"', '');
    if (type === OPEN_METRICS && version === '1.0.0') open = Math.max(open, q);
    if (type === 'text/plain') plain = Math.max(plain, q);
  }
  return open > 0 && open >= plain;
}

function formatFamily({ name, type, help, samples }: Family, isOpen: boolean): string {
  const family = isOpen && type === 'counter' ? name.replace(/_total$/, '') : name;
  const unit = UNITS.find((one) => family.endsWith(`_${one}`));
  const lines = [`# HELP ${family} ${help}`, `# TYPE ${family} ${type}`];
  if (isOpen && unit) lines.push(`# UNIT ${family} ${unit}`);
  for (const sample of samples) {
    if ('value' in sample) lines.push(`${name}${braced(sample.labels)} ${numberText(sample.value)}`);
    else lines.push(...bucketLines(name, sample, isOpen));
  }
  return `${lines.join('\n')}\n`;
}

function bucketLines(name: string, { labels, bounds, counts, sum }: Sample & Distribution, isOpen: boolean): string[] {
  const before = labels === '' ? '' : `${labels},`;
  let total = 0;
  const lines = counts.map((count, index) => {
    total += count;
    const bound = bounds[index];
    const le = bound === undefined ? '+Inf' : isOpen && Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
    return `${name}_bucket{${before}le="${le}"} ${total}`;
  });
  return [...lines, `${name}_sum${braced(labels)} ${numberText(sum)}`, `${name}_count${braced(labels)} ${total}`];
}

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`);

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
