/**
 * Packs pieces into parts of a platform's size, each complete in its own markup: every open fence and span is closed,
 * and reopened in the next part. Linear in the length of the text; equal pieces give equal parts.
 */
import { cutPiece } from './cut.ts';
import { type Container, type ItemMark, NOTHING, type Piece, type Table } from './pieces.ts';
import { type Inline, NO_FEATURES } from './rich.ts';
import { splitRich } from './split.ts';

/**
 * A platform's markup. Contents are written line by line, because each line may be inside quotations and list items.
 */
export interface Dialect {
  text: (inline: Inline, heading: number | undefined) => string[];
  code: (text: string, language: string | undefined) => string[];
  table: (table: Table) => string[];
  rule: string;
  mark: (mark: ItemMark) => string;
  /** Returns the indentation of an item's content that doesn't follow its mark on the same line. */
  indent: (mark: ItemMark) => string;
  isApart: (before: Piece, after: Piece) => boolean;
  /** `nested`: full Markdown nesting; `flat`: one level of quotation, with code and tables at its margin. */
  nesting: 'nested' | 'flat';
  /** Whether code can be inside a quotation; for `flat` only. */
  quotesCode: boolean;
}

export interface Part {
  text: string;
  pieces: Piece[];
}

const QUOTE = '> ';
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Returns parts of at most `limit` UTF-16 units, each with something visible. */
export function pack(pieces: readonly Piece[], dialect: Dialect, limit: number): Part[] {
  const parts: Part[] = [];
  let part: Piece[] = [];
  let open = new Set<Container>();
  let text = '';

  const append = (piece: Piece): boolean => {
    const before = part.at(-1);
    const between = before === undefined ? '' : gap(before, piece, open, dialect);
    const added = between + writePiece(piece, open, dialect);
    if (text.length + added.length > limit) return false;
    text += added;
    part.push(piece);
    for (const container of piece.begins) open.add(container);
    return true;
  };
  const finish = (whole: string, kept: Piece[]): void => {
    if (isVisible(whole)) parts.push({ text: whole.trimEnd(), pieces: kept });
    part = [];
    open = new Set();
    text = '';
  };
  const flush = (): void => {
    // A heading stays with the text below it.
    const last = part.findLastIndex((piece) => !isHeading(piece)) + 1;
    if (last === 0 || last === part.length) {
      finish(text, part);
      return;
    }
    const moved = part.slice(last);
    const kept = part.slice(0, last);
    finish(writeAll(kept, dialect), kept);
    for (const piece of moved) append(piece);
  };
  const place = (piece: Piece): void => {
    if (append(piece)) return;
    while (part.length > 0) {
      flush();
      if (append(piece)) return;
    }
    // Nested so deeply that the marks alone are too long.
    const bare = { ...piece, containers: [] };
    if (append(bare)) return;
    const written = { text: writePiece(bare, open, dialect), spans: [], features: NO_FEATURES };
    for (const { text: some } of splitRich(written, limit)) finish(some, [bare]);
  };

  for (const piece of pieces) {
    if (append(piece)) continue;
    const size = (content: Piece['content']): number =>
      writePiece({ ...piece, content }, new Set(piece.containers), dialect).length;
    if (size(piece.content) <= limit) {
      place(piece);
      continue;
    }
    const room = limit - text.length - 2 * (QUOTE.length * piece.containers.length + 2);
    for (const one of cutPiece(piece, limit, part.length > 0 && room >= limit / 3 ? room : limit, size)) place(one);
  }
  finish(text, part);
  return parts;
}

/** Returns false for blanks, control and format characters alone: platforms refuse such a message. */
function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

function isHeading(piece: Piece | undefined): boolean {
  return piece?.content.type === 'text' && piece.content.heading !== undefined;
}

function writeAll(pieces: readonly Piece[], dialect: Dialect): string {
  const open = new Set<Container>();
  let text = '';
  let before: Piece | undefined;
  for (const piece of pieces) {
    text += (before === undefined ? '' : gap(before, piece, open, dialect)) + writePiece(piece, open, dialect);
    for (const container of piece.begins) open.add(container);
    before = piece;
  }
  return text;
}

/** Returns the line break before a piece; an empty line gets the quotation marks that both pieces share. */
function gap(before: Piece, after: Piece, open: ReadonlySet<Container>, dialect: Dialect): string {
  let shared = 0;
  while (shared < after.containers.length && after.containers[shared] === before.containers[shared]) shared++;
  if (isMistaken(before, after, shared, open)) return `\n\n${NOTHING}\n\n`;
  if (!dialect.isApart(before, after)) return '\n';
  const around = after.containers.slice(0, shared);
  const quoted = around.findLastIndex((container) => container.kind === 'quote');
  if (quoted < 0) return '\n\n';
  return `\n${prefixes({ ...after, containers: around.slice(0, quoted + 1) }, open, dialect).rest}\n`;
}

/**
 * Returns whether a list would be mistaken for its outer item: in a part that begins within an item, a list of that
 * item starts at the item's own margin, so its numbers would continue in the next item.
 */
function isMistaken(before: Piece, after: Piece, shared: number, open: ReadonlySet<Container>): boolean {
  const [outer, ...inner] = before.containers.slice(shared);
  const next = after.containers[shared];
  if (outer?.kind !== 'item' || open.has(outer) || next?.kind !== 'item' || next.mark.number === undefined)
    return false;
  return inner.some((container) => container.kind === 'item' && container.mark.number !== undefined);
}

function writePiece(piece: Piece, open: ReadonlySet<Container>, dialect: Dialect): string {
  const { content } = piece;
  const lines = writeContent(content, dialect);
  const { first, rest, quote, marks } = prefixes(piece, open, dialect);
  if (dialect.nesting === 'flat' && (content.type === 'code' || content.type === 'table')) {
    const margin = dialect.quotesCode ? quote : '';
    const above = marks === '' ? [] : [quote + marks.trimEnd()];
    return [...above, ...lines.map((line) => margin + line)].join('\n');
  }
  return lines
    .map((line, index) => {
      const prefix = index === 0 ? first : rest;
      return line === '' && quote === '' && index > 0 ? '' : prefix + line;
    })
    .join('\n');
}

function writeContent(content: Piece['content'], dialect: Dialect): string[] {
  switch (content.type) {
    case 'text':
      return dialect.text(content.inline, content.heading);
    case 'code':
      return dialect.code(content.text, content.language);
    case 'table':
      return dialect.table(content);
    case 'rule':
      return [dialect.rule];
  }
}

interface Prefixes {
  first: string;
  rest: string;
  quote: string;
  marks: string;
}

/** Returns the prefixes of a piece's lines. An item that began in an earlier part adds nothing. */
function prefixes({ containers, begins }: Piece, open: ReadonlySet<Container>, dialect: Dialect): Prefixes {
  let first = '';
  let rest = '';
  let quote = '';
  let marks = '';
  for (const container of containers) {
    if (container.kind === 'quote') {
      if (dialect.nesting === 'nested') {
        first += QUOTE;
        rest += QUOTE;
      } else if (quote === '') {
        first = QUOTE + marks;
        rest = QUOTE;
      }
      quote = QUOTE;
    } else if (begins.has(container)) {
      const mark = dialect.mark(container.mark);
      first += mark;
      rest += dialect.indent(container.mark);
      marks += mark;
    } else if (open.has(container)) {
      first += dialect.indent(container.mark);
      rest += dialect.indent(container.mark);
    }
  }
  return { first, rest, quote, marks };
}
