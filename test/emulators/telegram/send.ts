/** Determines where a bot's message goes, and adds it there. */
import type { InlineKeyboardMarkup, Message, ReplyParameters, TextQuote } from '@grammyjs/types';
import { badRequest } from './errors.ts';
import { inlineKeyboard } from './keyboard.ts';
import { flag, integer, json, type Params } from './params.ts';
import type { ChatState, Stored } from './state.ts';
import type { World } from './world.ts';

export interface Destination {
  chat: ChatState;
  thread: number | undefined;
  reply: Stored | undefined;
  quote: TextQuote | undefined;
}

/** Returns a message as it appears inside another one: without the one that it replied to. */
export function inner(message: Message): Message {
  const { reply_to_message: _outer, ...rest } = message;
  return rest;
}

/**
 * Returns the fields for a message's thread. In a topic, every message carries the topic's ID, and one that replies to
 * nothing shows the topic's first message as the one it replies to. In a supergroup without topics, a chain of replies
 * is a thread too, but not a topic. General (topic 1) has no ID.
 */
export function threadFields(chat: ChatState, thread: number | undefined, reply: Stored | undefined): Partial<Message> {
  const topic = thread === undefined ? undefined : chat.topics.get(thread);
  const target = reply?.wire ?? topic?.root;
  const replied = target ? { reply_to_message: inner(target) as Message & { reply_to_message: undefined } } : {};
  if (topic) return { message_thread_id: thread ?? 0, is_topic_message: true, ...replied };
  const isChain = reply && chat.info.type === 'supergroup' && !chat.info.is_forum;
  const root = isChain ? (reply.wire.message_thread_id ?? reply.wire.message_id) : undefined;
  return { ...(root !== undefined && { message_thread_id: root }), ...replied };
}

/** Returns the topic that a call names. Throws ApiError 400 if there is none; General must not be named. */
export function topicOf(chat: ChatState, params: Params): number | undefined {
  const thread = integer(params, 'message_thread_id');
  if (!thread) return undefined;
  const topic = chat.topics.get(thread);
  if (!topic) throw badRequest('message thread not found');
  if (topic.closed && chat.bot !== 'administrator') throw badRequest('TOPIC_CLOSED');
  return thread;
}

function replyOf(world: World, chat: ChatState, params: Params): Pick<Destination, 'reply' | 'quote'> {
  const legacy = integer(params, 'reply_to_message_id');
  const asked = json<ReplyParameters>(params, 'reply_parameters');
  const id = asked?.message_id ?? legacy;
  if (id === undefined) return { reply: undefined, quote: undefined };
  const source = asked?.chat_id === undefined ? chat : world.botChat(asked.chat_id);
  const reply = world.find(source, Number(id));
  if (!reply) {
    const isAllowed =
      source === chat && (asked?.allow_sending_without_reply ?? flag(params, 'allow_sending_without_reply'));
    if (isAllowed) return { reply: undefined, quote: undefined };
    throw badRequest('message to be replied not found');
  }
  if (!asked?.quote) return { reply, quote: undefined };
  const words = reply.wire.text ?? reply.wire.caption ?? '';
  const position = words.indexOf(asked.quote);
  if (position === -1 || asked.quote.length > 1024) throw badRequest('QUOTE_TEXT_INVALID');
  return { reply, quote: { text: asked.quote, position, is_manual: true } };
}

/** Resolves chat, topic and replied message of a call. Throws ApiError if the bot may not write there. */
export function destination(world: World, params: Params): Destination {
  const chat = world.botChat(params.values.chat_id);
  world.assertMayWrite(chat);
  const thread = topicOf(chat, params);
  const { reply, quote } = replyOf(world, chat, params);
  // A reply goes to the topic of the message it answers.
  const inherited = reply?.wire.is_topic_message ? reply.wire.message_thread_id : undefined;
  return { chat, thread: thread ?? inherited, reply, quote };
}

export interface PostExtras extends Partial<Pick<Stored, 'files' | 'droppedEntities' | 'richSource'>> {
  keyboard?: InlineKeyboardMarkup | undefined;
}

/** Adds a bot's message to its chat. */
export function post(world: World, to: Destination, content: Partial<Message>, extras: PostExtras = {}): Message {
  const { chat } = to;
  const { keyboard, ...stored } = extras;
  const wire: Message = {
    message_id: world.nextId(chat),
    ...(chat.info.type === 'channel' ? { sender_chat: chat.info } : { from: world.bot }),
    chat: chat.info,
    date: Math.floor(Date.now() / 1000),
    ...threadFields(chat, to.thread, to.reply),
    ...(to.quote && { quote: to.quote }),
    ...content,
    ...(keyboard && { reply_markup: keyboard }),
  };
  chat.action = undefined;
  chat.draft = undefined;
  world.store(chat, wire, { byBot: true, ...stored });
  return wire;
}

/** Returns destination and keyboard, which are checked before any content. */
export function prepare(world: World, params: Params): { to: Destination; keyboard: InlineKeyboardMarkup | undefined } {
  return { to: destination(world, params), keyboard: inlineKeyboard(params) };
}
