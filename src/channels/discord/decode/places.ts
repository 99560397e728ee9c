/**
 * Remembers channels, threads, roles and the bot's rights from gateway events, so that locating a message costs no call.
 * Bounded: what was used least recently is evicted, and looked up again when needed.
 * https://discord.com/developers/docs/resources/channel#channel-object
 */
import { createLru } from '../../../lib/lru.ts';
import type { Address, WriteBarrier } from '../../channel.ts';
import { type Fields, fields, fieldsList, integer, string, tidyLine } from '../../shared/read.ts';
import { id, idAt } from './read.ts';

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
  /** https://discord.com/developers/docs/topics/permissions#permission-overwrites */
  overwrites: readonly Overwrite[];
  isLocked: boolean;
}

interface Overwrite {
  id: string;
  allow: bigint;
  deny: bigint;
}

export interface Role {
  name: string;
  /** The bot whose own role this is. */
  bot?: string;
  permissions: bigint;
}

/** `own`: this bot's membership. */
interface Guild {
  owner: string | undefined;
  own?: { roles: readonly string[]; mutedUntil: number } | undefined;
}

const MAX_PLACES = 100_000;
const MAX_ROLES = 250_000;
const MAX_GUILDS = 5_000;
const DIRECT = new Set([1, 3]);
const THREADS = new Set([10, 11, 12]);
/**
 * Text and announcement channels. A voice channel's chat has no threads, and a forum's threads have no channel message.
 */
const THREADABLE = new Set([0, 5]);
const MESSAGE_TYPES = new Set([0, 2, 5, 10, 11, 12, 13]);

const ADMINISTRATOR = 1n << 3n;
const VIEW = 1n << 10n;
const SEND = 1n << 11n;
const MANAGE_THREADS = 1n << 34n;
const SEND_IN_THREADS = 1n << 38n;

export const isThread = (place: Place | undefined) => place !== undefined && THREADS.has(place.type);
export const isDirect = (place: Place | undefined) => place !== undefined && DIRECT.has(place.type);
/** Returns whether a thread can be attached to a message there; true for an unknown channel. */
export const takesThreads = (place: Place | undefined) => place === undefined || THREADABLE.has(place.type);
/** Returns whether the place is known to be private, or its server is known. */
export const isLocated = (place: Place | undefined) => place?.guild !== undefined || isDirect(place);
export const holdsMessages = (place: Place) => MESSAGE_TYPES.has(place.type);

export class Places {
  readonly #places = createLru<Place>(MAX_PLACES);
  readonly #roles = createLru<Role>(MAX_ROLES);
  readonly #guilds = createLru<Guild>(MAX_GUILDS);
  readonly #actions = new Map<string, (data: Fields, account: string) => void>([
    ['GUILD_CREATE', (data, account) => this.#learnGuild(data, account)],
    ['GUILD_UPDATE', (data, account) => this.#learnGuild(data, account)],
    ['GUILD_DELETE', (data) => this.#forgetGuild(data)],
    ['GUILD_MEMBER_UPDATE', (data, account) => this.#learnMember(data, account)],
    ['CHANNEL_CREATE', (data) => this.learn(data)],
    ['CHANNEL_UPDATE', (data) => this.learn(data)],
    ['CHANNEL_DELETE', (data) => this.#places.delete(id(data, 'id') ?? '')],
    ['THREAD_CREATE', (data) => this.learn(data)],
    ['THREAD_UPDATE', (data) => this.learn(data)],
    ['THREAD_DELETE', (data) => this.#places.delete(id(data, 'id') ?? '')],
    [
      'THREAD_LIST_SYNC',
      (data) => fieldsList(data, 'threads').forEach((one) => void this.learn(one, id(data, 'guild_id'))),
    ],
    ['GUILD_ROLE_CREATE', (data) => this.#learnRole(fields(data, 'role') ?? {})],
    ['GUILD_ROLE_UPDATE', (data) => this.#learnRole(fields(data, 'role') ?? {})],
    ['GUILD_ROLE_DELETE', (data) => this.#roles.delete(id(data, 'role_id') ?? '')],
  ]);

  /** Learns a channel object from any source; `guild` is used if the object doesn't name it. */
  learn(channel: Fields, guild?: string): Place | undefined {
    const channelId = id(channel, 'id');
    const type = integer(channel, 'type');
    if (channelId === undefined || type === undefined) return undefined;
    const known = this.#places.get(channelId);
    const guildId = id(channel, 'guild_id') ?? guild ?? known?.guild;
    const parent = id(channel, 'parent_id') ?? known?.parent;
    const lastMessage = id(channel, 'last_message_id') ?? known?.lastMessage;
    const meta = fields(channel, 'thread_metadata');
    const made = Date.parse(string(meta ?? {}, 'create_timestamp') ?? '');
    const hasOverwrites = Array.isArray(channel.permission_overwrites);
    const place: Place = {
      type,
      name: tidyLine(string(channel, 'name') ?? known?.name ?? '', 100),
      ...(guildId !== undefined && { guild: guildId }),
      ...(parent !== undefined && { parent }),
      ...(lastMessage !== undefined && { lastMessage }),
      ...(!Number.isNaN(made) && { made: idAt(made) }),
      overwrites: hasOverwrites
        ? fieldsList(channel, 'permission_overwrites').map(readOverwrite)
        : (known?.overwrites ?? []),
      isLocked: meta ? meta.locked === true : (known?.isLocked ?? false),
    };
    this.#places.set(channelId, place);
    return place;
  }

  #learnRole(role: Fields): void {
    const roleId = id(role, 'id');
    if (roleId === undefined) return;
    const bot = id(fields(role, 'tags') ?? {}, 'bot_id');
    const name = tidyLine(string(role, 'name') ?? '', 100);
    this.#roles.set(roleId, { name, ...(bot !== undefined && { bot }), permissions: bits(role, 'permissions') });
  }

  #learnGuild(guild: Fields, account: string): void {
    const guildId = id(guild, 'id');
    for (const channel of [...fieldsList(guild, 'channels'), ...fieldsList(guild, 'threads')])
      this.learn(channel, guildId);
    for (const role of fieldsList(guild, 'roles')) this.#learnRole(role);
    if (guildId === undefined || guild.unavailable === true) return;
    const known = this.#guilds.get(guildId);
    const self = fieldsList(guild, 'members').find((member) => isUser(member, account));
    const own = self ? readMembership(self) : known?.own;
    this.#guilds.set(guildId, { owner: id(guild, 'owner_id') ?? known?.owner, own });
  }

  #forgetGuild(guild: Fields): void {
    const guildId = id(guild, 'id');
    if (guildId === undefined || guild.unavailable === true) return;
    for (const [channelId, place] of this.#places.entries())
      if (place.guild === guildId) this.#places.delete(channelId);
  }

  #learnMember(member: Fields, account: string): void {
    const guild = this.#guilds.get(id(member, 'guild_id') ?? '');
    if (guild && isUser(member, account)) guild.own = readMembership(member);
  }

  /** Returns the bot's permissions; undefined if something they depend on is unknown. */
  #allowedIn({ guild: guildId = '', overwrites }: Place, account: string): bigint | undefined {
    const guild = this.#guilds.get(guildId);
    const everybody = this.#roles.get(guildId)?.permissions;
    if (!guild?.own || everybody === undefined) return undefined;
    const own = guild.own.roles;
    let allowed = own.reduce((sum, role) => sum | (this.#roles.get(role)?.permissions ?? 0n), everybody);
    if ((allowed & ADMINISTRATOR) !== 0n || guild.owner === account) return ~0n;
    const changes = [
      overwrites.filter((each) => each.id === guildId),
      overwrites.filter((each) => own.includes(each.id)),
      overwrites.filter((each) => each.id === account),
    ];
    for (const step of changes) {
      for (const { deny } of step) allowed &= ~deny;
      for (const { allow } of step) allowed |= allow;
    }
    return allowed;
  }

  /** Handles an event. True if it is about places, whether or not anything was learnt from it. */
  take(event: string, data: Fields, account: string): boolean {
    const action = this.#actions.get(event);
    action?.(data, account);
    return action !== undefined;
  }

  get(channelId: string): Place | undefined {
    return this.#places.get(channelId);
  }

  role(roleId: string): Role | undefined {
    return this.#roles.get(roleId);
  }

  all(): IterableIterator<[string, Place]> {
    return this.#places.entries();
  }

  /** Returns why the bot can't write there; undefined if nothing is known to prevent it. */
  barred({ chat, thread }: Address, account: string, now: number): WriteBarrier | undefined {
    const place = this.#places.get(chat);
    if (!place) return undefined;
    if ((this.#guilds.get(place.guild ?? '')?.own?.mutedUntil ?? 0) > now) return 'muted';
    const allowed = this.#allowedIn(place, account);
    if (allowed === undefined) return undefined;
    const wanted = VIEW | (thread === undefined ? SEND : SEND_IN_THREADS);
    if ((allowed & wanted) !== wanted) return 'rights';
    const isLocked = thread !== undefined && this.#places.get(thread)?.isLocked === true;
    return isLocked && (allowed & MANAGE_THREADS) === 0n ? 'locked' : undefined;
  }
}

const isUser = (member: Fields, account: string): boolean => id(fields(member, 'user') ?? {}, 'id') === account;

function readMembership(member: Fields): NonNullable<Guild['own']> {
  const roles = Array.isArray(member.roles) ? member.roles.filter((role) => typeof role === 'string') : [];
  const until = Date.parse(string(member, 'communication_disabled_until') ?? '');
  return { roles, mutedUntil: Number.isNaN(until) ? 0 : until };
}

const readOverwrite = (overwrite: Fields): Overwrite => ({
  id: id(overwrite, 'id') ?? '',
  allow: bits(overwrite, 'allow'),
  deny: bits(overwrite, 'deny'),
});

function bits(from: Fields, key: string): bigint {
  const text = string(from, key) ?? '';
  return /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;
}
