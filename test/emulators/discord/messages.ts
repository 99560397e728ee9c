/** Creates, edits and deletes messages, with the effects on the channel and the bot. */
import { LOADING } from './draft.ts';
import { refuse } from './errors.ts';
import { notified } from './mentions.ts';
import { may } from './permissions.ts';
import { emit, type Platform } from './platform.ts';
import { channelObject, memberObject, userObject } from './render.ts';
import { messageEvent } from './render-message.ts';
import { snowflake } from './snowflake.ts';
import { DM, isThread, SAID, type StoredChannel, type StoredMessage, userOf } from './world.ts';

const REPLY = 19;

export type NewMessage = Partial<StoredMessage> & { authorId: string };

export function now(): string {
  return new Date().toISOString().replace('Z', '000+00:00');
}

function tell(platform: Platform, name: string, message: StoredMessage, channel: StoredChannel): void {
  if (message.seenBy === null) {
    const isOpen = channel.type === DM || message.authorId === platform.world.bot.id;
    const redacted = isOpen ? undefined : () => messageEvent(platform, message, false);
    emit(platform, name, messageEvent(platform, message, true), channel, redacted);
  }
  platform.changes.emit('message', message);
}

/** Sends the message's creation to the bot again. */
export function tellCreated(platform: Platform, message: StoredMessage): void {
  const channel = platform.world.channels.get(message.channelId);
  if (channel) tell(platform, 'MESSAGE_CREATE', message, channel);
}

export function tellUpdated(platform: Platform, message: StoredMessage): void {
  const channel = platform.world.channels.get(message.channelId);
  if (channel) tell(platform, 'MESSAGE_UPDATE', message, channel);
}

/** Sends the current state of a thread to the bot. */
export function tellThread(platform: Platform, thread: StoredChannel): void {
  emit(platform, 'THREAD_UPDATE', channelObject(platform, thread), thread);
}

/** Archives or reopens a thread; the caller informs the bot. */
export function setArchived(channel: StoredChannel, archived: boolean): void {
  if (!isThread(channel) || channel.thread.archived === archived) return;
  channel.thread.archived = archived;
  channel.thread.archiveTimestamp = now();
}

const NOBODY = { users: [], roles: [], everyone: false };

/** Recalculates whom the message notifies, whenever its text or its allowed mentions change. */
export function recount(platform: Platform, message: StoredMessage): void {
  const { world } = platform;
  const channel = world.channels.get(message.channelId);
  const isBot = message.authorId === world.bot.id;
  const answered = message.type === REPLY ? channel?.byId.get(message.reference?.messageId ?? '')?.authorId : undefined;
  const mayEveryone = !isBot || (channel !== undefined && may(world, channel, 'MentionEveryone'));
  // Discord's own messages about a thread, such as its new name, notify nobody.
  message.mentions = SAID.has(message.type)
    ? notified(message.content, message.allowedMentions, answered ?? null, mayEveryone)
    : NOBODY;
}

/** Adds a message to a channel. Reopens an archived thread. */
export function post(platform: Platform, channel: StoredChannel, facts: NewMessage): StoredMessage {
  const message: StoredMessage = {
    id: snowflake(),
    channelId: channel.id,
    webhook: null,
    type: 0,
    content: '',
    embeds: [],
    files: [],
    components: [],
    reference: null,
    snapshot: null,
    nonce: null,
    flags: 0,
    allowedMentions: undefined,
    mentions: NOBODY,
    seq: 0,
    pinged: NOBODY,
    createdAt: now(),
    editedAt: null,
    edits: 0,
    reactions: new Map(),
    seenBy: null,
    interaction: null,
    threadId: null,
    ...facts,
  };
  recount(platform, message);
  message.pinged = message.mentions;
  if (isThread(channel)) {
    if (channel.thread.archived) {
      setArchived(channel, false);
      tellThread(platform, channel);
    }
    if (SAID.has(message.type)) channel.thread.messageCount += 1;
    join(platform, channel, message.authorId);
  }
  channel.messages.push(message);
  channel.byId.set(message.id, message);
  if (message.seenBy === null) channel.lastMessageId = message.id;
  if (channel.messages.length > platform.settings.keepMessages * 1.2) {
    const gone = channel.messages.splice(0, channel.messages.length - platform.settings.keepMessages);
    for (const each of gone) channel.byId.delete(each.id);
  }
  tell(platform, 'MESSAGE_CREATE', message, channel);
  return message;
}

/** Makes somebody a member of a thread, once. */
export function join(platform: Platform, channel: StoredChannel, userId: string): void {
  const { thread } = channel;
  if (!thread || thread.members.has(userId) || !platform.world.users.has(userId)) return;
  const joinedAt = now();
  thread.members.set(userId, joinedAt);
  const member = { id: channel.id, user_id: userId, join_timestamp: joinedAt, flags: 0 };
  const facts = { id: channel.id, guild_id: channel.guildId, member_count: thread.members.size };
  // Without the privileged members intent, an application only learns about its own joining and leaving.
  if (userId === platform.world.bot.id)
    emit(platform, 'THREAD_MEMBERS_UPDATE', { ...facts, added_members: [member] }, channel);
}

/** Edits a message. */
export function change(platform: Platform, message: StoredMessage, facts: Partial<StoredMessage>): StoredMessage {
  const wasLoading = (message.flags & LOADING) !== 0;
  message.before = [...(message.before ?? []), ...message.components];
  Object.assign(message, facts);
  recount(platform, message);
  if (wasLoading && (message.flags & LOADING) === 0) message.pinged = message.mentions;
  else {
    message.editedAt = now();
    message.edits += 1;
  }
  tellUpdated(platform, message);
  return message;
}

/** Deletes a message for good. Throws 10008 if it doesn't exist. */
export function remove(platform: Platform, channel: StoredChannel, id: string): void {
  const message = channel.byId.get(id);
  if (!message) throw refuse(10_008);
  channel.byId.delete(id);
  channel.messages.splice(channel.messages.indexOf(message), 1);
  channel.deleted.push(id);
  const where = { id, channel_id: channel.id, ...(channel.guildId && { guild_id: channel.guildId }) };
  if (message.seenBy === null) emit(platform, 'MESSAGE_DELETE', where, channel);
  platform.changes.emit('deleted', message);
}

/** Adds or removes a reaction. Returns false if nothing changed. */
export function react(
  platform: Platform,
  message: StoredMessage,
  emoji: string,
  userId: string,
  isRemoved: boolean,
): boolean {
  const channel = platform.world.channels.get(message.channelId);
  const users = message.reactions.get(emoji) ?? new Set<string>();
  if (!channel || users.has(userId) !== isRemoved) return false;
  if (isRemoved) users.delete(userId);
  else users.add(userId);
  if (users.size > 0) message.reactions.set(emoji, users);
  else message.reactions.delete(emoji);
  const user = userOf(platform.world, userId);
  const facts = {
    user_id: userId,
    channel_id: channel.id,
    message_id: message.id,
    emoji: { id: null, name: emoji },
    burst: false,
    type: 0,
  };
  const where = channel.guildId ? { guild_id: channel.guildId } : {};
  const member = channel.guildId && !isRemoved ? { member: { ...memberObject(user), user: userObject(user) } } : {};
  const added = isRemoved ? {} : { message_author_id: message.authorId };
  emit(
    platform,
    `MESSAGE_REACTION_${isRemoved ? 'REMOVE' : 'ADD'}`,
    { ...facts, ...where, ...member, ...added },
    channel,
  );
  platform.changes.emit('message', message);
  return true;
}
