/** Threads: created from a message or alone, renamed, archived. https://discord.com/developers/docs/topics/threads */
import { ApiError, refuse } from './errors.ts';
import { now, post, setArchived, tellThread, tellUpdated } from './messages.ts';
import { emit, type Platform } from './platform.ts';
import { channelObject } from './render.ts';
import { snowflake } from './snowflake.ts';
import {
  ANNOUNCEMENT,
  emptyChannel,
  isThread,
  PUBLIC_THREAD,
  type StoredChannel,
  type StoredMessage,
  TEXT,
  type ThreadState,
  threadsOf,
} from './world.ts';

const RENAMED = 4;
const THREAD_CREATED = 18;
const STARTER = 21;
/** Returns the active threads of a guild. */
const MAX_ACTIVE = 1000;

export interface NewThread {
  name: string;
  ownerId: string;
  type?: number;
  autoArchiveDuration?: number;
  /** The message to which it is attached. */
  message?: StoredMessage;
  /** The notice in its place doesn't contain that message, as if Discord hadn't tried to fetch it. */
  isBare?: boolean;
}

/** Throws 160004 if the message has a thread already, 50024 where none is possible, 160006 if there are too many. */
export function openThread(
  platform: Platform,
  parent: StoredChannel,
  facts: NewThread,
): StoredChannel & { thread: ThreadState } {
  const { world } = platform;
  const { message, ownerId, name } = facts;
  if (parent.type !== TEXT && parent.type !== ANNOUNCEMENT) throw refuse(50_024);
  if (message?.threadId) throw refuse(160_004);
  if (message && message.type !== 0 && message.type !== 19 && message.type !== 20) throw refuse(50_021);
  const active = threadsOf(world, (each) => each.guildId === parent.guildId && !each.thread.archived);
  if (active.length >= MAX_ACTIVE) throw new ApiError(400, 160_006, 'Maximum number of active threads reached');
  const createdAt = now();
  const thread: ThreadState = {
    ownerId,
    archived: false,
    locked: false,
    autoArchiveDuration: facts.autoArchiveDuration ?? 4320,
    archiveTimestamp: createdAt,
    createTimestamp: createdAt,
    members: new Map([[ownerId, createdAt]]),
    names: [name],
    messageCount: 0,
  };
  const id = message?.id ?? snowflake();
  const type = facts.type ?? PUBLIC_THREAD;
  const channel = { ...emptyChannel({ id, name, type, guildId: parent.guildId, parentId: parent.id }), thread };
  world.channels.set(id, channel);
  emit(platform, 'THREAD_CREATE', { ...channelObject(platform, channel), newly_created: true }, channel);
  if (message) {
    message.threadId = id;
    tellUpdated(platform, message);
    post(platform, channel, {
      authorId: ownerId,
      type: STARTER,
      reference: { type: 0, messageId: message.id, channelId: parent.id },
      ...(facts.isBare && { isBare: true }),
    });
  } else if (type === PUBLIC_THREAD) {
    post(platform, parent, {
      authorId: ownerId,
      type: THREAD_CREATED,
      content: name,
      reference: { type: 0, messageId: null, channelId: id },
    });
  }
  platform.changes.emit('thread', channel);
  return channel;
}

export interface ThreadChanges {
  name?: string | undefined;
  archived?: boolean | undefined;
  locked?: boolean | undefined;
  autoArchiveDuration?: number | undefined;
}

/** Changes a thread; a system message by the person who renamed it announces a new name in the thread. */
export function changeThread(platform: Platform, channel: StoredChannel, by: string, changes: ThreadChanges): void {
  if (!isThread(channel)) throw refuse(50_024);
  const { thread } = channel;
  const isRenamed = changes.name !== undefined && changes.name !== channel.name;
  // Its own message must not reopen a thread that the same call archives.
  if (changes.archived === false) setArchived(channel, false);
  if (isRenamed && changes.name !== undefined) {
    channel.name = changes.name;
    thread.names.push(changes.name);
    post(platform, channel, { authorId: by, type: RENAMED, content: changes.name });
  }
  if (changes.archived === true) setArchived(channel, true);
  if (changes.locked !== undefined) thread.locked = changes.locked;
  if (changes.autoArchiveDuration !== undefined) thread.autoArchiveDuration = changes.autoArchiveDuration;
  tellThread(platform, channel);
  platform.changes.emit('thread', channel);
}

/** Removes a channel or thread, with the threads below it. */
export function deleteChannel(platform: Platform, channel: StoredChannel): void {
  const { world } = platform;
  for (const thread of threadsOf(world, (each) => each.parentId === channel.id)) deleteChannel(platform, thread);
  const { id, guildId, parentId, type } = channel;
  const data = channel.thread ? { id, guild_id: guildId, parent_id: parentId, type } : channelObject(platform, channel);
  emit(platform, channel.thread ? 'THREAD_DELETE' : 'CHANNEL_DELETE', data, channel);
  world.channels.delete(id);
}
