/** Decodes what every kind of update shares: its place, its sender, and the name of a refusal. */
import type { Address, EntryKind, InboundMessage, Sender } from '../../channel.ts';
import { type Fields, fields, integer, language, string } from '../../shared/read.ts';
import { chatName, personName } from './facts.ts';
import type { Bot } from './text.ts';

/** The result of decoding. `reason` is an update kind or `message.<field>`: few values, safe to count by. */
export type Decoded = { kind: 'message'; message: InboundMessage } | { kind: 'dropped'; reason: string };

export interface Context {
  bot: Bot;
  updateId: number;
  /** Milliseconds since the epoch; the date of events without a time of their own. */
  now: number;
}

/** Drops an update. Keys come from outside and end up in counters, so only plain names pass. */
export function dropped(reason: string): Decoded {
  return { kind: 'dropped', reason: /^[\w.-]{1,60}$/.test(reason) ? reason : 'unknown' };
}

/**
 * Returns a message's address. Only forum topics are threads, except General; replies in plain groups also have a
 * `message_thread_id`.
 */
export function readAddress(message: Fields, chatId: number, bot: Bot): Address {
  const thread = message.is_topic_message === true ? integer(message, 'message_thread_id') : undefined;
  const address = { channel: 'telegram', account: bot.account, chat: String(chatId) };
  return thread === undefined ? address : { ...address, thread: String(thread) };
}

/**
 * Returns the sender. A message on behalf of a chat (an anonymous admin, a channel) is that chat's; its `from` is a
 * placeholder.
 */
export function readSender(message: Fields, kind: EntryKind): Sender | undefined {
  const chat = fields(message, 'sender_chat');
  if (chat) return readChat(chat);
  const user = fields(message, 'from');
  if (user && kind !== 'channel-post') return readUser(user);
  const posted = fields(message, 'chat');
  return posted?.type === 'channel' ? readChat(posted) : undefined;
}

export function readUser(user: Fields): Sender | undefined {
  const id = integer(user, 'id');
  if (id === undefined) return undefined;
  return {
    user: String(id),
    name: personName(user),
    ...username(user),
    isBot: user.is_bot === true,
    ...language(user, 'language_code'),
  };
}

function readChat(chat: Fields): Sender | undefined {
  const id = integer(chat, 'id');
  return id === undefined ? undefined : { user: String(id), name: chatName(chat), ...username(chat), isBot: false };
}

function username(of: Fields): { username?: string } {
  const name = string(of, 'username');
  return name !== undefined && /^\w{1,64}$/.test(name) ? { username: name } : {};
}
