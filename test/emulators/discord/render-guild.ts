/** Renders guilds as objects of the API. */
import type { Fields } from './fields.ts';
import { ALL_BITS, sees } from './permissions.ts';
import type { Platform } from './platform.ts';
import { channelObject, memberObject, userObject } from './render.ts';
import { type StoredGuild, threadsOf } from './world.ts';

function roleObject(id: string, name: string, permissions: string, mentionable: boolean): Fields {
  const facts = { color: 0, colors: { primary_color: 0, secondary_color: null, tertiary_color: null }, hoist: false };
  return {
    ...facts,
    id,
    name,
    permissions,
    mentionable,
    position: 0,
    managed: false,
    flags: 0,
    icon: null,
    unicode_emoji: null,
  };
}

export function guildObject(guild: StoredGuild): Fields {
  const roles = guild.roles.map((role) => roleObject(role.id, role.name, '0', role.mentionable));
  const nothing = {
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    emojis: [],
    stickers: [],
    features: [],
  };
  const levels = {
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    premium_tier: 0,
    system_channel_flags: 0,
  };
  const places = {
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
  };
  return {
    ...nothing,
    ...levels,
    ...places,
    id: guild.id,
    name: guild.name,
    owner_id: '2001',
    application_id: null,
    vanity_url_code: null,
    preferred_locale: 'en-US',
    premium_progress_bar_enabled: false,
    roles: [roleObject(guild.id, '@everyone', ALL_BITS, false), ...roles],
  };
}

/** Returns the content of GUILD_CREATE: the guild, its channels and the active threads that the bot sees. */
export function guildCreated(platform: Platform, guild: StoredGuild): Fields {
  const { world } = platform;
  const channels = [...world.channels.values()].filter((each) => each.guildId === guild.id && !each.thread);
  const threads = threadsOf(world, (each) => each.guildId === guild.id && !each.thread.archived && sees(world, each));
  const nothing = {
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
  return {
    ...guildObject(guild),
    ...nothing,
    joined_at: '2024-01-01T00:00:00.000000+00:00',
    large: false,
    unavailable: false,
    member_count: world.users.size,
    members: [{ ...memberObject(world.bot), user: userObject(world.bot) }],
    channels: channels.map((each) => channelObject(platform, each)),
    threads: threads.map((each) => channelObject(platform, each)),
  };
}
