/**
 * Reads text in a message that isn't the sender's own: forwarded, replied to or quoted. It is data, never an
 * instruction, so it never reaches `text`, `command` or `isMention`. https://core.telegram.org/bots/api#messageorigin,
 * #externalreplyinfo, #textquote
 */
import type { QuotedText } from '../../channel.ts';
import { type Fields, fields, integer, string, tidyLine } from '../../shared/read.ts';
import { readFiles } from './files.ts';
import { readRich } from './rich.ts';
import { answeredItem, type Bot, chatName, personName, readFacts, readWords } from './text.ts';

/**
 * Returns text that the sender passes on: forwarded, or written by an inline bot they used. Undefined for a message of
 * their own.
 */
export function readForward(message: Fields, bot: Bot): QuotedText | undefined {
  const origin = forwardOrigin(message);
  if (origin) return { kind: 'forward', ...author(origin, bot), text: messageText(message, bot) };
  const via = fields(message, 'via_bot');
  if (!via) return undefined;
  return {
    kind: 'forward',
    from: personName(via),
    text: messageText(message, bot),
    fromSelf: integer(via, 'id') === bot.id,
  };
}

/** The fields of a forward, from servers of all versions. */
const FORWARD = ['forward_origin', 'forward_date', 'forward_from', 'forward_from_chat', 'forward_sender_name'];

/**
 * Returns where a forwarded message comes from; undefined for one that isn't forwarded. A server older than Bot API 7.0
 * writes a field for each kind of origin.
 */
export function forwardOrigin(message: Fields): Fields | undefined {
  if (FORWARD.every((key) => message[key] === undefined)) return undefined;
  const { forward_from: sender_user, forward_sender_name: sender_user_name, forward_from_chat: chat } = message;
  return fields(message, 'forward_origin') ?? { sender_user, sender_user_name, chat };
}

/** Returns the message replied to, and the part of it that the sender selected. */
export function readReply(message: Fields, bot: Bot): QuotedText[] {
  const replied = repliedMessage(message);
  const external = fields(message, 'external_reply');
  const quoted = fields(message, 'quote');
  const from = replied ? sender(replied, bot) : external ? author(fields(external, 'origin') ?? {}, bot) : undefined;
  const story = fields(message, 'reply_to_story');
  if (!from) return story ? [storyOf(story)] : [];
  const quotes: QuotedText[] = [];
  const answered = replied ?? external ?? {};
  const text = describeMessage(answered, bot);
  const files = readFiles(answered);
  if (text !== '') quotes.push({ kind: 'reply', ...from, text, ...(files.length > 0 && { files }) });
  const item = answeredItem(message, answered);
  if (item !== undefined) quotes.push({ kind: 'quote', ...from, text: item });
  const part = quoted ? readWords(quoted, undefined, bot).text : '';
  if (part !== '' && part !== text) quotes.push({ kind: 'quote', ...from, text: part });
  return quotes;
}

/** Returns a placeholder for a story, whose content bots don't get. */
function storyOf(story: Fields): QuotedText {
  const from = chatName(fields(story, 'chat') ?? {});
  return { kind: 'reply', from, text: `[Story of ${from}]`, fromSelf: false };
}

/** Returns the ID of the bot's own message in this chat that the message replies to. */
export function repliesTo(message: Fields, bot: Bot): string | undefined {
  const replied = repliedMessage(message);
  return replied !== undefined && sender(replied, bot).fromSelf ? String(integer(replied, 'message_id')) : undefined;
}

/**
 * Returns `reply_to_message` unless it is only the service message that opened the forum topic: every message of a
 * topic that isn't a reply has that one, and it is the bot's own if the bot created the topic.
 */
function repliedMessage(message: Fields): Fields | undefined {
  const replied = fields(message, 'reply_to_message');
  if (!replied || replied.forum_topic_created !== undefined) return undefined;
  const topic = message.is_topic_message === true ? integer(message, 'message_thread_id') : undefined;
  return topic !== undefined && integer(replied, 'message_id') === topic ? undefined : replied;
}

/** Returns the topic's name, which the platform gives with messages that answer no other one; '' otherwise. */
export function topicName(message: Fields): string {
  const replied = message.is_topic_message === true ? fields(message, 'reply_to_message') : undefined;
  return tidyLine(string((replied && fields(replied, 'forum_topic_created')) ?? {}, 'name') ?? '', 128);
}

function sender(message: Fields, bot: Bot): { from: string; fromSelf: boolean } {
  const chat = fields(message, 'sender_chat');
  if (chat) return { from: chatName(chat), fromSelf: false };
  const user = fields(message, 'from');
  if (user) return { from: nameOfUser(user, bot), fromSelf: integer(user, 'id') === bot.id };
  return { from: chatName(fields(message, 'chat') ?? {}), fromSelf: false };
}

function author(origin: Fields, bot: Bot): { from: string; fromSelf: boolean } {
  const user = fields(origin, 'sender_user');
  if (user) return { from: nameOfUser(user, bot), fromSelf: integer(user, 'id') === bot.id };
  const hidden = string(origin, 'sender_user_name');
  // Anybody can choose any name, so it must not pass for a known person.
  if (hidden) return { from: `${tidyLine(hidden, 100)} (hidden account)`, fromSelf: false };
  return { from: chatName(fields(origin, 'sender_chat') ?? fields(origin, 'chat') ?? {}), fromSelf: false };
}

function nameOfUser(user: Fields, { nameOf }: Bot): string {
  return nameOf?.(String(integer(user, 'id') ?? '')) ?? personName(user);
}

function messageText(message: Fields, bot: Bot): string {
  return readWords(message, undefined, bot).text || readRich(message);
}

/** Returns a message's text with its other content in brackets. */
function describeMessage(message: Fields, bot: Bot): string {
  const things = [...readFiles(message).map((file) => `${file.kind} ${file.name}`), ...readFacts(message)];
  const words = [messageText(message, bot), ...things.map((thing) => `[${thing}]`)].filter((part) => part !== '');
  const origin = forwardOrigin(message);
  const passedOn = origin && words.length > 0 ? [`[passed on from ${author(origin, bot).from}:]`] : [];
  return [...passedOn, ...words].join('\n');
}
