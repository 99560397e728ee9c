/**
 * Remembers channels, threads and roles from gateway events, so that locating a message costs no call. Bounded: the
 * least recently mentioned is evicted first, and looked up again when needed.
 * https://discord.com/developers/docs/resources/channel#channel-object
 */
import { type Fields, fields, fieldsList, integer, string, tidyLine } from '../../shared/read.ts';
import { id } from './read.ts';
import { idAt } from './snowflake.ts';

export interface Place {
  /** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
  type: number;
  name: string;
  guild?: string;
  /** A thread's channel, or a channel's category. */
  parent?: string;
  /** The ID of the newest message when the gateway mentioned the channel. */
  lastMessage?: string;
  /** The time a thread was created, as a snowflake; its own ID is that of the message it was made from. */
  made?: string;
}

export interface Role {
  name: string;
  /** The bot whose own role this is. */
  bot?: string;
}

export interface Places {
  /** Handles an event. True if it is about places, whether or not anything was learnt from it. */
  take(event: string, data: Fields): boolean;
  /** Learns a channel object from any source; `guild` is used if the object doesn't name it. */
  learn(channel: Fields, guild?: string): Place | undefined;
  get(channelId: string): Place | undefined;
  role(roleId: string): Role | undefined;
  all(): IterableIterator<[string, Place]>;
}

const MAX_PLACES = 100_000;
const MAX_ROLES = 50_000;
const DIRECT = new Set([1, 3]);
const THREADS = new Set([10, 11, 12]);
/**
 * Text and announcement channels. A voice channel's chat has no threads, and a forum's threads have no channel message.
 */
const THREADABLE = new Set([0, 5]);
const TALKED_IN = new Set([0, 2, 5, 10, 11, 12, 13]);

export const isThread = (place: Place | undefined) => place !== undefined && THREADS.has(place.type);
export const isDirect = (place: Place | undefined) => place !== undefined && DIRECT.has(place.type);
/** Returns whether a thread can be attached to a message there; true for an unknown channel. */
export const takesThreads = (place: Place | undefined) => place === undefined || THREADABLE.has(place.type);
/** Returns whether the place is known to be private, or its server is known. */
export const isLocated = (place: Place | undefined) => place?.guild !== undefined || isDirect(place);
export const isTalkedIn = (place: Place) => TALKED_IN.has(place.type);

export function createPlaces(): Places {
  const places = new Map<string, Place>();
  const roles = new Map<string, Role>();

  function learn(channel: Fields, guild?: string): Place | undefined {
    const channelId = id(channel, 'id');
    const type = integer(channel, 'type');
    if (channelId === undefined || type === undefined) return undefined;
    const known = places.get(channelId);
    const guildId = id(channel, 'guild_id') ?? guild ?? known?.guild;
    const parent = id(channel, 'parent_id') ?? known?.parent;
    const lastMessage = id(channel, 'last_message_id') ?? known?.lastMessage;
    const made = Date.parse(string(fields(channel, 'thread_metadata') ?? {}, 'create_timestamp') ?? '');
    const place: Place = {
      type,
      name: tidyLine(string(channel, 'name') ?? known?.name ?? '', 100),
      ...(guildId !== undefined && { guild: guildId }),
      ...(parent !== undefined && { parent }),
      ...(lastMessage !== undefined && { lastMessage }),
      ...(!Number.isNaN(made) && { made: idAt(made) }),
    };
    remember(places, channelId, place, MAX_PLACES);
    return place;
  }

  function learnRole(role: Fields): void {
    const roleId = id(role, 'id');
    if (roleId === undefined) return;
    const bot = id(fields(role, 'tags') ?? {}, 'bot_id');
    const facts = { name: tidyLine(string(role, 'name') ?? '', 100), ...(bot !== undefined && { bot }) };
    remember(roles, roleId, facts, MAX_ROLES);
  }

  function learnGuild(guild: Fields): void {
    const guildId = id(guild, 'id');
    for (const channel of fieldsList(guild, 'channels')) learn(channel, guildId);
    for (const thread of fieldsList(guild, 'threads')) learn(thread, guildId);
    for (const role of fieldsList(guild, 'roles')) learnRole(role);
  }

  function forgetGuild(guild: Fields): void {
    const guildId = id(guild, 'id');
    if (guildId === undefined || guild.unavailable === true) return;
    for (const [channelId, place] of places) if (place.guild === guildId) places.delete(channelId);
  }

  const EVENTS = new Map<string, (data: Fields) => void>([
    ['GUILD_CREATE', learnGuild],
    ['GUILD_UPDATE', () => undefined],
    ['GUILD_DELETE', forgetGuild],
    ['CHANNEL_CREATE', (data) => void learn(data)],
    ['CHANNEL_UPDATE', (data) => void learn(data)],
    ['CHANNEL_DELETE', (data) => void places.delete(id(data, 'id') ?? '')],
    ['THREAD_CREATE', (data) => void learn(data)],
    ['THREAD_UPDATE', (data) => void learn(data)],
    ['THREAD_DELETE', (data) => void places.delete(id(data, 'id') ?? '')],
    ['THREAD_LIST_SYNC', learnGuildThreads],
    ['GUILD_ROLE_CREATE', (data) => learnRole(fields(data, 'role') ?? {})],
    ['GUILD_ROLE_UPDATE', (data) => learnRole(fields(data, 'role') ?? {})],
    ['GUILD_ROLE_DELETE', (data) => void roles.delete(id(data, 'role_id') ?? '')],
  ]);

  function learnGuildThreads(data: Fields): void {
    for (const thread of fieldsList(data, 'threads')) learn(thread, id(data, 'guild_id'));
  }

  return {
    take(event, data) {
      const action = EVENTS.get(event);
      action?.(data);
      return action !== undefined;
    },
    learn,
    get: (channelId) => places.get(channelId),
    role: (roleId) => roles.get(roleId),
    all: () => places.entries(),
  };
}

/** Puts the entry last; evicts the first one if there are too many. */
export function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > max ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
