/**
 * Holds the text being typed, of one or many lines, and its cursor. The cursor is never inside a character. No side
 * effects outside the object.
 */
import { graphemes, type Range, wrap } from './width.ts';

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

/** The longest text; nobody types more, and long pastes are folded. */
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

  /** Replaces the text from `start` to the cursor. */
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

  /**
   * Moves the cursor one line up or down, on a screen of `width` columns. Returns false at the first and the last line.
   */
  moveLine(by: -1 | 1, width: number): boolean {
    const lines = wrapRows(this.#text, width);
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

export function wrapRows(text: string, width: number): Range[] {
  let from = 0;
  return text.split('\n').flatMap((line) => {
    const offset = from;
    from += line.length + 1;
    const rows = wrap(line, width);
    // Blanks at the end of a row belong to it, because the cursor can be after them.
    return rows.map(({ start }, index) => ({
      start: offset + start,
      end: offset + (rows[index + 1]?.start ?? line.length),
    }));
  });
}

/** Returns the row of an offset; at a boundary between two rows, the later one. */
export function rowOf(lines: readonly Range[], offset: number): number {
  return Math.max(
    0,
    lines.findLastIndex(({ start }) => start <= offset),
  );
}

export function cursorPlace(
  { text, cursor }: Pick<Editor, 'text' | 'cursor'>,
  lines: readonly Range[],
): { row: number; column: number } {
  const row = rowOf(lines, cursor);
  return { row, column: widthOf(text.slice(lines[row]?.start ?? 0, cursor)) };
}
