/** Cuts a piece that is longer than a part: text at a natural break, code between lines, tables between rows. */
import type { Content, Piece, Table } from './pieces.ts';
import { edit, type Inline, NO_FEATURES, type Rich, type Span, sliceInline } from './rich.ts';
import { splitRich } from './split.ts';
import { tableAsLines } from './table-forms.ts';

type Size = (content: Content) => number;

/** A text this short that doesn't fit has more links than a part can hold, so they are written out. */
const SHORT = 32;
const BLANKS = /^\s+/;
const EMPTY_LINES = /^(?:[^\S\n]*\n)+/;

/**
 * Returns pieces with the same content, each at most `limit` as measured by `size`, the first at most `room`. Only the
 * first has the marks of the items it begins. Each part of a table repeats the header.
 */
export function cutPiece(piece: Piece, limit: number, room: number, size: Size): Piece[] {
  return cutContent(piece.content, limit, room, size).map((content, index) =>
    index === 0 ? { ...piece, content } : { ...piece, content, begins: new Set(), apart: false },
  );
}

function cutContent(content: Content, limit: number, room: number, size: Size): Content[] {
  switch (content.type) {
    case 'rule':
      return [content];
    case 'table':
      return cutTable(content, limit, size);
    case 'text': {
      const written = (inline: Inline): Content => ({ ...content, inline });
      return cutRich({ ...content.inline, features: NO_FEATURES }, limit, room, (rich) => size(written(rich))).map(
        written,
      );
    }
    case 'code': {
      const pre: Span = { kind: 'pre', start: 0, end: content.text.length };
      const whole: Rich = { text: content.text, spans: [pre], features: NO_FEATURES };
      const written = ({ text }: Inline): Content => ({ ...content, text });
      return cutRich(whole, limit, room, (rich) => size(written(rich))).map(written);
    }
  }
}

function cutRich(rich: Rich, limit: number, room: number, size: (rich: Rich) => number): Rich[] {
  const whole = size(rich);
  if (whole <= limit) return [rich];
  const short = Math.min(SHORT, limit >> 3);
  if (rich.text.length < Math.max(2, short)) {
    const links = rich.spans.some((span) => span.kind === 'link');
    return links ? cutRich(spelledOut(rich), limit, room, size) : [rich];
  }
  // Markup takes its share of a part; where it is denser than average, the cut is repeated.
  const share = (units: number): number =>
    Math.max(1, short >> 1, Math.min(rich.text.length - 1, Math.floor((rich.text.length * units * 0.97) / whole)));
  for (const part of room < limit ? [1, 0.9, 0.75] : []) {
    const head = firstPart(rich, share(room * part));
    if (size(head) > room) continue;
    const end = rich.text.indexOf(head.text) + head.text.length;
    // As at every cut, blanks are left out; in code, only empty lines are.
    const blank = rich.spans[0]?.kind === 'pre' ? EMPTY_LINES : BLANKS;
    const from = end + (blank.exec(rich.text.slice(end))?.[0].length ?? 0);
    return [head, ...cutRich(sliceInline(rich, from), limit, limit, size)];
  }
  return splitRich(rich, share(limit)).flatMap((part) => cutRich(part, limit, limit, size));
}

/** Returns the first part that splitting would give, without splitting the rest. */
function firstPart(rich: Rich, units: number): Rich {
  const near = sliceInline(rich, 0, Math.min(rich.text.length, 2 * units + 64));
  return splitRich(near, units)[0] ?? rich;
}

/** Turns links into text, each URL in brackets after its label. */
function spelledOut(rich: Rich): Rich {
  const edits = rich.spans.flatMap((span) =>
    span.kind === 'link' ? [{ at: span.end, remove: 0, insert: ` (${span.url})` }] : [],
  );
  const plain = { ...rich, spans: rich.spans.filter((span) => span.kind !== 'link') };
  return edit(
    plain,
    [...edits].sort((a, b) => a.at - b.at),
  );
}

function cutTable(table: Table, limit: number, size: Size): Content[] {
  const [header = [], ...rows] = table.rows;
  const whole = size(table);
  if (whole <= limit) return [table];
  if (rows.length < 2) return cutContent({ type: 'text', inline: tableAsLines(table.rows) }, limit, limit, size);
  const count = Math.max(1, Math.min(rows.length - 1, Math.floor((rows.length * limit * 0.9) / whole)));
  const tables: Content[] = [];
  for (let at = 0; at < rows.length; at += count) {
    tables.push(...cutTable({ ...table, rows: [header, ...rows.slice(at, at + count)] }, limit, size));
  }
  return tables;
}
