/** Parses numbers and dates as people write them, and formats them briefly. */

const MAX = 1e300;

/** Parses `1,234.5`, `$12`, `12 %`, `3,5`, `-4e3`; returns undefined for anything else. */
export function parseNumber(cell: string): number | undefined {
  if (cell === '' || cell.length > 40) return undefined;
  if (/^-?\d+(\.\d+)?$/.test(cell)) return inRange(Number(cell));
  const bare = cell
    .replace(/^([-+−]?)\s*[$€£¥]\s*/, '$1')
    .replace(/\s*[%€$£¥]$/, '')
    .replace(/^−/, '-')
    .trim();
  const plain = /^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare)
    ? bare.replaceAll(',', '')
    : /^[-+]?\d+,\d+$/.test(bare)
      ? bare.replace(',', '.')
      : bare.replace(/(?<=\d)[ _\u00a0\u202f](?=\d{3}(\D|$))/g, '');
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return undefined;
  return inRange(Number(plain));
}

const inRange = (value: number): number | undefined => (Math.abs(value) <= MAX ? value : undefined);

const DATE =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?)?$/;

/** Parses ISO dates with or without day and time to milliseconds since the epoch; without a zone they are UTC. */
export function parseDate(cell: string): number | undefined {
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', zone = 'Z'] = DATE.exec(cell) ?? [];
  if (year === undefined) return undefined;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(time) ? undefined : time;
}

const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Formats `1,200`, `12.5k`, `3M`, `2e18`. `step`, the distance between ticks, determines the number of decimals. */
export function formatNumber(value: number, step = 0): string {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e15 || (size < 1e-4 && step < 1e-4))
    return value
      .toExponential(2)
      .replace(/\.?0*e\+?/, 'e')
      .replace(/^-/, '−');
  const [unit, letter] = (size >= 10_000 ? UNITS.find(([one]) => size >= one) : undefined) ?? [1, ''];
  const digits = step > 0 ? decimalsOf(step / unit) : size / unit >= 100 ? 0 : size >= 1 ? 2 : 4;
  const text = (value / unit).toFixed(digits);
  const short = step > 0 || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
  const [whole = '', decimals] = short.split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${decimals ? `.${decimals}` : ''}${letter}`.replace('-', '−');
}

function decimalsOf(step: number): number {
  for (let digits = 0; digits < 8; digits++) {
    const scaled = step * 10 ** digits;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * Math.max(1, scaled)) return digits;
  }
  return 8;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export type DatePart = 'year' | 'month' | 'day' | 'time';

/** @param withYear whether the dates span several years */
export function formatDate(time: number, part: DatePart, withYear: boolean): string {
  const date = new Date(time);
  const year = withYear ? ` ${date.getUTCFullYear()}` : '';
  const month = MONTHS[date.getUTCMonth()] ?? '';
  if (part === 'year') return String(date.getUTCFullYear());
  if (part === 'month') return month + year;
  if (part === 'day') return `${date.getUTCDate()} ${month}${year}`;
  return date.toISOString().slice(11, 16);
}
