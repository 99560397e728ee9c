/**
 * What the platform remembers: people, chats, topics, messages, files. Everything a bot or a person does ends here, and
 * every change of a message is announced by `changed`.
 *
 * Message ids follow the platform: private chats and basic groups share one count, a supergroup or channel has its own.
 */
import { EventEmitter } from 'node:events';
import type { Chat, Message, User } from '@grammyjs/types';
import { badRequest, forbidden } from './errors.ts';
import { createFileStore, type FileStore } from './files.ts';
import type { ChatState, Query, Stored } from './state.ts';

export interface WorldOptions {
  bot: User;
  keepFiles: boolean;
  /** The number of messages that a chat keeps; the oldest are dropped. */
  keepMessages: number;
}

export interface World {
  bot: User;
  /** The folder where a server in local mode keeps files, which it then names by path, whatever their size. */
  localFolder?: string;
  users: Map<number, User>;
  chats: Map<number, ChatState>;
  files: FileStore;
  /** Button presses by ID. */
  queries: Map<string, Query>;
  /** Emits `message` with the Stored whose content changed. */
  changes: EventEmitter;
  user(id: number): User;
  addUser(user: Partial<User> & { id: number }): User;
  addChat(info: Chat): ChatState;
  /** Returns the chat for a person's action, created if necessary. */
  openChat(id: number): ChatState;
  /** Returns the chat for a bot's action. Throws ApiError if the bot may not act there. */
  botChat(id: unknown): ChatState;
  /** Throws ApiError 403 if the bot may not write there. */
  assertMayWrite(chat: ChatState): void;
  nextId(chat: ChatState): number;
  /** Makes later messages get IDs above this one. */
  reserveId(chat: ChatState, id: number): void;
  store(chat: ChatState, wire: Message, extra: Partial<Stored> & { byBot: boolean }): Stored;
  changed(stored: Stored): void;
  /** Returns a message that isn't deleted. */
  find(chat: ChatState, id: number | undefined): Stored | undefined;
  seq(): number;
}

function describeUser(user: Partial<User> & { id: number }): User {
  return { is_bot: false, first_name: `User ${user.id}`, language_code: 'en', ...user };
}

function describeChat(id: number, user: User): Chat {
  if (id > 0) {
    const { first_name, last_name, username } = user;
    return { id, type: 'private', first_name, ...(last_name && { last_name }), ...(username && { username }) };
  }
  const supergroup = String(id).startsWith('-100');
  return { id, type: supergroup ? 'supergroup' : 'group', title: `Group ${id}` };
}

const WHERE = { private: 'private chat', group: 'group chat', supergroup: 'supergroup chat', channel: 'channel chat' };

export function createWorld(options: WorldOptions): World {
  const { bot } = options;
  const users = new Map<number, User>([[bot.id, bot]]);
  const chats = new Map<number, ChatState>();
  const changes = new EventEmitter().setMaxListeners(0);
  let sharedId = 0;
  let seq = 0;

  const world: World = {
    bot,
    users,
    chats,
    files: createFileStore(options.keepFiles),
    queries: new Map(),
    changes,
    seq: () => seq,
    user: (id) => users.get(id) ?? world.addUser({ id }),
    addUser(user) {
      const whole = describeUser({ ...users.get(user.id), ...user });
      users.set(user.id, whole);
      return whole;
    },
    addChat(info) {
      const known = chats.get(info.id);
      if (known) {
        known.info = info;
        return known;
      }
      const chat: ChatState = {
        info,
        messages: new Map(),
        topics: new Map(),
        members: new Map(),
        started: false,
        blocked: false,
        bot: info.type === 'channel' ? 'administrator' : 'member',
        withheld: new Set(),
        movedTo: undefined,
        // The first message of a supergroup or channel announces its creation; a forum's General topic has its ID.
        lastId: info.type === 'supergroup' || info.type === 'channel' ? 1 : 0,
        action: undefined,
        draft: undefined,
        queries: [],
      };
      chats.set(info.id, chat);
      return chat;
    },
    openChat: (id) => chats.get(id) ?? world.addChat(describeChat(id, world.user(id))),
    botChat(id) {
      if (id === undefined || id === null || id === '') throw badRequest('chat_id is empty');
      const wanted = String(id);
      const chat = wanted.startsWith('@')
        ? [...chats.values()].find(({ info }) => `@${info.username}`.toLowerCase() === wanted.toLowerCase())
        : chats.get(Number(wanted));
      if (chat) return chat;
      if (users.has(Number(wanted))) throw forbidden("bot can't initiate conversation with a user");
      throw badRequest('chat not found');
    },
    assertMayWrite(chat) {
      const where = WHERE[chat.info.type];
      if (chat.movedTo !== undefined) {
        throw badRequest('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: chat.movedTo });
      }
      if (chat.info.type === 'private') {
        if (chat.blocked) throw forbidden('bot was blocked by the user');
        if (!chat.started) throw forbidden("bot can't initiate conversation with a user");
        return;
      }
      if (chat.bot === 'kicked') throw forbidden(`bot was kicked from the ${where}`);
      if (chat.bot === 'left') throw forbidden(`bot is not a member of the ${where}`);
      if (chat.muted) throw badRequest('not enough rights to send text messages to the chat');
      if (chat.info.type === 'channel' && chat.bot === 'member') {
        throw badRequest('need administrator rights in the channel chat');
      }
    },
    nextId(chat) {
      const shared = chat.info.type === 'private' || chat.info.type === 'group';
      chat.lastId = shared ? ++sharedId : chat.lastId + 1;
      return chat.lastId;
    },
    reserveId(chat, id) {
      chat.lastId = Math.max(chat.lastId, id);
      if (chat.info.type === 'private' || chat.info.type === 'group') sharedId = Math.max(sharedId, id);
    },
    store(chat, wire, extra) {
      const stored: Stored = {
        wire,
        files: [],
        droppedEntities: 0,
        edits: 0,
        deleted: false,
        reactions: [],
        // With fractions of a millisecond, for measuring answers.
        at: performance.timeOrigin + performance.now(),
        seq: 0,
        richSource: undefined,
        ...extra,
      };
      chat.messages.set(wire.message_id, stored);
      if (chat.messages.size > options.keepMessages) {
        for (const [id] of chat.messages) {
          chat.messages.delete(id);
          break;
        }
      }
      world.changed(stored);
      return stored;
    },
    changed(stored) {
      seq += 1;
      stored.seq = seq;
      changes.emit('message', stored);
    },
    find(chat, id) {
      const stored = id === undefined ? undefined : chat.messages.get(id);
      return stored?.deleted ? undefined : stored;
    },
  };
  return world;
}
