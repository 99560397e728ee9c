/** The state of the platform: people, guilds, channels and what was said. Only data and the ways to find it. */
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
  /** The person of a direct message channel. */
  recipientId: string | null;
  lastMessageId: string | null;
  topic: string | null;
  /** Names of what the bot may not do here. */
  denied: string[];
  thread: ThreadState | null;
  /** In order of their ids. */
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
  /** The components before each edit: what a slow client may still show. */
  before?: Fields[];
  /** What it answers (type 0) or forwards (type 1). */
  reference: { type: 0 | 1; messageId: string | null; channelId: string } | null;
  snapshot: StoredMessage | null;
  /** Its events do not bring what it answers along, as happens: the documentation calls the field optional. */
  isBare?: boolean;
  nonce: string | number | null;
  flags: number;
  allowedMentions: APIAllowedMentions | undefined;
  /** Whom it names, and whom it notified. */
  mentions: Mentions;
  pinged: Mentions;
  createdAt: string;
  editedAt: string | null;
  edits: number;
  reactions: Map<string, Set<string>>;
  seenBy: string | null;
  interaction: { id: string; kind: number; userId: string; name: string | null } | null;
  threadId: string | null;
}

/** Types of what somebody said; the others are the platform's own words on what somebody did. */
export const SAID: ReadonlySet<number> = new Set([0, 19, 20, 23]);

export interface World {
  bot: StoredUser;
  users: Map<string, StoredUser>;
  guilds: Map<string, StoredGuild>;
  channels: Map<string, StoredChannel>;
  /** DM channel of each person. */
  directs: Map<string, string>;
}

/** The user with this id; a member nobody knew yet is made up. */
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
