/** The section `channels:`. Where a token may come from the environment instead, the error text names the variable. */
import { z } from 'zod';
import { chatDefaults, discordDefaults, slackDefaults, telegramDefaults, webhookPath } from './defaults.ts';
import { address, flag, id, listOf, oneOf, path, section, text, viber, whole } from './schema-parts.ts';
import type { ChannelsConfig, DiscordConfig, GuildConfig, SlackConfig, TelegramConfig } from './types.ts';

const groups = oneOf('mention', 'all', 'off');

const access = (user: z.ZodType<string>, chat: z.ZodType<string>) =>
  section({
    dm: oneOf('pairing', 'allowlist', 'open', 'off').default(chatDefaults.access.dm),
    groups: groups.default(chatDefaults.access.groups),
    allow: listOf(user).default([]),
    chats: listOf(chat).default([]),
    memory: oneOf('direct', 'group').default(chatDefaults.access.memory),
  });

/** What every chat channel has; the two patterns are those of the platform's own ids. */
const chat = (user: z.ZodType<string>, group: z.ZodType<string>) => ({
  access: access(user, group).prefault({}),
  live: oneOf('auto', 'off', 'status', 'text').default(chatDefaults.live),
  injection: oneOf('steer', 'collect', 'followup').default(chatDefaults.injection),
  attach: oneOf('auto', 'ask', 'never').default(chatDefaults.attach),
  viber: viber.exactOptional(),
});

const here = (what: string, variable: string) => `expected ${what}, here or as ${variable} in the environment`;

/** A platform's secret: it travels in an HTTP header or address, where nothing but printable ASCII may stand. */
const token = (what: string, variable: string) => text(here(what, variable), /^[!-~]+$/);

/** The root of an API: with no slash at its end, or with exactly one. */
const root = (variable: string, end: '' | '/' = '') =>
  address(here('an http or https address', variable)).transform((value) => value.replace(/\/*$/, end));

const webhook = section({
  url: address().exactOptional(),
  secret: text('expected 1 to 256 of the characters A-Z a-z 0-9 _ -', /^[\w-]{1,256}$/).exactOptional(),
  path: path.default(webhookPath),
});

const telegram = section({
  token: text(here('the token BotFather gave', 'TELEGRAM_BOT_TOKEN'), /^[^\s/]+$/),
  apiRoot: root('TELEGRAM_API_ROOT').default(telegramDefaults.apiRoot),
  mode: oneOf('polling', 'webhook').default(telegramDefaults.mode),
  webhook: webhook.prefault({}),
  pollSeconds: whole(1, 50).default(telegramDefaults.pollSeconds),
  localFiles: listOf(text('expected an absolute folder', /^\/./)).default(telegramDefaults.localFiles),
  ...chat(
    id('expected the number of a person (not a name: names change hands)', /^-?\d{1,19}$/),
    id('expected the number of a chat (a group\'s is below zero) or "*"', /^(-?\d{1,19}|\*)$/),
  ),
}).transform(({ webhook: { url, secret, path }, ...telegram }): TelegramConfig => {
  // rules.ts has refused mode webhook without the two.
  const wanted = telegram.mode === 'webhook' && url !== undefined && secret !== undefined;
  return wanted ? { ...telegram, webhook: { url, secret, path } } : telegram;
});

const snowflake = /^\d{1,20}$/;

/** A server's number by itself, or a section with `id`. */
const guild = z.preprocess(
  (value) => (/^(string|number)$/.test(typeof value) && snowflake.test(String(value)) ? { id: String(value) } : value),
  section(
    {
      id: id('expected the number of a server', snowflake),
      groups: groups.exactOptional(),
      viber: viber.exactOptional(),
    },
    'expected the number of a server, or a section with id, groups and viber',
  ),
) satisfies z.ZodType<GuildConfig>;

const discord = section({
  token: token("the bot's token", 'DISCORD_BOT_TOKEN'),
  apiRoot: root('DISCORD_API_ROOT').default(discordDefaults.apiRoot),
  cdnRoot: root('DISCORD_CDN_ROOT').default(discordDefaults.cdnRoot),
  threads: oneOf('per-task', 'off').default(discordDefaults.threads),
  guilds: listOf(guild).default([]),
  archiveMinutes: whole(0, 10_080).default(discordDefaults.archiveMinutes),
  ...chat(
    id('expected the number of a person (not a name: names change hands)', snowflake),
    id('expected the number of a channel or "*"', /^(\d{1,20}|\*)$/),
  ),
}) satisfies z.ZodType<DiscordConfig>;

const slack = section({
  botToken: token('the bot token of the installed app (xoxb-...)', 'SLACK_BOT_TOKEN'),
  appToken: token('the app-level token (xapp-...)', 'SLACK_APP_TOKEN').exactOptional(),
  signingSecret: token("the app's signing secret", 'SLACK_SIGNING_SECRET').exactOptional(),
  mode: oneOf('socket', 'http').exactOptional(),
  apiRoot: root('SLACK_API_ROOT', '/').default(slackDefaults.apiRoot),
  command: text('expected a command beginning with / (at most 32 characters)', /^\/[^\s/]{1,31}$/).default(
    slackDefaults.command,
  ),
  path: path.default(slackDefaults.path),
  ...chat(
    id('expected the id of a person such as U012AB3CD (not a name: names change hands)', /^[A-Z][A-Z0-9]{0,31}$/),
    id('expected the id of a channel such as C024BE91L, or "*"', /^([A-Z][A-Z0-9]{0,31}|\*)$/),
  ),
}).transform((slack): SlackConfig => {
  // rules.ts has refused a mode without its secret.
  return { ...slack, mode: slack.mode ?? (slack.appToken === undefined ? 'http' : 'socket') };
});

export const channels = section({
  telegram: telegram.exactOptional(),
  discord: discord.exactOptional(),
  slack: slack.exactOptional(),
  terminal: section({
    enabled: z.union([z.literal('auto'), flag], 'expected true, false or auto').default('auto'),
    viber: viber.exactOptional(),
  }).prefault({}),
}) satisfies z.ZodType<ChannelsConfig>;
