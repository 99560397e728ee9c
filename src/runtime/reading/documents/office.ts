/** Documents that are zips of XML: Word, Excel, PowerPoint, OpenDocument. Any other zip is told by what is in it. */
import { htmlToText } from '../../../skills/web/html-text.ts';
import { OPEN_DOCUMENT, paragraphs, SLIDE } from './markup.ts';
import { DAMAGED, Refused } from './refused.ts';
import { type Entry, listEntries, packed, unpack } from './zip.ts';

const MAX_CELLS = 200_000;
const MAX_LISTED = 500;
const IS_TEXT = /\.(xml|rels)$/i;

export async function readZip(bytes: Uint8Array): Promise<string> {
  const entries = listEntries(bytes);
  const names = new Set(entries.map(({ name }) => name));
  if (names.has('word/document.xml')) return readWord(bytes);
  if (names.has('xl/workbook.xml')) return readSheets(bytes);
  if (names.has('ppt/presentation.xml')) return readSlides(bytes);
  if (names.has('content.xml') && names.has('mimetype')) return readOpenDocument(bytes);
  return listing(entries);
}

async function readWord(bytes: Uint8Array): Promise<string> {
  const parts = unpack(bytes, (name) => IS_TEXT.test(name));
  const { default: mammoth } = await import('mammoth');
  try {
    const buffer = Buffer.from(packed(parts));
    // Pictures were left out: what stands for them is nothing.
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
    const { value } = await mammoth.convertToHtml({ buffer }, { convertImage, externalFileAccess: false });
    return (await htmlToText(value, 'https://document.invalid/')).text;
  } catch (error) {
    throw new Refused(DAMAGED, { cause: error });
  }
}

async function readSheets(bytes: Uint8Array): Promise<string> {
  const parts = unpack(bytes, (name) => IS_TEXT.test(name));
  const { default: readSheetsOf } = await import('read-excel-file/node');
  const sheets = await readSheetsOf(Buffer.from(packed(parts))).catch((error: unknown) => {
    throw new Refused(DAMAGED, { cause: error });
  });
  let left = MAX_CELLS;
  // A sheet that is a chart has no cells.
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
  return shown.filter(Boolean).join('\n\n');
}

/** Dates are days, with the time where there is one; numbers as they are. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date)
    return Number.isNaN(cell.getTime())
      ? ''
      : cell
          .toISOString()
          .replace(/T00:00:00.000Z$/, '')
          .replace(/\.000Z$/, '');
  return String(cell)
    .replace(/\s*\n\s*/g, ' / ')
    .replaceAll('|', '/')
    .trim();
}

function readSlides(bytes: Uint8Array): string {
  const parts = unpack(bytes, (name) => /^ppt\/(slides|notesSlides)\/[^/]+\.xml$/.test(name));
  const numberOf = (name: string) => Number(/(\d+)\.xml$/.exec(name)?.[1] ?? 0);
  const slides = [...parts.keys()].filter((name) => name.startsWith('ppt/slides/'));
  slides.sort((a, b) => numberOf(a) - numberOf(b));
  const texts = slides.map((name, index) => {
    const notes = parts.get(name.replace('/slides/slide', '/notesSlides/notesSlide'));
    const text = paragraphs(decode(parts.get(name)), SLIDE);
    // What stands alone in the notes is the slide's number.
    const said = notes ? paragraphs(decode(notes), SLIDE).replace(/^\d+$/gm, '').trim() : '';
    return text || said ? [`## Slide ${index + 1}`, text, said && `Notes: ${said}`].filter(Boolean).join('\n') : '';
  });
  return texts.filter(Boolean).join('\n\n');
}

function readOpenDocument(bytes: Uint8Array): string {
  const parts = unpack(bytes, (name) => name === 'content.xml');
  return paragraphs(decode(parts.get('content.xml')), OPEN_DOCUMENT);
}

function listing(entries: readonly Entry[]): string {
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  const lines = files
    .slice(0, MAX_LISTED)
    .map(({ name, size }) => `- ${JSON.stringify(name.slice(0, 200))}, ${size} bytes`);
  const more = files.length > MAX_LISTED ? [`(${files.length - MAX_LISTED} more)`] : [];
  return [`An archive of ${files.length} files; only their names are read:`, ...lines, ...more].join('\n');
}

const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes ?? new Uint8Array());
