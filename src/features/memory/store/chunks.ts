/**
 * Splits a text into the pieces to index. Invariants: a piece is a substring of at most `maxChunkSize` UTF-16 units. It
 * begins and ends between graphemes (except that a single grapheme that is too large is cut between code points,
 * without overlap). The pieces leave out only white space and headings with nothing under them.
 */

export interface ChunkOptions {
  maxChunkSize: number;
  /** The most that a piece may repeat from the end of the previous one in the same section. */
  overlap: number;
  /**
   * Where to cut, best first. Lines that begin with `#` always start a new piece; the others only where a piece is too
   * large.
   */
  splitOn: readonly string[];
}

export interface Chunk {
  text: string;
  /** Counts from 1. */
  line: number;
  /** The nearest heading above its first word, or in its first line. */
  section?: string;
}

export const CHUNKING: ChunkOptions = { maxChunkSize: 500, overlap: 50, splitOn: ['##', '\n\n', '. '] };

type Span = readonly [from: number, to: number];
const HEADING = /^#{1,6}[ \t]+(.*)$/gm;
const SPACE = /\s/;

/** Expects `\n` as line break. */
export function splitIntoChunks(text: string, options: ChunkOptions = CHUNKING): Chunk[] {
  const { maxChunkSize: max, splitOn } = options;
  const overlap = Math.max(0, Math.min(options.overlap, Math.floor(max / 2)));
  const marks = splitOn.filter((separator) => /^#+$/.test(separator));
  const separators = splitOn.filter((separator) => separator !== '' && !marks.includes(separator));
  const where = createPlaces(text);
  const chunks: Chunk[] = [];
  for (const section of sections(text, marks)) {
    if (isBare(text.slice(...section))) continue;
    for (const span of pack(text, section, separators, max, overlap)) {
      const [from, to] = trim(text, span);
      if (from < to) chunks.push({ text: text.slice(from, to), ...where(from) });
    }
  }
  return chunks;
}

const isBare = (section: string): boolean => section.split('\n').every((line) => /^\s*(#{1,6}(\s.*)?)?$/.test(line));

function sections(text: string, marks: readonly string[]): Span[] {
  const cuts = new Set<number>();
  for (const mark of marks) {
    for (let at = text.indexOf(`\n${mark}`); at !== -1; at = text.indexOf(`\n${mark}`, at + 1)) cuts.add(at + 1);
  }
  return toSpans(
    0,
    [...cuts].sort((a, b) => a - b),
    text.length,
  );
}

function toSpans(from: number, cuts: readonly number[], to: number): Span[] {
  const ends = [...cuts.filter((cut) => cut > from && cut < to), to];
  return ends.map((end, index): Span => [ends[index - 1] ?? from, end]);
}

/** Fills pieces with atoms, in order. Atoms are small enough that one always fits after the overlap. */
function pack(text: string, section: Span, separators: readonly string[], max: number, overlap: number): Span[] {
  if (section[1] - section[0] <= max) return [section];
  const spans: Span[] = [];
  let [start] = section;
  let end = start;
  for (const [, to] of atoms(text, section, separators, max - overlap)) {
    if (to - start > max) {
      spans.push([start, end]);
      start = repeatFrom(text, [start, end], overlap);
    }
    end = to;
  }
  // Skip a piece that only repeats the previous one.
  const [from, to] = trim(text, [spans.at(-1)?.[1] ?? start, end]);
  return from < to ? [...spans, [start, end]] : spans;
}

function atoms(text: string, [from, to]: Span, separators: readonly string[], max: number): Span[] {
  if (to - from <= max) return [[from, to]];
  const [separator, ...rest] = separators;
  if (separator === undefined) return hardCuts(text, from, to, max);
  const cuts: number[] = [];
  for (let at = text.indexOf(separator, from); at !== -1; at = text.indexOf(separator, at + separator.length)) {
    const cut = at + separator.length;
    if (cut >= to) break;
    if (isBoundary(text, cut)) cuts.push(cut);
  }
  return toSpans(from, cuts, to).flatMap((span) => atoms(text, span, rest, max));
}

function hardCuts(text: string, from: number, to: number, max: number): Span[] {
  const cuts: number[] = [];
  let start = from;
  while (to - start > max) {
    start = cutBefore(text, start, start + max);
    cuts.push(start);
  }
  return toSpans(from, cuts, to);
}

/**
 * Returns where to cut: after a space in the last quarter if there is one, else between graphemes, else between code
 * points. `start` is such a position.
 */
function cutBefore(text: string, start: number, limit: number): number {
  for (let at = limit; at > limit - (limit - start) / 4; at--) {
    if (SPACE.test(text.charAt(at - 1)) && isBoundary(text, at)) return at;
  }
  if (isBoundary(text, limit)) return limit;
  const last = boundaries(text, start, limit).at(-1);
  if (last !== undefined) return last;
  return isLow(text, limit) && limit - 1 > start ? limit - 1 : limit;
}

/**
 * Returns where the overlap begins: at the first word in the last `overlap` of a piece, else at the first grapheme,
 * else at its end.
 */
function repeatFrom(text: string, [start, end]: Span, overlap: number): number {
  // The overlap must not be the whole piece, or the next one would contain it.
  const from = Math.max(trim(text, [start, end])[0] + 1, end - overlap);
  for (let at = from; at < end; at++) {
    if (SPACE.test(text.charAt(at - 1)) && !SPACE.test(text.charAt(at)) && isBoundary(text, at)) return at;
  }
  if (from >= end) return end;
  if (isBoundary(text, from)) return from;
  return boundaries(text, start, end).find((at) => at >= from) ?? end;
}

/** Returns the grapheme boundaries after `start` and before `end`; `start` is one itself. */
function boundaries(text: string, start: number, end: number): number[] {
  const places: number[] = [];
  for (const { index } of segmenter.segment(text.slice(start, end + 8))) {
    if (index > 0 && start + index < end) places.push(start + index);
  }
  return places;
}

function trim(text: string, [from, to]: Span): Span {
  let [start, end] = [from, to];
  while (start < end && SPACE.test(text.charAt(start)) && isBoundary(text, start + 1)) start++;
  while (end > start && SPACE.test(text.charAt(end - 1)) && isBoundary(text, end - 1)) end--;
  return [start, end];
}

/** Returns a function that finds the line and section of a position; positions mostly increase. */
function createPlaces(text: string): (at: number) => { line: number; section?: string } {
  const headings = [...text.matchAll(HEADING)].map(({ index, 1: title = '' }) => ({ index, title: title.trim() }));
  let line = 1;
  let seen = 0;
  let next = 0;
  return (at) => {
    // A piece may begin before the previous one ended.
    if (at < seen) for (let back = at; back < seen; back++) line -= text.charCodeAt(back) === 10 ? 1 : 0;
    else for (let on = seen; on < at; on++) line += text.charCodeAt(on) === 10 ? 1 : 0;
    seen = at;
    while ((headings[next]?.index ?? Number.POSITIVE_INFINITY) <= at) next++;
    const section = headings[next - 1]?.title
      .slice(0, 200)
      .replace(/[\s#]+$/, '')
      .toWellFormed();
    return { line, ...(section ? { section } : {}) };
  };
}

const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/**
 * Returns whether the character can't be part of a longer grapheme as a mark, joiner, flag or half of a pair. Two such
 * characters in a row are always two graphemes.
 */
function isSimple(code: number): boolean {
  if (code < 0x300) return true;
  if (code < 0x3001) return (code >= 0x370 && code <= 0x481) || (code >= 0x48a && code <= 0x52f);
  if (code <= 0x30fa) return code <= 0x3029 || (code >= 0x3041 && code <= 0x3096) || code >= 0x30a1;
  return (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xff01 && code <= 0xff9d);
}

const segmenter = new Intl.Segmenter();
const LOOK_BACK = 256;

function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (before === 10) return true;
  if (isSimple(before) && isSimple(after)) return !(before === 13 && after === 10);
  let origin = at - 1;
  const first = Math.max(0, at - LOOK_BACK);
  while (origin > first && !(isSimple(text.charCodeAt(origin - 1)) && isSimple(text.charCodeAt(origin)))) origin--;
  const window = text.slice(origin, at + 8);
  return segmenter.segment(window).containing(at - origin)?.index === at - origin;
}
