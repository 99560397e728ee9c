/** Classifies web content by what can be done with it: a page, other text, or a file. */
import { readableText } from '../../../lib/charset.ts';
import { markedUnicode } from '../../../lib/text.ts';

/** `html` and `text` are read as text; a `file` is only stored. */
export type PageKind = 'html' | 'text' | 'file';

const TEXT =
  /^(text\/.+|application\/(json|xml|yaml|x-yaml|toml|javascript|ecmascript|graphql|sql|x-ndjson|ndjson|x-sh)|application\/[\w.-]+\+(json|xml|yaml))$/;

/** Returns the MIME type in lower case without parameters; '' when none was declared. */
export const bareType = (contentType: string): string => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

export function kindOfType(contentType: string): PageKind {
  const type = bareType(contentType);
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  return type === '' || TEXT.test(type) ? 'text' : 'file';
}

/** Returns the actual kind: text without a type may be a page, and text with NUL bytes isn't text. */
export function pageKind({ contentType, body }: { contentType: string; body: Buffer }): PageKind {
  const kind = kindOfType(contentType);
  if (kind === 'file') return kind;
  const isUtf16 = charsetOf(contentType, body)?.startsWith('utf-16');
  if (!isUtf16 && body.subarray(0, 8_192).includes(0) && readableText(body) === undefined) return 'file';
  const looksLikePage = /^\s*(<!doctype html|<html)/i.test(body.subarray(0, 200).toString('latin1'));
  return contentType === '' && looksLikePage ? 'html' : kind;
}

/** Decodes by byte order mark, declaration, the page's `meta`, its XML declaration, or else by detection. */
export function decodePage({ contentType, body }: { contentType: string; body: Buffer }): string {
  const charset = charsetOf(contentType, body);
  const guessed = charset === undefined ? readableText(body) : undefined;
  return stripInvisible(guessed ?? decoderFor(charset ?? 'utf-8').decode(body));
}

function charsetOf(contentType: string, body: Buffer): string | undefined {
  const marked = markedUnicode(body);
  const declared = marked ?? CHARSET.exec(contentType.slice(0, 500))?.[1]?.toLowerCase();
  // No decoder has that name; the bytes tell.
  if (declared?.startsWith('utf-32')) return undefined;
  return declared ?? charsetWithin(body.subarray(0, HEAD_BYTES).toString('latin1'));
}

/** Bytes; browsers check 1,024, and more when the page arrives slowly. */
const HEAD_BYTES = 4_096;
const CHARSET = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;
const XML = /^\s{0,99}<\?xml\s[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i;

/**
 * Returns the page's own declaration. If it is readable in ASCII, the page isn't in UTF-16.
 * https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding
 */
function charsetWithin(head: string): string | undefined {
  const metas = head.replace(/<!--[\s\S]*?(?:-->|$)/g, '').match(/<meta[\s/][^>]{0,500}/gi) ?? [];
  // A description may mention such words.
  const own = metas.filter((meta) => !/\s(?:name|property)\s{0,9}=/i.test(meta));
  const inMeta = own.map((meta) => CHARSET.exec(meta)?.[1]).find((each) => each !== undefined);
  const found = (inMeta ?? XML.exec(head)?.[1])?.toLowerCase();
  return found?.startsWith('utf-16') ? 'utf-8' : found;
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch (error) {
    // The name is unknown: assume UTF-8, like most of the web.
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder();
  }
}

/** Removes invisible characters, so that a page can't hide text for the model that a person wouldn't see. */
function stripInvisible(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[[\p{Cc}\p{Cf}\p{Co}]--[\n\t\u200c\u200d]]/gv, '');
}
