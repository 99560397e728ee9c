/** Guilds, channels, roles and permissions. */

import { bitsOf } from './permissions.ts';
import { emit, type Platform } from './platform.ts';
import { channelObject } from './render.ts';
import { guildCreated } from './render-guild.ts';
import { snowflake } from './snowflake.ts';
import { deleteChannel } from './threads.ts';
import type { ChannelView, PersonView, ThreadView } from './types.ts';
import { viewChannel, viewPerson, viewThread } from './view.ts';
import { channelOf, emptyChannel, TEXT, threadsOf, userOf } from './world.ts';

export interface PersonFacts {
  id?: string;
  username?: string;
  globalName?: string;
  nick?: string;
  isBot?: boolean;
  roles?: string[];
}

export interface Places {
  /** Creates or changes a person; the ID is random unless given. */
  person(facts: PersonFacts): PersonView;
  addRole(name: string, options?: { guild?: string; mentionable?: boolean }): string;
  /** Makes a guild with the bot in it and one channel, `general`. Returns the guild's ID and that channel's. */
  addGuild(name: string, options?: { id?: string; channelId?: string }): { guildId: string; channelId: string };
  /** Removes the bot from a guild; with `unavailable`, the guild is temporarily away. */
  removeGuild(guildId: string, options?: { unavailable?: boolean }): void;
  /** `type` 0 (text) by default. */
  addChannel(name: string, options?: { guild?: string; type?: number; id?: string }): ChannelView;
  deleteChannel(channelId: string): void;
  /** Takes permissions from the bot there, by names of PermissionFlagsBits; an empty list allows all. */
  deny(channelId: string, permissions: string[]): void;
  threads(channelId: string): ThreadView[];
  thread(threadId: string): ThreadView;
  /** Makes a person unreachable, or reachable again: DMs to them are refused with 50007. */
  closeDm(userId: string, isClosed?: boolean): void;
}

export function createPlaces(platform: Platform, firstGuild: string): Places {
  const { world } = platform;

  function guildNamed(id: string) {
    const guild = world.guilds.get(id);
    if (!guild) throw new Error(`no guild ${id}`);
    return guild;
  }

  function addChannel(
    name: string,
    { guild = firstGuild, type = TEXT, id = snowflake() }: Parameters<Places['addChannel']>[1] = {},
  ) {
    guildNamed(guild);
    const channel = emptyChannel({ id, name, type, guildId: guild });
    world.channels.set(id, channel);
    emit(platform, 'CHANNEL_CREATE', channelObject(platform, channel), channel);
    return viewChannel(channel);
  }

  return {
    person(facts) {
      const user = userOf(world, facts.id ?? snowflake());
      if (facts.username !== undefined) user.username = facts.username;
      if (facts.globalName !== undefined) user.global_name = facts.globalName;
      if (facts.nick !== undefined) user.nick = facts.nick;
      if (facts.isBot !== undefined) user.bot = facts.isBot;
      if (facts.roles !== undefined) user.roles = facts.roles;
      return viewPerson(user);
    },
    addRole(name, { guild = firstGuild, mentionable = true } = {}) {
      const id = snowflake();
      guildNamed(guild).roles.push({ id, name, mentionable });
      const role = {
        id,
        name,
        mentionable,
        permissions: '0',
        color: 0,
        hoist: false,
        position: 1,
        managed: false,
        flags: 0,
      };
      emit(platform, 'GUILD_ROLE_CREATE', { guild_id: guild, role });
      return id;
    },
    /** Makes a guild with the bot in it and one channel, `general`. Returns the guild's ID and that channel's. */
    addGuild(name, { id = snowflake(), channelId } = {}) {
      const guild = { id, name, roles: [], isAvailable: true };
      world.guilds.set(id, guild);
      const general = channelId ?? snowflake();
      world.channels.set(general, emptyChannel({ id: general, name: 'general', type: TEXT, guildId: id }));
      emit(platform, 'GUILD_CREATE', guildCreated(platform, guild));
      return { guildId: id, channelId: general };
    },
    removeGuild(guildId, { unavailable = false } = {}) {
      const guild = guildNamed(guildId);
      emit(platform, 'GUILD_DELETE', unavailable ? { id: guildId, unavailable } : { id: guildId });
      guild.isAvailable = false;
      if (unavailable) return;
      world.guilds.delete(guildId);
      for (const channel of [...world.channels.values()])
        if (channel.guildId === guildId) world.channels.delete(channel.id);
    },
    addChannel,
    deleteChannel: (channelId) => deleteChannel(platform, channelOf(world, channelId)),
    deny(channelId, permissions) {
      bitsOf(permissions);
      const channel = channelOf(world, channelId);
      const could = !channel.denied.includes('ViewChannel');
      channel.denied = permissions;
      const can = !permissions.includes('ViewChannel');
      const data = channelObject(platform, channel);
      // Losing access to a channel looks like its deletion, and getting access like its creation, with its threads
      // listed again.
      if (could && !can) platform.gateway.dispatch({ name: 'CHANNEL_DELETE', intents: 1, data: JSON.stringify(data) });
      else emit(platform, could ? 'CHANNEL_UPDATE' : 'CHANNEL_CREATE', data, channel);
      if (could || !can) return;
      const threads = threadsOf(world, (each) => each.parentId === channelId && !each.thread.archived);
      const list = { guild_id: channel.guildId, channel_ids: [channelId], members: [] };
      emit(
        platform,
        'THREAD_LIST_SYNC',
        { ...list, threads: threads.map((each) => channelObject(platform, each)) },
        channel,
      );
    },
    threads: (channelId) => threadsOf(world, (each) => each.parentId === channelId).map(viewThread),
    thread: (threadId) => viewThread(channelOf(world, threadId)),
    closeDm(userId, isClosed = true) {
      userOf(world, userId).isClosed = isClosed;
    },
  };
}
