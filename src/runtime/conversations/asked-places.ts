/** Which messages an answer belongs to, and where a job's question may be answered. */
import { type Address, conversationKey, formatAddress, type InboundMessage } from '../../channels/channel.ts';
import type { JobOrder } from '../contract/entry.ts';
import { escaped } from './places.ts';

const NOWHERE = 'job';

/** In a chat with others an answer says which message it belongs to. */
export const isReply = (message: InboundMessage): boolean => !message.isDirect && message.interaction === undefined;

/**
 * The messages to which a question of a job's run is an answer: its own, and the same as if from each other place where an
 * owner can be asked. None where nobody can.
 */
export function placesToAsk(message: InboundMessage, job: JobOrder | undefined): InboundMessage[] {
  const all = [message.address, ...(job?.asks ?? [])].filter(({ channel }) => channel !== NOWHERE);
  const places = new Map(all.map((address) => [conversationKey(address), address]));
  return [...places.values()].map((address) => (address === message.address ? message : { ...message, address }));
}

/** An address for questions that nobody can be asked. */
export const nowhere = (job: string): Address => ({ channel: NOWHERE, account: 'jobs', chat: job });

/** A name in quotes, as words in a text of ours: no mark of Markdown in it counts. */
export const quotedName = (name: string): string => escaped(JSON.stringify(name));

/** As a job's run stores where its result goes. */
export const withAccount = (address: Address): string => formatAddress(address, { account: true });
