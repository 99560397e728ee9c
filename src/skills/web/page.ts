/** What came from the web, sorted by what can be done with it: a page, other text, or a file. */
import type { WebAnswer } from './request.ts';

/** `html` and `text` are read as text; a `file` is only kept. */
export type PageKind = 'html' | 'text' | 'file';

const TEXT =
  /^(text\/.+|application\/(json|xml|yaml|x-yaml|toml|javascript|ecmascript|graphql|sql|x-ndjson|ndjson|x-sh)|application\/[\w.-]+\+(json|xml|yaml))$/;

/** The MIME type in lower case without parameters; '' when none was declared. */
export const bareType = (contentType: string): string => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

export function kindOfType(contentType: string): PageKind {
  const type = bareType(contentType);
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  return type === '' || TEXT.test(type) ? 'text' : 'file';
}

/** What it really is: text without a type may be a page, and text with NUL bytes is none. */
export function kindOf({ contentType, body }: WebAnswer): PageKind {
  const kind = kindOfType(contentType);
  if (kind === 'file') return kind;
  if (body.subarray(0, 8_192).includes(0) && !charsetOf(contentType, body).startsWith('utf-16')) return 'file';
  const looksLikePage = /^\s*(<!doctype html|<html)/i.test(body.subarray(0, 200).toString('latin1'));
  return contentType === '' && looksLikePage ? 'html' : kind;
}

/** As the page means it: byte order mark, then declaration, then the page's own `meta`, then UTF-8. */
export function textOf({ contentType, body }: Pick<WebAnswer, 'contentType' | 'body'>): string {
  return readable(decoderFor(charsetOf(contentType, body)).decode(body));
}

function charsetOf(contentType: string, body: Buffer): string {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  const declared = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;
  const head = body.subarray(0, 2_048).toString('latin1');
  const found = declared.exec(contentType.slice(0, 500)) ?? declared.exec(/<meta[^>]{0,500}/i.exec(head)?.[0] ?? '');
  return found?.[1]?.toLowerCase() ?? 'utf-8';
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch (error) {
    // A name nobody knows: most of the web is UTF-8.
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder();
  }
}

/** Without what nobody would see: words for the model alone are not hidden in a page that a person has looked at. */
function readable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[[\p{Cc}\p{Cf}\p{Co}]--[\n\t\u200c\u200d]]/gv, '');
}
