/** What is being typed: a text of one or many lines and a cursor in it. The cursor never stands within a character. Pure but for itself. */
import { graphemes, type Range, wrap } from './width.ts';

/** What a key does to the text. */
export type Edit =
  | 'left'
  | 'right'
  | 'wordLeft'
  | 'wordRight'
  | 'home'
  | 'end'
  | 'backspace'
  | 'delete'
  | 'killWord'
  | 'killToStart'
  | 'killToEnd'
  | 'yank';

/** More is not taken: nobody types it, and what is pasted is folded. */
export const MAX_INPUT = 20_000;

export class Editor {
  #text = '';
  #cursor = 0;
  #killed = '';

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  set(text: string): void {
    this.#text = text.slice(0, MAX_INPUT);
    this.#cursor = this.#text.length;
  }

  insert(text: string): void {
    this.replace(this.#cursor, text);
  }

  /** The text from `start` to the cursor becomes another. */
  replace(start: number, text: string): void {
    const room = MAX_INPUT - (this.#text.length - (this.#cursor - start));
    const piece = text.slice(0, room).toWellFormed();
    this.#text = this.#text.slice(0, start) + piece + this.#text.slice(this.#cursor);
    this.#cursor = start + piece.length;
  }

  apply(edit: Edit): void {
    const [start, end] = this.#line();
    switch (edit) {
      case 'left':
        this.#cursor = this.#before();
        return;
      case 'right':
        this.#cursor = this.#after();
        return;
      case 'wordLeft':
        this.#cursor = this.#wordStart();
        return;
      case 'wordRight':
        this.#cursor += /^\s*\S*/.exec(this.#text.slice(this.#cursor))?.[0].length ?? 0;
        return;
      case 'home':
        this.#cursor = start;
        return;
      case 'end':
        this.#cursor = end;
        return;
      case 'backspace':
        this.replace(this.#before(), '');
        return;
      case 'delete': {
        const from = this.#cursor;
        this.#cursor = this.#after();
        this.replace(from, '');
        return;
      }
      case 'killWord':
        this.#kill(this.#wordStart(), this.#cursor);
        return;
      case 'killToStart':
        this.#kill(start, this.#cursor);
        return;
      case 'killToEnd':
        this.#kill(this.#cursor, end);
        return;
      case 'yank':
        this.insert(this.#killed);
        return;
    }
  }

  /** To the line above or below, on a screen of so many columns; false at the first and at the last. */
  moveLine(by: -1 | 1, width: number): boolean {
    const lines = linesOf(this.#text, width);
    const row = rowOf(lines, this.#cursor);
    const line = lines[row];
    const target = lines[row + by];
    if (!line || !target) return false;
    const column = widthOf(this.#text.slice(line.start, this.#cursor));
    this.#cursor = target.start;
    let columns = 0;
    for (const one of graphemes(this.#text.slice(target.start, target.end))) {
      if (columns + one.width > column) break;
      columns += one.width;
      this.#cursor = target.start + one.end;
    }
    return true;
  }

  #kill(start: number, end: number): void {
    this.#killed = this.#text.slice(start, end);
    this.#cursor = end;
    this.replace(start, '');
  }

  /** Where the line of the cursor begins and ends. */
  #line(): [number, number] {
    const end = this.#text.indexOf('\n', this.#cursor);
    return [this.#text.lastIndexOf('\n', this.#cursor - 1) + 1, end < 0 ? this.#text.length : end];
  }

  #before(): number {
    const from = Math.max(0, this.#cursor - 64);
    const last = graphemes(this.#text.slice(from, this.#cursor)).at(-1);
    return last ? from + last.start : 0;
  }

  #after(): number {
    const [first] = graphemes(this.#text.slice(this.#cursor, this.#cursor + 64));
    return this.#cursor + (first?.end ?? 0);
  }

  #wordStart(): number {
    return (
      this.#cursor - (/\S*\s*$/.exec(this.#text.slice(Math.max(0, this.#cursor - 1000), this.#cursor))?.[0].length ?? 0)
    );
  }
}

const widthOf = (text: string): number => graphemes(text).reduce((sum, one) => sum + one.width, 0);

/** The rows that the text takes, as ranges of it. */
export function linesOf(text: string, width: number): Range[] {
  let from = 0;
  return text.split('\n').flatMap((line) => {
    const offset = from;
    from += line.length + 1;
    const rows = wrap(line, width);
    // Blanks at the end of a row are typed as well: the cursor is seen behind them.
    return rows.map(({ start }, index) => ({
      start: offset + start,
      end: offset + (rows[index + 1]?.start ?? line.length),
    }));
  });
}

/** The row of an offset: the later one where a row ends and the next begins. */
export function rowOf(lines: readonly Range[], offset: number): number {
  return Math.max(
    0,
    lines.findLastIndex(({ start }) => start <= offset),
  );
}

/** Where the cursor is on the screen. */
export function placeOf(
  { text, cursor }: Pick<Editor, 'text' | 'cursor'>,
  lines: readonly Range[],
): { row: number; column: number } {
  const row = rowOf(lines, cursor);
  return { row, column: widthOf(text.slice(lines[row]?.start ?? 0, cursor)) };
}
