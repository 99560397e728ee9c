/** Determines the access rules for an address. Pure; `access/authorise.ts` applies them. */
import { accessOf, OWN_CHANNELS } from '../channels/index.ts';
import type { AccessConfig } from '../channels/kind.ts';
import type { Config } from './schema.ts';

/** The parts of an address that matter here (channels/channel.ts has all of it). */
export interface Place {
  channel: string;
  workspace?: string;
}

/**
 * The rules of this machine's own channels, whose users could edit every file anyway, and of programs, which the HTTP
 * guard admits. They have no groups.
 */
const OWN_DOOR: AccessConfig = { dm: 'open', groups: 'off', allow: [], chats: [], memory: 'direct' };
const CLOSED: AccessConfig = { dm: 'off', groups: 'off', allow: [], chats: [], memory: 'direct' };

export const accessRulesOf = (config: Config, at: Place): AccessConfig =>
  OWN_CHANNELS.includes(at.channel) ? OWN_DOOR : (accessOf(config, at) ?? CLOSED);
