/** Membership: people and the bot join and leave, block the bot, and a group becomes a supergroup. */
import type { User } from '@grammyjs/types';
import type { ChatState, MemberStatus } from './state.ts';
import type { Updates } from './updates.ts';
import { now, type Voice } from './voice.ts';
import type { World } from './world.ts';

export interface Members {
  /** With the bot's ID, the bot joins or leaves. */
  join(chat: number, user: number, options?: { by?: number; as?: MemberStatus }): void;
  leave(chat: number, user: number, options?: { by?: number }): void;
  block(user: number): void;
  unblock(user: number): void;
  /**
   * Keeps the chat's members, including the bot, from sending these kinds of files; without kinds they may send all.
   */
  withhold(chat: number, kinds: string[]): void;
  /** From now on, the server runs in local mode and keeps files in this folder. */
  serveLocally(folder: string): void;
  /** Takes the bot's right to write there, or returns it. */
  mute(chat: number, isMuted?: boolean): void;
  /** Turns a group into a supergroup; returns the new chat ID. */
  migrate(chat: number): number;
}

export function createMembers(world: World, updates: Updates, voice: Voice): Members {
  function statusOf(chat: ChatState, id: number): MemberStatus {
    return id === world.bot.id ? chat.bot : (chat.members.get(id) ?? 'left');
  }

  function change(chat: ChatState, user: User, after: MemberStatus, by: User): void {
    const before = statusOf(chat, user.id);
    const isBot = user.id === world.bot.id;
    if (isBot) chat.bot = after;
    else chat.members.set(user.id, after);
    const member = (status: MemberStatus) => ({ user, status, ...(status === 'kicked' && { until_date: 0 }) });
    const facts = { chat: chat.info, from: by, date: now() };
    const kind = isBot ? 'my_chat_member' : 'chat_member';
    updates.add(kind, { ...facts, old_chat_member: member(before), new_chat_member: member(after) }, chat.info.id);
  }

  /** In a private chat, a block looks as if the bot was kicked, and only to the bot. */
  function setBlocked(id: number, blocked: boolean): void {
    const chat = world.openChat(id);
    chat.blocked = blocked;
    chat.started = true;
    change(chat, world.bot, blocked ? 'kicked' : 'member', world.user(id));
  }

  return {
    join(id, userId, { by, as = 'member' } = {}) {
      const chat = world.openChat(id);
      const isNew = !['member', 'administrator', 'creator'].includes(statusOf(chat, userId)) || userId === world.bot.id;
      change(chat, world.user(userId), as, voice.speaker(chat, by ?? (userId === world.bot.id ? undefined : userId)));
      const service = { new_chat_members: [world.user(userId)] };
      if (isNew && chat.info.type !== 'channel') voice.put(chat, service, { from: by ?? voice.speaker(chat).id });
    },
    leave(id, userId, { by } = {}) {
      const chat = world.openChat(id);
      const user = world.user(userId);
      const after = by === undefined || by === userId ? 'left' : 'kicked';
      const isBot = userId === world.bot.id;
      if (!isBot && chat.info.type !== 'channel') voice.put(chat, { left_chat_member: user }, { from: by ?? userId });
      change(chat, user, after, by === undefined ? user : world.user(by));
    },
    block: (id) => setBlocked(id, true),
    unblock: (id) => setBlocked(id, false),
    withhold(id, kinds) {
      world.openChat(id).withheld = new Set(kinds);
    },
    serveLocally(folder) {
      world.localFolder = folder;
    },
    mute(id, isMuted = true) {
      world.openChat(id).muted = isMuted;
    },
    migrate(id) {
      const old = world.openChat(id);
      const newId = Number(`-100${Math.abs(id)}`);
      const title = old.info.title ?? `Group ${id}`;
      const chat = world.addChat({ id: newId, type: 'supergroup', title });
      for (const [member, status] of old.members) chat.members.set(member, status);
      chat.bot = old.bot;
      voice.put(old, { migrate_to_chat_id: newId });
      old.movedTo = newId;
      voice.put(chat, { migrate_from_chat_id: id });
      return newId;
    },
  };
}
