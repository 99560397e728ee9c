/** Which rules hold at the door for an event from an address. Pure; `access/authorise.ts` decides by them. */
import type { AccessConfig, Config } from './types.ts';

/** What is used of an address (channels/channel.ts has the whole). */
export interface Place {
  channel: string;
  /** Slack team or Discord server; absent in Discord's direct messages. */
  workspace?: string;
}

/** The machine's own doors, whose users could edit every file anyway, and that of programs, which the guard of the network opens. There are no groups. */
const OWN_DOOR: AccessConfig = { dm: 'open', groups: 'off', allow: [], chats: [], memory: 'direct' };
const CLOSED: AccessConfig = { dm: 'off', groups: 'off', allow: [], chats: [], memory: 'direct' };

/**
 * The access rules of an address. On Discord a server that is listed under `guilds` is open in all its channels, with its own
 * `groups` if it has one; in any other server only the channels of `access.chats` count.
 */
export function accessRulesOf({ channels }: Config, { channel, workspace }: Place): AccessConfig {
  const { telegram, discord, slack } = channels;
  if (channel === 'telegram') return telegram?.access ?? CLOSED;
  if (channel === 'slack') return slack?.access ?? CLOSED;
  if (channel === 'terminal' || channel === 'local' || channel === 'api' || channel === 'hub') return OWN_DOOR;
  if (channel !== 'discord') return CLOSED;
  if (!discord) return CLOSED;
  const guild = workspace === undefined ? undefined : discord.guilds.find(({ id }) => id === workspace);
  return guild ? { ...discord.access, groups: guild.groups ?? discord.access.groups, chats: ['*'] } : discord.access;
}
