/**
 * Turns blocks into a flat list of pieces, each with its quotations and list items; platforms with their own Markdown
 * are rendered from it. A piece may be cut, and a message may end between any two pieces.
 */
import type { Block, ListItem } from './block.ts';
import { type Edit, edit, type Inline, plainInline, sliceInline } from './rich.ts';
import type { Align } from './table.ts';
import { tableAsList } from './table-forms.ts';

export interface ItemMark {
  /** The item's number; absent in an unordered list. */
  number?: number;
  checked?: boolean;
  /** The number of lists around its own. */
  depth: number;
}

/** A quotation or list item around a piece. The same object in two pieces is the same quotation or item. */
export type Container = { kind: 'quote' } | { kind: 'item'; mark: ItemMark };

export type Table = { type: 'table'; align: (Align | undefined)[]; rows: Inline[][] };

/** The content of a piece. The first row of a table is its header. */
export type Content =
  | { type: 'text'; inline: Inline; heading?: number }
  | { type: 'code'; text: string; language?: string }
  | Table
  | { type: 'rule' };

export interface Piece {
  /** Outermost first. */
  containers: Container[];
  /** The item whose mark precedes this piece, and every item around it that begins here as well. */
  begins: ReadonlySet<Container>;
  apart: boolean;
  content: Content;
}

export interface PieceOptions {
  /**
   * The longest URL, in characters, that can be a link; a longer one is written out as text, because it doesn't fit
   * into one part.
   */
  maxUrl: number;
  /** Returns false for a table that must be written as a list. `isTop`: it isn't inside a list or a quotation. */
  isTable: (table: Table, isTop: boolean) => boolean;
  /** The most rows of one table, its header included. */
  maxRows?: number;
}

/** A paragraph to every parser, but invisible. */
export const NOTHING = '\u2060';
// biome-ignore lint/suspicious/noControlCharactersInRegex: no platform shows them, some refuse them
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
const BREAK = /[\u2028\u2029]/g;
/** Embeddings, overrides and isolates: they reverse the text that follows, even the host of a link. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns the pieces of a document, in order. Characters that could garble the text around them are removed. */
export function toPieces(blocks: readonly Block[], options: PieceOptions): Piece[] {
  const pieces: Piece[] = [];
  let begins = new Set<Container>();

  const add = (content: Content, containers: Container[], apart: boolean): void => {
    pieces.push({ containers, begins, apart, content });
    begins = new Set();
  };

  const addItem = (item: ListItem, mark: ItemMark, containers: Container[], apart: boolean): void => {
    const container: Container = { kind: 'item', mark };
    const inside = [...containers, container];
    begins = new Set(begins).add(container);
    if (item.blocks.length === 0) add({ type: 'text', inline: plainInline('') }, inside, apart);
    addAll(item.blocks, inside, (block, index) => (index === 0 ? apart : block.type !== 'list' && item.loose));
  };

  const addAll = (
    list: readonly Block[],
    containers: Container[],
    apartOf: (block: Block, index: number) => boolean,
  ): void => {
    for (const [index, block] of list.entries()) {
      // Two adjacent lists would merge, and the numbers would continue.
      if (block.type === 'list' && block.ordered && list[index - 1]?.type === 'list') {
        add({ type: 'text', inline: plainInline(NOTHING) }, containers, true);
        addBlock(block, containers, true);
      } else addBlock(block, containers, apartOf(block, index));
    }
  };

  const addBlock = (block: Block, containers: Container[], apart: boolean): void => {
    switch (block.type) {
      case 'paragraph':
        add({ type: 'text', inline: prepared(block.inline, options.maxUrl) }, containers, apart);
        break;
      case 'heading':
        add({ type: 'text', inline: prepared(block.inline, options.maxUrl), heading: block.level }, containers, apart);
        break;
      case 'rule':
        add({ type: 'rule' }, containers, apart);
        break;
      case 'code':
        add({ ...block, text: clean(block.text) }, containers, apart);
        break;
      case 'quote': {
        const inside: Container[] = [...containers, { kind: 'quote' }];
        addAll(block.blocks, inside, (_block, index) => index > 0 || apart);
        break;
      }
      case 'list': {
        const depth = containers.filter((container) => container.kind === 'item').length;
        for (const [index, item] of block.items.entries()) {
          const mark: ItemMark = {
            depth,
            ...(block.ordered ? { number: block.start + index } : {}),
            ...(item.checked === undefined ? {} : { checked: item.checked }),
          };
          addItem(item, mark, containers, index === 0 ? apart : block.loose);
        }
        break;
      }
      case 'table': {
        const rows = block.rows.map((row) => row.map((cell) => prepareCell(cell, options.maxUrl)));
        const table: Table = { ...block, rows };
        if (!options.isTable(table, containers.length === 0)) addBlock(tableAsList(rows), containers, apart);
        else for (const one of shorter(table, options.maxRows)) add(one, containers, apart);
        break;
      }
    }
  };

  addAll(blocks, [], () => true);
  return pieces;
}

/** Splits a table into tables of at most `maxRows`, each with the header. */
function shorter(table: Table, maxRows = Number.POSITIVE_INFINITY): Table[] {
  const [header = [], ...rows] = table.rows;
  if (table.rows.length <= maxRows) return [table];
  const count = Math.ceil(rows.length / (maxRows - 1));
  return Array.from({ length: count }, (_, index) => ({
    ...table,
    rows: [header, ...rows.slice(index * (maxRows - 1), (index + 1) * (maxRows - 1))],
  }));
}

function clean(text: string): string {
  return text.replace(CONTROL, ' ').replace(BREAK, '\n').replace(DIRECTION, '');
}

function prepareCell(source: Inline, maxUrl: number): Inline {
  const inline = prepared(source, maxUrl);
  return inline.text === NOTHING ? plainInline('') : inline;
}

function prepared(source: Inline, maxUrl: number): Inline {
  const text = source.text.replace(CONTROL, ' ').replace(BREAK, '\n');
  const spans = source.spans.filter((span) => span.kind !== 'link' || span.url.length <= maxUrl);
  const edits: Edit[] = [...text.matchAll(DIRECTION)].map(({ index }) => ({ at: index, remove: 1, insert: '' }));
  for (const span of source.spans) {
    if (span.kind !== 'link' || span.url.length <= maxUrl) continue;
    if (text.slice(span.start, span.end).includes(span.url)) continue;
    edits.push({ at: span.end, remove: 0, insert: ` (${span.url})` });
  }
  edits.sort((a, b) => a.at - b.at || a.remove - b.remove);
  const shown = edit({ text, spans }, edits);
  // A paragraph that becomes invisible still separates its neighbours.
  if (shown.text.trim() === '') return plainInline(NOTHING);
  // Blank lines after the mark of a list item would end the item.
  const from = /^(?:[^\S\n]*\n)*/.exec(shown.text)?.[0].length ?? 0;
  return from === 0 ? shown : sliceInline(shown, from);
}
