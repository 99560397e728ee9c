/**
 * Defines addresses: where a conversation takes place (as a value, a key and text) and who writes there. Part of the
 * seam; imports nothing.
 */

/** The place of a conversation. `account` is the bot's own ID on the platform, so that two bots never mix. */
export interface Address {
  channel: string;
  account: string;
  /** The team or server, on platforms that have them. */
  workspace?: string;
  chat: string;
  /** A thread, or a topic of a forum. */
  thread?: string;
}

/** Returns the configured name of a person by their ID on a platform. */
export type NameOf = (user: string, workspace?: string) => string | undefined;

/** The person who wrote, as the platform names them. Only `user` identifies; the names are for display. */
export interface Sender {
  user: string;
  name: string;
  username?: string;
  isBot: boolean;
  /** The language of the person's client, as the platform names it: `de`, `en-US`. */
  language?: string;
  /** The person's time zone, as the platform names it: `Europe/Berlin`. */
  timezone?: string;
}

/** Returns the conversation's key. Injective: two addresses have the same key only if all five fields are equal. */
export function conversationKey(address: Address): string {
  const { channel, account, workspace, chat, thread } = address;
  return JSON.stringify([channel, account, workspace ?? null, chat, thread ?? null]);
}

/** The channel of programs. Each program has a conversation; each task it submits is another one, a thread of it. */
export const API = 'api';
/** The channel of programs that submit tasks through a hub that this gateway has dialled. */
export const HUB = 'hub';

/** Returns whether everything said at the address is about one task, no matter who says it. */
export const isProgramTask = ({ channel, thread }: Address): boolean =>
  (channel === API || channel === HUB) && thread !== undefined;

/** Writes an address as `<channel>[@account]:<chat>[:<thread>]`, the form used in job files and configuration. */
export function formatAddress(address: Address, options: { account?: boolean } = {}): string {
  const account = options.account ? `@${address.account}` : '';
  const thread = address.thread === undefined ? '' : `:${address.thread}`;
  return `${address.channel}${account}:${address.chat}${thread}`;
}

/** An address as people write it. Without the account it means the channel's only bot. */
export type WrittenAddress = Omit<Address, 'account'> & { account?: string };

const WRITTEN = /^([a-z][a-z0-9-]{0,31})(?:@([\w.-]{1,64}))?:([^\s:]{1,64})(?::([^\s:]{1,64}))?$/;

/** Parses the output of `formatAddress`; returns undefined for anything else. The workspace isn't part of the text. */
export function parseAddress(text: string): WrittenAddress | undefined {
  const [, channel, account, chat, thread] = WRITTEN.exec(text.trim()) ?? [];
  if (channel === undefined || chat === undefined) return undefined;
  return { channel, chat, ...(account === undefined ? {} : { account }), ...(thread === undefined ? {} : { thread }) };
}
