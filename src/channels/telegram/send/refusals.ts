/**
 * Decides what to do when Telegram refuses a part, without doing it. A refused part was not accepted, so another form
 * of it may be sent at once under the same ledger entry; each remedy is tried once. Error texts are those of the Bot
 * API server: https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp
 */
import { DeliveryError } from '../../../errors.ts';
import type { OutboundMessage } from '../../channel.ts';
import { isFields } from '../../shared/read.ts';
import type { TelegramError } from '../connect/api.ts';
import type { TelegramPart } from './render.ts';

interface Remedy {
  name: string;
  /** Matches Telegram's error text. */
  said: RegExp;
  /** Returns undefined if the part has nothing to change. */
  change: (part: TelegramPart, message: OutboundMessage) => TelegramPart | undefined;
}

/** Matches errors about the chat, which don't concern the part's form. */
const ABOUT_CHAT = /chat not found|PEER_ID_INVALID|rights|CHAT_\w+|USER_\w+|upgraded/i;
/**
 * Matches errors about the part's form. A bad request is about the chat, about the state of a message, or else about
 * the form.
 */
const ABOUT_FORM =
  /^(?!.*(?:chat not found|PEER_ID_INVALID|rights|CHAT_|USER_|TOPIC_|upgraded|deactivated|thread not found|not modified|to edit not found|blocked|kicked))/i;

/** Remedies in order of preference; the first that applies and was not tried yet is used. */
const REMEDIES: Remedy[] = [
  {
    name: 'thread',
    said: /thread not found|TOPIC_(DELETED|CLOSED|ID_INVALID)/i,
    change: (part) => withoutParams(part, ['message_thread_id']),
  },
  {
    name: 'edit',
    said: /to edit not found|can't be edited|MESSAGE_ID_INVALID|no text in the message to edit/i,
    change: asNew,
  },
  {
    name: 'reply',
    said: /(replied|to be replied).* not found|REPLY_MESSAGE_ID_INVALID/i,
    change: (part) => withoutParams(part, ['reply_parameters']),
  },
  { name: 'entities', said: /entit|can't parse/i, change: (part) => (isRich(part) ? undefined : asPlain(part)) },
  // Places that refuse photos may accept files; some people don't accept voice messages.
  {
    name: 'photo',
    said: /PHOTOS?_|IMAGE_PROCESS|dimensions|to send (photos|voice)|big for a photo|VOICE_MESSAGES_FORBIDDEN/i,
    change: asDocument,
  },
  // Remedies for any other problem with the form: less and less accompanies the text.
  { name: 'less-marks', said: ABOUT_FORM, change: (part) => (isWords(part) ? asPlain(part) : undefined) },
  { name: 'less-buttons', said: ABOUT_FORM, change: (part) => lessOf(part, ['reply_markup']) },
  {
    name: 'less-reply',
    said: ABOUT_FORM,
    change: (part) => lessOf(part, ['reply_parameters']),
  },
  { name: 'new', said: ABOUT_FORM, change: (part, message) => (isWords(part) ? asNew(part, message) : undefined) },
];

/** Returns whether the part is plain text. Refused files and rich messages are handled elsewhere. */
const isWords = (part: TelegramPart): boolean => !isRich(part) && part.files.length === 0;

function lessOf(part: TelegramPart, keys: string[]): TelegramPart | undefined {
  return isWords(part) ? withoutParams(part, keys) : undefined;
}

/**
 * Returns another form of the part to try, or undefined. `tried` holds the names of remedies used so far; this adds to
 * it.
 */
export function remedy(
  part: TelegramPart,
  error: TelegramError,
  message: OutboundMessage,
  tried: Set<string>,
): TelegramPart | undefined {
  if (error.migratedTo !== undefined && !tried.has('migrated')) {
    tried.add('migrated');
    return { ...part, params: { ...part.params, chat_id: error.migratedTo } };
  }
  if (error.code !== 400) return undefined;
  for (const { name, said, change } of REMEDIES) {
    const changed = !tried.has(name) && said.test(error.message) ? change(part, message) : undefined;
    if (!changed) continue;
    tried.add(name);
    return changed;
  }
  return undefined;
}

/** Returns whether the server refuses rich messages, or this one. */
export function refusesRich(part: TelegramPart, error: TelegramError): boolean {
  return isRich(part) && (error.code === 404 || (error.code === 400 && !ABOUT_CHAT.test(error.message)));
}

export function isRich(part: TelegramPart): boolean {
  return part.params.rich_message !== undefined;
}

/** Returns whether the edit changed nothing, because an earlier try of it had succeeded. */
export function isAlreadySo(error: TelegramError): boolean {
  return error.code === 400 && /message is not modified/i.test(error.message);
}

/** Turns an edit of text into an edit of a caption, if the message to be edited is a file. */
export function asCaption(part: TelegramPart, error: TelegramError): TelegramPart | undefined {
  if (error.code !== 400 || !/no text in the message to edit/i.test(error.message)) return undefined;
  const { text, entities, link_preview_options: _none, ...params } = part.params;
  const caption = entities === undefined ? { caption: text } : { caption: text, caption_entities: entities };
  return { ...part, method: 'editMessageCaption', params: { ...params, ...caption } };
}

/**
 * Converts a refusal into an error for delivery. An edit can be repeated safely, so losing its answer isn't ambiguous.
 */
export function toDeliveryError(part: TelegramPart, error: TelegramError): DeliveryError {
  const { message, kind, code } = error;
  const repeatable = part.method.startsWith('edit');
  if (kind === 'unreadable') return new DeliveryError(message);
  if (kind === 'unreachable') return new DeliveryError(message, { retryAfterMs: error.retryAfterMs ?? 1000 });
  if (kind !== 'refused') return new DeliveryError(message, { retryAfterMs: 1000, ambiguous: !repeatable });
  if (code === 429) return new DeliveryError(message, { retryAfterMs: error.retryAfterMs ?? 1000, rateLimited: true });
  if (typeof code === 'number' && code >= 500)
    return new DeliveryError(message, { retryAfterMs: 1000, ambiguous: code === 504 && !repeatable });
  // The token was revoked: the message waits until the operator sets a new one.
  if (code === 401 || code === 404) return new DeliveryError(message, { retryAfterMs: 60_000 });
  return new DeliveryError(message);
}

function withoutParams(part: TelegramPart, keys: string[]): TelegramPart | undefined {
  if (!keys.some((key) => key in part.params)) return undefined;
  return { ...part, params: Object.fromEntries(Object.entries(part.params).filter(([key]) => !keys.includes(key))) };
}

function asPlain(part: TelegramPart): TelegramPart | undefined {
  const markup = ['entities', 'caption_entities', 'parse_mode'];
  const media = mediaOf(part);
  if (!media) return withoutParams(part, markup);
  const plain = media.map((item) => Object.fromEntries(Object.entries(item).filter(([key]) => !markup.includes(key))));
  return { ...part, params: { ...part.params, media: plain } };
}

/** Turns an edit into a new message, which names its thread and the message it replies to. */
function asNew(part: TelegramPart, message: OutboundMessage): TelegramPart | undefined {
  if (part.method !== 'editMessageText') return undefined;
  const { message_id: _gone, ...params } = part.params;
  const thread = Number(message.address.thread);
  const replyTo = Number(message.replyTo);
  return {
    method: isRich(part) ? 'sendRichMessage' : 'sendMessage',
    params: {
      ...params,
      ...(thread > 1 && { message_thread_id: thread }),
      ...(replyTo > 0 && { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
    },
    files: part.files,
  };
}

function asDocument(part: TelegramPart): TelegramPart | undefined {
  if (part.method === 'sendPhoto' || part.method === 'sendVoice') return { ...part, method: 'sendDocument' };
  const media = mediaOf(part);
  if (!media?.some((item) => item.type === 'photo')) return undefined;
  return { ...part, params: { ...part.params, media: media.map((item) => ({ ...item, type: 'document' })) } };
}

function mediaOf(part: TelegramPart): Record<string, unknown>[] | undefined {
  const { media } = part.params;
  return Array.isArray(media) ? media.filter(isFields) : undefined;
}
