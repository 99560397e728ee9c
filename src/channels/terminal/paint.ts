/**
 * Renders a Markdown document as lines for a terminal: words wrapped, tables aligned, with colours or, without them,
 * Markdown's own marks. Invariant: every line ends all formatting that it begins, so lines can be combined freely.
 * Pure.
 */
import type { Block, ListItem } from '../markdown/block.ts';
import { markOf } from '../markdown/flatten.ts';
import type { MarkdownDocument } from '../markdown/parse.ts';
import { edit, type Inline, plainInline, type Span } from '../markdown/rich.ts';
import { tableAsList } from '../markdown/table-forms.ts';
import { type Look, linked, type Style, styled } from './look.ts';
import { safe } from './safe.ts';
import { displayWidth, wrap } from './width.ts';

type Table = Extract<Block, { type: 'table' }>;

const MIN_WIDTH = 16;

/** @param label precedes the first line; it gets a line of its own before a block other than a paragraph */
export function paint({ rich, blocks }: MarkdownDocument, look: Look, columns: number, label = ''): string[] {
  const painter = new Painter(look);
  const [first, ...rest] = blocks.length > 0 ? blocks : rich.text === '' ? [] : [paragraph(rich)];
  const mark = (text: string) => styled(look, 'bold', styled(look, 'magenta', text));
  if (label === '' || first === undefined) return painter.blocks(first ? [first, ...rest] : [], columns);
  if (first.type !== 'paragraph') return [mark(label.trimEnd()), ...painter.blocks([first, ...rest], columns)];
  const begun = edit(first.inline, [{ at: 0, remove: 0, insert: label }]);
  const [line = '', ...lines] = painter.blocks([{ ...first, inline: begun }, ...rest], columns);
  return [mark(label) + line.slice(label.length), ...lines];
}

const paragraph = ({ text, spans }: Inline): Block => ({ type: 'paragraph', inline: { text, spans } });

class Painter {
  readonly #look: Look;

  constructor(look: Look) {
    this.#look = look;
  }

  blocks(blocks: readonly Block[], width: number, depth = 0): string[] {
    return blocks.flatMap((block, index) => [...(index > 0 ? [''] : []), ...this.#block(block, width, depth)]);
  }

  #block(block: Block, room: number, depth: number): string[] {
    const width = Math.max(MIN_WIDTH, room);
    switch (block.type) {
      case 'paragraph':
        return this.#words(block.inline, width);
      case 'heading':
        return this.#heading(block, width);
      case 'code':
        return this.#code(block);
      case 'quote': {
        const edge = this.#dim('│ ');
        return this.blocks(block.blocks, width - 2, depth).map((line) => edge + line);
      }
      case 'list':
        return this.#list(block, width, depth);
      case 'table':
        return this.#table(block, width, depth);
      case 'rule':
        return [this.#dim('─'.repeat(Math.min(width, 40)))];
    }
  }

  #heading({ level, inline }: Extract<Block, { type: 'heading' }>, width: number): string[] {
    if (!this.#look.color)
      return this.#words(edit(inline, [{ at: 0, remove: 0, insert: `${'#'.repeat(level)} ` }]), width);
    const whole: Span = { kind: 'bold', start: 0, end: inline.text.length };
    const lines = this.#words({ ...inline, spans: [whole, ...inline.spans] }, width);
    return level === 1 ? lines.map((line) => styled(this.#look, 'underline', line)) : lines;
  }

  /** Code lines aren't wrapped, so that text copied from the terminal equals what was written. */
  #code({ text, language = '' }: Extract<Block, { type: 'code' }>): string[] {
    const fence = text.includes('```') ? '~~~~' : '```';
    const lines = safe(text)
      .replaceAll('\t', '    ')
      .split('\n')
      .map((line) => this.#as('cyan', line));
    return [this.#dim(fence + language), ...lines, this.#dim(fence)];
  }

  #list(list: Extract<Block, { type: 'list' }>, width: number, depth: number): string[] {
    return list.items.flatMap((item, index) => {
      const gap = index > 0 && list.loose ? [''] : [];
      return [...gap, ...this.#item(item, markOf(list, index, depth), width, depth)];
    });
  }

  #item(item: ListItem, mark: string, width: number, depth: number): string[] {
    const indent = ' '.repeat(displayWidth(mark));
    const lines = item.blocks.flatMap((block, index) => [
      ...(index > 0 && item.loose && block.type !== 'list' ? [''] : []),
      ...this.#block(block, width - indent.length, depth + 1),
    ]);
    const [first = '', ...rest] = lines;
    return [this.#dim(mark) + first, ...rest.map((line) => (line === '' ? '' : indent + line))];
  }

  #table(table: Table, width: number, depth: number): string[] {
    const columns = Math.max(...table.rows.map((row) => row.length));
    const widths = Array.from({ length: columns }, (_, column) =>
      Math.max(1, ...table.rows.map((row) => displayWidth(row[column]?.text ?? ''))),
    );
    const isWide = widths.reduce((sum, one) => sum + one + 3, -3) > width;
    // A table that doesn't fit is shown as a list of its rows.
    if (isWide || table.rows.some((row) => row.some(({ text }) => text.includes('\n'))))
      return this.#block(tableAsList(table.rows), width, depth);
    const between = this.#dim(' │ ');
    const rows = table.rows.map((row, index) =>
      widths
        .map((size, column) => {
          const cell = row[column] ?? plainInline('');
          const missing = size - displayWidth(cell.text);
          const before = { right: missing, center: missing >> 1, left: 0 }[table.align[column] ?? 'left'];
          const words = this.#line(cell, 0, cell.text.length);
          return ' '.repeat(before) + (index === 0 ? this.#as('bold', words) : words) + ' '.repeat(missing - before);
        })
        .join(between)
        .trimEnd(),
    );
    const isNamed = table.rows[0]?.some(({ text }) => text.trim() !== '') ?? false;
    if (!isNamed) return rows.slice(1);
    rows.splice(1, 0, this.#dim(widths.map((size) => '─'.repeat(size)).join('─┼─')));
    return rows;
  }

  #words(inline: Inline, width: number): string[] {
    const whole = this.#look.links ? inline : withAddresses(inline);
    let from = 0;
    return whole.text.split('\n').flatMap((line) => {
      const offset = from;
      from += line.length + 1;
      return wrap(line, width).map(({ start, end }) => this.#line(whole, offset + start, offset + end));
    });
  }

  /** Returns a part of the text with its formatting, begun and ended within it. */
  #line({ text, spans }: Inline, start: number, end: number): string {
    const inside = spans.filter((span) => span.start < end && span.end > start);
    const edges = inside.flatMap((span) => [Math.max(start, span.start), Math.min(end, span.end)]);
    const cuts = [...new Set([start, ...edges, end])].sort((a, b) => a - b);
    return cuts
      .slice(1)
      .map((to, index) => {
        const at = cuts[index] ?? start;
        const over = inside.filter((span) => span.start <= at && span.end >= to);
        return over.reduceRight(
          (words, span) => this.#span(span, words),
          safe(text.slice(at, to)).replaceAll('\t', ' '),
        );
      })
      .join('');
  }

  #span(span: Span, text: string): string {
    switch (span.kind) {
      case 'bold':
      case 'heading':
        return this.#as('bold', text, '**');
      case 'italic':
        return this.#as('italic', text, '_');
      case 'strike':
        return this.#as('strike', text, '~~');
      case 'code':
      case 'pre':
        return this.#as('cyan', text, '`');
      case 'link':
        return linked(this.#look, span.url, this.#as('blue', this.#as('underline', text)));
      case 'quote':
        return text;
    }
  }

  #as(style: Style, text: string, mark = ''): string {
    if (this.#look.color || text.trim() === '') return styled(this.#look, style, text);
    return mark + text + mark;
  }

  #dim(text: string): string {
    return styled(this.#look, 'dim', text);
  }
}

function withAddresses(inline: Inline): Inline {
  const bare = (text: string) => text.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  return edit(
    inline,
    inline.spans
      .filter((span) => span.kind === 'link')
      .flatMap((span) => {
        if (span.kind !== 'link' || bare(inline.text.slice(span.start, span.end)) === bare(span.url)) return [];
        return [{ at: span.end, remove: 0, insert: ` (${span.url})` }];
      })
      .sort((a, b) => a.at - b.at),
  );
}
