/**
 * Formats a sheet's numbers as people read them. A cell's format tells whether it is a date, a time of day or a
 * duration.
 */
import { Parser } from 'htmlparser2';
import { localName } from './relations.ts';

export type NumberKind = 'date' | 'clock' | 'elapsed' | undefined;

/** Formats that every program knows by number. */
const KNOWN: Readonly<Record<number, NumberKind>> = {
  ...allOf('date', 14, 17),
  ...allOf('clock', 18, 21),
  ...allOf('date', 22, 22),
  ...allOf('date', 27, 36),
  ...allOf('clock', 45, 45),
  ...allOf('elapsed', 46, 46),
  ...allOf('clock', 47, 47),
  ...allOf('date', 50, 58),
};

function allOf(kind: NumberKind, from: number, to: number): Record<number, NumberKind> {
  return Object.fromEntries(Array.from({ length: to - from + 1 }, (_each, index) => [from + index, kind]));
}

/** Maps the number of a cell's style to its kind. */
export function numberKinds(styles: string): NumberKind[] {
  const own = new Map<number, NumberKind>();
  const kinds: NumberKind[] = [];
  let isCells = false;
  const parser = new Parser(
    {
      onopentag(tag, { numFmtId, formatCode }) {
        const name = localName(tag);
        if (name === 'cellXfs') isCells = true;
        if (name === 'numFmt') own.set(Number(numFmtId), kindOfFormat(formatCode ?? ''));
        if (name === 'xf' && isCells) kinds.push(own.get(Number(numFmtId)) ?? KNOWN[Number(numFmtId)]);
      },
      onclosetag(tag) {
        if (localName(tag) === 'cellXfs') isCells = false;
      },
    },
    { xmlMode: true },
  );
  parser.end(styles);
  return kinds;
}

/** A format code has up to four sections; colours and locales are in brackets, words in quotes. */
function kindOfFormat(code: string): NumberKind {
  const [first = ''] = code.replace(/"[^"]*"|[\\_*]./g, '').split(';');
  if (/\[(h+|m+|s+)\]/i.test(first)) return 'elapsed';
  const letters = first.replace(/\[[^\]]*\]|General/gi, '');
  if (/[yd]/i.test(letters)) return 'date';
  if (/[hs]/i.test(letters)) return 'clock';
  return /m/i.test(letters) ? 'date' : undefined;
}

const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
const DAYS_TO_1904 = 1462;
/** Excel counts a 29 February 1900, so days before it are off by one. */
const FALSE_LEAP_DAY = 60;
/** Excel has no dates after 9999. */
const END = 2_958_466;

/** Removes the rounding error in a number's last digit. */
export function shownNumber(text: string, kind: NumberKind, isFrom1904: boolean): string {
  const number = Number(text);
  if (kind === undefined || !(number >= 0 && number < END)) return digitsOf(text, number);
  if (kind === 'elapsed' || number < 1) return clockText(number);
  const days = isFrom1904 ? number + DAYS_TO_1904 : number;
  if (kind === 'clock' && days <= FALSE_LEAP_DAY) return clockText(number);
  return isoDay(DAY_ZERO + Math.round((days < FALSE_LEAP_DAY ? days + 1 : days) * 86_400) * 1000);
}

/** Leaves whole numbers as they are written, because long ones are identifiers. */
function digitsOf(text: string, number: number): string {
  return !Number.isFinite(number) || /^-?\d+$/.test(text) ? text : String(Number(number.toPrecision(15)));
}

const isoDay = (ms: number): string => new Date(ms).toISOString().replace(/T00:00:00.000Z$|\.\d+Z$/, '');

function clockText(days: number): string {
  const seconds = Math.round((days * DAY_MS) / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`;
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}${rest}`;
}
