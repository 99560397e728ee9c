/**
 * Reads documents that are zips of XML: Word, Excel, PowerPoint, OpenDocument. For any other zip, lists its contents.
 */
import { readableText } from '../../../lib/charset.ts';
import { htmlToText } from '../../../runtime/reading/html/html-text.ts';
import { withFormulas } from './formulas.ts';
import { OPEN_DOCUMENT, paragraphs, WORD } from './markup.ts';
import { DAMAGED, DocumentError } from './refused.ts';
import { xmlIn } from './relations.ts';
import { cellLine } from './rows.ts';
import { readSheets } from './sheets.ts';
import { readSlides } from './slides.ts';
import { withTextBoxes } from './text-boxes.ts';
import { type Entry, listEntries, packed, unpack } from './zip.ts';

const BINARY_SHEETS = 'It is in the binary format of Excel (.xlsb): please save it as .xlsx and send it again.';
const APPLE =
  'It is from Pages, Numbers or Keynote: please export it as PDF, or for Word, Excel or PowerPoint, and send that.';
const MAX_LISTED = 500;
const IS_TEXT = /\.(xml|rels)$/i;

export async function readZip(bytes: Uint8Array): Promise<string> {
  const entries = listEntries(bytes);
  const names = new Set(entries.map(({ name }) => name));
  // Word for the web adds a number to this part's name.
  if (entries.some(({ name }) => /^word\/document\d*\.xml$/.test(name))) return readWord(bytes);
  const workbook = [...names].find((name) => /^xl\/workbook\d*\.xml$/i.test(name));
  if (workbook !== undefined)
    return readSheets(
      unpack(bytes, (name) => IS_TEXT.test(name)),
      workbook,
    );
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
  for (const [name, part] of parts)
    if (/^word\/[^/]+\.xml$/.test(name)) parts.set(name, withTextBoxes(withFormulas(part)));
  const { default: mammoth } = await import('mammoth');
  try {
    const buffer = Buffer.from(packed(parts));
    // Leaves images out.
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
    const { value } = await mammoth.convertToHtml(
      { buffer },
      { convertImage, externalFileAccess: false, styleMap: COMMENTS },
    );
    const { text } = await htmlToText(value, 'https://document.invalid/');
    return [lettering(parts, 'header'), text, lettering(parts, 'footer')].filter(Boolean).join('\n\n');
  } catch (error) {
    throw new DocumentError(DAMAGED, { cause: error });
  }
}

/**
 * Returns headers and footers, each text once, because a letterhead says who wrote the letter. A text that contains
 * only digits is a page number.
 */
function lettering(parts: ReadonlyMap<string, Uint8Array>, kind: 'header' | 'footer'): string {
  const names = [...parts.keys()].filter((name) => new RegExp(`^word/${kind}\\d*\\.xml$`).test(name)).sort();
  const texts = names.map((name) => paragraphs(xmlIn(parts)(name), WORD)).filter((text) => /\D/.test(text));
  return [...new Set(texts)].map((text) => `[${kind}: ${cellLine(text)}]`).join('\n');
}

function readOpenDocument(bytes: Uint8Array): string {
  const parts = unpack(bytes, (name) => name === 'content.xml');
  return paragraphs(xmlIn(parts)('content.xml'), OPEN_DOCUMENT);
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
  return [`An archive of ${files.length} files; only their names are shown:`, ...lines, ...more].join('\n');
}

/** Names without the UTF-8 flag are in the encoding of the machine that created the archive. */
function readableNames(entries: readonly Entry[]): string[] {
  const names = entries.map(({ name }) => name);
  const all = names.join('\n');
  const isBytes = /[\u0080-\u00ff]/.test(all) && !/[^\0-\u00ff]/.test(all);
  return (isBytes && readableText(Buffer.from(all, 'latin1'))?.split('\n')) || names;
}
