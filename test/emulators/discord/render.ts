/** Renders people and channels as objects of the API, from our state when they are requested. */
import type { APIUser } from 'discord-api-types/v10';
import type { Fields } from './fields.ts';
import { bitsOf } from './permissions.ts';
import type { Platform } from './platform.ts';
import { DM, isThread, type StoredChannel, type StoredUser, userOf } from './world.ts';

export function userObject(user: StoredUser): APIUser {
  const { id, username, discriminator, global_name, avatar, bot } = user;
  return { id, username, discriminator, global_name, avatar, ...(bot && { bot }) };
}

export function memberObject(user: StoredUser): Fields {
  const facts = { avatar: null, deaf: false, mute: false, flags: 0, pending: false, premium_since: null };
  return { ...facts, nick: user.nick, roles: user.roles, joined_at: '2024-01-01T00:00:00.000000+00:00' };
}

function overwrites(platform: Platform, channel: StoredChannel): object[] {
  if (channel.denied.length === 0) return [];
  return [{ id: platform.world.bot.id, type: 1, allow: '0', deny: bitsOf(channel.denied) }];
}

export function threadMember(threadId: string, userId: string, joinedAt: string): Fields {
  return { id: threadId, user_id: userId, join_timestamp: joinedAt, flags: 0 };
}

export function channelObject(platform: Platform, channel: StoredChannel): Fields {
  const { id, type, name, guildId, parentId, lastMessageId } = channel;
  const common = { id, type, last_message_id: lastMessageId, flags: 0 };
  if (type === DM) {
    return { ...common, recipients: [userObject(userOf(platform.world, channel.recipientId ?? ''))] };
  }
  if (!isThread(channel)) {
    const rest = { position: 0, nsfw: false, topic: channel.topic, rate_limit_per_user: 0 };
    return {
      ...common,
      ...rest,
      name,
      guild_id: guildId,
      parent_id: parentId,
      permission_overwrites: overwrites(platform, channel),
    };
  }
  const { thread } = channel;
  const joined = thread.members.get(platform.world.bot.id);
  return {
    ...common,
    name,
    guild_id: guildId,
    parent_id: parentId,
    owner_id: thread.ownerId,
    rate_limit_per_user: 0,
    message_count: thread.messageCount,
    total_message_sent: thread.messageCount,
    member_count: thread.members.size,
    thread_metadata: {
      archived: thread.archived,
      archive_timestamp: thread.archiveTimestamp,
      auto_archive_duration: thread.autoArchiveDuration,
      locked: thread.locked,
      create_timestamp: thread.createTimestamp,
      ...(type === 12 && { invitable: true }),
    },
    ...(joined && { member: threadMember(id, platform.world.bot.id, joined) }),
  };
}
