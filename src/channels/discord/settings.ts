/** Defines the section `channels.discord`. */

import { z } from 'zod';
import {
  apiRoot,
  chat,
  chatDefaults,
  expects,
  groups,
  id,
  listOf,
  oneOf,
  section,
  token,
  viber,
  whole,
} from '../../config/schema-parts.ts';

export const discordDefaults = {
  ...chatDefaults,
  apiRoot: 'https://discord.com/api',
  cdnRoot: 'https://cdn.discordapp.com',
  threads: 'per-task' as const,
  guilds: [],
  archiveMinutes: 1,
};

const snowflake = /^\d{1,20}$/;

/** A server's number alone, or a section with `id`. */
const guild = z.preprocess(
  (value) => (/^(string|number)$/.test(typeof value) && snowflake.test(String(value)) ? { id: String(value) } : value),
  section(
    {
      id: id(expects('expected.serverNumber'), snowflake),
      groups: groups.exactOptional(),
      viber: viber.exactOptional(),
    },
    expects('expected.serverSection'),
  ),
);

export const settings = section({
  token: token("the bot's token", 'DISCORD_BOT_TOKEN'),
  apiRoot: apiRoot('DISCORD_API_ROOT').default(discordDefaults.apiRoot),
  cdnRoot: apiRoot('DISCORD_CDN_ROOT').default(discordDefaults.cdnRoot),
  /** `per-task`: a mention or a goal in a channel opens a thread of its own. */
  threads: oneOf('per-task', 'off').default(discordDefaults.threads),
  guilds: listOf(guild).default(discordDefaults.guilds),
  /** Minutes of quiet after which a finished task's thread is archived; 0 means never by us. */
  archiveMinutes: whole(0, 10_080).default(discordDefaults.archiveMinutes),
  ...chat(id(expects('expected.personNumber'), snowflake), id(expects('expected.channelNumber'), /^(\d{1,20}|\*)$/)),
});
