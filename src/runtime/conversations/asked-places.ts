/** Decides where a job's question may be answered. */
import { type Address, conversationKey, formatAddress, type InboundMessage } from '../../channels/channel.ts';
import type { JobOrder } from '../contract/entry.ts';
import { escapeMarkdown } from './places.ts';

const NOWHERE = 'job';

/**
 * Returns the messages that a question of a job's run replies to: the job's own, and copies of it at each other place
 * where an owner can be asked. Empty if nobody can be asked.
 */
export function placesToAsk(message: InboundMessage, job: JobOrder | undefined): InboundMessage[] {
  const all = [message.address, ...(job?.asks ?? [])].filter(({ channel }) => channel !== NOWHERE);
  const places = new Map(all.map((address) => [conversationKey(address), address]));
  return [...places.values()].map((address) => (address === message.address ? message : { ...message, address }));
}

/** Returns an address for questions that nobody can be asked. */
export const nowhere = (job: string): Address => ({ channel: NOWHERE, account: 'jobs', chat: job });

/** Quotes a name for use in our texts; Markdown in it has no effect. */
export const quotedName = (name: string): string => escapeMarkdown(JSON.stringify(name));

/** Formats an address the way a job's run stores where its result goes. */
export const withAccount = (address: Address): string => formatAddress(address, { account: true });
