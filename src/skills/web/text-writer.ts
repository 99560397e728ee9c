/** Puts words, line breaks and marks together so that no blank line or space is doubled, however the page is nested. */

export interface TextWriter {
  /** Words; white space is one space, except between the fences of code. */
  text(words: string): void;
  /** At least this many line ends before what comes next: 1 a new line, 2 a new paragraph. In a table a space. */
  break(lines: 1 | 2): void;
  /** A paragraph begins: a break, except right after a mark that began the line. */
  paragraph(): void;
  /** A break, then a mark that begins the line. */
  begin(lines: 1 | 2, mark: string): void;
  code(): void;
  fence(isOpening: boolean): void;
  table(isOpening: boolean): void;
  endRow(): void;
  cell(): void;
  /** Where a link's words begin; for `link`. */
  mark(): number;
  /** Makes a link of what was written since `mark`, and gives its words. */
  link(mark: number, url: string): string;
  finish(): string;
}

interface Table {
  rows: number;
  cells: number;
}

const MAX_CELLS = 50;
/** Characters of the whole text: a page's addresses and indents can make it many times longer than the page. */
const MAX_TEXT = 5_000_000;

export function createWriter(): TextWriter {
  const out: string[] = [];
  let lines = 0;
  let isSpaced = true;
  let isPre = false;
  let isFresh = false;
  let size = 0;
  const tables: Table[] = [];
  const inCell = () => (tables.at(-1)?.cells ?? 0) > 0;

  /** A mark or words as they are, after the break that is due. */
  function put(piece: string): void {
    size += piece.length;
    if (piece === '' || size > MAX_TEXT) return;
    isFresh = false;
    if (lines > 0) {
      if (out.length > 0) out.push('\n'.repeat(lines));
      lines = 0;
    }
    out.push(piece);
    isSpaced = /\s$/.test(piece.slice(-1));
  }

  function lineBreak(count: 1 | 2): void {
    if (isPre || inCell()) {
      if (isPre && count === 1) put('\n');
      if (!isPre && !isSpaced) put(' ');
      return;
    }
    lines = Math.max(lines, count);
    isSpaced = true;
  }

  function begin(count: 1 | 2, mark: string): void {
    lineBreak(count);
    if (isPre || inCell()) return;
    put(mark);
    isSpaced = true;
    isFresh = true;
  }

  function endRow(): void {
    const table = tables.at(-1);
    if (!table || table.cells === 0) return;
    put(isSpaced ? '|' : ' |');
    if (table.rows++ === 0) put(`\n|${' --- |'.repeat(Math.min(table.cells, MAX_CELLS))}`);
    table.cells = 0;
    lines = 1;
    isSpaced = true;
  }

  return {
    text(words) {
      if (isPre) return put(words);
      const collapsed = words.replace(/\s+/g, ' ');
      put(isSpaced && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed);
    },
    break: lineBreak,
    paragraph: () => (isFresh ? undefined : lineBreak(2)),
    begin,
    code: () => (isPre ? undefined : put('`')),
    fence(isOpening) {
      if (isPre === isOpening || inCell()) return;
      if (isOpening) {
        lineBreak(2);
        put('```\n');
        isPre = true;
        return;
      }
      isPre = false;
      put(out.at(-1)?.endsWith('\n') ? '```' : '\n```');
      lineBreak(2);
    },
    table(isOpening) {
      if (isOpening) {
        // A table in a cell lays out a page: its rows are lines of text.
        if (inCell()) endRow();
        tables.push({ rows: 0, cells: 0 });
        return;
      }
      endRow();
      tables.pop();
      lineBreak(2);
    },
    endRow,
    cell() {
      const table = tables.at(-1);
      if (!table || ++table.cells > MAX_CELLS) return;
      if (table.cells > 1) return put(isSpaced ? '| ' : ' | ');
      lines = Math.max(lines, 1);
      put('| ');
    },
    mark() {
      if (lines > 0 && out.length > 0) out.push('\n'.repeat(lines));
      lines = 0;
      return out.push('') - 1;
    },
    link(mark, url) {
      const words = out.slice(mark).join('');
      const plain = words.replace(/\s+/g, ' ').trim();
      size += url.length + 4;
      if (plain === '' || size > MAX_TEXT) return plain;
      const isLine = !words.includes('\n');
      if (isLine) out[mark] = '[';
      // Before the break that is due: the address belongs to the words.
      out.push(isLine ? `](${url})` : ` (${url})`);
      isSpaced = lines > 0;
      return plain.replace(/^[#>-]+ /, '');
    },
    finish: () => out.join('').trim(),
  };
}
