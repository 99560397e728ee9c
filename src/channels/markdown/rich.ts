/**
 * Defines text with formatting, independent of any platform's markup: the input of every renderer. Offsets are UTF-16
 * code units (JavaScript's string index, Telegram's unit). Invariant: spans are inside the text, not empty, sorted by
 * start with the outer span first, and two spans are either disjoint or one lies within the other. The text is
 * well-formed (half a surrogate pair became U+FFFD): otherwise two halves could meet where the markup between them was
 * removed.
 */

export type SpanFormat =
  | { kind: 'bold' | 'italic' | 'strike' | 'code' | 'quote' }
  | { kind: 'heading'; level: number }
  | { kind: 'pre'; language?: string }
  | { kind: 'link'; url: string };

export type Span = SpanFormat & { start: number; end: number };

export interface Inline {
  text: string;
  spans: Span[];
}

export interface Rich extends Inline {
  /** Features of the source that plain formatting can only imitate; some platforms have something better for them. */
  features: { table: boolean; tasks: boolean };
}

export interface Edit {
  at: number;
  remove: number;
  insert: string;
}

export const NO_FEATURES: Rich['features'] = Object.freeze({ table: false, tasks: false });

export function plainInline(text: string): Inline {
  return { text, spans: [] };
}

/** Appends `piece` to `target`, in place, and shifts its spans. */
export function append(target: Inline, piece: Inline): void {
  const offset = target.text.length;
  target.text += piece.text;
  for (const span of piece.spans) target.spans.push({ ...span, start: span.start + offset, end: span.end + offset });
}

/** Returns a part of the text, with the spans clipped to it. */
export function sliceInline<T extends Inline>(source: T, from: number, to = source.text.length): T {
  const spans: Span[] = [];
  for (const span of source.spans) {
    const start = Math.max(span.start, from) - from;
    const end = Math.min(span.end, to) - from;
    if (end > start) spans.push({ ...span, start, end });
  }
  return { ...source, text: source.text.slice(from, to), spans };
}

/** Runs `write`, which appends to `target`, and covers what it wrote with a span; the outer span comes first. */
export function cover(target: Inline, format: SpanFormat, write: () => void): void {
  const span: Span = { ...format, start: target.text.length, end: 0 };
  const index = target.spans.push(span) - 1;
  write();
  span.end = target.text.length;
  if (span.end === span.start) target.spans.splice(index, 1);
}

/**
 * Applies edits, sorted by `at` (insertions first) and not overlapping, and moves the spans. A pure insertion at the
 * edge of a span stays outside of it; a replacement keeps the formatting of what it replaces. Spans left empty are
 * dropped.
 * @example
 * const shout = edit(await parseMarkdown('*hello*'), [{ at: 5, remove: 0, insert: '!' }]);
 */
export function edit<T extends Inline>(source: T, edits: readonly Edit[]): T {
  if (edits.length === 0) return source;
  let text = '';
  let from = 0;
  // shift[i]: how far a position after the first i edits has moved.
  const shift = [0];
  for (const { at, remove, insert } of edits) {
    text += source.text.slice(from, at) + insert;
    from = at + remove;
    shift.push((shift.at(-1) ?? 0) + insert.length - remove);
  }
  text += source.text.slice(from);

  const move = (position: number, side: 'start' | 'end'): number => {
    let low = 0;
    let high = edits.length;
    // Counts the edits before the position; one right at it counts only as a pure insertion before a start.
    while (low < high) {
      const middle = (low + high) >> 1;
      const candidate = edits[middle];
      const before =
        candidate !== undefined &&
        (candidate.at < position || (candidate.at === position && side === 'start' && candidate.remove === 0));
      if (before) low = middle + 1;
      else high = middle;
    }
    const last = edits[low - 1];
    const moved = position + (shift[low] ?? 0);
    // Inside a removed range: move to the near edge of its replacement.
    if (last !== undefined && position < last.at + last.remove) {
      const start = last.at + (shift[low - 1] ?? 0);
      return side === 'start' ? start + last.insert.length : start;
    }
    return moved;
  };

  const spans: Span[] = [];
  for (const span of source.spans) {
    const start = move(span.start, 'start');
    const end = move(span.end, 'end');
    if (end > start) spans.push({ ...span, start, end });
  }
  return { ...source, text, spans };
}

/** Returns an edit for every match of a global pattern that doesn't begin inside a span of one of the kinds. */
export function editsOutside(
  source: Inline,
  pattern: RegExp,
  kinds: ReadonlySet<Span['kind']>,
  change: (match: RegExpExecArray) => Edit,
): Edit[] {
  const edits: Edit[] = [];
  const closed = source.spans.filter((span) => kinds.has(span.kind));
  let next = 0;
  let until = 0;
  for (const match of source.text.matchAll(pattern)) {
    for (let span = closed[next]; span !== undefined && span.start <= match.index; span = closed[++next]) {
      until = Math.max(until, span.end);
    }
    if (match.index >= until) edits.push(change(match));
  }
  return edits;
}
