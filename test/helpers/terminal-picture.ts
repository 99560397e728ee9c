/**
 * Renders the content of a terminal as an SVG: text in the browser's own fixed-width font, each row appearing when it
 * did, in colours for light and dark. The animation ends with the whole screen, and is off for people who prefer
 * reduced motion. Pure.
 */

/** Adjacent cells that look the same. */
export interface Span {
  column: number;
  text: string;
  /** From 0 to 15. */
  color?: number;
  isBold?: boolean;
  isDim?: boolean;
}

export interface Row {
  spans: Span[];
  /** The moment of the recording from which it has looked like this, from 0. */
  moment: number;
}

const CELL = { width: 8.4, height: 19 };
const EDGE = 18;
const SECONDS_A_MOMENT = 0.9;
/** Those of the 16 colours that programs use, by number, for light and for dark. */
const COLORS: Record<number, [string, string]> = {
  1: ['#b3261e', '#ff8a80'],
  2: ['#1a7f37', '#7ee787'],
  3: ['#8a5a00', '#e3b341'],
  4: ['#0b57d0', '#79b8ff'],
  5: ['#8250df', '#d2a8ff'],
  6: ['#0a6d74', '#76e3ea'],
  8: ['#656d76', '#8b949e'],
};
const PLAIN: [string, string] = ['#1f2328', '#e6edf3'];
const PAPER: [string, string] = ['#f6f8fa', '#161b22'];

const style = (side: 0 | 1): string =>
  [
    `rect{fill:${PAPER[side]}}text{fill:${PLAIN[side]}}`,
    ...Object.entries(COLORS).map(([number, sides]) => `.c${number}{fill:${sides[side]}}`),
  ].join('');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function span({ column, text, color, isBold, isDim }: Span): string {
  // The eight bright colours look like their normal ones.
  const number = color === undefined || color === 8 ? color : color % 8;
  const names = [
    ...(number && COLORS[number] ? [`c${number}`] : []),
    ...(isBold ? ['b'] : []),
    ...(isDim ? ['d'] : []),
  ];
  const attributes = names.length > 0 ? ` class="${names.join(' ')}"` : '';
  return `<tspan x="${(EDGE + column * CELL.width).toFixed(1)}"${attributes}>${escaped(text)}</tspan>`;
}

export function draw(rows: readonly Row[], columns: number, title: string): string {
  const width = Math.ceil(columns * CELL.width + 2 * EDGE);
  const height = rows.length * CELL.height + 2 * EDGE;
  const lines = rows.flatMap(({ spans, moment }, index) => {
    if (spans.length === 0) return [];
    const y = EDGE + index * CELL.height + 14;
    const delay = (moment * SECONDS_A_MOMENT).toFixed(1);
    return [`<text y="${y}" style="animation-delay:${delay}s">${spans.map(span).join('')}</text>`];
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    '<style>',
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;animation:show .3s backwards}',
    `.b{font-weight:bold}.d{opacity:.65}${style(0)}`,
    `@media (prefers-color-scheme:dark){${style(1)}}`,
    '@keyframes show{from{opacity:0}}',
    '@media (prefers-reduced-motion:reduce){text{animation:none}}',
    '</style>',
    `<rect width="${width}" height="${height}" rx="8"/>`,
    ...lines,
    '</svg>',
  ].join('\n')}\n`;
}
