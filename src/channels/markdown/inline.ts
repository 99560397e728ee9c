/** Writes lines of formatted text in a platform's own markup: the traversal that all such writers share. */
import type { Inline, Span } from './rich.ts';
import { clipper } from './split.ts';

export interface Place {
  line: Inline;
  start: number;
  end: number;
  /** The spans around it, outermost first. */
  outer: readonly Span[];
}

export interface InlineMarkup {
  /** Escapes text so that no character acts as markup. `start` 0 is the beginning of a line. */
  text: (raw: string, place: Place) => string;
  /** Wraps a span. `inner` is already written; for code it is the raw text. */
  span: (span: Span, inner: string, place: Place) => string;
}

/**
 * Returns one string per line. Spans close at the end of a line, reopen on the next, and have no blanks at their edges.
 */
export function writeLines(inline: Inline, markup: InlineMarkup): string[] {
  const clip = clipper(inline.spans);
  const lines: string[] = [];
  let at = 0;
  for (const text of inline.text.split('\n')) {
    lines.push(writeLine({ text, spans: text === '' ? [] : clip(at, at + text.length) }, markup));
    at += text.length + 1;
  }
  return lines;
}

function writeLine(line: Inline, markup: InlineMarkup): string {
  let next = 0;
  const build = (from: number, to: number, outer: readonly Span[]): string => {
    let out = '';
    let at = from;
    const plain = (end: number): void => {
      if (end > at) out += markup.text(line.text.slice(at, end), { line, start: at, end, outer });
      at = Math.max(at, end);
    };
    for (let span = line.spans[next]; span !== undefined && span.start < to; span = line.spans[next]) {
      next++;
      const [start, end] = edges(line.text, Math.max(span.start, at), Math.min(span.end, to));
      if (end <= start) continue;
      plain(start);
      const place: Place = { line, start, end, outer };
      if (span.kind === 'code') {
        while ((line.spans[next]?.start ?? to) < end) next++;
        out += markup.span(span, line.text.slice(start, end), place);
      } else {
        const isNew = !outer.some((other) => other.kind === span.kind);
        const inner = build(start, end, isNew ? [...outer, span] : outer);
        out += isNew ? markup.span(span, inner, place) : inner;
      }
      at = end;
    }
    plain(to);
    return out;
  };
  return build(0, line.text.length, []);
}

function edges(text: string, from: number, to: number): [number, number] {
  const part = text.slice(from, to);
  return [from + part.length - part.trimStart().length, from + part.trimEnd().length];
}
