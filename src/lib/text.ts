/** Cleans text from outside before it becomes a title, a name or a line of a file. */

// Zero-width and bidirectional marks, fillers, and other characters that aren't displayed.
const INVISIBLE =
  /[\u00ad\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]/gu;
// Characters that some scripts need can also spell hidden text: tags outside of flags, and selectors and joiners in a
// row or with nothing to modify.
const SPELLING =
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0000}-\u{e007f}]|(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]|(?<=\u200c|\u200d|[\ufe00-\ufe0f])[\ufe00-\ufe0f]|(?<=(?:\u200c|\u200d)[\ufe00-\ufe0f]?)(?:\u200c|\u200d)|(?<=[\u034f\u115f\u1160])[\u034f\u115f\u1160]|(?<!\p{Script=Mongolian})[\u180b-\u180d\u180f]/gu;

/** Removes invisible characters, except those that scripts, flags and emoji need. */
export function withoutHidden(text: string): string {
  return text.replace(INVISIBLE, '').replace(SPELLING, '');
}

/**
 * Removes control, bidirectional and invisible characters; line breaks and tabs become spaces. Returns well-formed
 * UTF-16.
 */
export function plainLine(text: string): string {
  return withoutHidden(
    text
      .toWellFormed()
      .replace(/[\s\u0085\u2028\u2029]+/g, ' ')
      .replace(/\p{Cc}/gu, ''),
  ).trim();
}

/** Returns the name of a file or a source from outside for display: without control characters, at most 100 long. */
export const cleanName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd')
    .slice(0, 100);

/** Cuts to at most `max` UTF-16 units, between graphemes; `end` (counted in) marks a cut. */
export function cutText(text: string, max: number, end = '…'): string {
  if (text.length <= max) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, max + 64))) {
    if (cut.length + segment.length > max - end.length) break;
    cut += segment;
  }
  return cut.trimEnd() + end;
}

/** Cuts to the first `max` UTF-16 units, and marks the cut: for growing texts that are cut repeatedly. */
export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}

/** Removes closed HTML comments from Markdown, except inside code fences. */
export function stripComments(markdown: string): string {
  if (!markdown.includes('<!--')) return markdown;
  let kept = '';
  let from = 0;
  let fence = '';
  let open = -1;
  for (const { 0: mark, index } of markdown.matchAll(/^(?:```|~~~)|<!--|-->/gm)) {
    if (open >= 0) {
      if (mark !== '-->') continue;
      kept += markdown.slice(from, open);
      const ownLine = (open === 0 || markdown[open - 1] === '\n') && markdown[index + 3] === '\n';
      from = index + (ownLine ? 4 : 3);
      open = -1;
    } else if (mark === '<!--') {
      if (fence === '') open = index;
    } else if (mark !== '-->') {
      fence = fence === '' ? mark : fence === mark ? '' : fence;
    }
  }
  return kept + markdown.slice(from);
}

export type Unicode = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

/** Returns the encoding that a byte order mark declares, unless it is UTF-8. */
export function markedUnicode([first, second, third, fourth]: Uint8Array): Unicode | undefined {
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32be' : undefined;
}

/** Decodes a text file as editors save it: UTF-8, or what a byte order mark declares. Removes the mark. */
export function decodedText(bytes: Uint8Array): string {
  return decodeUnicode(markedUnicode(bytes) ?? 'utf-8', bytes);
}

export const decodeUnicode = (encoding: Unicode, bytes: Uint8Array): string =>
  encoding === 'utf-32le' || encoding === 'utf-32be'
    ? decodeUtf32(bytes, encoding === 'utf-32le')
    : new TextDecoder(encoding).decode(bytes);

/** `TextDecoder` doesn't know UTF-32. Like there, what isn't a character becomes U+FFFD. */
function decodeUtf32(bytes: Uint8Array, isLittle: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, isLittle);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (at > 0 || code !== 0xfeff) text += isCharacter ? String.fromCodePoint(code) : '\ufffd';
  }
  return bytes.length % 4 === 0 ? text : `${text}\ufffd`;
}

/**
 * Escapes all Markdown in untrusted text. A pair of brackets escaped by backslashes would pass for a formula, so the
 * closing one becomes an entity, unless it could end the text of a link.
 */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[\\`*_~[\]<>|#]/g, (mark, at: number) =>
    mark === ']' && !/[([:]/.test(text.charAt(at + 1)) ? '&#93;' : `\\${mark}`,
  );

/** Returns `1 file`, `2 files`: a count with its English noun, for command lines and logs. */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
