/** Renders messages as objects of the API, without the parts that a reader without the content intent may not see. */
import type { APIUser } from 'discord-api-types/v10';
import type { Fields } from './fields.ts';
import type { StoredFile } from './files.ts';
import type { Platform } from './platform.ts';
import { channelObject, memberObject, userObject } from './render.ts';
import { DM, type StoredMessage, userOf } from './world.ts';

const HAS_THREAD = 32;

function attachmentObject(platform: Platform, file: StoredFile): Fields {
  const url = platform.files.url(file);
  const { id, name, size, contentType, description, title } = file;
  const more = { ...(description !== null && { description }), ...(title !== null && { title }) };
  return {
    id,
    filename: name,
    size,
    url,
    proxy_url: url,
    content_type: contentType,
    content_scan_version: 0,
    ...more,
    ...file.extra,
  };
}

/** A message whose text the reader may not see. */
export function redact(message: Fields): Fields {
  return { ...message, content: '', attachments: [], embeds: [], components: [] };
}

/** Returns whether a message's text is hidden from a bot without the MESSAGE_CONTENT intent. */
function isHidden(platform: Platform, message: StoredMessage): boolean {
  const { world } = platform;
  const isDirect = world.channels.get(message.channelId)?.type === DM;
  return !isDirect && message.authorId !== world.bot.id && !message.mentions.users.includes(world.bot.id);
}

function author(platform: Platform, message: StoredMessage): APIUser {
  if (message.webhook === null) return userObject(userOf(platform.world, message.authorId));
  return {
    id: message.authorId,
    username: message.webhook,
    discriminator: '0000',
    global_name: null,
    avatar: null,
    bot: true,
  };
}

function snapshotObject(platform: Platform, message: StoredMessage): Fields {
  const { type, content, embeds, flags, components } = message;
  const files = message.files.map((file) => attachmentObject(platform, file));
  const times = { timestamp: message.createdAt, edited_timestamp: message.editedAt };
  return {
    message: {
      type,
      content,
      embeds,
      flags,
      components,
      attachments: files,
      ...times,
      mentions: [],
      mention_roles: [],
    },
  };
}

/** Returns a message as REST does. `readsContent` tells whether the reader sees messages that aren't meant for it. */
export function messageObject(
  platform: Platform,
  message: StoredMessage,
  readsContent: boolean,
  isNested = false,
): Fields {
  const { world } = platform;
  const { reference, snapshot, interaction } = message;
  const thread = message.threadId === null ? undefined : world.channels.get(message.threadId);
  const answered =
    reference?.type === 0 && reference.messageId
      ? world.channels.get(reference.channelId)?.byId.get(reference.messageId)
      : undefined;
  const reactions = [...message.reactions].map(([name, users]) => ({
    emoji: { id: null, name },
    count: users.size,
    count_details: { burst: 0, normal: users.size },
    me: users.has(world.bot.id),
    me_burst: false,
    burst_colors: [],
  }));
  const hasReference = message.type === 19 || message.type === 21;
  const object: Fields = {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    author: author(platform, message),
    content: message.content,
    timestamp: message.createdAt,
    edited_timestamp: message.editedAt,
    tts: false,
    pinned: false,
    mention_everyone: message.mentions.everyone,
    mentions: message.mentions.users.map((id) => userObject(userOf(world, id))),
    mention_roles: message.mentions.roles,
    attachments: message.files.map((file) => attachmentObject(platform, file)),
    embeds: message.embeds,
    components: message.components,
    flags: message.flags | (thread ? HAS_THREAD : 0),
    ...(message.nonce !== null && { nonce: message.nonce }),
    ...(reactions.length > 0 && { reactions }),
    ...(message.webhook !== null && { webhook_id: message.authorId }),
    ...(reference && {
      message_reference: {
        type: reference.type,
        channel_id: reference.channelId,
        ...(reference.messageId && { message_id: reference.messageId }),
        ...(world.channels.get(reference.channelId)?.guildId && {
          guild_id: world.channels.get(reference.channelId)?.guildId,
        }),
      },
    }),
    ...(snapshot && { message_snapshots: [snapshotObject(platform, snapshot)] }),
    ...(hasReference &&
      !message.isBare &&
      !isNested && { referenced_message: answered ? messageObject(platform, answered, readsContent, true) : null }),
    ...(thread && { thread: channelObject(platform, thread) }),
    ...(interaction && {
      webhook_id: platform.applicationId,
      application_id: platform.applicationId,
      interaction_metadata: {
        id: interaction.id,
        type: interaction.kind,
        user: userObject(userOf(world, interaction.userId)),
        authorizing_integration_owners: {},
        ...(interaction.name && { name: interaction.name }),
      },
    }),
  };
  return !readsContent && isHidden(platform, message) ? redact(object) : object;
}

/** Returns the same as in an event: with guild and member. */
export function messageEvent(platform: Platform, message: StoredMessage, readsContent: boolean): Fields {
  const { world } = platform;
  const object = messageObject(platform, message, readsContent);
  const channel = world.channels.get(message.channelId);
  if (!channel?.guildId) return { ...object, channel_type: channel?.type ?? 1 };
  const mentions = message.mentions.users.map((id) => {
    const user = userOf(world, id);
    return { ...userObject(user), member: memberObject(user) };
  });
  const member = message.webhook === null ? { member: memberObject(userOf(world, message.authorId)) } : {};
  return { ...object, channel_type: channel.type, guild_id: channel.guildId, mentions, ...member };
}
