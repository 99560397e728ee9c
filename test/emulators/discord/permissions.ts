/**
 * Determines what the bot may do where. It has everything that a bot requests when it is invited, except what a test
 * took away.
 */
import { refuse } from './errors.ts';
import { DM, type StoredChannel, type World } from './world.ts';

/** https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags */
const BITS = {
  AddReactions: 6,
  ViewChannel: 10,
  SendMessages: 11,
  ManageChannels: 4,
  ManageMessages: 13,
  EmbedLinks: 14,
  AttachFiles: 15,
  ReadMessageHistory: 16,
  MentionEveryone: 17,
  UseExternalEmojis: 18,
  UseApplicationCommands: 31,
  ManageThreads: 34,
  CreatePublicThreads: 35,
  CreatePrivateThreads: 36,
  SendMessagesInThreads: 38,
} as const;

export type Permission = keyof typeof BITS;

function isPermission(name: string): name is Permission {
  return Object.hasOwn(BITS, name);
}

/** Returns the bits of these names; throws for an unknown name. */
export function bitsOf(names: string[]): string {
  let bits = 0n;
  for (const name of names) {
    if (!isPermission(name)) throw new Error(`no permission "${name}"; there are ${Object.keys(BITS).join(', ')}`);
    bits |= 1n << BigInt(BITS[name]);
  }
  return bits.toString();
}

/** What the invitation in docs/discord.md grants. */
export const INVITED = 309_237_746_752n;
/** The bot also has what everybody may do in a new server, of which this matters here. */
const GRANTED = INVITED | (1n << BigInt(BITS.MentionEveryone));
export const ALL_BITS = INVITED.toString();

/** What the bot's requests have needed, in this process. */
export const demanded = new Set<Permission>();

export function may(world: World, channel: StoredChannel, permission: Permission): boolean {
  if (channel.type === DM) return true;
  if ((GRANTED & (1n << BigInt(BITS[permission]))) === 0n) return false;
  const parent = channel.parentId === null ? undefined : world.channels.get(channel.parentId);
  return !channel.denied.includes(permission) && !(channel.thread && parent?.denied.includes(permission));
}

/** Returns what the bot may do in a channel, as the bits that Discord reports. */
export function bitsIn(world: World, channel: StoredChannel): string {
  return bitsOf(Object.keys(BITS).filter((name) => isPermission(name) && may(world, channel, name)));
}

/** Returns whether the bot sees the channel. A private thread requires membership or the right to manage threads. */
export function sees(world: World, channel: StoredChannel): boolean {
  if (!may(world, channel, 'ViewChannel')) return false;
  const isGone = channel.guildId !== null && !world.guilds.get(channel.guildId)?.isAvailable;
  if (isGone) return false;
  return channel.type !== 12 || channel.thread?.members.has(world.bot.id) || may(world, channel, 'ManageThreads');
}

/** Throws 50001 if the bot doesn't see the channel, 50013 if it lacks one of these permissions. */
export function demand(world: World, channel: StoredChannel, ...permissions: Permission[]): void {
  if (channel.type !== DM) for (const each of ['ViewChannel' as const, ...permissions]) demanded.add(each);
  if (!sees(world, channel)) throw refuse(50_001);
  for (const permission of permissions) if (!may(world, channel, permission)) throw refuse(50_013);
}
