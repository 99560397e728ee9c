/**
 * Cuts formatted text into parts of a platform's size. Only blanks at the cuts are lost, formatting continues in the
 * next part, and cuts fall at natural breaks. Linear in the length of the text.
 */
import type { Rich, Span } from './rich.ts';

export interface SplitOptions {
  /** Measures a text as the platform does; must not shrink when text is added. UTF-16 code units by default. */
  measure?: (text: string) => number;
}

// Matches a character that joins the one before it into one grapheme cluster (Unicode UAX 29, GB9 and GB9a).
const JOINS = /^(?:\p{M}|\p{Emoji_Modifier}|\u200c|\u200d|[\uff9e\uff9f]|[\u{e0020}-\u{e007f}])/u;
const SENTENCE_END = /[.!?…:;。！？；]/;
const CLOSING = /["'”’»)\]}」』）]/;
const EMPTY_LINES = /(?:[^\S\n]*\n)+/y;

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns parts of at most `limit` units each, never empty or blank. A cut prefers the end of a paragraph, line,
 * sentence or word in the second half of a part, keeps a code block whole if that leaves a quarter of the part filled,
 * and never falls inside a grapheme cluster unless the cluster alone is longer than a part, nor inside a surrogate
 * pair.
 * @example
 * const parts = splitRich(await parseMarkdown('a long answer'), 2_000);
 */
export function splitRich(rich: Rich, limit: number, { measure }: SplitOptions = {}): Rich[] {
  const { text, features } = rich;
  const codes = rich.spans.filter((span) => span.kind === 'pre');
  const clip = clipper(rich.spans);
  const parts: Rich[] = [];
  let code = 0;
  const codeAt = (position: number): Span | undefined => {
    while ((codes[code]?.end ?? Number.POSITIVE_INFINITY) <= position) code++;
    const span = codes[code];
    return span !== undefined && span.start <= position ? span : undefined;
  };

  /** Returns the next position to show: past blanks, but inside a code block past empty lines only. */
  const skip = (from: number): number => {
    let at = from;
    while (at < text.length) {
      const span = codeAt(at);
      if (span === undefined) {
        if (!isBlank(text.charCodeAt(at))) return at;
        at++;
      } else {
        EMPTY_LINES.lastIndex = at;
        if (!EMPTY_LINES.test(text)) return at;
        at = Math.min(EMPTY_LINES.lastIndex, span.end);
      }
    }
    return at;
  };

  let at = skip(0);
  while (at < text.length) {
    const room = measure === undefined ? at + limit : furthest(text, at, limit, measure);
    let cut = room >= text.length ? text.length : cutWithin(text, at, room);
    const inside = cut < text.length ? codes.find((span) => span.start < cut && cut < span.end) : undefined;
    if (inside !== undefined && inside.start - at >= (room - at) / 4) {
      const size = measure === undefined ? inside.end - inside.start : measure(text.slice(inside.start, inside.end));
      if (size <= limit) cut = inside.start;
    }
    const end = at + text.slice(at, cut).trimEnd().length;
    if (end > at) parts.push({ text: text.slice(at, end), spans: clip(at, end), features });
    at = skip(cut);
  }
  return parts;
}

/** Returns the largest position after `at` that keeps the part within the limit; at least one character on. */
function furthest(text: string, at: number, limit: number, measure: (text: string) => number): number {
  let step = limit;
  let low = at;
  let high = Math.min(text.length, at + step);
  while (high < text.length && measure(text.slice(at, high)) <= limit) {
    low = high;
    step *= 2;
    high = Math.min(text.length, at + step);
  }
  if (measure(text.slice(at, high)) <= limit) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (measure(text.slice(at, middle)) <= limit) low = middle;
    else high = middle;
  }
  return Math.max(low, at + 1);
}

function cutWithin(text: string, at: number, room: number): number {
  const half = at + Math.ceil((room - at) / 2);
  const paragraph = lastBreak(text, half, room, (position) => text.startsWith('\n\n', position));
  const line = paragraph ?? lastBreak(text, half, room, (position) => text[position] === '\n');
  const sentence = line ?? lastBreak(text, half, room, (position) => endsSentence(text, position));
  // Otherwise any blank, however short the part becomes: better than cutting a word in two.
  return sentence ?? lastBreak(text, at + 1, room, () => true) ?? clusterBreak(text, at, room);
}

/** Returns the last position in [from, to] where a part may begin without cutting a word and `fits` agrees. */
function lastBreak(text: string, from: number, to: number, fits: (position: number) => boolean): number | undefined {
  for (let position = to; position >= from; position--) {
    const blank = isBlank(text.charCodeAt(position));
    const before = text.charCodeAt(position - 1);
    if (!blank && !(endsIdeographic(before) && !CLOSING.test(text.charAt(position)))) continue;
    // Takes the first of several blanks, which also skips a long run of them in one step.
    if (blank && isBlank(before) && text[position] !== '\n') continue;
    if (!fits(position)) continue;
    let next = position;
    while (isBlank(text.charCodeAt(next))) next++;
    if (!JOINS.test(text.slice(next, next + 2))) return position;
  }
  return undefined;
}

/** Returns whether it is a full stop, exclamation or question mark that needs no blank after it. */
function endsIdeographic(code: number): boolean {
  return code === 0x3002 || code === 0xff01 || code === 0xff1f;
}

function endsSentence(text: string, position: number): boolean {
  let last = position - 1;
  while (CLOSING.test(text.charAt(last))) last--;
  return SENTENCE_END.test(text.charAt(last));
}

/**
 * Returns the last boundary between grapheme clusters in (at, room]; between code points if one cluster fills the part.
 */
function clusterBreak(text: string, at: number, room: number): number {
  const least = at + (isPair(text, at) ? 2 : 1);
  const limit = Math.max(isPair(text, room - 1) ? room - 1 : room, least);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  // The part begins at a boundary, so the text before doesn't matter; one more character decides the boundary after.
  const cluster = segmenter.segment(text.slice(at, limit + 2)).containing(limit - at);
  const start = cluster === undefined ? limit : at + cluster.index;
  return start > at ? start : limit;
}

/** Returns a function that clips spans to successive, increasing ranges, with offsets from the start of each range. */
export function clipper(spans: readonly Span[]): (start: number, end: number) => Span[] {
  let next = 0;
  let open: Span[] = [];
  return (start, end) => {
    open = open.filter((span) => span.end > start);
    for (let span = spans[next]; span !== undefined && span.start < end; span = spans[++next]) {
      if (span.end > start) open.push(span);
    }
    return open.map((span) => ({
      ...span,
      start: Math.max(span.start, start) - start,
      end: Math.min(span.end, end) - start,
    }));
  };
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code >= 160 && /\s/.test(String.fromCharCode(code)));
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
