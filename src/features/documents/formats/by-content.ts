/** Detects a document's format from its first bytes; names and types from outside are not trusted. */
import { htmlToText } from '../../../runtime/reading/html/html-text.ts';
import { decodePage } from '../../../runtime/reading/html/page.ts';
import { readZip } from './office.ts';
import { readPdf } from './pdf.ts';
import { DAMAGED, DocumentError, EMPTY, ENCRYPTED } from './refused.ts';

const OLD_OFFICE =
  'It is in the format of Office before 2007 (.doc, .xls, .ppt): please save it as .docx, .xlsx, .pptx or PDF and send it again.';

/** @throws {DocumentError} */
export async function documentText(bytes: Uint8Array): Promise<string> {
  if (bytes.length === 0) throw new DocumentError('The file is empty.');
  const text = (await readByContent(bytes)).replaceAll('\0', '').trim();
  if (text === '') throw new DocumentError(EMPTY);
  return text;
}

async function readByContent(bytes: Uint8Array): Promise<string> {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  if (head.startsWith('PK')) return readZip(bytes);
  if (head.includes('%PDF')) return readPdf(bytes);
  if (head.startsWith('\xd0\xcf\x11\xe0')) throw new DocumentError(isLocked(bytes) ? ENCRYPTED : OLD_OFFICE);
  const page = decodePage({ contentType: '', body: Buffer.from(bytes) });
  if (/^\s*(<!--|<!doctype html|<html|<head|<body|<\w+[\s>])/i.test(page.slice(0, 1024)))
    return (await htmlToText(page, 'https://document.invalid/')).text;
  throw new DocumentError(DAMAGED);
}

/** Office stores encrypted documents in the old container format, under this name in UTF-16. */
const isLocked = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'));
