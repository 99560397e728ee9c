/** A character of the charts' typeface as lines to be stroked. The paths are in glyphs.ts. */
import { ACCENTS, LATIN, LIKE, PATHS } from './glyphs.ts';
import type { Point } from './shapes.ts';

/** On a grid 20 units high for a size of one em. */
export interface Glyph {
  width: number;
  lines: readonly (readonly Point[])[];
}

/**
 * Text in characters this face has: controls and emoji left out, Cyrillic in Latin letters, everything else a question mark.
 * One line.
 */
export function drawable(text: string): string {
  // Most labels are plain ASCII, and there may be 100,000 of them.
  if (/^[!-~]+( [!-~]+)*$/.test(text)) return text;
  const plain = text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]|\p{Extended_Pictographic}|\ufe0f/gu, '');
  let out = '';
  for (const char of plain.normalize('NFC')) {
    const small = char.toLowerCase();
    const latin = own(LATIN, small);
    const base = char.normalize('NFD')[0] ?? '';
    if (latin !== undefined) out += char === small ? latin : latin.charAt(0).toUpperCase() + latin.slice(1);
    else if (char === ' ' || own(PATHS, base) || own(LIKE, base)) out += char;
    else if (!/\p{M}/u.test(char)) out += '?';
  }
  return out.trim();
}

const known = new Map<string, Glyph>();

/** The glyph of one character, with its accents; a question mark for one that this face does not have. */
export function glyphOf(char: string): Glyph {
  const cached = known.get(char);
  if (cached) return cached;
  const [base = '', ...marks] = char.normalize('NFD');
  const isDotted = (base === 'i' || base === 'j') && marks.some((mark) => ACCENTS[mark] && mark < '\u0320');
  const found = own(PATHS, isDotted && base === 'i' ? 'ı' : (own(LIKE, base) ?? base)) ?? PATHS['?'];
  const [width, path] = found ?? [0, ''];
  const lift = /\p{Lu}/u.test(base) ? -4 : 0;
  const accents = marks.flatMap((mark) => {
    const isBelow = mark >= '\u0320';
    return shift(parsePath(own(ACCENTS, mark) ?? ''), width / 2, isBelow ? 0 : lift);
  });
  const glyph = { width, lines: [...parsePath(path), ...accents] };
  // Bounded by what the face can draw: everything else is the question mark and not kept.
  if (own(PATHS, base) && marks.length < 2) known.set(char, glyph);
  return glyph;
}

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const shift = (lines: Point[][], dx: number, dy: number) =>
  lines.map((line) => line.map(([x, y]): Point => [x + dx, y + dy]));

const CURVE_STEPS = 8;
/** How far a Bézier curve's handles reach to be a quarter of an ellipse. */
const QUARTER = 0.5523;

function parsePath(path: string): Point[][] {
  const lines: Point[][] = [];
  for (const [, command = '', numbers = ''] of path.matchAll(/([MLCHV])([^MLCHV]*)/g)) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers.trim().split(/\s+/).map(Number);
    const line = lines.at(-1) ?? [];
    const [x, y] = line.at(-1) ?? [0, 0];
    if (command === 'M') lines.push([[a, b]]);
    else if (command === 'L') line.push([a, b]);
    else if (command === 'C') curve(line, [x, y], [a, b], [c, d], [e, f]);
    else if (command === 'H') curve(line, [x, y], [x + (a - x) * QUARTER, y], [a, b - (b - y) * QUARTER], [a, b]);
    else curve(line, [x, y], [x, y + (b - y) * QUARTER], [a - (a - x) * QUARTER, b], [a, b]);
  }
  return lines;
}

function curve(line: Point[], [x0, y0]: Point, [x1, y1]: Point, [x2, y2]: Point, [x3, y3]: Point): void {
  for (let step = 1; step <= CURVE_STEPS; step++) {
    const t = step / CURVE_STEPS;
    const u = 1 - t;
    const [p, q, r, s] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
    line.push([p * x0 + q * x1 + r * x2 + s * x3, p * y0 + q * y1 + r * y2 + s * y3]);
  }
}
