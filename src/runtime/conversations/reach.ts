/**
 * Decides whether an answer would be read where a message was written. The platform's report is known before a model is
 * paid; without one, the first refusal is remembered for a while. The sender is notified once, in a direct
 * conversation.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  type Channel,
  conversationKey,
  type InboundMessage,
  type OutboundMessage,
  type WriteBarrier,
} from '../../channels/channel.ts';
import { DeliveryError } from '../../errors.ts';
import { createLru } from '../../lib/lru.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import type { Logger } from '../../log.ts';
import { lines, messagesFor, say, type Wording, words } from '../../messages/messages.ts';
import type { Delivery } from '../delivery.ts';
import { escapeMarkdown } from './places.ts';

export type Reach = ReturnType<typeof createReach>;

interface ReachOptions {
  channelOf: (address: { channel: string }) => Channel | undefined;
  delivery: Delivery;
  log: Logger;
}

interface Question {
  address: Address;
  sender: InboundMessage['sender'];
  text: string;
  language?: string;
  prefix?: string;
}

const WHY: Readonly<Record<WriteBarrier, Wording>> = {
  archived: say('channels.barredArchived'),
  readOnly: say('channels.barredReadOnly'),
  locked: say('channels.barredLocked'),
  muted: say('channels.barredMuted'),
  out: say('channels.barredOut'),
  rights: say('channels.barredRights'),
};
const TRIES = 5;
const MAX_WAIT_MS = 5_000;
const REFUSED_MS = 10 * 60_000;
const TOLD_MS = 12 * 3_600_000;
const MAX_KEPT = 2_000;
const MAX_QUOTED = 80;
/** Markdown is removed before quoting, so more is kept. */
const MAX_KEPT_TEXT = 1_000;
const DIRECTLY = '-direct';
/** Every other refusal concerns the whole chat. */
const OF_THREAD = /\bthe thread is\b/;

export function createReach(options: ReachOptions) {
  const { channelOf, delivery, log } = options;
  const refusals = createLru<number>(MAX_KEPT);
  /** Keyed by place and person. */
  const told = createLru<number>(MAX_KEPT);
  /** The newest message, by place. */
  const asked = createLru<Question>(MAX_KEPT);

  async function tellDirectly(message: Question, why: Wording, key: string, more = ''): Promise<void> {
    const address = await directOf(message, channelOf(message.address), log);
    // With the next message it is tried again.
    if (!address) return void told.delete(whom(message));
    const messages = messagesFor(message);
    const quoted = cutText(plainLine(message.text), MAX_QUOTED) || '…';
    const text = messages.text('channels.cannotAnswer', { words: escapeMarkdown(quoted), why });
    const all = more === '' ? text : lines(text, '', words(more));
    await delivery.add({ id: `${key}${DIRECTLY}`, address, text: all, files: [] }, key, true);
  }

  return {
    /** Returns why no answer to this message would arrive; undefined if no obstacle is known. */
    async barred(message: InboundMessage): Promise<Wording | undefined> {
      if (message.isDirect || message.sender.isBot) return undefined;
      const why = await reportedBarrier(message, options);
      if (why) return why;
      const all = [conversationKey(message.address), chatKey(message.address)].map((place) => refusals.get(place));
      if (all.some((at) => at !== undefined && performance.now() - at < REFUSED_MS))
        return say('channels.barredRefused');
      told.delete(whom(message));
      return undefined;
    },

    /** If the answer to this message is refused there, its sender is notified. */
    begun(message: InboundMessage): void {
      if (!message.isDirect && !message.sender.isBot) asked.set(conversationKey(message.address), keptOf(message));
    },

    /** Notifies the sender, once for each place until that changes. Durable when it resolves, if the sender can be reached. */
    async tell(message: InboundMessage, why: Wording, key: string): Promise<void> {
      const last = told.get(whom(message));
      if (last !== undefined && performance.now() - last < TOLD_MS) return;
      told.set(whom(message), performance.now());
      try {
        await tellDirectly(message, why, key);
      } catch (error) {
        told.delete(whom(message));
        throw error;
      }
    },

    /**
     * Sends a refused answer directly to the person who asked; for a while, new messages there reach no model. Never
     * rejects.
     */
    async refused(message: OutboundMessage, reason: string): Promise<void> {
      const { id, address, text, interaction, digest, askedAt } = message;
      const place = conversationKey(address);
      const question = asked.get(place);
      if (!question || interaction !== undefined || digest || askedAt === undefined || id.endsWith(DIRECTLY)) return;
      refusals.set(OF_THREAD.test(reason) ? place : chatKey(address), performance.now());
      told.set(whom(question), performance.now());
      try {
        await tellDirectly(question, say('channels.barredRefused'), id, text);
      } catch (error) {
        log.error({ err: error }, 'somebody whose answer was refused could not be told');
      }
    },

    arrived({ address, interaction }: { address: Address; interaction?: string }): void {
      if (interaction !== undefined) return;
      refusals.delete(conversationKey(address));
      refusals.delete(chatKey(address));
    },
  };
}

/** Returns the barrier that the platform reports. */
async function reportedBarrier(
  { address }: InboundMessage,
  { channelOf, log }: ReachOptions,
): Promise<Wording | undefined> {
  try {
    const why = await channelOf(address)?.barred?.(address);
    return why && WHY[why];
  } catch (error) {
    log.debug({ err: error }, 'a platform did not say whether we may speak in a place');
    return undefined;
  }
}

/** Returns where the person reads in private, after a few tries. */
async function directOf(
  { address, sender }: Question,
  channel: Channel | undefined,
  log: Logger,
): Promise<Address | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await channel?.directTo?.(sender.user, address);
    } catch (error) {
      const wait = error instanceof DeliveryError && tries < TRIES ? error.retryAfterMs : undefined;
      log.info({ err: error, wait }, 'no direct conversation with somebody who cannot be answered where they wrote');
      if (wait === undefined) return undefined;
      await sleep(Math.min(wait, MAX_WAIT_MS), undefined, { ref: false });
    }
  }
}

/** Long messages for every place would fill the memory, and a substring retains the whole text until it is copied. */
const keptOf = ({ address, sender, text, language, prefix }: InboundMessage): Question =>
  structuredClone({
    address,
    sender,
    text: text.slice(0, MAX_KEPT_TEXT),
    ...(language !== undefined && { language }),
    ...(prefix !== undefined && { prefix }),
  });

const chatKey = ({ thread: _any, ...chat }: Address): string => conversationKey(chat);
const whom = ({ address, sender }: Question): string => JSON.stringify([chatKey(address), sender.user]);
