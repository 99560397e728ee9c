/** Creates a person's message, and decides whether the bot is shown it. */
import type { Message, MessageEntity, MessageOrigin, User } from '@grammyjs/types';
import { detectEntities } from './entities.ts';
import { threadFields } from './send.ts';
import type { ChatState, Stored } from './state.ts';
import type { Updates } from './updates.ts';
import type { World } from './world.ts';

export interface Said {
  /** A user's ID; by default the person of a private chat, or the first human member. */
  from?: number;
  text?: string;
  /** Added to those that the app finds by itself (commands, mentions, links, hashtags). */
  entities?: MessageEntity[];
  /** A topic's ID; General has none. */
  thread?: number;
  /** The ID of the message in this chat that it replies to. */
  replyTo?: number;
  /** The quoted part of that message. */
  quote?: string;
  forward?: MessageOrigin;
  /** Any other field of the message: a location, a contact, `via_bot`, `sender_chat`, ... */
  extra?: Partial<Message>;
}

export interface Voice {
  speaker(chat: ChatState, id?: number): User;
  /** Adds a person's message to the chat, and tells the bot if it may know. */
  put(chat: ChatState, content: Partial<Message>, said?: Said, extra?: Partial<Stored>): Message;
  announce(chat: ChatState, kind: 'message' | 'edited_message', message: Message): void;
}

export const now = () => Math.floor(Date.now() / 1000);

/** The sender of messages that were sent on behalf of the group itself. */
const ANONYMOUS: User = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };

/** Returns the text with the entities that the app finds and those that the test adds. */
export function textContent(text: string | undefined, entities: MessageEntity[] = []): Partial<Message> {
  if (text === undefined) return {};
  const all = [...detectEntities(text), ...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text, ...(all.length > 0 && { entities: all }) };
}

/** Returns the same for a caption. */
export function captionContent(caption: string | undefined): Partial<Message> {
  const { text, entities } = textContent(caption);
  return { ...(text && { caption: text }), ...(entities && { caption_entities: entities }) };
}

export function createVoice(world: World, updates: Updates, privacy: boolean): Voice {
  const name = `@${world.bot.username}`;

  /**
   * With privacy mode on, a group shows the bot commands for it, mentions of it, replies to it and service messages.
   */
  function isShown(chat: ChatState, message: Message): boolean {
    if (!privacy || chat.bot === 'administrator' || !chat.info.type.endsWith('group')) return true;
    if (message.reply_to_message?.from?.id === world.bot.id || message.via_bot?.id === world.bot.id) return true;
    const isService = ['text', 'caption', 'photo', 'document', 'sticker', 'voice', 'video'].every(
      (field) => !(field in message),
    );
    const words = message.text ?? message.caption ?? '';
    const entities = message.entities ?? message.caption_entities ?? [];
    const isForBot = entities.some(({ type, offset, length }) => {
      const part = words.slice(offset, offset + length);
      return type === 'bot_command' ? !part.includes('@') || part.endsWith(name) : part === name;
    });
    return isService || isForBot;
  }

  function speaker(chat: ChatState, id?: number): User {
    if (id !== undefined) return world.user(id);
    if (chat.info.type === 'private') return world.user(chat.info.id);
    const first = [...chat.members.keys()].find((member) => !world.user(member).is_bot);
    return world.user(first ?? 1001);
  }

  function sender(chat: ChatState, said: Said): Partial<Message> {
    if (chat.info.type === 'channel') return { sender_chat: chat.info };
    if (said.extra?.sender_chat) return { from: said.extra.from ?? ANONYMOUS };
    return { from: speaker(chat, said.from) };
  }

  function announce(chat: ChatState, kind: 'message' | 'edited_message', message: Message): void {
    const update = chat.info.type === 'channel' ? kind.replace('message', 'channel_post') : kind;
    const isHere = chat.bot !== 'left' && chat.bot !== 'kicked' && !chat.blocked;
    if (isHere && isShown(chat, message)) updates.add(update, message, chat.info.id);
  }

  return {
    speaker,
    announce,
    put(chat, content, said = {}, extra = {}) {
      const reply = said.replyTo === undefined ? undefined : world.find(chat, said.replyTo);
      if (said.replyTo !== undefined && !reply) throw new Error(`there is no message ${said.replyTo} to reply to`);
      if (said.thread !== undefined && !chat.topics.has(said.thread))
        throw new Error(`there is no topic ${said.thread}`);
      const words = reply?.wire.text ?? reply?.wire.caption ?? '';
      const wire: Message = {
        message_id: world.nextId(chat),
        ...sender(chat, said),
        chat: chat.info,
        date: now(),
        ...threadFields(chat, said.thread, reply),
        ...(said.quote && { quote: { text: said.quote, position: words.indexOf(said.quote), is_manual: true } }),
        ...(said.forward && { forward_origin: said.forward }),
        ...content,
        ...said.extra,
      };
      const author = wire.from;
      if (author && !author.is_bot && !chat.members.has(author.id)) chat.members.set(author.id, 'member');
      if (chat.info.type === 'private') chat.started = true;
      world.store(chat, wire, { byBot: false, ...extra });
      announce(chat, 'message', wire);
      return wire;
    },
  };
}
