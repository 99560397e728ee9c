/**
 * Tells where this bot may write on Discord, as far as the gateway has reported: roles and their channel overwrites,
 * the bot's own timeout, locked threads. It costs no call; unknown places aren't judged. Bounded like the places.
 * https://discord.com/developers/docs/topics/permissions#permission-overwrites
 */
import type { Address, WriteBarrier } from '../../channel.ts';
import { type Fields, fields, fieldsList, string } from '../../shared/read.ts';
import { remember } from './places.ts';
import { id } from './read.ts';

export interface Speaking {
  /** Handles a dispatch of the gateway; `account` is this bot. */
  take(event: string, data: Fields, account: string): void;
  /** Returns why the bot can't write there; undefined if nothing is known to prevent it. */
  barred(address: Address, account: string, now: number): WriteBarrier | undefined;
}

interface Overwrite {
  id: string;
  allow: bigint;
  deny: bigint;
}

interface Channel {
  guild: string;
  parent: string | undefined;
  overwrites: readonly Overwrite[];
  isLocked: boolean;
}

interface Guild {
  owner: string | undefined;
  /** The permissions of each role; that of @everyone has the guild's ID. */
  roles: Map<string, bigint>;
  own?: { roles: readonly string[]; mutedUntil: number };
}

const MAX_GUILDS = 5_000;
const MAX_CHANNELS = 100_000;
const ADMINISTRATOR = 1n << 3n;
const VIEW = 1n << 10n;
const SEND = 1n << 11n;
const MANAGE_THREADS = 1n << 34n;
const SEND_IN_THREADS = 1n << 38n;

export function createSpeaking(): Speaking {
  const guilds = new Map<string, Guild>();
  const channels = new Map<string, Channel>();

  function learnChannel(channel: Fields, guild: string | undefined): void {
    const channelId = id(channel, 'id');
    const guildId = id(channel, 'guild_id') ?? guild;
    if (channelId === undefined || guildId === undefined) return;
    const known = channels.get(channelId);
    const told = Array.isArray(channel.permission_overwrites)
      ? fieldsList(channel, 'permission_overwrites')
      : undefined;
    const meta = fields(channel, 'thread_metadata');
    remember(
      channels,
      channelId,
      {
        guild: guildId,
        parent: id(channel, 'parent_id') ?? known?.parent,
        overwrites: told?.map(overwriteOf) ?? known?.overwrites ?? [],
        isLocked: meta ? meta.locked === true : (known?.isLocked ?? false),
      },
      MAX_CHANNELS,
    );
  }

  function learnGuild(data: Fields, account: string): void {
    const guildId = id(data, 'id');
    if (guildId === undefined || data.unavailable === true) return;
    const known = guilds.get(guildId);
    const guild: Guild = { owner: id(data, 'owner_id') ?? known?.owner, roles: known?.roles ?? new Map() };
    for (const role of fieldsList(data, 'roles')) learnRole(role, guild);
    const self = fieldsList(data, 'members').find((member) => id(fields(member, 'user') ?? {}, 'id') === account);
    const own = self ? ownOf(self) : known?.own;
    remember(guilds, guildId, { ...guild, ...(own && { own }) }, MAX_GUILDS);
    for (const channel of [...fieldsList(data, 'channels'), ...fieldsList(data, 'threads')])
      learnChannel(channel, guildId);
  }

  function learnRole(role: Fields, guild: Guild | undefined): void {
    const roleId = id(role, 'id');
    if (roleId !== undefined) guild?.roles.set(roleId, bits(role, 'permissions'));
  }

  function learnSelf(data: Fields, account: string): void {
    const guild = guilds.get(id(data, 'guild_id') ?? '');
    if (guild && id(fields(data, 'user') ?? {}, 'id') === account) guild.own = ownOf(data);
  }

  return {
    take(event, data, account) {
      if (event === 'GUILD_CREATE' || event === 'GUILD_UPDATE') learnGuild(data, account);
      else if (/^(CHANNEL|THREAD)_(CREATE|UPDATE)$/.test(event)) learnChannel(data, undefined);
      else if (/^(CHANNEL|THREAD)_DELETE$/.test(event)) channels.delete(id(data, 'id') ?? '');
      else if (event === 'THREAD_LIST_SYNC')
        for (const thread of fieldsList(data, 'threads')) learnChannel(thread, id(data, 'guild_id'));
      else if (event === 'GUILD_ROLE_CREATE' || event === 'GUILD_ROLE_UPDATE')
        learnRole(fields(data, 'role') ?? {}, guilds.get(id(data, 'guild_id') ?? ''));
      else if (event === 'GUILD_ROLE_DELETE')
        guilds.get(id(data, 'guild_id') ?? '')?.roles.delete(id(data, 'role_id') ?? '');
      else if (event === 'GUILD_MEMBER_UPDATE') learnSelf(data, account);
    },

    barred({ chat, thread }, account, now) {
      const channel = channels.get(chat);
      const guild = channel && guilds.get(channel.guild);
      if ((guild?.own?.mutedUntil ?? 0) > now) return 'muted';
      const allowed = channel && guild && allowedIn(channel, guild, account);
      if (allowed === undefined) return undefined;
      const wanted = VIEW | (thread === undefined ? SEND : SEND_IN_THREADS);
      if ((allowed & wanted) !== wanted) return 'rights';
      const isLocked = thread !== undefined && channels.get(thread)?.isLocked === true;
      return isLocked && (allowed & MANAGE_THREADS) === 0n ? 'locked' : undefined;
    },
  };
}

/** Returns the bot's permissions; undefined if something they depend on is unknown. */
function allowedIn(channel: Channel, guild: Guild, account: string): bigint | undefined {
  const everybody = guild.roles.get(channel.guild);
  if (!guild.own || everybody === undefined) return undefined;
  const { roles } = guild.own;
  let allowed = roles.reduce((sum, role) => sum | (guild.roles.get(role) ?? 0n), everybody);
  if ((allowed & ADMINISTRATOR) !== 0n || guild.owner === account) return ~0n;
  const changes = [
    channel.overwrites.filter((each) => each.id === channel.guild),
    channel.overwrites.filter((each) => roles.includes(each.id)),
    channel.overwrites.filter((each) => each.id === account),
  ];
  for (const step of changes) {
    for (const { deny } of step) allowed &= ~deny;
    for (const { allow } of step) allowed |= allow;
  }
  return allowed;
}

function ownOf(member: Fields): NonNullable<Guild['own']> {
  const roles = Array.isArray(member.roles) ? member.roles.filter((role) => typeof role === 'string') : [];
  const until = Date.parse(string(member, 'communication_disabled_until') ?? '');
  return { roles, mutedUntil: Number.isNaN(until) ? 0 : until };
}

function overwriteOf(overwrite: Fields): Overwrite {
  return { id: id(overwrite, 'id') ?? '', allow: bits(overwrite, 'allow'), deny: bits(overwrite, 'deny') };
}

function bits(from: Fields, key: string): bigint {
  const text = string(from, key) ?? '';
  return /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;
}
