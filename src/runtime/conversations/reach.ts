/**
 * Whether an answer would be read where a message was written. What the platform tells is known before a model is paid; where it tells
 * nothing, the first refusal is remembered for a while. Whoever asked hears it once, in a direct conversation. All of it is kept in
 * memory alone, and bounded.
 */
import {
  type Address,
  type Barred,
  type Channel,
  conversationKey,
  type InboundMessage,
  type OutboundMessage,
} from '../../channels/channel.ts';
import { createLru } from '../../lib/lru.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import type { Logger } from '../../log.ts';
import { lines, messagesFor, type Said, say, words } from '../../messages/messages.ts';
import type { Delivery } from '../delivery.ts';
import { escaped } from './places.ts';

export interface Reach {
  /** Why nothing we say to this message would arrive where it was written; undefined: nothing is known to be in the way. */
  barred(message: InboundMessage): Promise<Said | undefined>;
  /** It is worked on: should its answer be refused there, its sender is told. */
  begun(message: InboundMessage): void;
  /** Tells whoever wrote it, once for each place until that changes. Resolves when the words are durable, or there is no way to them. */
  tell(message: InboundMessage, why: Said, key: string): Promise<void>;
  /** An answer was refused for good: it goes to whoever asked there, and the next message there asks no model for a while. Never rejects. */
  refused(message: OutboundMessage, reason: string): Promise<void>;
  /** Something of ours arrived there. */
  arrived(message: Pick<OutboundMessage, 'address' | 'interaction'>): void;
}

export interface ReachOptions {
  channelOf: (address: Pick<Address, 'channel'>) => Channel | undefined;
  delivery: Pick<Delivery, 'add'>;
  log: Logger;
}

/** What is needed of a message to answer it elsewhere. */
interface Question {
  address: Address;
  sender: InboundMessage['sender'];
  text: string;
  language?: string;
  prefix?: string;
}

const WHY: Readonly<Record<Barred, Said>> = {
  archived: say('channels.barredArchived'),
  readOnly: say('channels.barredReadOnly'),
  locked: say('channels.barredLocked'),
  muted: say('channels.barredMuted'),
  out: say('channels.barredOut'),
  rights: say('channels.barredRights'),
};
const REFUSED_MS = 10 * 60_000;
const TOLD_MS = 12 * 3_600_000;
const MAX_KEPT = 2_000;
const MAX_QUOTED = 80;
/** Marks are taken out of it before it is quoted. */
const MAX_KEPT_TEXT = 1_000;
const DIRECTLY = '-direct';
/** Where a thread is at fault its chat is not; every other refusal is of all the chat. */
const OF_THREAD = /\bthe thread is\b/;

export function createReach({ channelOf, delivery, log }: ReachOptions): Reach {
  /** By place, when an answer of ours was last refused there. */
  const refusals = createLru<number>(MAX_KEPT);
  /** By place and person, when they were last told. */
  const told = createLru<number>(MAX_KEPT);
  /** By place, the newest message that was worked on. */
  const asked = createLru<Question>(MAX_KEPT);

  async function known(message: InboundMessage): Promise<Said | undefined> {
    try {
      const why = await channelOf(message.address)?.barred?.(message.address);
      return why && WHY[why];
    } catch (error) {
      log.debug({ err: error }, 'a platform did not say whether we may speak in a place');
      return undefined;
    }
  }

  async function directOf({ address, sender }: Question): Promise<Address | undefined> {
    try {
      return await channelOf(address)?.directTo?.(sender.user, address);
    } catch (error) {
      log.info({ err: error }, 'there is no direct conversation with somebody who cannot be answered where they wrote');
      return undefined;
    }
  }

  async function tellDirectly(message: Question, why: Said, key: string, more = ''): Promise<void> {
    const address = await directOf(message);
    if (!address) return;
    const messages = messagesFor(message);
    const quoted = cutText(plainLine(message.text), MAX_QUOTED) || '…';
    const text = messages.text('channels.cannotAnswer', { words: escaped(quoted), why });
    const all = more === '' ? text : lines(text, '', words(more));
    await delivery.add({ id: `${key}${DIRECTLY}`, address, text: all, files: [] }, key, true);
  }

  return {
    async barred(message) {
      if (message.isDirect || message.sender.isBot) return undefined;
      const why = await known(message);
      if (why) return why;
      const all = [conversationKey(message.address), chatKey(message.address)].map((place) => refusals.get(place));
      if (all.some((at) => at !== undefined && performance.now() - at < REFUSED_MS))
        return say('channels.barredRefused');
      told.delete(whom(message));
      return undefined;
    },

    begun(message) {
      if (!message.isDirect && !message.sender.isBot) asked.set(conversationKey(message.address), keptOf(message));
    },

    async tell(message, why, key) {
      const last = told.get(whom(message));
      if (last !== undefined && performance.now() - last < TOLD_MS) return;
      told.set(whom(message), performance.now());
      await tellDirectly(message, why, key);
    },

    async refused({ id, address, text, interaction, digest, askedAt }, reason) {
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

    arrived({ address, interaction }) {
      if (interaction !== undefined) return;
      refusals.delete(conversationKey(address));
      refusals.delete(chatKey(address));
    },
  };
}

/** As many long messages as there are places would fill the memory; a part of a text holds the whole of it until it is copied. */
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
