/** What the bot may do where. It has everything a bot asks for when it is invited, less what a test took away. */
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

/** The bits of these names; throws for a name there is not. */
export function bitsOf(names: string[]): string {
  let bits = 0n;
  for (const name of names) {
    if (!isPermission(name)) throw new Error(`no permission "${name}"; there are ${Object.keys(BITS).join(', ')}`);
    bits |= 1n << BigInt(BITS[name]);
  }
  return bits.toString();
}

export const ALL_BITS = bitsOf(Object.keys(BITS));

export function may(world: World, channel: StoredChannel, permission: Permission): boolean {
  if (channel.type === DM) return true;
  const parent = channel.parentId === null ? undefined : world.channels.get(channel.parentId);
  return !channel.denied.includes(permission) && !(channel.thread && parent?.denied.includes(permission));
}

/** What the bot may do in a channel, as the bits Discord tells it. */
export function bitsIn(world: World, channel: StoredChannel): string {
  return bitsOf(Object.keys(BITS).filter((name) => isPermission(name) && may(world, channel, name)));
}

/** Whether the bot sees the channel; a private thread only as a member or with the right to manage threads. */
export function sees(world: World, channel: StoredChannel): boolean {
  if (!may(world, channel, 'ViewChannel')) return false;
  const isGone = channel.guildId !== null && !world.guilds.get(channel.guildId)?.isAvailable;
  if (isGone) return false;
  return channel.type !== 12 || channel.thread?.members.has(world.bot.id) || may(world, channel, 'ManageThreads');
}

/** Throws 50001 when the bot does not see the channel, 50013 when it lacks one of these. */
export function demand(world: World, channel: StoredChannel, ...permissions: Permission[]): void {
  if (!sees(world, channel)) throw refuse(50_001);
  for (const permission of permissions) if (!may(world, channel, permission)) throw refuse(50_013);
}
