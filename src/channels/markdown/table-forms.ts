/** Converts a table where it can't be shown as one: to a list, to lines, or to links below monospace text. */
import type { Block } from './block.ts';
import { append, type Inline, plainInline } from './rich.ts';

type Rows = readonly (readonly Inline[])[];

/** The longest column name that is repeated with every cell. */
const MAX_NAME = 60;

/** Returns a list with an item for each row; the other columns are below the first, each with its column's name. */
export function tableAsList(rows: Rows): Block {
  const list = (items: Block[][]): Block => ({
    type: 'list',
    ordered: false,
    start: 1,
    loose: false,
    items: items.map((blocks) => ({ loose: false, blocks })),
  });
  return list(
    namedRows(rows).map((cells) => {
      const [first, ...others] = cells.map((inline): Block => ({ type: 'paragraph', inline }));
      const below = others.length === 0 ? [] : [list(others.map((one) => [one]))];
      return first === undefined ? below : [first, ...below];
    }),
  );
}

export function tableAsLines(rows: Rows): Inline {
  const all = plainInline('');
  for (const cell of namedRows(rows).flat()) {
    if (all.text !== '') all.text += '\n';
    append(all, cell);
  }
  return all;
}

/** Returns the links of a table, to repeat them below monospace text, where they can't be followed. */
export function linksIn(rows: Rows): Inline {
  const links = plainInline('');
  for (const cell of rows.flat()) {
    for (const span of cell.spans) {
      if (span.kind !== 'link') continue;
      if (links.text !== '') links.text += ', ';
      const text = cell.text.slice(span.start, span.end);
      append(links, { text, spans: [{ ...span, start: 0, end: text.length }] });
    }
  }
  return links;
}

function namedRows([header = [], ...rows]: Rows): Inline[][] {
  const isNamed = rows.length > 0 && header.every((name) => name.text.length <= MAX_NAME);
  if (!isNamed) return [header, ...rows].map((row) => row.filter(isFilled)).filter((row) => row.length > 0);
  // The first row keeps every column name, the others only those of filled cells.
  return rows.map((row, index) => {
    const columns = Math.max(row.length, index === 0 ? header.length : 0);
    const cells = Array.from({ length: columns }, (_, column) => row[column] ?? plainInline(''));
    return cells.flatMap((cell, column) =>
      index === 0 || isFilled(cell) ? [withColumnName(header[column], cell)] : [],
    );
  });
}

function withColumnName(name: Inline | undefined, cell: Inline): Inline {
  if (name === undefined || !isFilled(name)) return cell;
  const all = plainInline('');
  append(all, name);
  all.text += isFilled(cell) ? ': ' : ':';
  all.spans.unshift({ kind: 'bold', start: 0, end: name.text.length + 1 });
  append(all, cell);
  return all;
}

function isFilled({ text }: Inline): boolean {
  return text.trim() !== '';
}
