/**
 * Renders an outgoing message as calls of the Bot API. Pure: the same message always gives the same parts, so that an
 * interrupted send continues with the right one.
 */
import { DeliveryError } from '../../../errors.ts';
import { messagesFor } from '../../../messages/messages.ts';
import type { Address, Attachment, Button, ChannelLimits, OutboundMessage } from '../../channel.ts';
import { type MarkdownDocument, parseDocument } from '../../markdown/parse.ts';
import { NO_FEATURES, plainInline, type Rich } from '../../markdown/rich.ts';
import { splitRich } from '../../markdown/split.ts';
import { fewEntities, forTelegram, toEntities } from './entities.ts';
import { type FileGroup, groupFiles, shortName } from './render-files.ts';
import { toRichMessage } from './render-rich.ts';

export type TelegramMethod =
  | 'sendMessage'
  | 'editMessageText'
  | 'editMessageCaption'
  | 'sendDocument'
  | 'sendPhoto'
  | 'sendVoice'
  | 'sendMediaGroup'
  | 'sendRichMessage';

/** One call. `params` is JSON; `files[i]` goes under `photo` or `document`, or under `media` of the album's item i. */
export interface TelegramPart {
  method: TelegramMethod;
  params: Record<string, unknown>;
  files: Attachment[];
}

export interface TelegramRendering {
  parts: TelegramPart[];
  /** The whole message with its text as one rich message, for servers that accept those. */
  rich?: TelegramPart[];
}

type Params = Record<string, unknown>;

const CAPTION = 1024;
const CALLBACK_BYTES = 64;
const ROW = 8;
const NOTHING = '—';

/**
 * Renders a message. The first part is a reply or replaces the placeholder; the keyboard is under the last text. A
 * message with nothing to show has no parts. @throws DeliveryError for a button ID that Telegram can't carry.
 */
export async function renderTelegram(message: OutboundMessage, limits: ChannelLimits): Promise<TelegramRendering> {
  const { groups, refused } =
    message.files.length > 0
      ? groupFiles(message.files, limits.uploadBytes, messagesFor(message))
      : { groups: [], refused: [] };
  // Telegram removes these three combining marks from a text; composed letters keep them.
  const source = /[\u030a\u0333\u033f]/.test(message.text) ? message.text.normalize('NFC') : message.text;
  const parsed = await parseDocument(source);
  const document = refused.length > 0 ? addNotices(parsed, refused) : parsed;
  const keyboard = keyboardOf(message.buttons);
  const texts = fitted(forTelegram(document.rich), limits.text);

  const [group] = groups;
  const [text] = texts;
  const isCaption =
    message.placeholder === undefined &&
    group !== undefined &&
    groups.length === 1 &&
    texts.length <= 1 &&
    (text?.text.length ?? 0) <= CAPTION &&
    (group.files.length === 1 || keyboard === undefined);
  if (texts.length === 0 && !isCaption && (message.placeholder !== undefined || keyboard !== undefined)) {
    texts.push({ text: standIn(groups), spans: [], features: document.rich.features });
  }

  const files = groups.map((one) => fileCall(one));
  const calls = isCaption
    ? [fileCall(group, text, keyboard)]
    : [...texts.map((one, index) => textCall(one, index === texts.length - 1 ? keyboard : undefined)), ...files];
  const { table, tasks } = document.rich.features;
  const rich = table || tasks ? toRichMessage(document.blocks) : undefined;
  const parts = addressCalls(calls, message);
  if (rich === undefined) return { parts };
  const richCall: TelegramPart = { method: 'sendRichMessage', params: { rich_message: rich, ...keyboard }, files: [] };
  return { parts, rich: addressCalls([richCall, ...files], message) };
}

/** Renders a notice of ours after the message. If it comes first, it is the reply and replaces the placeholder. */
export function noticeCalls(text: string, message: OutboundMessage, isFirst: boolean): TelegramPart[] {
  const { replyTo: _to, placeholder: _in, ...later } = message;
  const texts = splitRich(forTelegram({ ...plainInline(text), features: NO_FEATURES }), 4096);
  return addressCalls(
    texts.map((one) => textCall(one, undefined)),
    isFirst ? message : later,
  );
}

/** Returns one line for a status message: as Telegram will show it, without formatting, cut to `limit`. */
export function plainText(text: string, limit = 4096): string {
  const line = forTelegram({ ...plainInline(text.toWellFormed().replace(/\s+/g, ' ')), features: NO_FEATURES });
  const [first] = splitRich(line, limit);
  return first?.text ?? '';
}

function addNotices({ rich, blocks }: MarkdownDocument, notices: string[]): MarkdownDocument {
  const paragraphs = notices.map((notice) => ({ type: 'paragraph' as const, inline: plainInline(notice) }));
  const text = [rich.text, ...notices].filter((part) => part !== '').join('\n\n');
  return { rich: { ...rich, text }, blocks: [...blocks, ...paragraphs] };
}

/** Returns visible parts within the limits of length and of entities. */
function fitted(rich: Rich, limit: number): Rich[] {
  const isWhole = rich.spans.length === 0 && rich.text.length <= limit && rich.text.trim() === rich.text;
  return (isWhole ? [rich] : splitRich(rich, limit)).flatMap((part) => {
    if (!/[^\s\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u.test(part.text)) return [];
    if (part.spans.length === 0 || fewEntities(toEntities(part)) !== undefined) return [part];
    return fitted(part, Math.ceil(part.text.length / 2));
  });
}

function standIn(groups: readonly FileGroup[]): string {
  const names = groups.flatMap((group) => group.files).map((file) => `📎 ${plainText(shortName(file))}`);
  return names.length === 0 ? NOTHING : names.slice(0, 20).join('\n');
}

function formatted(text: Rich, key: 'text' | 'caption'): Params {
  const entities = text.spans.length > 0 ? (fewEntities(toEntities(text)) ?? []) : [];
  const entitiesKey = key === 'text' ? 'entities' : 'caption_entities';
  return { [key]: text.text, ...(entities.length === 0 ? {} : { [entitiesKey]: entities }) };
}

function textCall(text: Rich, keyboard: Params | undefined): TelegramPart {
  const params = { ...formatted(text, 'text'), link_preview_options: { is_disabled: true }, ...keyboard };
  return { method: 'sendMessage', params, files: [] };
}

const METHODS = { photo: 'sendPhoto', document: 'sendDocument', voice: 'sendVoice' } as const;

function fileCall({ kind, files }: FileGroup, text?: Rich, keyboard?: Params): TelegramPart {
  const caption = text === undefined ? {} : formatted(text, 'caption');
  if (files.length === 1) {
    return { method: METHODS[kind], params: { ...caption, ...keyboard }, files };
  }
  // The first photo's caption is shown for all photos; documents each show their own, so it is under the last.
  const captioned = kind === 'photo' ? 0 : files.length - 1;
  const media = files.map((_file, index) => ({ type: kind, ...(index === captioned ? caption : {}) }));
  return { method: 'sendMediaGroup', params: { media }, files };
}

/**
 * Adds the chat, thread and reply to each call. The first text replaces the placeholder; an edit names neither thread
 * nor reply.
 */
function addressCalls(calls: TelegramPart[], { address, replyTo, placeholder }: OutboundMessage): TelegramPart[] {
  const chat = { chat_id: /^-?\d{1,15}$/.test(address.chat) ? Number(address.chat) : address.chat };
  const thread = positive(address.thread);
  const reply = positive(replyTo);
  const edited = positive(placeholder);
  // Messages in a forum's General topic must not name a thread: 1 is refused.
  const topic = thread === undefined || thread === 1 ? {} : { message_thread_id: thread };
  return calls.map((call, index) => {
    const isText = call.method === 'sendMessage' || call.method === 'sendRichMessage';
    if (index === 0 && edited !== undefined && isText) {
      return { ...call, method: 'editMessageText', params: { ...chat, message_id: edited, ...call.params } };
    }
    const answers =
      index === 0 && reply !== undefined
        ? { reply_parameters: { message_id: reply, allow_sending_without_reply: true } }
        : {};
    return { ...call, params: { ...chat, ...topic, ...call.params, ...answers } };
  });
}

/** Returns the same text and buttons as an edit of an existing message; undefined if the part can't be an edit. */
export function asEdit(part: TelegramPart, { chat }: Address, messageId: string): TelegramPart | undefined {
  const message_id = positive(messageId.split(',').at(-1));
  if (message_id === undefined || (part.method !== 'sendMessage' && part.method !== 'sendRichMessage'))
    return undefined;
  const { message_thread_id: _topic, ...params } = part.params;
  const chat_id = /^-?\d{1,15}$/.test(chat) ? Number(chat) : chat;
  return { method: 'editMessageText', params: { ...params, chat_id, message_id }, files: [] };
}

function positive(id: string | undefined): number | undefined {
  return id !== undefined && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** Returns the keyboard under a message; undefined if it has no buttons. */
export function keyboardOf(buttons: Button[][] | undefined): Params | undefined {
  const rows = (buttons ?? []).flatMap((row) =>
    Array.from({ length: Math.ceil(row.length / ROW) }, (_, index) => row.slice(index * ROW, (index + 1) * ROW)),
  );
  if (rows.length === 0) return undefined;
  const inline_keyboard = rows.map((row) =>
    row.map(({ id, label }) => {
      const bytes = Buffer.byteLength(id);
      if (bytes < 1 || bytes > CALLBACK_BYTES)
        throw new DeliveryError(`a button id has ${bytes} bytes; Telegram takes 1 to 64`);
      return { text: plainText(label, 64) || NOTHING, callback_data: id };
    }),
  );
  return { reply_markup: { inline_keyboard } };
}
