/** Converts our state to what tests see. */
import { buttonsOf } from './components.ts';
import type { StoredFile } from './files.ts';
import type { Platform } from './platform.ts';
import type { ChannelView, ChatMessage, FileView, PersonView, ThreadView } from './types.ts';
import { SAID, type StoredChannel, type StoredMessage, type StoredUser, userOf } from './world.ts';

export function viewPerson(user: StoredUser): PersonView {
  const { id, username, global_name, nick, bot, roles } = user;
  return { id, username, globalName: global_name, nick, isBot: bot === true, roles: [...roles] };
}

export function viewChannel(channel: StoredChannel): ChannelView {
  const { id, name, type, guildId, parentId } = channel;
  return { id, name, type, guildId, parentId };
}

export function viewThread(channel: StoredChannel): ThreadView {
  const { thread } = channel;
  if (!thread) throw new Error(`channel ${channel.id} is no thread`);
  const { archived, locked, autoArchiveDuration, ownerId, names, messageCount } = thread;
  const memberIds = [...thread.members.keys()];
  return {
    ...viewChannel(channel),
    archived,
    locked,
    autoArchiveDuration,
    ownerId,
    memberIds,
    names: [...names],
    messageCount,
    archivedAt: Date.parse(thread.archiveTimestamp),
  };
}

function viewFile(platform: Platform, file: StoredFile): FileView {
  const { id, name, title, size, sha256, contentType, description } = file;
  const ending = /\.[^.]*$/.exec(name)?.[0] ?? '';
  const shown = title === null ? name : title + ending;
  return { id, name: shown, size, sha256, contentType, description, url: platform.files.url(file) };
}

export function viewMessage(platform: Platform, message: StoredMessage): ChatMessage {
  const { world } = platform;
  const { reference, allowedMentions } = message;
  return {
    id: message.id,
    channelId: message.channelId,
    from: message.authorId === world.bot.id ? 'bot' : message.authorId,
    author: message.webhook ?? userOf(world, message.authorId).username,
    text: message.content,
    embeds: message.embeds,
    files: message.files.map((file) => viewFile(platform, file)),
    buttons: buttonsOf(message.components),
    replyTo: reference?.type === 0 ? reference.messageId : null,
    nonce: message.nonce === null ? null : String(message.nonce),
    flags: message.flags,
    ...(allowedMentions && { allowedMentions }),
    editedAt: message.editedAt,
    edits: message.edits,
    threadId: message.threadId,
    reactions: [...message.reactions].map(([emoji, users]) => ({ emoji, users: [...users] })),
    seenBy: message.seenBy,
    interactionId: message.interaction?.id ?? null,
    type: message.type,
    isSystem: !SAID.has(message.type),
  };
}
