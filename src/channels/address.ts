/** Addresses: where a conversation takes place, as a value, as a key and as people write it, and who writes there. Part of the seam; imports nothing. */

/** Where a conversation takes place. `account` is the bot's own id on the platform, so that two bots never mix. */
export interface Address {
  channel: string;
  account: string;
  /** A team or server, on platforms that have them. */
  workspace?: string;
  chat: string;
  /** A thread, or a topic of a forum. */
  thread?: string;
}

/** The name of somebody whom the configuration names, by their id on a platform. */
export type NameOf = (user: string, workspace?: string) => string | undefined;

/** The person who wrote, as the platform names them. Only `user` identifies; names are for showing. */
export interface Sender {
  user: string;
  name: string;
  username?: string;
  isBot: boolean;
  /** The language they use the platform in, as it names it: `de`, `en-US`. */
  language?: string;
  /** Where their clock goes by, as the platform knows it: `Europe/Berlin`. */
  timezone?: string;
}

/** Injective: two addresses have the same key only if all five fields are equal. */
export function conversationKey(address: Address): string {
  const { channel, account, workspace, chat, thread } = address;
  return JSON.stringify([channel, account, workspace ?? null, chat, thread ?? null]);
}

/** Where programs come in: each has a conversation, and each task that it submits is another, whose thread it is. */
export const API = 'api';
/** The programs of a hub that this gateway has dialled. */
export const HUB = 'hub';

/** What is said there is about one task alone, whoever says it. */
export const isProgramTask = ({ channel, thread }: Address): boolean =>
  (channel === API || channel === HUB) && thread !== undefined;

/** `<channel>[@account]:<chat>[:<thread>]`, the form people write in job files and configuration. */
export function formatAddress(address: Address, options: { account?: boolean } = {}): string {
  const account = options.account ? `@${address.account}` : '';
  const thread = address.thread === undefined ? '' : `:${address.thread}`;
  return `${address.channel}${account}:${address.chat}${thread}`;
}

/** An address as people write it: without the account, it is the one bot of that channel. */
export type WrittenAddress = Omit<Address, 'account'> & { account?: string };

const WRITTEN = /^([a-z][a-z0-9-]{0,31})(?:@([\w.-]{1,64}))?:([^\s:]{1,64})(?::([^\s:]{1,64}))?$/;

/** What `formatAddress` gives, read back; undefined for anything else. The workspace is not part of it. */
export function parseAddress(text: string): WrittenAddress | undefined {
  const [, channel, account, chat, thread] = WRITTEN.exec(text.trim()) ?? [];
  if (channel === undefined || chat === undefined) return undefined;
  return { channel, chat, ...(account === undefined ? {} : { account }), ...(thread === undefined ? {} : { thread }) };
}
