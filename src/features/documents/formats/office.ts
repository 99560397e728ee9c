/** Documents that are zips of XML: Word, Excel, PowerPoint, OpenDocument. For any other zip, lists its contents. */
import { readableText } from '../../../lib/charset.ts';
import { htmlToText } from '../../../runtime/reading/html/html-text.ts';
import { withAllCells } from './cells.ts';
import { OPEN_DOCUMENT, paragraphs } from './markup.ts';
import { DAMAGED, DocumentError } from './refused.ts';
import { readSlides } from './slides.ts';
import { type Entry, listEntries, packed, unpack } from './zip.ts';

const BINARY_SHEETS = 'It is in the binary format of Excel (.xlsb): please save it as .xlsx and send it again.';
const APPLE =
  'It is from Pages, Numbers or Keynote: please export it as PDF, or for Word, Excel or PowerPoint, and send that.';
const MAX_CELLS = 200_000;
const MAX_LISTED = 500;
const IS_TEXT = /\.(xml|rels)$/i;

export async function readZip(bytes: Uint8Array): Promise<string> {
  const entries = listEntries(bytes);
  const names = new Set(entries.map(({ name }) => name));
  // Word for the web numbers it.
  if (entries.some(({ name }) => /^word\/document\d*\.xml$/.test(name))) return readWord(bytes);
  if (names.has('xl/workbook.xml')) return readSheets(bytes);
  if (names.has('ppt/presentation.xml')) return readSlides(bytes);
  if (names.has('content.xml') && names.has('mimetype')) return readOpenDocument(bytes);
  if (names.has('xl/workbook.bin')) throw new DocumentError(BINARY_SHEETS);
  if (entries.some(({ name }) => /^Index\/.*\.iwa$|^Index\.zip$/.test(name))) throw new DocumentError(APPLE);
  return listing(entries);
}

/** Comments are omitted unless requested. */
const COMMENTS = ['comment-reference => sup'];

async function readWord(bytes: Uint8Array): Promise<string> {
  const parts = unpack(bytes, (name) => IS_TEXT.test(name));
  const { default: mammoth } = await import('mammoth');
  try {
    const buffer = Buffer.from(packed(parts));
    // Replaces images with nothing.
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
    const { value } = await mammoth.convertToHtml(
      { buffer },
      { convertImage, externalFileAccess: false, styleMap: COMMENTS },
    );
    return (await htmlToText(value, 'https://document.invalid/')).text;
  } catch (error) {
    throw new DocumentError(DAMAGED, { cause: error });
  }
}

async function readSheets(bytes: Uint8Array): Promise<string> {
  const parts = unpack(bytes, (name) => IS_TEXT.test(name));
  for (const [name, part] of parts) if (/^xl\/worksheets\/[^/]+\.xml$/i.test(name)) parts.set(name, withAllCells(part));
  const { default: readSheetsOf } = await import('read-excel-file/node');
  const sheets = await readSheetsOf(Buffer.from(packed(parts))).catch((error: unknown) => {
    throw new DocumentError(DAMAGED, { cause: error });
  });
  let left = MAX_CELLS;
  // A chart sheet has no cells.
  const shown = sheets.map(({ sheet, data = [] }) => {
    const rows: string[] = [];
    for (const row of data) {
      if (left <= 0) break;
      left -= row.length;
      const cells = row.map(cellText);
      while (cells.at(-1) === '') cells.pop();
      rows.push(cells.join(' | '));
    }
    while (rows.at(-1) === '') rows.pop();
    const more =
      rows.length < data.length && left <= 0 ? `\n[${data.length - rows.length} more rows are left out]` : '';
    return rows.length === 0 ? '' : `## Sheet: ${sheet}\n${rows.join('\n')}${more}`;
  });
  const text = shown.filter(Boolean).join('\n\n');
  return UNCALCULATED.test(text) ? `${text}\n\n${NOT_CALCULATED}` : text;
}

const UNCALCULATED = /(?:^| \| )(?:=.* \[not calculated\]|\[formula, not calculated\])(?: \||$)/m;
const NOT_CALCULATED =
  'Some cells hold formulas whose results are not in the file: it was written by a program that does not calculate. Opened and saved in Excel or LibreOffice, it has them.';

/** Times of day and durations are days since this date; Excel has no dates before 1900. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const FIRST_DATES = Date.UTC(1900, 2, 1);

/** Formats dates as days, with the time if there is one, and numbers without the rounding error of their last digit. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? '' : dateText(cell);
  if (typeof cell === 'number') return String(Number(cell.toPrecision(15)));
  return String(cell)
    .replace(/\s*\n\s*/g, ' / ')
    .replaceAll('|', '/')
    .trim();
}

function dateText(date: Date): string {
  if (date.getTime() >= FIRST_DATES) return date.toISOString().replace(/T00:00:00.000Z$|\.\d+Z$/, '');
  const seconds = Math.round((date.getTime() - DAY_ZERO) / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`;
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}${rest}`;
}

function readOpenDocument(bytes: Uint8Array): string {
  const parts = unpack(bytes, (name) => name === 'content.xml');
  return paragraphs(decode(parts.get('content.xml')), OPEN_DOCUMENT);
}

function listing(entries: readonly Entry[]): string {
  const names = readableNames(entries);
  const files = entries
    .map(({ size }, at) => ({ size, name: names[at] ?? '' }))
    .filter(({ name }) => !name.endsWith('/'));
  const lines = files
    .slice(0, MAX_LISTED)
    .map(({ name, size }) => `- ${JSON.stringify(name.slice(0, 200))}, ${size} bytes`);
  const more = files.length > MAX_LISTED ? [`(${files.length - MAX_LISTED} more)`] : [];
  return [`An archive of ${files.length} files; only their names are read:`, ...lines, ...more].join('\n');
}

/** Names without the UTF-8 flag are bytes in the encoding of the machine that created the archive. */
function readableNames(entries: readonly Entry[]): string[] {
  const names = entries.map(({ name }) => name);
  const all = names.join('\n');
  const isBytes = /[\u0080-\u00ff]/.test(all) && !/[^\0-\u00ff]/.test(all);
  return (isBytes && readableText(Buffer.from(all, 'latin1'))?.split('\n')) || names;
}

const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes ?? new Uint8Array());
