/** Decodes what every kind of event shares: the bot's identity, the place, and the name of a refusal. */
import type { Address, CommandSpec, InboundMessage, Sender } from '../../channel.ts';
import { type Fields, fields, string, tidyLine } from '../../shared/read.ts';

/** Facts about this bot and about people that decoding needs. */
export interface Self {
  userId: string;
  botId: string;
  teamId: string;
  commands: ReadonlyMap<string, CommandSpec>;
  /** The slash command's own name, such as `/viber`. */
  command: string;
  nameOf: (user: string) => string | undefined;
  /** Returns the language tag of an admitted person, if known. */
  languageOf: (user: string) => string | undefined;
  zoneOf: (user: string) => string | undefined;
}

/** The result of decoding. `reason` is an event's type or `message.<subtype>`: few values, safe to count by. */
export type DecodedEvent =
  | { kind: 'message'; message: InboundMessage }
  /** The current state of a message that now shows the linked message below its link. */
  | { kind: 'preview'; message: InboundMessage }
  | { kind: 'dropped'; reason: string }
  /** Our own message with files; only the files were known before. */
  | { kind: 'shared'; address: Address; files: string[]; ts: string }
  /** A person opened the assistant's pane. */
  | { kind: 'assistant'; address: Address; user: string };

/** Drops an event. Keys come from outside and end up in counters, so only plain names pass. */
export function dropped(reason: string): DecodedEvent {
  return { kind: 'dropped', reason: /^[\w.-]{1,60}$/.test(reason) ? reason : 'unknown' };
}

export function slackAddress(self: Self, chat: string, thread?: string): Address {
  const address = { channel: 'slack', account: self.userId, workspace: self.teamId, chat };
  return thread === undefined ? address : { ...address, thread };
}

/**
 * Returns whether it is a direct message of two: of a person and an app or, where a command was given, of two people.
 * Those of several are groups.
 */
export function isDirect(chat: string): boolean {
  return chat.startsWith('D');
}

export function readUser(self: Self, user: string, name: string | undefined, isBot: boolean): Sender {
  const shown = self.nameOf(user) || tidyLine(name ?? '', 100) || user;
  const language = self.languageOf(user);
  const timezone = self.zoneOf(user);
  return {
    user,
    name: shown,
    isBot,
    ...(language !== undefined && { language }),
    ...(timezone !== undefined && { timezone }),
  };
}

/** Returns whether this bot wrote the message. */
export const isOwn = ({ user, bot_id }: Fields, { userId, botId }: { userId: string; botId: string }): boolean =>
  user === userId || (botId !== '' && bot_id === botId);

/** Returns the author's name, if the message holds it. */
export function givenName(message: Fields): string | undefined {
  const profile = fields(message, 'user_profile') ?? fields(message, 'bot_profile') ?? {};
  const name = string(profile, 'display_name') || string(profile, 'real_name') || string(profile, 'name');
  return name ?? string(message, 'username');
}

/** Returns an ID: Slack's consist of capitals and digits. */
export function readId(from: Fields, key: string): string | undefined {
  const id = string(from, key);
  return id !== undefined && /^[A-Z0-9]{2,24}$/.test(id) ? id : undefined;
}

/** Returns a message's ID within its chat: seconds and a counter. */
export function readTs(from: Fields, key: string): string | undefined {
  const ts = string(from, key);
  return ts !== undefined && /^\d{1,12}\.\d{1,9}$/.test(ts) ? ts : undefined;
}

export function millisOf(ts: string): number {
  return Math.floor(Number(ts) * 1000);
}
