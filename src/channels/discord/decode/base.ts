/** What every event shares: where it happened, who did it, and how a refusal is named. */
import type { Address, InboundMessage, NameOf, Sender } from '../../channel.ts';
import { type Fields, fields, oneLine, string } from '../../shared/read.ts';
import type { Commands } from '../../shared/written-command.ts';
import { isThread, type Place, type Role } from './places.ts';
import { id } from './read.ts';

/** Who we are on the platform. */
export interface Bot {
  account: string;
  application: string;
  name: string;
}

export interface Context {
  bot: Bot;
  places: { get(channelId: string): Place | undefined; role(roleId: string): Role | undefined };
  threads: 'per-task' | 'off';
  /** Our commands by name. */
  commands: Commands;
  /** Names of people whom the configuration names. */
  nameOf?: NameOf | undefined;
  /** Milliseconds. */
  now: number;
}

/** `reason` is an event's name, or `message.<what>`: few and safe to count by. */
export type Dropped = { kind: 'dropped'; reason: string };
export type Decoded = { kind: 'message'; message: InboundMessage } | Dropped;

/** Names come from outside and end up in counters, so nothing but a plain one passes. */
export function dropped(reason: string): Dropped {
  return { kind: 'dropped', reason: /^[\w.-]{1,60}$/.test(reason) ? reason : 'unknown' };
}

/** Fresh lists each time: a message may be changed by whoever takes it in. */
export function emptyMessage(): Pick<InboundMessage, 'text' | 'files' | 'facts' | 'quotes' | 'isMention'> {
  return { text: '', files: [], facts: [], quotes: [], isMention: false };
}

/** Where the channel is: a thread stands under its parent's id. `guild` is absent in direct messages. */
export function readAddress(channelId: string, guild: string | undefined, { bot, places }: Context): Address {
  const place = places.get(channelId);
  const base = { channel: 'discord', account: bot.account, ...(guild !== undefined && { workspace: guild }) };
  if (guild !== undefined && isThread(place) && place?.parent !== undefined)
    return { ...base, chat: place.parent, thread: channelId };
  return { ...base, chat: channelId };
}

/** `member` has the name a person goes by in a guild. A webhook's messages come from no person. */
export function readSender(
  user: Fields | undefined,
  member: Fields | undefined,
  isWebhook: boolean,
): Sender | undefined {
  const userId = user && id(user, 'id');
  if (!user || userId === undefined) return undefined;
  const username = string(user, 'username');
  return {
    user: userId,
    name: personName(user, member),
    ...(username !== undefined && /^[\w.]{1,64}$/.test(username) && { username }),
    isBot: isWebhook || user.bot === true || user.system === true,
  };
}

/** The name as people see it; for showing only. */
export function personName(user: Fields, member: Fields | undefined = fields(user, 'member')): string {
  const names = [member && string(member, 'nick'), string(user, 'global_name'), string(user, 'username')];
  for (const name of names) {
    const shown = oneLine(name ?? '', 100);
    if (shown !== '') return shown;
  }
  return id(user, 'id') ?? 'unknown';
}
