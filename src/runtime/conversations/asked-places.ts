/** Decides where a job's question may be answered. */
import { type Address, conversationKey, formatAddress, type InboundMessage } from '../../channels/channel.ts';
import type { JobOrder } from '../contract/entry.ts';
import { escapeMarkdown } from './places.ts';

const NOWHERE = 'job';

/** Returns a message for each place where an owner can be asked: the job's own, and copies of it. */
export function placesToAsk(message: InboundMessage, job: JobOrder | undefined): InboundMessage[] {
  const all = [message.address, ...(job?.asks ?? [])].filter(({ channel }) => channel !== NOWHERE);
  const places = new Map(all.map((address) => [conversationKey(address), address]));
  return [...places.values()].map((address) => (address === message.address ? message : { ...message, address }));
}

export const nowhere = (job: string): Address => ({ channel: NOWHERE, account: 'jobs', chat: job });

/** Markdown in the name has no effect. */
export const quotedName = (name: string): string => escapeMarkdown(JSON.stringify(name));

/** The form in which a job's run stores where its result goes. */
export const withAccount = (address: Address): string => formatAddress(address, { account: true });
