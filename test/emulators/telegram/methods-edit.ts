/** The methods that edit or delete messages, and answer button presses. */
import type { Message, ReactionType } from '@grammyjs/types';
import { badRequest } from './errors.ts';
import { inlineKeyboard } from './keyboard.ts';
import { flag, json, list, type Params, requiredInteger, text } from './params.ts';
import type { Method, Platform } from './platform.ts';
import { readRichMessage } from './rich.ts';
import type { ChatState, Stored } from './state.ts';
import { formattedText, messageText } from './text.ts';

const NOT_MODIFIED =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
const REACTIONS = new Set(
  '👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡'.split(
    ' ',
  ),
);

function ownMessage({ world }: Platform, params: Params): Stored {
  if (params.values.inline_message_id !== undefined) throw badRequest('MESSAGE_ID_INVALID');
  const chat = world.botChat(params.values.chat_id);
  world.assertMayWrite(chat);
  const stored = world.find(chat, requiredInteger(params, 'message_id'));
  if (!stored) throw badRequest('message to edit not found');
  if (!stored.byBot) throw badRequest("message can't be edited");
  return stored;
}

/** Replaces content and keyboard; a call without a keyboard removes it. Refuses equal content. */
function apply(platform: Platform, stored: Stored, params: Params, content: Partial<Message>, old: (keyof Message)[]) {
  const keyboard = inlineKeyboard(params);
  const fields = [...old, 'reply_markup'] as const;
  const before = JSON.stringify(fields.map((field) => stored.wire[field]));
  const wire: Message = { ...stored.wire };
  for (const field of fields) delete wire[field];
  Object.assign(wire, content, keyboard && { reply_markup: keyboard });
  if (JSON.stringify(fields.map((field) => wire[field])) === before) throw badRequest(NOT_MODIFIED);
  if (old.length > 0) wire.edit_date = Math.floor(Date.now() / 1000);
  stored.before = [...(stored.before ?? []), stored.wire];
  stored.wire = wire;
  stored.edits += 1;
  platform.world.changed(stored);
  return wire;
}

const editMessageText: Method = (platform, { params }) => {
  const stored = ownMessage(platform, params);
  if (stored.wire.text === undefined && !stored.wire.rich_message)
    throw badRequest('there is no text in the message to edit');
  const rich = platform.knowsRich() ? json(params, 'rich_message') : undefined;
  const old: (keyof Message)[] = ['text', 'entities', 'rich_message', 'link_preview_options'];
  if (rich !== undefined) {
    const { message, source } = readRichMessage(rich);
    const wire = apply(platform, stored, params, { rich_message: message }, old);
    stored.richSource = source;
    return wire;
  }
  const { content, dropped } = messageText(params);
  const wire = apply(platform, stored, params, content, old);
  stored.droppedEntities = dropped;
  stored.richSource = undefined;
  return wire;
};

const editMessageCaption: Method = (platform, { params }) => {
  const stored = ownMessage(platform, params);
  if (stored.files.length === 0) throw badRequest('there is no caption in the message to edit');
  const { text: caption, entities } = formattedText(params, 'caption', 1024);
  const content = caption ? { caption, ...(entities.length > 0 && { caption_entities: entities }) } : {};
  return apply(platform, stored, params, content, ['caption', 'caption_entities']);
};

const editMessageReplyMarkup: Method = (platform, { params }) => {
  return apply(platform, ownMessage(platform, params), params, {}, []);
};

function remove({ world }: Platform, chat: ChatState, id: number): void {
  const stored = world.find(chat, id);
  if (!stored) throw badRequest('message to delete not found');
  const mayDelete = stored.byBot || chat.info.type === 'private' || chat.bot === 'administrator';
  if (!mayDelete) throw badRequest("message can't be deleted");
  stored.deleted = true;
  world.changed(stored);
}

const deleteMessage: Method = (platform, { params }) => {
  const chat = platform.world.botChat(params.values.chat_id);
  platform.world.assertMayWrite(chat);
  remove(platform, chat, requiredInteger(params, 'message_id'));
  return true;
};

const setMessageReaction: Method = ({ world }, { params }) => {
  const chat = world.botChat(params.values.chat_id);
  world.assertMayWrite(chat);
  const stored = world.find(chat, requiredInteger(params, 'message_id'));
  if (!stored) throw badRequest('message to react not found');
  const reactions = list<ReactionType>(params, 'reaction') ?? [];
  if (reactions.length > 1) throw badRequest('REACTIONS_TOO_MANY');
  stored.reactions = reactions.map((reaction) => {
    if (reaction.type !== 'emoji' || !REACTIONS.has(reaction.emoji)) throw badRequest('REACTION_INVALID');
    return reaction.emoji;
  });
  world.changed(stored);
  return true;
};

/** Every press may be answered once, and only while it is recent. */
const answerCallbackQuery: Method = ({ world, queryLifetimeMs }, { params }) => {
  const known = world.queries.get(text(params, 'callback_query_id') ?? '');
  if (!known || known.answer || Date.now() - known.at > queryLifetimeMs) {
    throw badRequest('query is too old and response timeout expired or query ID is invalid');
  }
  const words = text(params, 'text') ?? '';
  if (words.length > 200) throw badRequest('MESSAGE_TOO_LONG');
  known.answer = { text: words, alert: flag(params, 'show_alert') };
  return true;
};

export const editMethods: Record<string, Method> = {
  editMessageText,
  editMessageCaption,
  editMessageReplyMarkup,
  deleteMessage,
  setMessageReaction,
  answerCallbackQuery,
};
