/** The platform's state: people, guilds, channels and messages. Only data, and functions to find it. */
import type { APIAllowedMentions, APIEmbed, APIUser } from 'discord-api-types/v10';
import { refuse } from './errors.ts';
import type { Fields } from './fields.ts';
import type { StoredFile } from './files.ts';

export const TEXT = 0;
export const DM = 1;
export const ANNOUNCEMENT = 5;
export const PUBLIC_THREAD = 11;
export const PRIVATE_THREAD = 12;

export interface StoredUser extends Omit<APIUser, 'public_flags'> {
  nick: string | null;
  roles: string[];
  /** Direct messages to this person are refused. */
  isClosed: boolean;
}

export interface StoredGuild {
  id: string;
  name: string;
  roles: { id: string; name: string; mentionable: boolean }[];
  isAvailable: boolean;
}

export interface ThreadState {
  ownerId: string;
  archived: boolean;
  locked: boolean;
  autoArchiveDuration: number;
  archiveTimestamp: string;
  createTimestamp: string;
  members: Map<string, string>;
  names: string[];
  messageCount: number;
}

export interface StoredChannel {
  id: string;
  name: string;
  type: number;
  guildId: string | null;
  parentId: string | null;
  /** The person of a DM channel. */
  recipientId: string | null;
  lastMessageId: string | null;
  topic: string | null;
  /** Names of the permissions that the bot lacks here. */
  denied: string[];
  thread: ThreadState | null;
  /** Ordered by ID. */
  messages: StoredMessage[];
  byId: Map<string, StoredMessage>;
  deleted: string[];
}

export interface Mentions {
  users: string[];
  roles: string[];
  everyone: boolean;
}

export interface StoredMessage {
  id: string;
  channelId: string;
  authorId: string;
  webhook: string | null;
  type: number;
  content: string;
  embeds: APIEmbed[];
  files: StoredFile[];
  components: Fields[];
  /** The components before each edit, which a slow client may still show. */
  before?: Fields[];
  /** The message that it answers (type 0) or forwards. */
  reference: { type: 0 | 1; messageId: string | null; channelId: string } | null;
  snapshot: StoredMessage | null;
  /** Its events leave out the message that it answers; the documentation says that the field is optional. */
  isBare?: boolean;
  nonce: string | number | null;
  flags: number;
  allowedMentions: APIAllowedMentions | undefined;
  /** The people whom it names, and whom it notified. */
  mentions: Mentions;
  pinged: Mentions;
  createdAt: string;
  editedAt: string | null;
  edits: number;
  reactions: Map<string, Set<string>>;
  seenBy: string | null;
  interaction: { id: string; kind: number; userId: string; name: string | null } | null;
  threadId: string | null;
  /** The number of its newest change. */
  seq: number;
}

/** The types of people's messages; the others are the platform's own messages about what somebody did. */
export const SAID: ReadonlySet<number> = new Set([0, 19, 20, 23]);

export interface World {
  bot: StoredUser;
  users: Map<string, StoredUser>;
  guilds: Map<string, StoredGuild>;
  channels: Map<string, StoredChannel>;
  /** Each person's DM channel. */
  directs: Map<string, string>;
}

/** Returns the user with this ID; an unknown one becomes a new member. */
export function userOf(world: World, id: string): StoredUser {
  const known = world.users.get(id);
  if (known) return known;
  const made: StoredUser = {
    id,
    username: `user${id}`,
    discriminator: '0',
    global_name: null,
    avatar: null,
    nick: null,
    roles: [],
    isClosed: false,
  };
  world.users.set(id, made);
  return made;
}

/** Throws 10003. */
export function channelOf(world: World, id: string): StoredChannel {
  const channel = world.channels.get(id);
  if (!channel) throw refuse(10_003);
  return channel;
}

/** Throws 10008. */
export function messageOf(world: World, channelId: string, id: string): StoredMessage {
  const message = channelOf(world, channelId).byId.get(id);
  if (!message) throw refuse(10_008);
  return message;
}

export function emptyChannel(
  facts: Partial<StoredChannel> & { id: string; name: string; type: number },
): StoredChannel {
  return {
    guildId: null,
    parentId: null,
    recipientId: null,
    lastMessageId: null,
    topic: null,
    denied: [],
    thread: null,
    messages: [],
    byId: new Map(),
    deleted: [],
    ...facts,
  };
}

export function isThread(channel: StoredChannel): channel is StoredChannel & { thread: ThreadState } {
  return channel.thread !== null;
}

export function threadsOf(world: World, belongs: (thread: StoredChannel & { thread: ThreadState }) => boolean) {
  return [...world.channels.values()].filter(isThread).filter(belongs);
}
