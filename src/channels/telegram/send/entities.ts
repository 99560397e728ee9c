/**
 * Converts formatted text to Telegram's text with message entities. The rules are the server's own: offsets in UTF-16
 * code units; code and links contain nothing else; entities are nested or separate, never crossing; blanks at the edges
 * aren't part of an entity; some characters are removed from every text. Following them makes the shown text equal to
 * the sent text. https://core.telegram.org/bots/api#messageentity, #formatting-options
 */
import type { MessageEntity } from 'grammy/types';
import { type Edit, edit, editsOutside, type Inline, type Span } from '../../markdown/rich.ts';

export const MAX_ENTITIES = 100;

const TYPES = {
  bold: 'bold',
  heading: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  code: 'code',
  quote: 'blockquote',
} as const;
const CLOSED = new Set<Span['kind']>(['code', 'pre', 'link']);
// The server blanks control characters and removes direction overrides (clean_input_string in TDLib's source).
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the server replaces
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;
const REMOVED = /[\r\u202a-\u202e]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const SPECIAL = /[@\0-\x08\x0b-\x1f\u2028-\u202e]/;
// Matches an `@` whatever follows, because between it and the name there may be a character that the server removes.
const MENTION = /(?<![\p{L}\p{N}_])@(?=[^ \n])/gu;
/** The length from which a quotation is collapsed until it is pressed. */
const FOLDED = 200;
const WORD_JOINER = '\u2060';

/**
 * Returns the text as Telegram will keep it, with its spans shifted to match. Mentions are broken by an invisible
 * character, because the server makes every `@name` a mention and a model must not ping people (promise 38). Links that
 * Telegram would silently drop become text.
 */
export function forTelegram<T extends Inline>(source: T): T {
  const links = source.spans.filter((span) => span.kind === 'link');
  const refused = links.filter((span) => !isLinkable(span.url));
  if (refused.length === 0 && !SPECIAL.test(source.text)) return source;
  const text = source.text.replace(CONTROL, ' ').replace(/[\u2028\u2029]/g, '\n');
  const spans = source.spans.filter((span) => span.kind !== 'link' || isLinkable(span.url));
  const clean = { ...source, text, spans };
  const edits: Edit[] = [
    ...[...text.matchAll(REMOVED)].map((match) => ({ at: match.index, remove: 1, insert: '' })),
    ...editsOutside(clean, MENTION, CLOSED, (match) => ({ at: match.index + 1, remove: 0, insert: WORD_JOINER })),
    ...refused
      .filter((span) => span.url.startsWith('http') && !text.slice(span.start, span.end).includes(span.url))
      .map((span) => ({ at: span.end, remove: 0, insert: ` (${span.url})` })),
  ].sort((a, b) => a.at - b.at || a.remove - b.remove);
  return edit(clean, edits);
}

/**
 * Returns whether Telegram follows the link: it requires a host with a dot (or an IPv6 address). It detects mail
 * addresses itself.
 */
function isLinkable(url: string): boolean {
  return /^https?:\/\/(?:[^/?#]*\.|[^/?#]*\[)/i.test(url);
}

/** Returns all entities of the text, sorted, outermost first; there may be more than a message can hold. */
export function toEntities({ text, spans }: Inline): MessageEntity[] {
  const links = spans.filter((span) => span.kind === 'link');
  const codes = spans.filter((span) => (span.kind === 'code' || span.kind === 'pre') && !touches(links, span));
  const entities: MessageEntity[] = [];
  const lastEnd = new Map<string, number>();
  for (const span of spans) {
    const shown = text.slice(span.start, span.end);
    // The server itself detects a link that shows its URL; code within a link can't be both.
    if (span.kind === 'link' ? isItsUrl(shown, span.url) : CLOSED.has(span.kind) && !codes.includes(span)) continue;
    const pieces = CLOSED.has(span.kind) || span.kind === 'quote' ? [span] : outsideCode(span, codes);
    for (const piece of pieces) {
      const { offset, length } = edges(text, piece.start, piece.end, span.kind);
      const entity = entityOf(span, offset, length);
      // Bold within bold adds nothing.
      if (length <= 0 || offset + length <= (lastEnd.get(entity.type) ?? 0)) continue;
      lastEnd.set(entity.type, offset + length);
      entities.push(entity);
    }
  }
  return entities.sort((a, b) => a.offset - b.offset || b.length - a.length);
}

/**
 * Reduces the entities to `MAX_ENTITIES`, dropping the plainest formatting first. Returns undefined if the required
 * ones are too many: links, and code, without which a name in it would be a mention.
 */
export function fewEntities(all: MessageEntity[]): MessageEntity[] | undefined {
  let entities = all;
  for (const type of ['italic', 'strikethrough', 'bold', 'blockquote', 'expandable_blockquote']) {
    if (entities.length <= MAX_ENTITIES) break;
    entities = entities.filter((entity) => entity.type !== type);
  }
  return entities.length <= MAX_ENTITIES ? entities : undefined;
}

function entityOf(span: Span, offset: number, length: number): MessageEntity {
  if (span.kind === 'link') return { type: 'text_link', offset, length, url: span.url };
  if (span.kind === 'quote' && length > FOLDED) return { type: 'expandable_blockquote', offset, length };
  if (span.kind !== 'pre') return { type: TYPES[span.kind], offset, length };
  return { type: 'pre', offset, length, ...(span.language === undefined ? {} : { language: span.language }) };
}

/** Trims blanks at the edges. Code keeps its indentation, and so does a quotation that begins with code. */
function edges(text: string, from: number, to: number, kind: Span['kind']): { offset: number; length: number } {
  const part = text.slice(from, to);
  const end = part.trimEnd().length;
  const start = kind === 'pre' || kind === 'quote' ? 0 : part.length - part.trimStart().length;
  return { offset: from + start, length: end - start };
}

function touches(sorted: readonly Span[], span: Span): boolean {
  return sorted.some((other) => other.start < span.end && span.start < other.end);
}

/** Returns the ranges of a span outside code, because formatting can't continue inside code. */
function outsideCode(span: Span, codes: readonly Span[]): { start: number; end: number }[] {
  const pieces: { start: number; end: number }[] = [];
  let { start } = span;
  for (const code of codes) {
    if (code.end <= start || code.start >= span.end) continue;
    if (code.start > start) pieces.push({ start, end: code.start });
    start = code.end;
  }
  if (start < span.end) pieces.push({ start, end: span.end });
  return pieces;
}

function isItsUrl(shown: string, url: string): boolean {
  return shown === url || `${shown}/` === url;
}
