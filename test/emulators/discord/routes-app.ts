/** The bot itself, people, guilds, the gateway's address and the application's commands. */
import { refuse } from './errors.ts';
import type { Fields } from './fields.ts';
import { ALL_BITS } from './permissions.ts';
import type { Platform } from './platform.ts';
import { channelObject, memberObject, userObject } from './render.ts';
import { type Call, created, open, type Routes } from './route.ts';
import { isSnowflake, snowflake } from './snowflake.ts';
import { DM, emptyChannel, type StoredChannel, type StoredGuild, userOf, type World } from './world.ts';

/** GATEWAY_MESSAGE_CONTENT_LIMITED: the privileged intent is enabled, for an application in few guilds. */
const CONTENT_LIMITED = 1 << 19;

/** Returns the DM channel with a person, created when it is first needed. */
export function directWith(world: World, userId: string): StoredChannel {
  const known = world.channels.get(world.directs.get(userId) ?? '');
  if (known) return known;
  const channel = emptyChannel({ id: snowflake(), name: '', type: DM, recipientId: userId });
  world.channels.set(channel.id, channel);
  world.directs.set(userId, channel.id);
  return channel;
}

function guildOf(platform: Platform, id: string | undefined): StoredGuild {
  const guild = platform.world.guilds.get(id ?? '');
  if (!guild) throw refuse(10_004);
  if (!guild.isAvailable) throw refuse(50_001);
  return guild;
}

export function applicationObject(platform: Platform): object {
  return {
    id: platform.applicationId,
    name: platform.world.bot.username,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: platform.settings.messageContent ? CONTENT_LIMITED : 0,
    bot: userObject(platform.world.bot),
    owner: userObject(userOf(platform.world, '2001')),
    team: null,
    integration_types_config: { '0': {} },
    approximate_guild_count: platform.world.guilds.size,
  };
}

/** Throws 20012 for the commands of another application. */
function own({ platform, params }: Call): void {
  if (params.app !== platform.applicationId) throw refuse(20_012);
}

/** Lists include localizations only on request. */
function withoutLocalizations(command: Fields): Fields {
  const { name_localizations: _names, description_localizations: _descriptions, ...rest } = command;
  const options = Array.isArray(rest.options) ? rest.options : [];
  return rest.options === undefined ? rest : { ...rest, options: options.map(withoutLocalizations) };
}

// biome-ignore format: a row is a line
export const APP_ROUTES: Routes = {
  'GET /gateway': open(({ platform }) => ({ url: platform.url().replace('http', 'ws') })),
  'GET /gateway/bot': ({ platform }) => ({
    url: platform.url().replace('http', 'ws'),
    shards: 1,
    session_start_limit: {
      total: 1000,
      remaining: platform.gateway.identifiesLeft(),
      reset_after: 86_400_000,
      max_concurrency: 1,
    },
  }),
  'GET /users/@me': ({ platform }) => ({...userObject(platform.world.bot), verified: true, mfa_enabled: false, flags: 0 }),
  'GET /users/:user': ({ platform, params }) => {
    const user = platform.world.users.get(params.user ?? '');
    if (!user) throw refuse(10_013);
    return userObject(user);
  },
  'GET /users/@me/guilds': ({ platform }) =>
    [...platform.world.guilds.values()].map(({ id, name }) => ({
      id,
      name,
      icon: null,
      owner: false,
      permissions: ALL_BITS,
      features: [],
    })),
  'POST /users/@me/channels': ({ platform, body }) => {
    const id = body.fields.recipient_id;
    if (!isSnowflake(String(id)) || !platform.world.users.has(String(id))) throw refuse(10_013);
    if (platform.world.users.get(String(id))?.bot) throw refuse(50_007);
    return channelObject(platform, directWith(platform.world, String(id)));
  },
  'GET /applications/@me': ({ platform }) => applicationObject(platform),
  'GET /guilds/:guild/members/:user': ({ platform, params }) => {
    guildOf(platform, params.guild);
    const user = platform.world.users.get(params.user ?? '');
    if (!user) throw refuse(10_007);
    return { ...memberObject(user), user: userObject(user) };
  },
  'GET /applications/:app/commands': (call) => {
    own(call);
    const all = call.platform.commands.list();
    return call.query.with_localizations === 'true' ? all : all.map(withoutLocalizations);
  },
  'POST /applications/:app/commands': created((call) => {
    own(call);
    return call.platform.commands.upsert(call.body.fields);
  }),
};
