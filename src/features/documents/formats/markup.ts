/**
 * Extracts paragraphs from the XML of slides and OpenDocument files: one line per paragraph, and one line for all cells
 * of a row. Comments and notes appear in brackets where they are attached.
 */
import { Parser } from 'htmlparser2';
import { cellLine, rowText } from './rows.ts';

export interface Marks {
  /** Elements whose text counts. By default all text does, and any amount of white space becomes one space. */
  text?: ReadonlySet<string>;
  /** Elements that end a line. */
  line: ReadonlySet<string>;
  /** Elements within a row, whose paragraphs are joined on one line. */
  cell: ReadonlySet<string>;
  row: ReadonlySet<string>;
  /** Elements that stand for a space, a tab or a line break. */
  stand: Readonly<Record<string, string>>;
  /** Elements whose paragraphs appear within a line. */
  inset: ReadonlySet<string>;
  /** Elements to leave out: deleted text, the author of a comment, a picture's second form. */
  skip: ReadonlySet<string>;
}

export const SLIDE: Marks = {
  text: new Set(['a:t']),
  line: new Set(['a:p']),
  cell: new Set(['a:tc']),
  row: new Set(['a:tr']),
  stand: { 'a:br': '\n', 'a:tab': '\t' },
  inset: new Set(),
  skip: new Set(['mc:Fallback']),
};

export const WORD: Marks = {
  text: new Set(['w:t']),
  line: new Set(['w:p']),
  cell: new Set(['w:tc']),
  row: new Set(['w:tr']),
  stand: { 'w:br': '\n', 'w:tab': '\t' },
  inset: new Set(),
  skip: new Set(['mc:Fallback']),
};

export const OPEN_DOCUMENT: Marks = {
  line: new Set(['text:p', 'text:h']),
  cell: new Set(['table:table-cell', 'table:covered-table-cell']),
  row: new Set(['table:table-row']),
  stand: { 'text:line-break': '\n', 'text:tab': '\t', 'text:s': ' ' },
  inset: new Set(['office:annotation', 'text:note-body']),
  skip: new Set(['text:tracked-changes', 'text:note-citation', 'dc:creator', 'dc:date', 'meta:creator-initials']),
};

const MAX_REPEATED = 1_000;
const VALUES = ['value', 'string-value', 'date-value', 'time-value', 'boolean-value'];

interface Cell {
  text: string[];
  /** Shown if there is no text. */
  value: string;
  repeated: number;
}

interface Row {
  cells: Map<number, string>;
  next: number;
  open: Cell | undefined;
  repeated: number;
}

/** Tables may be nested. */
interface State {
  lines: string[];
  line: string;
  rows: Row[];
  heading: string;
  text: number;
  inset: number;
  skip: number;
}

export function paragraphs(xml: string, marks: Marks): string {
  const state: State = { lines: [], line: '', rows: [], heading: '', text: 0, inset: 0, skip: 0 };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => openElement(state, marks, name, attributes),
      ontext(text) {
        if (state.skip > 0 || (marks.text && state.text === 0)) return;
        state.line += marks.text ? text : text.replace(/\s+/g, ' ');
      },
      onclosetag: (name) => closeElement(state, marks, name),
    },
    { xmlMode: true },
  );
  parser.end(xml);
  endParagraph(state);
  return state.lines.join('\n');
}

function openElement(state: State, marks: Marks, name: string, attributes: Record<string, string>): void {
  if (marks.skip.has(name)) state.skip += 1;
  if (state.skip > 0) return;
  if (marks.text?.has(name)) state.text += 1;
  if (name === 'office:spreadsheet') state.heading = '## Sheet: ';
  if (name === 'table:table' && state.heading !== '' && attributes['table:name']) {
    endParagraph(state);
    state.heading = `## Sheet: ${attributes['table:name']}`;
  }
  if (marks.row.has(name))
    state.rows.push({
      cells: new Map(),
      next: 0,
      open: undefined,
      repeated: timesIn(attributes['table:number-rows-repeated']),
    });
  // A text box has paragraphs inside a paragraph.
  if (marks.line.has(name) && state.inset === 0) endParagraph(state);
  const row = state.rows.at(-1);
  if (marks.cell.has(name) && row) {
    const repeated = timesIn(attributes['table:number-columns-repeated']);
    row.open = { text: [], value: valueIn(attributes), repeated };
  }
  if (marks.inset.has(name)) {
    state.inset += 1;
    state.line += ' [';
  }
  state.line += (marks.stand[name] ?? '').repeat(Math.min(timesIn(attributes['text:c']), MAX_REPEATED));
}

function closeElement(state: State, marks: Marks, name: string): void {
  if (marks.skip.has(name)) {
    state.skip -= 1;
    return;
  }
  if (state.skip > 0) return;
  if (marks.text?.has(name)) state.text -= 1;
  if (marks.inset.has(name)) {
    state.inset -= 1;
    state.line = `${state.line.trimEnd()}] `;
  }
  if (marks.line.has(name)) {
    if (state.inset > 0) state.line += ' ';
    else endParagraph(state);
  }
  const row = state.rows.at(-1);
  if (row?.open && marks.cell.has(name)) {
    endParagraph(state);
    endCell(row, row.open);
  }
  if (row && marks.row.has(name)) endRow(state, row);
}

function endParagraph(state: State): void {
  const text = state.line.trim();
  state.line = '';
  if (text !== '') putText(state, text);
}

/** Adds the text to the current cell, if there is one. */
function putText(state: State, text: string): void {
  const cell = state.rows.at(-1)?.open;
  if (cell) {
    cell.text.push(cellLine(text));
    return;
  }
  if (state.heading.startsWith('## Sheet: ') && state.heading.length > '## Sheet: '.length) {
    state.lines.push(...(state.lines.length > 0 ? [''] : []), state.heading);
    state.heading = '## Sheet: ';
  }
  state.lines.push(text);
}

function endCell(row: Row, { text, value, repeated }: Cell): void {
  const shown = text.join(' ') || cellLine(value);
  for (let at = 0; shown !== '' && at < Math.min(repeated, MAX_REPEATED); at += 1) row.cells.set(row.next + at, shown);
  row.next += repeated;
  row.open = undefined;
}

function endRow(state: State, row: Row): void {
  state.rows.pop();
  const text = rowText(row.cells);
  for (let at = 0; text !== '' && at < Math.min(row.repeated, MAX_REPEATED); at += 1) putText(state, text);
}

/** Reads a formula that was never calculated, which has neither text nor a value. */
function valueIn(attributes: Record<string, string>): string {
  const value = VALUES.map((name) => attributes[`office:${name}`]).find((each) => each !== undefined && each !== '');
  const formula = attributes['table:formula'];
  return value ?? (formula === undefined ? '' : `${formula.replace(/^\w+:/, '')} [not calculated]`);
}

const timesIn = (text: string | undefined): number => (/^\d{1,7}$/.test(text ?? '') ? Number(text) : 1);
