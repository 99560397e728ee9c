/**
 * Decodes a Bot API update into an InboundMessage. Pure, total (it never throws, whatever JSON it gets) and cheap.
 * https://core.telegram.org/bots/api#update
 */

import type { EntryKind, InboundMessage } from '../../channel.ts';
import { emptyMessage } from '../../channel.ts';
import { type Fields, fields, integer, isFields, string } from '../../shared/read.ts';
import { decodeButton, decodeMembership, decodeService, decodeStop } from './events.ts';
import { readFiles } from './files.ts';
import { forwardOrigin, readForward, readReply, repliesTo, topicName } from './quotes.ts';
import { readRich } from './rich.ts';
import {
  type Bot,
  type Context,
  type DecodedUpdate,
  dropped,
  readAddress,
  readFacts,
  readSender,
  readWords,
} from './text.ts';

export type { Bot, DecodedUpdate } from './text.ts';

type Decode = (body: Fields, context: Context) => DecodedUpdate;

/** Every kind of update that is understood; Telegram is asked for these only. */
const KINDS = new Map<string, Decode>([
  ['message', (body, context) => decodeMessage(body, context, 'message')],
  ['edited_message', (body, context) => decodeMessage(body, context, 'edit')],
  ['channel_post', (body, context) => decodeMessage(body, context, 'channel-post')],
  ['edited_channel_post', (body, context) => decodeMessage(body, context, 'edit')],
  ['callback_query', decodeButton],
  ['my_chat_member', decodeMembership],
  ['stopped_message_generation', decodeStop],
]);

export const ALLOWED_UPDATES: readonly string[] = [...KINDS.keys()];

/** Fields around a message's content. Any other field may explain why no content was found. */
const ENVELOPE = new Set(
  `message_id message_thread_id from sender_chat sender_boost_count sender_business_bot sender_tag date chat is_topic_message
  reply_to_message external_reply quote reply_to_story reply_to_checklist_task_id reply_to_poll_option_id via_bot edit_date has_protected_content is_from_offline media_group_id
  author_signature effect_id reply_markup link_preview_options show_caption_above_media has_media_spoiler paid_star_count
  is_automatic_forward is_paid_post entities caption_entities`.split(/\s+/),
);

/** The fields of a message of words alone: it has no files, quotes, facts or events. */
const WORDS_ALONE = new Set('message_id message_thread_id from date chat is_topic_message text entities'.split(' '));

/**
 * Decodes one update. `message.id` is unique within (channel, account, chat) and the same each time Telegram repeats
 * the update: `m<message id>`, `e<message id>.<edit date>`, `c<callback query id>`, or `u<update id>` as a last resort.
 * Edits carry no `command`, so that correcting an old command doesn't run it again. `now` dates events without a time
 * of their own (milliseconds).
 */
export function decodeUpdate(update: unknown, bot: Bot, now: number = Date.now()): DecodedUpdate {
  if (!isFields(update)) return dropped('malformed');
  const updateId = integer(update, 'update_id');
  for (const key in update) {
    const decode = KINDS.get(key);
    const body = decode && fields(update, key);
    if (decode && body) return updateId === undefined ? dropped('malformed') : decode(body, { bot, updateId, now });
  }
  return dropped(Object.keys(update).find((key) => key !== 'update_id') ?? 'malformed');
}

/** Returns the ID for `answerCallbackQuery`, from a message of kind `button`. */
export function callbackId(message: InboundMessage): string {
  return message.id.slice(1);
}

function decodeMessage(body: Fields, context: Context, kind: EntryKind): DecodedUpdate {
  const { bot, updateId } = context;
  const chat = fields(body, 'chat');
  const chatId = chat && integer(chat, 'id');
  const messageId = integer(body, 'message_id');
  const sender = readSender(body, kind);
  if (!chat || chatId === undefined || messageId === undefined || !sender) return dropped('malformed');
  if (sender.user === String(bot.id)) return dropped('own');
  if (body.ephemeral_message_id !== undefined) return dropped('message.ephemeral_message_id');
  if (body.direct_messages_topic !== undefined) return dropped('message.direct_messages_topic');
  const at = integer(body, kind === 'edit' ? 'edit_date' : 'date') ?? 0;
  const base: InboundMessage = {
    ...emptyMessage(),
    // A message that the server has only scheduled has the ID 0.
    id: messageId <= 0 ? `u${updateId}` : kind === 'edit' ? `e${messageId}.${at}` : `m${messageId}`,
    ...(kind === 'edit' && messageId > 0 && { editOf: `m${messageId}` }),
    kind,
    address: readAddress(body, chatId, bot),
    sender,
    messageId: messageId <= 0 ? '' : String(messageId),
    ...(kind === 'message' && messageId > 0 && { sequence: messageId }),
    isDirect: chat.type === 'private',
    sentAt: at > 0 ? at * 1000 : context.now,
  };
  if (Object.keys(body).every((key) => WORDS_ALONE.has(key))) return withWords(body, base, readWords(body, bot), bot);
  return decodeService(body, base, context) ?? decodeContent(body, base, bot);
}

function decodeContent(body: Fields, base: InboundMessage, bot: Bot): DecodedUpdate {
  // A live location is edited every few seconds without anybody writing anything.
  if (base.kind === 'edit' && body.location !== undefined) return dropped('edited_message.location');
  const forward = readForward(body, bot);
  const rich = forward ? '' : readRich(body);
  const words = forward ? { text: '', mentioned: false } : readWords(rich === '' ? body : { text: rich }, bot);
  const group = string(body, 'media_group_id');
  const isPassedOn = forwardOrigin(body) !== undefined;
  const replied = isPassedOn ? undefined : repliesTo(body, bot);
  const topic = topicName(body);
  const around: InboundMessage = {
    ...base,
    files: readFiles(body),
    facts: readFacts(body),
    quotes: [...(forward ? [forward] : []), ...(isPassedOn ? [] : readReply(body, bot))],
    ...(group !== undefined && { group }),
    ...(replied !== undefined && { repliesTo: replied }),
    ...(topic !== '' && { threadName: topic }),
  };
  return withWords(body, around, words, bot);
}

function withWords(body: Fields, base: InboundMessage, words: ReturnType<typeof readWords>, bot: Bot): DecodedUpdate {
  const { command, mentioned, text } = words;
  if (command?.to !== undefined && command.to !== bot.username.toLowerCase())
    return dropped('message.command-for-another');
  const isCommand = command !== undefined && command.name !== '' && base.kind !== 'edit';
  const { files, facts, quotes, repliesTo: replied } = base;
  const isForward = quotes.some(({ kind }) => kind === 'forward');
  if (!isForward && !mentioned && text === '' && files.length + facts.length === 0)
    return dropped(`message.${contentKey(body)}`);
  const message: InboundMessage = {
    ...base,
    kind: isCommand && base.kind === 'message' ? 'command' : base.kind,
    text,
    ...(isCommand && { command: withoutDeepLink(command) }),
    // A bare command may be another bot's; that is decided where the commands are known.
    isMention: mentioned || command?.to !== undefined || replied !== undefined,
  };
  return { kind: 'message', message };
}

function contentKey(body: Fields): string {
  return Object.keys(body).find((key) => !ENVELOPE.has(key)) ?? 'empty';
}

/** `https://t.me/BOT?start=CODE` opens the chat with `/start CODE`, where the code is one of `/link`. */
const DEEP_LINK = /^[A-HJ-NP-Z2-9]{8}$/;

const withoutDeepLink = ({ name, args }: { name: string; args: string }) => ({
  name: name === 'start' && DEEP_LINK.test(args) ? 'link' : name,
  args,
});
