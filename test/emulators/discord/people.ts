/** What people do in the channels: talk, edit, delete, react, open and close threads. */

import { change, post, react, remove } from './messages.ts';
import type { Platform } from './platform.ts';
import { directWith } from './routes-app.ts';
import { snowflake } from './snowflake.ts';
import { changeThread, openThread } from './threads.ts';
import type { ChatMessage, PersonFile, SayOptions, ThreadView } from './types.ts';
import { viewMessage, viewThread } from './view.ts';
import { channelOf, isThread, messageOf, type StoredMessage, userOf } from './world.ts';

export interface People {
  say(channelId: string, text: string, options?: SayOptions): ChatMessage;
  dm(userId: string, text: string, options?: Omit<SayOptions, 'from'>): ChatMessage;
  openDm(userId: string): string;
  setLocale(userId: string, locale: string): void;
  edit(channelId: string, messageId: string, text: string): ChatMessage;
  delete(channelId: string, messageId: string): void;
  react(channelId: string, messageId: string, emoji: string, options?: { user?: string; remove?: boolean }): void;
  createThread(
    channelId: string,
    options: { name: string; user?: string; messageId?: string; isPrivate?: boolean; withoutOriginal?: boolean },
  ): ThreadView;
  archive(threadId: string, options?: { locked?: boolean; archived?: boolean }): ThreadView;
  renameThread(threadId: string, name: string): ThreadView;
  redeliver(id: string): void;
}

function bytesOf(file: PersonFile): Buffer {
  if (file.bytes) return Buffer.from(file.bytes);
  return file.base64 === undefined ? Buffer.from(file.text ?? '') : Buffer.from(file.base64, 'base64');
}

/** `firstPerson` speaks when nobody is named. */
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
      // The first message of a forum's post has the post's own id.
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
      return viewThread(openThread(platform, channelOf(world, channelId), facts));
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
