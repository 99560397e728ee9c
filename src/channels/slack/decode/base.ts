/** What every kind of event shares: who we are, where it happened, and how a refusal is named. */
import type { Address, CommandSpec, InboundMessage, Sender } from '../../channel.ts';
import { type Fields, oneLine, string } from '../../shared/read.ts';

/** What decoding knows of this bot and of people. */
export interface Self {
  userId: string;
  botId: string;
  teamId: string;
  /** Our commands by name. */
  commands: ReadonlyMap<string, CommandSpec>;
  /** The slash command's own name, for example `/viber`. */
  command: string;
  /** A person's name as far as it is known. */
  nameOf: (user: string) => string | undefined;
  /** The language tag of a person who was let in, as far as it is known. */
  languageOf: (user: string) => string | undefined;
  zoneOf: (user: string) => string | undefined;
}

/** `reason` is an event's type, or `message.<subtype>`: few and safe to count by. */
export type Decoded =
  | { kind: 'message'; message: InboundMessage }
  /** The message as it is by now: below a link in it stands what another message says. */
  | { kind: 'preview'; message: InboundMessage }
  | { kind: 'dropped'; reason: string }
  /** A message of ours with files, of which nothing was known but the files. */
  | { kind: 'shared'; address: Address; files: string[]; ts: string }
  /** A person opened the assistant's pane. */
  | { kind: 'assistant'; address: Address; user: string };

/** Keys come from outside and end up in counters, so nothing but a plain name passes. */
export function dropped(reason: string): Decoded {
  return { kind: 'dropped', reason: /^[\w.-]{1,60}$/.test(reason) ? reason : 'unknown' };
}

/** Fresh lists each time: a message may be changed by whoever takes it in. */
export function emptyMessage(): Pick<InboundMessage, 'text' | 'files' | 'facts' | 'quotes'> {
  return { text: '', files: [], facts: [], quotes: [] };
}

export function addressOf(self: Self, chat: string, thread?: string): Address {
  const address = { channel: 'slack', account: self.userId, workspace: self.teamId, chat };
  return thread === undefined ? address : { ...address, thread };
}

/** Direct messages of two: of a person and an app or, where a command was given, of two people. Those of several are groups. */
export function isDirect(chat: string): boolean {
  return chat.startsWith('D');
}

export function readUser(self: Self, user: string, name: string | undefined, isBot: boolean): Sender {
  const shown = self.nameOf(user) || oneLine(name ?? '', 100) || user;
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

/** Slack's ids are capitals and digits; anything else is not one. */
export function readId(from: Fields, key: string): string | undefined {
  const id = string(from, key);
  return id !== undefined && /^[A-Z0-9]{2,24}$/.test(id) ? id : undefined;
}

/** A message's id within its chat: seconds and a counter. */
export function readTs(from: Fields, key: string): string | undefined {
  const ts = string(from, key);
  return ts !== undefined && /^\d{1,12}\.\d{1,9}$/.test(ts) ? ts : undefined;
}

export function millisOf(ts: string): number {
  return Math.floor(Number(ts) * 1000);
}
