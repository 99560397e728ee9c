/**
 * Extracts the text of a PDF, page by page. A PDF without text is a scan, which only a model that can see images can
 * read.
 */
import { DAMAGED, DocumentError, ENCRYPTED } from './refused.ts';

const MAX_PAGES = 500;
const MAX_CHARACTERS = 2_000_000;
const SCANNED = 'There is no text in it: its pages are pictures (a scan).';

export async function readPdf(bytes: Uint8Array): Promise<string> {
  const { getDocumentProxy } = await import('unpdf');
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false, verbosity: 0 }).catch((error: unknown) => {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new DocumentError(isLocked ? ENCRYPTED : DAMAGED, { cause: error });
  });
  const pages: string[] = [];
  let characters = 0;
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES) && characters < MAX_CHARACTERS; number += 1) {
    const text = await pageText(() => pdf.getPage(number));
    characters += text.length;
    pages.push(text);
  }
  if (characters === 0) throw new DocumentError(SCANNED);
  const all = pages.flatMap((text, index) => (text === '' ? [] : [`## Page ${index + 1}\n${text}`]));
  const left = pdf.numPages - pages.length;
  return [...all, ...(left > 0 ? [`[${left} more pages are left out]`] : [])].join('\n\n');
}

interface Page {
  getTextContent(): Promise<{ items: readonly object[] }>;
}

/** Leaves out a damaged page; the others are still read. */
async function pageText(open: () => Promise<Page>): Promise<string> {
  try {
    const { items } = await (await open()).getTextContent();
    const text = items.map((item) =>
      'str' in item ? `${item.str}${'hasEOL' in item && item.hasEOL ? '\n' : ''}` : '',
    );
    return text
      .join('')
      .replace(/[ \t]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  } catch (error) {
    return error instanceof Error ? '[this page cannot be read]' : '';
  }
}
