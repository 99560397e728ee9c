/**
 * Message entities: those that people's apps and the server find by themselves in a text, and those that a bot may
 * send. Offsets and lengths are UTF-16 code units.
 */
import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from './errors.ts';

/** Entities beyond this number are silently left out. */
const MAX_ENTITIES = 100;

const DETECT =
  /(?<url>https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])|(?<email>[\w.+-]+@[\w-]+\.[\w.-]*\w)|(?<=^|[^\w/@#])(?:(?<mention>@[a-zA-Z]\w{3,31})(?!\w)|(?<bot_command>\/[a-zA-Z0-9_]{1,64}(?:@\w{3,32})?)(?![\w/])|(?<hashtag>#(?=\w*\p{L})[\p{L}\p{N}_]{1,256}))/gu;

/** Returns the entities of a text that nobody marked: commands, mentions, hashtags, links, email addresses. */
export function detectEntities(text: string): MessageEntity[] {
  if (!/[@/#:]/.test(text)) return [];
  const found: MessageEntity[] = [];
  for (const match of text.matchAll(DETECT)) {
    for (const [type, value] of Object.entries(match.groups ?? {})) {
      if (value === undefined) continue;
      found.push({ type: type as 'url', offset: match.index + match[0].indexOf(value), length: value.length });
    }
  }
  return found;
}

const PLAIN = new Set([
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
]);
const OTHER = new Set(['code', 'pre', 'text_link', 'text_mention', 'custom_emoji', 'date_time']);
/** Types that a bot may name, but that the server only takes from its own search. */
const DETECTED = new Set(['mention', 'hashtag', 'cashtag', 'bot_command', 'url', 'email', 'phone_number']);
const LINK_SCHEME = /^(?:https?|ton|tg|tonsite):\/\/.|^[^\s:/]+\.[^\s:/]{2,}/i;

function splitsSurrogates(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** Returns whether the server keeps the entity. Throws ApiError for one that can't be read or doesn't fit the text. */
function isKept(entity: MessageEntity, text: string): boolean {
  if (typeof entity !== 'object' || entity === null) throw badRequest("can't parse MessageEntity: expected an Object");
  const { type, offset, length } = entity;
  if (typeof type !== 'string') throw badRequest(`can't parse MessageEntity: can't find field "type"`);
  if (!Number.isInteger(offset) || !Number.isInteger(length)) {
    throw badRequest(`can't parse MessageEntity: field "offset" must be a valid Number`);
  }
  if (offset < 0 || length < 0 || offset + length > text.length) throw badRequest('ENTITY_BOUNDS_INVALID');
  if (splitsSurrogates(text, offset)) {
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at UTF-16 offset ${offset}`);
  }
  if (splitsSurrogates(text, offset + length)) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at UTF-16 offset ${offset + length}`,
    );
  }
  if (DETECTED.has(type)) return false;
  if (!PLAIN.has(type) && !OTHER.has(type)) throw badRequest("can't parse MessageEntity: unsupported type specified");
  if (type === 'text_link' && !LINK_SCHEME.test(entity.url ?? '')) return false;
  if (type === 'text_mention' && typeof entity.user?.id !== 'number') return false;
  return length > 0;
}

/** Code contains nothing, quotes don't nest, and links, code and mentions don't contain each other. */
function clashes(inner: MessageEntity, outer: MessageEntity): boolean {
  const isInside = inner.offset < outer.offset + outer.length && outer.offset < inner.offset + inner.length;
  if (!isInside) return false;
  if (outer.type === 'code' || outer.type === 'pre') return true;
  const isQuote = (entity: MessageEntity) => entity.type.endsWith('blockquote');
  if (isQuote(inner) && isQuote(outer)) return true;
  return OTHER.has(inner.type) && OTHER.has(outer.type);
}

/** Returns the bot's entities that the server keeps, outermost first, and how many it silently left out. */
export function keepEntities(sent: MessageEntity[], text: string): { entities: MessageEntity[]; dropped: number } {
  const usable = sent.filter((entity) => isKept(entity, text));
  usable.sort((a, b) => a.offset - b.offset || b.length - a.length);
  const entities: MessageEntity[] = [];
  for (const entity of usable) {
    if (entities.length === MAX_ENTITIES) break;
    if (entities.every((outer) => !clashes(entity, outer))) entities.push(entity);
  }
  return { entities, dropped: sent.length - entities.length };
}

/** Adds the entities that the server finds by itself, outside code, links and mentions. */
export function withDetected(text: string, entities: MessageEntity[]): MessageEntity[] {
  const free = detectEntities(text).filter((found) =>
    entities.every(
      (own) =>
        !OTHER.has(own.type) || found.offset >= own.offset + own.length || own.offset >= found.offset + found.length,
    ),
  );
  if (free.length === 0) return entities;
  return [...entities, ...free].sort((a, b) => a.offset - b.offset || b.length - a.length);
}
