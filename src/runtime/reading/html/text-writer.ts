/** Writes text, line breaks and marks without doubling blank lines or spaces, however the page is nested. */

interface Table {
  rows: number;
  cells: number;
}

const MAX_CELLS = 50;
/** Characters of the whole text: a page's addresses and indents can make it many times longer than the page. */
const MAX_TEXT = 5_000_000;

export class TextWriter {
  readonly #out: string[] = [];
  readonly #tables: Table[] = [];
  /** Line breaks to write before the next output. */
  #lines = 0;
  #size = 0;
  #isSpaced = true;
  #isPre = false;
  #isFresh = false;

  get #inCell(): boolean {
    return (this.#tables.at(-1)?.cells ?? 0) > 0;
  }

  #endLines(): void {
    if (this.#lines > 0 && this.#out.length > 0) this.#out.push('\n'.repeat(this.#lines));
    this.#lines = 0;
  }

  /** Writes a mark or text unchanged, after the pending break. */
  #put(piece: string): void {
    this.#size += piece.length;
    if (piece === '' || this.#size > MAX_TEXT) return;
    this.#isFresh = false;
    this.#endLines();
    this.#out.push(piece);
    this.#isSpaced = /\s$/.test(piece.slice(-1));
  }

  /** Writes text; white space becomes one space, except in fenced code. */
  text(words: string): void {
    const collapsed = this.#isPre ? words : words.replace(/\s+/g, ' ');
    this.#put(!this.#isPre && this.#isSpaced && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed);
  }

  /**
   * Requests at least this many line breaks before the next output: 1 a new line, 2 a new paragraph. In a table a
   * space.
   */
  break(lines: 1 | 2): void {
    if (this.#isPre) {
      if (lines === 1) this.#put('\n');
    } else if (this.#inCell) {
      if (!this.#isSpaced) this.#put(' ');
    } else {
      this.#lines = Math.max(this.#lines, lines);
      this.#isSpaced = true;
    }
  }

  /** Begins a paragraph: a break, except right after a mark that began the line. */
  paragraph(): void {
    if (!this.#isFresh) this.break(2);
  }

  /** Writes a break, then a mark that begins the line. */
  begin(lines: 1 | 2, mark: string): void {
    this.break(lines);
    if (this.#isPre || this.#inCell) return;
    this.#put(mark);
    this.#isSpaced = true;
    this.#isFresh = true;
  }

  code(): void {
    if (!this.#isPre) this.#put('`');
  }

  fence(isOpening: boolean): void {
    if (this.#isPre === isOpening || this.#inCell) return;
    if (isOpening) this.break(2);
    this.#isPre = isOpening;
    this.#put(isOpening ? '```\n' : this.#out.at(-1)?.endsWith('\n') ? '```' : '\n```');
    if (!isOpening) this.break(2);
  }

  table(isOpening: boolean): void {
    // A table in a cell is layout: its rows are lines of text.
    if (!isOpening || this.#inCell) this.endRow();
    if (isOpening) {
      this.#tables.push({ rows: 0, cells: 0 });
    } else {
      this.#tables.pop();
      this.break(2);
    }
  }

  endRow(): void {
    const table = this.#tables.at(-1);
    if (!table || table.cells === 0) return;
    this.#put(this.#isSpaced ? '|' : ' |');
    if (table.rows++ === 0) this.#put(`\n|${' --- |'.repeat(Math.min(table.cells, MAX_CELLS))}`);
    table.cells = 0;
    this.#lines = 1;
    this.#isSpaced = true;
  }

  cell(): void {
    const table = this.#tables.at(-1);
    if (!table || ++table.cells > MAX_CELLS) return;
    if (table.cells === 1) this.#lines = Math.max(this.#lines, 1);
    this.#put(table.cells === 1 || this.#isSpaced ? '| ' : ' | ');
  }

  /** Returns where a link's text begins, for `link`. */
  mark(): number {
    this.#endLines();
    return this.#out.push('') - 1;
  }

  /** Makes a link of the text since `mark`, and returns that text. */
  link(mark: number, url: string): string {
    const words = this.#out.slice(mark).join('');
    const plain = words.replace(/\s+/g, ' ').trim();
    this.#size += url.length + 4;
    if (plain === '' || this.#size > MAX_TEXT) return plain;
    const isLine = !words.includes('\n');
    if (isLine) this.#out[mark] = '[';
    // Before the pending break, since the address belongs to the text.
    this.#out.push(isLine ? `](${url})` : ` (${url})`);
    this.#isSpaced = this.#lines > 0;
    return plain.replace(/^[#>-]+ /, '');
  }

  finish(): string {
    return this.#out.join('').trim();
  }
}
