/**
 * Text with formatting, in no platform's own markup: what every renderer starts from.
 * Offsets are UTF-16 code units (JavaScript's string index, Telegram's unit).
 * Invariant: spans are inside the text, not empty, sorted by start with the outer span first, and two spans are
 * either disjoint or one lies within the other. The text is well-formed (half a surrogate pair became U+FFFD), or two
 * halves could meet where markup between them went.
 */

export type SpanFormat =
  | { kind: 'bold' | 'italic' | 'strike' | 'code' | 'quote' }
  | { kind: 'heading'; level: number }
  | { kind: 'pre'; language?: string }
  | { kind: 'link'; url: string };

export type Span = SpanFormat & { start: number; end: number };

/** A run of text inside a block: a paragraph's words, a table cell. */
export interface Inline {
  text: string;
  spans: Span[];
}

export interface Rich extends Inline {
  /** What the source held that plain formatting can only imitate; some platforms have something better for it. */
  features: { table: boolean; tasks: boolean };
}

export interface Edit {
  at: number;
  /** Code units taken out from `at` on. */
  remove: number;
  insert: string;
}

export const NO_FEATURES: Rich['features'] = Object.freeze({ table: false, tasks: false });

export function plainInline(text: string): Inline {
  return { text, spans: [] };
}

/** Appends `piece` to `target`, in place, with its spans moved along. */
export function append(target: Inline, piece: Inline): void {
  const offset = target.text.length;
  target.text += piece.text;
  for (const span of piece.spans) target.spans.push({ ...span, start: span.start + offset, end: span.end + offset });
}

/** Runs `write`, which appends to `target`, and lays a span over what it wrote; the outer span comes first. */
export function cover(target: Inline, format: SpanFormat, write: () => void): void {
  const span: Span = { ...format, start: target.text.length, end: 0 };
  const index = target.spans.push(span) - 1;
  write();
  span.end = target.text.length;
  if (span.end === span.start) target.spans.splice(index, 1);
}

/**
 * Applies edits, sorted by `at` (insertions first) and not overlapping, and moves the spans. A pure insertion at the edge of a span stays
 * outside of it; a replacement keeps the formatting of what it replaces. Spans left empty are dropped.
 */
export function edit<T extends Inline>(source: T, edits: readonly Edit[]): T {
  if (edits.length === 0) return source;
  let text = '';
  let from = 0;
  // shift[i]: by how much a position after the first i edits has moved.
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
    // Finds how many edits begin before the position; one that begins right at it counts when it only inserts before a start.
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
    // Inside a removed range: to the near edge of what replaced it.
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

/** An edit for every match of a global pattern that does not begin inside a span of one of the kinds. */
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
