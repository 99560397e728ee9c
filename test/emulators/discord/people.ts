/** The actions of people in channels: they write, edit, delete, react, open and close threads. */

import { change, join, post, react, remove } from './messages.ts';
import type { Platform } from './platform.ts';
import { directWith } from './routes-app.ts';
import { snowflake } from './snowflake.ts';
import { changeThread, openThread } from './threads.ts';
import type { ChatMessage, PersonFile, SayOptions, ThreadView } from './types.ts';
import { viewMessage, viewThread } from './view.ts';
import { channelOf, isThread, messageOf, type StoredMessage, userOf } from './world.ts';

export interface People {
  /** A person says something in a channel, thread or DM channel; returns the message. Reopens an archived thread. */
  say(channelId: string, text: string, options?: SayOptions): ChatMessage;
  /** A person writes to the bot in private. Creates the DM channel on first use (`channelId` of the answer). */
  dm(userId: string, text: string, options?: Omit<SayOptions, 'from'>): ChatMessage;
  /** Returns the ID of a person's DM channel with the bot, created on first use. */
  openDm(userId: string): string;
  /** The language in which somebody uses Discord; en-US by default. */
  setLocale(userId: string, locale: string): void;
  /** The author edits a message. */
  edit(channelId: string, messageId: string, text: string): ChatMessage;
  delete(channelId: string, messageId: string): void;
  /** A person adds or removes a reaction. `emoji` is Unicode. */
  react(channelId: string, messageId: string, emoji: string, options?: { user?: string; remove?: boolean }): void;
  /** A person opens a thread, on a message or on its own. */
  createThread(
    channelId: string,
    options: { name: string; user?: string; messageId?: string; isPrivate?: boolean; withoutOriginal?: boolean },
  ): ThreadView;
  /** A person (or Discord, after inactivity) archives a thread, and locks it with `locked`. */
  archive(threadId: string, options?: { locked?: boolean; archived?: boolean }): ThreadView;
  renameThread(threadId: string, name: string): ThreadView;
  /** Dispatches the creation of this message, or this interaction, again with a new sequence number. */
  redeliver(id: string): void;
}

function bytesOf(file: PersonFile): Buffer {
  if (file.bytes) return Buffer.from(file.bytes);
  return file.base64 === undefined ? Buffer.from(file.text ?? '') : Buffer.from(file.base64, 'base64');
}

/** `firstPerson` writes if nobody is named. */
export function createPeople(platform: Platform, firstPerson: string, redeliver: (id: string) => void): People {
  const { world, files } = platform;

  function say(channelId: string, text: string, options: SayOptions = {}): ChatMessage {
    const channel = channelOf(world, channelId);
    const { from = channel.recipientId ?? firstPerson, replyTo, forward, webhook, type } = options;
    if (channel.thread?.locked) throw new Error(`thread ${channelId} is locked`);
    if (channel.type === 1 && webhook === undefined && from !== channel.recipientId)
      throw new Error(`not the channel of ${from}`);
    if (replyTo !== undefined) messageOf(world, channelId, replyTo);
    const content = options.mention ? `<@${world.bot.id}> ${text}`.trim() : text;
    const stored = (options.attachments ?? []).map((file) => {
      const type = file.contentType ?? 'application/octet-stream';
      const kept = files.addBytes(channelId, file.name, bytesOf(file), type, file.description ?? null);
      if (file.duration !== undefined) kept.extra = { duration_secs: file.duration, waveform: file.waveform ?? 'AAAA' };
      return kept;
    });
    const reply =
      replyTo === undefined ? {} : { type: 19, reference: { type: 0, messageId: replyTo, channelId } as const };
    const snapshot = forward ? messageOf(world, forward.channelId, forward.messageId) : null;
    const forwarded = forward
      ? { snapshot, reference: { type: 1, messageId: forward.messageId, channelId: forward.channelId } as const }
      : {};
    const allowedMentions =
      options.pingReply === false ? { parse: ['users', 'roles', 'everyone'], replied_user: false } : undefined;
    userOf(world, from);
    const message = post(platform, channel, {
      authorId: webhook === undefined ? from : snowflake(),
      webhook: webhook ?? null,
      content,
      files: stored,
      embeds: (options.embeds ?? []) as StoredMessage['embeds'],
      nonce: snowflake(),
      ...(options.flags === undefined ? {} : { flags: options.flags }),
      ...(allowedMentions && { allowedMentions: allowedMentions as NonNullable<StoredMessage['allowedMentions']> }),
      ...(type !== undefined && { type }),
      ...reply,
      ...(options.withoutOriginal && { isBare: true }),
      ...forwarded,
      // The first message of a forum post has the post's own ID.
      ...(options.isPost && { id: channelId }),
    });
    return viewMessage(platform, message);
  }

  function threadIn(threadId: string) {
    const thread = channelOf(world, threadId);
    if (!isThread(thread)) throw new Error(`channel ${threadId} is no thread`);
    return thread;
  }

  return {
    say,
    dm: (userId, text, options) => {
      userOf(world, userId);
      return say(directWith(world, userId).id, text, { ...options, from: userId });
    },
    setLocale: (userId, locale) => {
      userOf(world, userId).locale = locale;
    },
    openDm: (userId) => directWith(world, userOf(world, userId).id).id,
    edit(channelId, messageId, text) {
      const message = messageOf(world, channelId, messageId);
      return viewMessage(platform, change(platform, message, { content: text }));
    },
    delete: (channelId, messageId) => remove(platform, channelOf(world, channelId), messageId),
    react(channelId, messageId, emoji, { user = firstPerson, remove: isRemoved = false } = {}) {
      react(platform, messageOf(world, channelId, messageId), emoji, user, isRemoved);
    },
    createThread(channelId, { name, user = firstPerson, messageId, isPrivate, withoutOriginal = false }) {
      const message = messageId === undefined ? {} : { message: messageOf(world, channelId, messageId) };
      const facts = { name, ownerId: user, type: isPrivate ? 12 : 11, isBare: withoutOriginal, ...message };
      const thread = openThread(platform, channelOf(world, channelId), facts);
      // Somebody has added the bot: it sees no other private thread.
      if (isPrivate) join(platform, thread, world.bot.id);
      return viewThread(thread);
    },
    archive(threadId, { locked, archived = true } = {}) {
      const thread = threadIn(threadId);
      changeThread(platform, thread, firstPerson, { archived, locked });
      return viewThread(thread);
    },
    renameThread(threadId, name) {
      const thread = threadIn(threadId);
      changeThread(platform, thread, firstPerson, { name });
      return viewThread(thread);
    },
    redeliver,
  };
}
