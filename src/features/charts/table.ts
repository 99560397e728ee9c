/** Parses a table from a model or a file: CSV with a header line, or JSON rows. Takes linear time. */
import { UserError } from '../../errors.ts';

export interface Table {
  columns: string[];
  /** As many cells as columns. */
  rows: string[][];
}

const MAX_ROWS = 100_000;
const MAX_COLUMNS = 50;
const MAX_CELLS = 1_000_000;
const MAX_TEXT = 10_000_000;

/** @throws UserError for data that is empty, too large or in neither format */
export function parseTable(text: string): Table {
  if (text.length > MAX_TEXT) throw new UserError('The data is too large for a chart: at most 10 MB.');
  const trimmed = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
  if (trimmed === '') throw new UserError('There is no data: give CSV with a header line, or JSON rows.');
  const table = /^[[{]/.test(trimmed) ? fromJson(trimmed) : fromCsv(trimmed);
  if (table.rows.length === 0) throw new UserError('The data has a header but no rows.');
  return table;
}

const tooMany = () => new UserError(`A chart takes at most ${MAX_ROWS.toLocaleString('en')} rows: sum them up first.`);

function fromCsv(text: string): Table {
  const lines = csvLines(text, delimiterOf(text));
  const [first = [], ...rest] = lines;
  // A first line of only numbers means that the header is missing.
  const isHeaderless = first.every((cell) => cell !== '' && Number.isFinite(Number(cell)));
  const columns = isHeaderless ? first.map((_, at) => `column ${at + 1}`) : first;
  return tableOf(columns, isHeaderless ? lines : rest);
}

function tableOf(given: readonly string[], lines: readonly string[][]): Table {
  if (lines.length * Math.min(given.length, MAX_COLUMNS) > MAX_CELLS)
    throw new UserError("A chart takes at most a million cells: leave out the columns that it doesn't need.");
  const columns = given.slice(0, MAX_COLUMNS).map((name, at) => name.trim() || `column ${at + 1}`);
  return { columns, rows: lines.map((line) => columns.map((_, at) => (line[at] ?? '').trim())) };
}

/** Returns the common separator that occurs most in the header line. */
function delimiterOf(text: string): string {
  const end = text.indexOf('\n');
  const header = (end < 0 ? text : text.slice(0, end)).replace(/"[^"]*"/g, '');
  const count = (char: string) => header.split(char).length;
  return [',', ';', '\t', '|'].reduce((best, char) => (count(char) > count(best) ? char : best));
}

/** Parses CSV as in https://www.rfc-editor.org/rfc/rfc4180, skipping blank lines. */
function csvLines(text: string, delimiter: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let at = 0;
  const endLine = () => {
    if (line.some((cell) => cell.trim() !== '')) lines.push(line);
    if (lines.length > MAX_ROWS + 1) throw tooMany();
    line = [];
  };
  const stop = new RegExp(`[${delimiter === '|' ? '|' : delimiter}\\n]`, 'g');
  while (at <= text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; at < text.length; ) {
        const quote = text.indexOf('"', at);
        cell += text.slice(at, quote < 0 ? text.length : quote);
        at = quote < 0 ? text.length : quote + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at++;
      }
    }
    stop.lastIndex = at;
    const end = stop.exec(text)?.index ?? text.length;
    cell += text.slice(at, end);
    if (line.length <= MAX_COLUMNS) line.push(cell);
    if (end >= text.length || text[end] === '\n') endLine();
    at = end + 1;
  }
  return lines;
}

/** Accepts rows as objects or lists (the first is the header), or one object of names and numbers. */
function fromJson(text: string): Table {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError('The data looks like JSON but is not: give a list of objects, or CSV with a header line.');
  }
  if (!Array.isArray(value)) {
    const entries = Object.entries(value ?? {}).map(([name, cell]) => [name, cellString(cell)]);
    return tableOf(['name', 'value'], entries.slice(0, MAX_ROWS));
  }
  const rows: unknown[] = value;
  if (rows.length > MAX_ROWS) throw tooMany();
  if (rows.every(Array.isArray)) {
    const [first = [], ...rest] = rows.map((row) => Array.from(row, cellString));
    return tableOf(first, rest);
  }
  if (rows.every((row) => typeof row === 'number'))
    return tableOf(
      ['value'],
      rows.map((row) => [cellString(row)]),
    );
  const maps = rows.map(
    (row) => new Map<string, unknown>(typeof row === 'object' && row !== null ? Object.entries(row) : []),
  );
  const columns = new Set<string>();
  for (const map of maps) {
    for (const name of map.keys()) if (columns.size < MAX_COLUMNS) columns.add(name);
  }
  if (columns.size === 0) throw new UserError('The JSON rows have no columns: give a list of objects.');
  return tableOf(
    [...columns],
    maps.map((map) => [...columns].map((name) => cellString(map.get(name)))),
  );
}

const cellString = (cell: unknown): string =>
  typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : '';
