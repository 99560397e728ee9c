/**
 * Reads a workbook. A cell that can't be interpreted is shown as written and affects no other cell. A missing or
 * truncated sheet affects no other sheet.
 */
import { Parser } from 'htmlparser2';
import { type NumberKind, numberKinds, shownNumber } from './numbers.ts';
import { eachTag, localName, relationsOf, type XmlOf, xmlIn } from './relations.ts';
import { Cells, cellBudget, cellLine } from './rows.ts';

const UNCALCULATED = /(?:^| \| )(?:=.* \[not calculated\]|\[formula, not calculated\])(?: \||$)/m;
const NOT_CALCULATED =
  "Some cells have formulas without results, because the program that wrote the file doesn't calculate. Opening and saving it in Excel or LibreOffice adds the results.";
const COLUMNS = 16_384;
/** The number of characters to read at once. */
const SLICE = 256 * 1024;
const ROW = /<(?:\w{1,20}:)?row[\s>]/g;

interface Workbook {
  strings: readonly string[];
  kinds: readonly NumberKind[];
  /** Excel on old Macs counts days from 1904. */
  isFrom1904: boolean;
}

export function readSheets(parts: ReadonlyMap<string, Uint8Array>, main: string): string {
  const xmlOf = xmlIn(parts);
  const relations = relationsOf(main, xmlOf);
  const part = (type: string) => xmlOf(relations.find((relation) => relation.type === type)?.target ?? '');
  const sheets: { name: string; target: string }[] = [];
  let isFrom1904 = false;
  eachTag(xmlOf(main), (tag, attributes) => {
    if (localName(tag) === 'workbookPr') isFrom1904 = /^(1|true)$/.test(attributes.date1904 ?? '');
    if (localName(tag) !== 'sheet') return;
    const id = Object.entries(attributes).find(([name]) => /^\w+:id$/.test(name))?.[1];
    // A chart sheet has no cells.
    const relation = relations.find((each) => each.id === id && each.type === 'worksheet');
    const hidden = /hidden/i.test(attributes.state ?? '') ? ' (hidden)' : '';
    if (relation) sheets.push({ name: `${attributes.name ?? ''}${hidden}`, target: relation.target });
  });
  const book = { strings: sharedStrings(part('sharedStrings')), kinds: numberKinds(part('styles')), isFrom1904 };
  const budget = cellBudget();
  const shown = sheets.map(({ name, target }) => {
    const cells = parts.has(target) ? `${cellsOfSheet(target, xmlOf, book, budget)}` : '[The sheet is not in the file]';
    return cells && `## Sheet: ${name}\n${cells}`;
  });
  const text = shown.filter(Boolean).join('\n\n');
  return UNCALCULATED.test(text) ? `${text}\n\n${NOT_CALCULATED}` : text;
}

/** Phonetic readings (`rPh`) aren't part of a text. */
function sharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let isText = false;
  let reading = 0;
  const parser = new Parser(
    {
      onopentag(tag) {
        const name = localName(tag);
        if (name === 'si') strings.push('');
        if (name === 'rPh') reading += 1;
        isText = name === 't' && reading === 0;
      },
      ontext(text) {
        if (isText) strings.push((strings.pop() ?? '') + text);
      },
      onclosetag(tag) {
        isText = false;
        if (localName(tag) === 'rPh') reading -= 1;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return strings;
}

interface Cell {
  type: string;
  style: number;
  formula?: string;
  value?: string;
  inline?: string;
}

function cellsOfSheet(target: string, xmlOf: XmlOf, book: Workbook, budget: { left: number }): Cells {
  const cells = new Cells(budget);
  let [row, column] = [-1, -1];
  let cell: Cell | undefined;
  let within: 'formula' | 'value' | 'inline' | undefined;
  let reading = 0;
  const opens: Record<string, (attributes: Record<string, string>) => void> = {
    row({ r }) {
      row = numberIn(r) ?? row + 1;
      column = -1;
    },
    c({ r, t, s }) {
      column = columnIn(r) ?? column + 1;
      cell = { type: t ?? 'n', style: Number(s ?? 0) };
    },
    f: () => begin('formula'),
    v: () => begin('value'),
    t: () => reading === 0 && begin('inline'),
    rPh: () => {
      reading += 1;
    },
  };
  const begin = (part: 'formula' | 'value' | 'inline') => {
    if (cell) cell[part] ??= '';
    within = part;
  };
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => void opens[localName(tag)]?.(attributes),
      ontext(text) {
        if (cell && within) cell[within] += text;
      },
      onclosetag(tag) {
        within = undefined;
        const name = localName(tag);
        if (name === 'rPh') reading -= 1;
        if (name !== 'c' || !cell) return;
        cells.set(row, column, cellLine(cellText(cell, book)));
        cell = undefined;
      },
    },
    { xmlMode: true },
  );
  const xml = xmlOf(target);
  let at = 0;
  // If a sheet is longer than is shown, the rest isn't read.
  for (; at < xml.length && budget.left > 0; at += SLICE) parser.write(xml.slice(at, at + SLICE));
  if (at >= xml.length) parser.end();
  cells.leaveOut(xml.slice(at).match(ROW)?.length ?? 0);
  return cells;
}

/** Rows count from 0 here, but from 1 in files. */
const numberIn = (text = ''): number | undefined => (/^\d{1,7}$/.test(text) ? Number(text) - 1 : undefined);

function columnIn(reference = ''): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/i.exec(reference)?.[0].toUpperCase();
  if (letters === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return column < COLUMNS ? column : undefined;
}

function cellText({ type, style, formula, value, inline }: Cell, { strings, kinds, isFrom1904 }: Workbook): string {
  const text = unescaped((inline ?? value ?? '').trim());
  if (type === 'e') return text || '#VALUE!';
  const isEmptyText = type === 'str' && value !== undefined;
  // A shared formula is stored in another cell.
  if (formula !== undefined && text === '' && !isEmptyText)
    return formula.trim() ? `=${formula.trim()} [not calculated]` : '[formula, not calculated]';
  if (type === 's') return unescaped(strings[Number(text || Number.NaN)] ?? '');
  if (type === 'b') return { 0: 'false', 1: 'true' }[text] ?? text;
  if (type === 'd') return text.replace(/T00:00:00(\.0+)?Z?$/, '');
  if (type === 'n' && text !== '' && inline === undefined) return shownNumber(text, kinds[style], isFrom1904);
  return text;
}

/** Control characters are written like `_x000D_`. */
const unescaped = (text: string): string =>
  text
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\r', '');
