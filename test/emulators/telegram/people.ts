/** The actions of people: they write, send, press, join and leave, and the bot gets the updates. */
import type { Chat, Message, User } from '@grammyjs/types';
import { absorb } from './absorb.ts';
import { createMembers, type Members } from './members.ts';
import { createPeopleFiles, type PeopleFiles } from './people-files.ts';
import type { Query, Stored } from './state.ts';
import type { Updates } from './updates.ts';
import { captionContent, createVoice, now, type Said, textContent } from './voice.ts';
import type { World } from './world.ts';

export interface People extends Members, PeopleFiles {
  addUser(user: Partial<User> & { id: number }): User;
  /**
   * Creates a group, supergroup, channel or private chat with the bot in it; `admin` makes the bot an administrator.
   */
  addChat(chat: Chat, options?: { members?: number[]; admin?: boolean }): Chat;
  /** Opens a forum topic and returns its ID. */
  topic(chat: number, name: string, options?: { by?: number }): number;
  say(chat: number, what: string | Said): Message;
  /** Writes `<prefix>1` to `<prefix><count>` in each chat, in the chats alternately. */
  burst(chats: number[], count: number, prefix?: string): void;
  edit(chat: number, messageId: number, text: string): Message;
  /** Presses the newest button with this label or callback data; returns the ID of the callback query. */
  press(chat: number, button: string, options?: { from?: number; messageId?: number; stale?: boolean }): string;
  react(chat: number, messageId: number, emoji: string, options?: { from?: number }): void;
  /** Deletes a message; the bot isn't told. */
  remove(chat: number, messageId: number): void;
  /** Presses the stop button under a draft. */
  stopDraft(chat: number): void;
  /**
   * Queues an update exactly as given; with an `update_id`, it repeats or reorders as the test needs. Its contents
   * become part of the platform. Returns the update's ID.
   */
  sendUpdate(update: { update_id?: number; [kind: string]: unknown }): number;
}

function dataOf(wire: Message, button: string): string | undefined {
  for (const each of wire.reply_markup?.inline_keyboard.flat() ?? []) {
    if ('callback_data' in each && (each.text === button || each.callback_data === button)) return each.callback_data;
  }
  return undefined;
}

export function createPeople(world: World, updates: Updates, privacy: boolean): People {
  const voice = createVoice(world, updates, privacy);
  let queries = 0;

  function live(chat: number, messageId: number): Stored {
    const stored = world.find(world.openChat(chat), messageId);
    if (!stored) throw new Error(`there is no message ${messageId} in chat ${chat}`);
    return stored;
  }

  function findButton(
    chat: number,
    button: string,
    messageId?: number,
    stale = false,
  ): { stored: Stored; data: string } {
    for (const stored of [...world.openChat(chat).messages.values()].reverse()) {
      if (stored.deleted || (messageId !== undefined && stored.wire.message_id !== messageId)) continue;
      for (const wire of [stored.wire, ...(stale ? (stored.before ?? []) : [])]) {
        const data = dataOf(wire, button);
        if (data !== undefined) return { stored, data };
      }
    }
    throw new Error(`there is no button "${button}" in chat ${chat}`);
  }

  const people: People = {
    ...createMembers(world, updates, voice),
    ...createPeopleFiles(world, voice),
    addUser: (user) => world.addUser(user),
    addChat(info, options = {}) {
      const chat = world.addChat(info);
      for (const id of options.members ?? []) chat.members.set(world.user(id).id, 'member');
      if (options.admin) chat.bot = 'administrator';
      return chat.info;
    },
    topic(id, name, { by } = {}) {
      const chat = world.openChat(id);
      if (chat.info.type === 'supergroup' && !chat.info.is_forum) chat.info = { ...chat.info, is_forum: true };
      const thread = world.nextId(chat);
      const root: Message = {
        message_id: thread,
        from: voice.speaker(chat, by),
        chat: chat.info,
        date: now(),
        message_thread_id: thread,
        is_topic_message: true,
        forum_topic_created: { name, icon_color: 7_322_096 },
      };
      chat.topics.set(thread, { name, closed: false, root });
      const byBot = by === world.bot.id;
      world.store(chat, root, { byBot });
      if (!byBot) voice.announce(chat, 'message', root);
      return thread;
    },
    say(id, what) {
      const said = typeof what === 'string' ? { text: what } : what;
      return voice.put(world.openChat(id), textContent(said.text, said.entities), said);
    },
    burst(chats, count, prefix = '') {
      for (let n = 1; n <= count; n += 1) for (const chat of chats) people.say(chat, `${prefix}${n}`);
    },
    edit(id, messageId, words) {
      const stored = live(id, messageId);
      const { text, entities: _marks, caption: _caption, caption_entities: _more, ...rest } = stored.wire;
      const content = text === undefined ? captionContent(words) : textContent(words);
      stored.wire = { ...rest, edit_date: now(), ...content };
      stored.edits += 1;
      world.changed(stored);
      voice.announce(world.openChat(id), 'edited_message', stored.wire);
      return stored.wire;
    },
    press(id, button, { from, messageId, stale } = {}) {
      const chat = world.openChat(id);
      const { stored, data } = findButton(id, button, messageId, stale);
      const user = voice.speaker(chat, from);
      queries += 1;
      const query: Query = { id: String(4_000_000_000_000 + queries), from: user.id, data, at: Date.now() };
      chat.queries.push(query);
      world.queries.set(query.id, query);
      const chat_instance = String(-7_000_000_000 - id);
      updates.add('callback_query', { id: query.id, from: user, message: stored.wire, chat_instance, data }, id);
      return query.id;
    },
    react(id, messageId, emoji, { from } = {}) {
      const chat = world.openChat(id);
      const user = voice.speaker(chat, from);
      const change = { old_reaction: [], new_reaction: [{ type: 'emoji', emoji }] };
      updates.add('message_reaction', { chat: chat.info, message_id: messageId, user, date: now(), ...change }, id);
    },
    remove(id, messageId) {
      const stored = live(id, messageId);
      stored.deleted = true;
      world.changed(stored);
    },
    stopDraft(id) {
      const { draft, info } = world.openChat(id);
      if (!draft?.canStop) throw new Error(`there is no draft with a stop button in chat ${id}`);
      const topic = draft.thread === undefined ? {} : { message_thread_id: draft.thread };
      updates.add('stopped_message_generation', { chat: info, draft_id: draft.id, ...topic }, id);
    },
    sendUpdate(update) {
      absorb(world, update);
      return updates.addRaw(update);
    },
  };
  return people;
}
