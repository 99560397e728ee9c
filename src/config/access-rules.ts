/** Which rules hold at the door for an event from an address. Pure; `access/authorise.ts` decides by them. */
import { accessOf, OWN_CHANNELS } from '../channels/index.ts';
import type { AccessConfig } from '../channels/kind.ts';
import type { Config } from './schema.ts';

/** What is used of an address (channels/channel.ts has the whole). */
export interface Place {
  channel: string;
  workspace?: string;
}

/** The machine's own doors, whose users could edit every file anyway, and that of programs, which the guard of the network opens. There are no groups. */
const OWN_DOOR: AccessConfig = { dm: 'open', groups: 'off', allow: [], chats: [], memory: 'direct' };
const CLOSED: AccessConfig = { dm: 'off', groups: 'off', allow: [], chats: [], memory: 'direct' };

/** The access rules of an address. */
export const accessRulesOf = (config: Config, at: Place): AccessConfig =>
  OWN_CHANNELS.includes(at.channel) ? OWN_DOOR : (accessOf(config, at) ?? CLOSED);
