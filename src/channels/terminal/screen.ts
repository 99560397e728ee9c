/**
 * Redraws the lower end of a terminal, below the lines that stay. Invariants: the drawing is lower than the terminal,
 * so that none of it ever scrolls away; it is drawn without wrapping, so that a character wider than expected can't
 * break it; an unchanged line isn't redrawn.
 */
import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from './width.ts';

export interface Output extends NodeJS.WritableStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
}

export interface Drawing {
  lines: readonly string[];
  cursor: { row: number; column: number };
}

const NOTHING: Drawing = { lines: [], cursor: { row: 0, column: 0 } };
/** Synchronised output, on terminals that support it, shows a drawing only when it is complete. */
const [BEGIN, END] = ['\u001b[?2026h', '\u001b[?2026l'];
const [NO_WRAP, WRAP] = ['\u001b[?7l', '\u001b[?7h'];
const [ERASE_LINE, ERASE_BELOW] = ['\u001b[2K', '\u001b[J'];

const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '');
const right = (columns: number): string => (columns > 0 ? `\u001b[${columns}C` : '');

const MOST_SAID = 100;

interface Block {
  id?: string | undefined;
  lines: readonly string[];
}

/** Matches characters that every terminal shows in one column. */
const PLAIN =
  /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0373\u0376-\u0377\u037b-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2500-\u257f]*$/u;

export class Screen {
  readonly #output: Output;
  #drawn: Drawing = NOTHING;
  #columns: number;
  /** The last printed blocks, whose positions are known. */
  #blocks: Block[] = [];
  /** What messages said last, also those that have scrolled away or of which only the news were printed. */
  readonly #said = new Map<string, readonly string[]>();

  constructor(output: Output) {
    this.#output = output;
    this.#columns = this.columns;
  }

  /** A terminal that doesn't know its size reports 0. */
  get columns(): number {
    return Math.max(8, this.#output.columns || 80);
  }

  get rows(): number {
    return Math.max(4, this.#output.rows || 24);
  }

  /** Prints lines that stay, above the drawing. The terminal wraps them, so that copied lines are whole. */
  print(lines: readonly string[], id?: string): void {
    this.#forgetMoved();
    this.#keepSaid(id, lines);
    this.#blocks = [...this.#blocks, { id, lines }].slice(-this.rows);
    this.#print(lines, this.#drawn);
  }

  /** Shows what a message says now: in its place, or else its news below. */
  replace(id: string, lines: readonly string[]): void {
    if (this.change(id, lines)) return;
    const news = this.news(id, lines);
    if (news.length > 0) this.print(news, id);
    this.#keepSaid(id, lines);
  }

  /**
   * Replaces a printed block, and prints everything after it again. Returns false without a change if the block has
   * scrolled away or its number of rows is uncertain.
   */
  change(id: string, lines: readonly string[]): boolean {
    this.#forgetMoved();
    const at = this.#blocks.findLastIndex((block) => block.id === id);
    const after = this.#blocks.slice(at + 1);
    const before = this.#blocks[at];
    if (!before) return false;
    const all = [before, ...after].flatMap((block) => block.lines);
    if (!all.every((line) => this.#hasSureRows(stripVTControlCharacters(line)))) return false;
    const rows = all.reduce((sum, line) => sum + this.#rowsOf(line), 0);
    if (rows + this.#drawn.lines.length > this.rows) return false;
    this.#keepSaid(id, lines);
    this.#blocks = [...this.#blocks.slice(0, at), { id, lines }, ...after];
    this.#print([...lines, ...after.flatMap((block) => block.lines)], this.#drawn, rows);
    return true;
  }

  /** Returns the first line of a block that can't be changed, and those of its new lines that the old ones don't have. */
  news(id: string, lines: readonly string[]): readonly string[] {
    const old = this.#said.get(id) ?? [];
    const from = lines.findIndex((line, index) => line !== old[index]);
    const rest = from < 0 ? [] : lines.slice(from);
    return from > 0 ? [...lines.slice(0, 1), ...(from > 1 ? ['…'] : []), ...rest] : rest;
  }

  #keepSaid(id: string | undefined, lines: readonly string[]): void {
    if (id === undefined) return;
    this.#said.delete(id);
    this.#said.set(id, lines);
    const [oldest = id] = this.#said.keys();
    if (this.#said.size > MOST_SAID) this.#said.delete(oldest);
  }

  #print(lines: readonly string[], next: Drawing, above = 0): void {
    this.#write(`${ERASE_BELOW}${lines.map((line) => `${line}\n`).join('')}`, next, [], above);
  }

  draw(next: Drawing): void {
    const isAsWide = this.#columns === this.columns && this.#drawn.lines.length === next.lines.length;
    const { cursor } = this.#drawn;
    const isSame = isAsWide && this.#drawn.lines.every((line, index) => line === next.lines[index]);
    if (isSame && cursor.row === next.cursor.row && cursor.column === next.cursor.column) return;
    this.#write(isAsWide ? '' : ERASE_BELOW, next, isAsWide ? this.#drawn.lines : []);
  }

  /** Removes the drawing; printed lines stay. */
  clear(): void {
    this.#blocks = [];
    this.#print([], NOTHING);
  }

  /** Empties the terminal by scrolling its content away. */
  wipe(): void {
    this.#output.write(`${'\n'.repeat(this.rows)}\u001b[H${ERASE_BELOW}`);
    const drawn = this.#drawn;
    this.#blocks = [];
    this.#said.clear();
    this.#drawn = NOTHING;
    this.draw(drawn);
  }

  /**
   * @param there lines that are on the screen already and need no drawing
   * @param above rows above the drawing to start from
   */
  #write(first: string, next: Drawing, there: readonly string[], above = 0): void {
    const skipped = Math.max(0, next.lines.length - (this.rows - 1));
    const lines = next.lines.slice(skipped);
    const row = Math.max(0, next.cursor.row - skipped);
    const column = Math.min(next.cursor.column, this.columns - 1);
    const body = lines.map((line, index) => (there[index] === line ? '' : `${ERASE_LINE}${line}`)).join('\r\n');
    const end = `${up(lines.length - 1 - row)}\r${right(column)}`;
    this.#output.write(`${BEGIN}${up(this.#rowsAbove() + above)}\r${first}${NO_WRAP}${body}${WRAP}${end}${END}`);
    this.#drawn = { lines, cursor: { row, column } };
    this.#columns = this.columns;
  }

  /** Returns the rows from the first line to the cursor; a terminal that became narrower has wrapped the lines. */
  #rowsAbove(): number {
    const { lines, cursor } = this.#drawn;
    if (this.columns >= this.#columns) return cursor.row;
    const above = lines.slice(0, cursor.row).reduce((sum, line) => sum + this.#rowsOf(line), 0);
    return above + Math.floor(cursor.column / this.columns);
  }

  /** No character takes more than two columns, so a line that would fit even then has one row on every terminal. */
  #hasSureRows(text: string): boolean {
    const most = [...text].reduce((sum, char) => sum + (char === '\t' ? 8 : PLAIN.test(char) ? 1 : 2), 0);
    return PLAIN.test(text) || most <= this.columns;
  }

  #rowsOf(line: string): number {
    return Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / this.columns));
  }

  /** Forgets the printed blocks if the width changed, because the terminal has wrapped their lines anew. */
  #forgetMoved(): void {
    if (this.columns !== this.#columns) this.#blocks = [];
  }
}
