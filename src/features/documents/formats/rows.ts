/** Formats rows of cells as text, one line per row. Long gaps are counted instead of drawn. */

const LONG_GAP = 20;
/** The most cells with text that are shown of one document. */
const MAX_CELLS = 200_000;

/** The texts of a row by column, from 0. */
export type Row = ReadonlyMap<number, string>;

export const cellLine = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, ' / ')
    .replaceAll('|', '/')
    .trim();

export function rowText(row: Row): string {
  const cells: string[] = [];
  let next = 0;
  for (const [column, text] of byNumber(row)) {
    if (text === '') continue;
    const gap = column - next;
    if (gap > LONG_GAP) cells.push(`[${gap} empty cells]`);
    else cells.push(...Array<string>(gap).fill(''));
    cells.push(text);
    next = column + 1;
  }
  return cells.join(' | ');
}

/** The cells of one sheet. Invariant: cells without text take no space. */
export class Cells {
  readonly #rows = new Map<number, Map<number, string>>();
  readonly #leftOut = new Set<number>();
  #unread = 0;
  readonly #budget: { left: number };

  constructor(budget: { left: number }) {
    this.#budget = budget;
  }

  set(row: number, column: number, text: string): void {
    if (text === '') return;
    if (this.#budget.left <= 0) {
      this.#leftOut.add(row);
      return;
    }
    this.#budget.left -= 1;
    const cells = this.#rows.get(row) ?? new Map<number, string>();
    this.#rows.set(row, cells.set(column, text));
  }

  /** Counts rows that weren't read. */
  leaveOut(rows: number): void {
    this.#unread += rows;
  }

  toString(): string {
    const lines: string[] = [];
    let next = 0;
    for (const [row, cells] of byNumber(this.#rows)) {
      if (row - next > LONG_GAP) lines.push(`[${row - next} empty rows]`);
      else lines.push(...Array<string>(row - next).fill(''));
      lines.push(rowText(cells));
      next = row + 1;
    }
    const left = this.#leftOut.size + this.#unread;
    if (left > 0) lines.push(`[${left} more rows are left out]`);
    return lines.join('\n');
  }
}

export const cellBudget = (): { left: number } => ({ left: MAX_CELLS });

const byNumber = <T>(map: ReadonlyMap<number, T>): [number, T][] => [...map].sort(([a], [b]) => a - b);
