/**
 * The three parse modes. Each converts marked-up text to plain text with entities, or refuses it with the server's
 * message (positions are UTF-8 byte offsets, as the server counts them).
 */
import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from './errors.ts';
import { cannotParse, linkEntity, type Marked } from './marked.ts';
import { parseHtml } from './markup-html.ts';

interface Open {
  type: string;
  /** Where it begins in the plain text, and in the source. */
  offset: number;
  source: number;
  language?: string;
}

const RESERVED = new Set('_*[]()~`>#+-=|{}.!');
const NAMES: Record<string, string> = {
  bold: 'Bold',
  italic: 'Italic',
  underline: 'Underline',
  strikethrough: 'Strikethrough',
  spoiler: 'Spoiler',
  code: 'Code',
  pre: 'Pre',
  text_link: 'TextUrl',
  custom_emoji: 'CustomEmoji',
};

/** The readers in the order in which they are tried, longest first. */
const MARKS: [mark: string, type: string][] = [
  ['```', 'pre'],
  ['`', 'code'],
  ['__', 'underline'],
  ['_', 'italic'],
  ['*', 'bold'],
  ['~', 'strikethrough'],
  ['||', 'spoiler'],
];

function bytesBefore(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}

/** Returns the address in round brackets after a link's text, unescaped; `end` is after the closing bracket. */
function linkTarget(source: string, at: number): { url: string; end: number } | undefined {
  if (source[at] !== '(') return undefined;
  let url = '';
  for (let i = at + 1; i < source.length; i += 1) {
    if (source[i] === ')') return { url, end: i + 1 };
    if (source[i] === '\\') i += 1;
    url += source[i] ?? '';
  }
  throw cannotParse(`Can't find end of a URL at byte offset ${bytesBefore(source, at)}`);
}

function parseMarkdownV2(source: string): Marked {
  const entities: MessageEntity[] = [];
  const open: Open[] = [];
  let text = '';
  let at = 0;

  const close = (extra: object = {}) => {
    const top = open.pop();
    if (!top) return;
    const length = text.length - top.offset;
    const language = top.language ? { language: top.language } : {};
    entities.push({ type: top.type as 'bold', offset: top.offset, length, ...language, ...extra });
  };

  /** Closes or opens an entity at this mark. Returns false if the character isn't a mark here. */
  function mark(): boolean {
    const top = open.at(-1);
    for (const [sign, type] of MARKS) {
      if (!source.startsWith(sign, at)) continue;
      if (top?.type === type) close();
      else if (top?.type === 'code' || top?.type === 'pre') continue;
      else open.push({ type, offset: text.length, source: at });
      at += sign.length;
      const opened = open.at(-1);
      const language =
        opened?.source === at - 3 && type === 'pre' ? /^[^\s`]+(?=\n)|^(?=\n)/.exec(source.slice(at)) : null;
      if (language && opened) {
        opened.language = language[0];
        at += language[0].length + 1;
      }
      return true;
    }
    return false;
  }

  function link(): boolean {
    const sign = source[at] === '!' ? '![' : '[';
    if (source.startsWith(sign, at)) {
      open.push({ type: sign === '[' ? 'text_link' : 'custom_emoji', offset: text.length, source: at });
      at += sign.length;
      return true;
    }
    const top = open.at(-1);
    if (source[at] !== ']' || (top?.type !== 'text_link' && top?.type !== 'custom_emoji')) return false;
    const target = linkTarget(source, at + 1);
    open.pop();
    at = target?.end ?? at + 1;
    const { offset, type } = top;
    const length = text.length - offset;
    const emoji = /^tg:\/\/emoji\?id=(\d+)$/.exec(target?.url ?? '');
    if (type === 'custom_emoji' && emoji?.[1]) {
      entities.push({ type: 'custom_emoji', offset, length, custom_emoji_id: emoji[1] });
    } else if (type === 'text_link') entities.push(linkEntity(target?.url ?? text.slice(offset), offset, length));
    else
      throw cannotParse(`Custom emoji entity must contain a tg://emoji URL at byte offset ${bytesBefore(source, at)}`);
    return true;
  }

  while (at < source.length) {
    const char = source[at] ?? '';
    const top = open.at(-1)?.type;
    const isCode = top === 'code' || top === 'pre';
    if (char === '\\' && source.charCodeAt(at + 1) <= 126) {
      text += source[at + 1] ?? '';
      at += 2;
    } else if (char === '\n' && top === 'blockquote' && source[at + 1] !== '>') {
      close();
    } else if (char === '>' && !isCode && (at === 0 || source[at - 1] === '\n')) {
      if (!open.some((entity) => entity.type === 'blockquote')) {
        open.push({ type: 'blockquote', offset: text.length, source: at });
      }
      at += 1;
    } else if (isCode ? char !== '`' : !RESERVED.has(char)) {
      text += char;
      at += 1;
    } else if (!mark() && !link()) {
      throw cannotParse(`Character '${char}' is reserved and must be escaped with the preceding '\\'`);
    }
  }
  if (open.at(-1)?.type === 'blockquote') close();
  return finish(source, text, entities, open);
}

function finish(source: string, text: string, entities: MessageEntity[], open: Open[]): Marked {
  const [unclosed] = open.slice(-1);
  if (unclosed) {
    const offset = bytesBefore(source, unclosed.source);
    throw cannotParse(`Can't find end of ${NAMES[unclosed.type] ?? unclosed.type} entity at byte offset ${offset}`);
  }
  return { text, entities: entities.filter((entity) => entity.length > 0) };
}

/** The legacy mode: no nesting, and escapes only outside entities. */
function parseMarkdown(source: string): Marked {
  const entities: MessageEntity[] = [];
  let text = '';
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? '';
    if (char === '\\' && '_*`['.includes(source[at + 1] ?? ' ')) {
      text += source[++at] ?? '';
      continue;
    }
    const pair = [...MARKS, ['[', 'text_link'] as const].find(
      ([sign]) => sign.length !== 2 && source.startsWith(sign, at),
    );
    if (!pair || char === '~') {
      text += char;
      continue;
    }
    const [sign, type] = pair;
    const end = source.indexOf(sign === '[' ? ']' : sign, at + sign.length);
    if (end === -1)
      throw cannotParse(`Can't find end of the entity starting at byte offset ${bytesBefore(source, at)}`);
    const content = source.slice(at + sign.length, end);
    const target = sign === '[' ? linkTarget(source, end + 1) : undefined;
    if (target) entities.push(linkEntity(target.url, text.length, content.length));
    else if (type !== 'text_link') entities.push({ type: type as 'bold', offset: text.length, length: content.length });
    text += content;
    at = (target?.end ?? end + sign.length) - 1;
  }
  return finish(source, text, entities, []);
}

/** Throws ApiError 400 for text that the mode doesn't accept, and for an unknown mode. */
export function parseMarkup(source: string, mode: string): Marked {
  const name = mode.toLowerCase();
  if (name === 'html') return parseHtml(source);
  if (name === 'markdownv2') return parseMarkdownV2(source);
  if (name === 'markdown') return parseMarkdown(source);
  throw badRequest('unsupported parse_mode');
}
