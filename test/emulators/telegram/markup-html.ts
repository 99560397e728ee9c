/** The HTML parse mode: a few tags and four named entities; everything else is refused. */
import type { MessageEntity } from '@grammyjs/types';
import { cannotParse, linkEntity, type Marked } from './marked.ts';

const TAGS: Record<string, string> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  a: 'text_link',
  'tg-emoji': 'custom_emoji',
  'tg-time': 'date_time',
};
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const TOKEN = /<(\/?)([a-zA-Z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>|&(?:#(\d+|x[0-9a-fA-F]+)|(lt|gt|amp|quot));|[<>]/g;

interface Open {
  tag: string;
  offset: number;
  attributes: Map<string, string>;
}

function readAttributes(source: string): Map<string, string> {
  const pairs = source.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
  return new Map([...pairs].map(([, name = '', a, b, c]) => [name.toLowerCase(), decode(a ?? b ?? c ?? '')]));
}

function character(code: string): string {
  const point = code.startsWith('x') ? Number.parseInt(code.slice(1), 16) : Number(code);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '';
}

function decode(value: string): string {
  return value.replaceAll(/&(?:#(\d+|x[0-9a-fA-F]+)|(lt|gt|amp|quot));/g, (_all, code, name) =>
    name ? (NAMED[name] ?? '') : character(code),
  );
}

function entityOf({ tag, offset, attributes }: Open, text: string): MessageEntity | undefined {
  const length = text.length - offset;
  const type = TAGS[tag];
  if (length === 0) return undefined;
  if (tag === 'a') return linkEntity(attributes.get('href') || text.slice(offset), offset, length);
  if (type === 'custom_emoji') return { type, offset, length, custom_emoji_id: attributes.get('emoji-id') ?? '' };
  if (type === 'date_time')
    return { type: 'date_time', offset, length, unix_time: Number(attributes.get('unix')), date_time_format: 'r' };
  if (type === 'blockquote' && attributes.has('expandable')) return { type: 'expandable_blockquote', offset, length };
  return { type: type as 'bold', offset, length };
}

/** A `code` tag that fills a `pre` tag only names the language. */
function withLanguages(entities: MessageEntity[], languages: Map<MessageEntity, string>): MessageEntity[] {
  return entities.filter((entity) => {
    if (entity.type !== 'code') return true;
    const outer = entities.find((e) => e.type === 'pre' && e.offset === entity.offset && e.length === entity.length);
    const language = languages.get(entity)?.replace(/^language-/, '');
    if (outer?.type === 'pre' && language) outer.language = language;
    return !outer;
  });
}

/** Throws ApiError 400 with the server's message. */
export function parseHtml(source: string): Marked {
  const entities: MessageEntity[] = [];
  const languages = new Map<MessageEntity, string>();
  const open: Open[] = [];
  let text = '';
  let last = 0;
  for (const match of source.matchAll(TOKEN)) {
    const [whole, slash, name, rest = '', code, named] = match;
    text += source.slice(last, match.index);
    last = match.index + whole.length;
    const bytes = Buffer.byteLength(source.slice(0, match.index));
    if (code !== undefined) text += character(code);
    else if (named !== undefined) text += NAMED[named];
    else if (whole === '>') text += '>';
    else if (name === undefined) throw cannotParse(`Unclosed start tag at byte offset ${bytes}`);
    else {
      const tag = name.toLowerCase();
      if (slash) {
        const top = open.pop();
        if (!top) throw cannotParse(`Unexpected end tag at byte offset ${bytes}`);
        if (top.tag !== tag)
          throw cannotParse(`Unmatched end tag at byte offset ${bytes}, expected "</${top.tag}>", found "</${tag}>"`);
        const entity = entityOf(top, text);
        if (!entity) continue;
        entities.push(entity);
        languages.set(entity, top.attributes.get('class') ?? '');
      } else {
        const attributes = readAttributes(rest);
        const isKnown = tag in TAGS && (tag !== 'span' || attributes.get('class') === 'tg-spoiler');
        if (!isKnown) throw cannotParse(`Unsupported start tag "${tag}" at byte offset ${bytes}`);
        open.push({ tag, offset: text.length, attributes });
      }
    }
  }
  const unclosed = open.at(-1);
  if (unclosed) throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.tag}"`);
  return { text: text + source.slice(last), entities: withLanguages(entities, languages) };
}
