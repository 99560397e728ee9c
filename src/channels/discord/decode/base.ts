/** Decodes what every event shares: its place, its sender, and the name of a refusal. */
import type { Address, InboundMessage, NameOf, Sender } from '../../channel.ts';
import { type Fields, fields, string, tidyLine } from '../../shared/read.ts';
import type { Commands } from '../../shared/written-command.ts';
import { isThread, type Place, type Role } from './places.ts';
import { id } from './read.ts';

export interface Bot {
  account: string;
  application: string;
  name: string;
}

export interface Context {
  bot: Bot;
  places: { get(channelId: string): Place | undefined; role(roleId: string): Role | undefined };
  threads: 'per-task' | 'off';
  commands: Commands;
  nameOf?: NameOf | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/** An event that isn't handled. `reason` is its name or `message.<what>`: few values, safe to count by. */
export type DroppedEvent = { kind: 'dropped'; reason: string };
export type DecodedEvent = { kind: 'message'; message: InboundMessage } | DroppedEvent;

/** Drops an event. Names come from outside and end up in counters, so only plain ones pass. */
export function dropped(reason: string): DroppedEvent {
  return { kind: 'dropped', reason: /^[\w.-]{1,60}$/.test(reason) ? reason : 'unknown' };
}

/** Returns a channel's address; a thread is under its parent's ID. `guild` is absent in direct messages. */
export function readAddress(channelId: string, guild: string | undefined, { bot, places }: Context): Address {
  const place = places.get(channelId);
  const base = { channel: 'discord', account: bot.account, ...(guild !== undefined && { workspace: guild }) };
  if (guild !== undefined && isThread(place) && place?.parent !== undefined)
    return { ...base, chat: place.parent, thread: channelId };
  return { ...base, chat: channelId };
}

/** Returns the sender. `member` has the person's name in a guild. A webhook counts as a bot. */
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

/** Returns what is known of the thread that a message is in. */
export function inThread({ thread }: Address, places: Context['places']): Partial<InboundMessage> {
  if (thread === undefined) return {};
  const name = places.get(thread)?.name ?? '';
  return { isThread: true, ...(name !== '' && { threadName: name }) };
}

/** Returns the name that people see; for display only. */
export function personName(user: Fields, member: Fields | undefined = fields(user, 'member')): string {
  const names = [member && string(member, 'nick'), string(user, 'global_name'), string(user, 'username')];
  for (const name of names) {
    const shown = tidyLine(name ?? '', 100);
    if (shown !== '') return shown;
  }
  return id(user, 'id') ?? 'unknown';
}
