/** Builds what replaces a part whose files Telegram refuses. Pure. */
import { type Messages, say } from '../../../messages/messages.ts';
import type { Attachment } from '../../channel.ts';
import { isFields } from '../../shared/read.ts';
import { type RefusalWords, type RefusedFile, refusalNotice, type WhyRefused } from '../../shared/refused-files.ts';
import type { TelegramError } from '../connect/api.ts';
import { plainText, type TelegramPart } from './render.ts';

const TEXT = 4096;
const NOTHING = '—';
/** Matches errors of a chat that accepts nothing from the bot, neither text nor files. */
const ABOUT_CHAT = /chat not found|PEER_ID_INVALID|CHAT_RESTRICTED|CHAT_WRITE|USER_|upgraded|channel chat/i;
const RIGHTS = /not enough rights|CHAT_SEND_\w+_FORBIDDEN/i;
const SIZE = /too (?:big|large)|FILE_PARTS_INVALID/i;

const WORDS: RefusalWords = {
  platform: 'Telegram',
  get: '/get',
  reasons: {
    rights: (files) => say('channels.rightsTelegram', files),
  },
};

/** Returns why the files of a part were refused; undefined if it has none, or if something else is at fault. */
export function whyRefused(part: TelegramPart, { kind, code, message }: TelegramError): WhyRefused | undefined {
  if (part.files.length === 0) return undefined;
  if (kind === 'unreadable') return 'gone';
  if (kind !== 'refused') return undefined;
  if (code === 413) return 'size';
  if (code !== 400 && code !== 403) return undefined;
  if (RIGHTS.test(message)) return 'rights';
  if (code === 403 || ABOUT_CHAT.test(message)) return undefined;
  return SIZE.test(message) ? 'size' : 'file';
}

export function noticeOf(refused: readonly RefusedFile[], messages: Messages): string {
  return refusalNotice(refused, WORDS, (text) => plainText(text), messages);
}

/** Returns the text and keyboard of a part as a text message, with the notice at its end. */
export function onlyText(
  { params }: TelegramPart,
  notice: string,
): { part: TelegramPart; hasNotice: boolean } | undefined {
  const { caption: _own, caption_entities: _marks, media, ...rest } = params;
  const captioned = [params, ...(Array.isArray(media) ? media.filter(isFields) : [])].find((item) => item.caption);
  const said = String(captioned?.caption ?? '');
  if (said === '' && rest.reply_markup === undefined) return undefined;
  const all = [said, notice].filter((text) => text !== '').join('\n\n');
  const hasNotice = notice !== '' && all.length <= TEXT;
  const entities = captioned?.caption_entities;
  const text = { text: (hasNotice ? all : said) || NOTHING, ...(entities !== undefined && { entities }) };
  const call = { ...rest, ...text, link_preview_options: { is_disabled: true } };
  return { part: { method: 'sendMessage', params: call, files: [] }, hasNotice };
}

/** Returns a part with one file of an album, without text. */
export function onlyFile({ params }: TelegramPart, file: Attachment): TelegramPart {
  const { media, ...rest } = params;
  const isPhoto = Array.isArray(media) && media.some((item) => isFields(item) && item.type === 'photo');
  return { method: isPhoto ? 'sendPhoto' : 'sendDocument', params: rest, files: [file] };
}
