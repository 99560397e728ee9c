/**
 * The outbox: messages that must reach a chat. One lane per address, in order; lanes never wait for each other.
 *
 *   put out --- sent -----------------------------> done out      each part: intent (synced) -> send -> sent (platform's ID)
 *      | refused for good, or older than a day ----> dead/<key>.json, then drop out
 *      | twice unknown whether it arrived ---------> unsure/<key>.json, the person gets one notice, then drop out;
 *        except if the platform takes a key or can be asked (`Channel.isExact`): then it is retried until it is known
 *
 * The end of an answer is durable before the answer leaves `out` (`engine/local/outbox.ts`), so that a crash between the
 * two repeats the end and loses nothing.
 *
 * Retries happen only here: `retry_after` is obeyed exactly, and an unreachable platform is retried for 24 h.
 */
import { type Address, type Channel, conversationKey, type OutboundMessage } from '../channels/channel.ts';
import type { Engine, Fence, Outbox, OutboxFile, OutboxLease, OutboxStats } from '../engine/engine.ts';
import { createParts, type PartsOf, UnsureError } from '../engine/parts.ts';
import { backoff, failureKind, failureOf } from '../engine/send-failure.ts';
import { DeliveryError, LeaseLost, StorageError } from '../errors.ts';
import { awakeNow } from '../lib/clock.ts';
import { createLru } from '../lib/lru.ts';
import { isCount, isText, objectOf, shape } from '../lib/shape.ts';
import { within } from '../lib/within.ts';
import { type Logger, scrub } from '../log.ts';
import { type Messages, messagesFor } from '../messages/messages.ts';

const TTL_MS = 24 * 3_600_000;
/** Ends the key of the notice that an answer may not have arrived. It is retried until its own delivery is certain. */
const NOTICE = '-unsure';
/** The pause between two tries of a notice, either of which may have arrived. */
const NOTICE_MS = 10_000;

export interface Delivery {
  /**
   * Resolves when the message is durable. Adding the same key again has no effect.
   * @param again an earlier process may have added it: the disk is checked too
   * @throws LeaseLost if somebody else owns the lane now
   */
  add(message: OutboundMessage, trace: string, again?: boolean, fence?: Fence): Promise<void>;
  /** Returns whether something is being sent to the chat of an address. */
  isBusy(address: OutboundMessage['address']): boolean;
  stats(): Promise<OutboxStats>;
  /** Resolves when nothing is being sent. */
  close(timeoutMs: number): Promise<void>;
}

export type Sends = Pick<Channel, 'id' | 'isExact' | 'send'>;

export interface DeliveryOptions {
  outbox: Outbox;
  /** Undefined while it is switched off. */
  channelOf: (message: OutboundMessage) => Sends | undefined;
  log: Logger;
  /** The language of an address's readers; English if unknown. */
  messagesAt?: (address: OutboundMessage['address']) => Messages;
  onOutcome?: (outcome: 'sent' | 'retry' | 'unsure' | 'dead', entry: OutboxFile, failure?: string) => void;
  /** Called when an attempt begins. The returned function is called when it ends, with a word for the error. */
  watch?: ((entry: OutboxFile) => (failure?: string) => void) | undefined;
  /** Called when a message is given up for good; may be repeated after a crash. Must not throw. */
  onDead?: (message: OutboundMessage, reason: string) => Promise<void>;
  /** Called with the platform's ID of the message that has the buttons; may be repeated. Must not throw. */
  onButtons?: (message: OutboundMessage, messageId: string) => void;
  /** Called with the platform's ID of a part of a digest; may be repeated. */
  onDigest?: (message: OutboundMessage, part: string) => Promise<void>;
  /** Lanes that this process sends; absent: all. */
  claims?: readonly string[];
  /** Several processes send for a bot. */
  shared?: SharedPace | undefined;
  /** 1 except in tests. */
  timeScale?: number;
  now?: () => number;
}

interface Tries {
  failures: number;
  /** How often the channel threw something other than a DeliveryError. */
  broken: number;
}

export const openDelivery = (options: DeliveryOptions): Delivery => new OutboxDelivery(options);

class OutboxDelivery implements Delivery {
  readonly #options: DeliveryOptions;
  readonly #now: () => number;
  readonly #pace: Pace;
  readonly #partsOf: PartsOf;
  readonly #stopping = new AbortController();
  /** Addresses that are being sent to, by chat. */
  readonly #busy = new Map<string, number>();
  /** Pending notices by chat; each covers every answer before it. */
  readonly #notices = new Map<string, string>();
  #active = 0;
  #idle: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#pace = createPace(options.now ?? awakeNow, options.shared);
    this.#partsOf = createParts(options.outbox, this.#now);
    // Start after the caller has been assembled, so that `channelOf` knows its channels.
    setImmediate(() => {
      for (const prefix of options.claims ?? ['']) void this.#deliver(prefix);
    });
  }

  add(message: OutboundMessage, trace: string, isAgain = false, fence?: Fence): Promise<void> {
    const { outbox, messagesAt } = this.#options;
    const language = message.language ?? messagesAt?.(message.address).language;
    const said = { ...message, text: scrub(message.text), ...(language !== undefined && { language }) };
    return outbox.add(said, trace, { isAgain, fence });
  }

  isBusy(to: OutboundMessage['address']): boolean {
    return this.#busy.has(chatKeyOf(to)) || this.#pace.delay(to) > 0;
  }

  stats(): Promise<OutboxStats> {
    return this.#options.outbox.stats();
  }

  async close(timeoutMs: number): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      if (this.#active === 0) resolve();
      this.#idle = resolve;
    });
    this.#stopping.abort();
    this.#options.outbox.close();
    await within(drained, timeoutMs);
  }

  async #deliver(prefix: string): Promise<void> {
    const { outbox } = this.#options;
    for (let lease = await outbox.claim(prefix); lease; lease = await outbox.claim(prefix)) void this.#work(lease);
  }

  /** The next answer of the address waits. */
  async #work(lease: OutboxLease): Promise<void> {
    const { outbox, log } = this.#options;
    const { signal } = this.#stopping;
    const chat = chatKeyOf(lease.entry.message.address);
    const tries: Tries = { failures: 0, broken: 0 };
    this.#active++;
    this.#busy.set(chat, (this.#busy.get(chat) ?? 0) + 1);
    try {
      while (!signal.aborted) {
        const wait = await this.#tried(lease, tries);
        if (wait === 'finished') return;
        await this.#sleep(wait);
      }
      await outbox.release(lease);
    } catch (error) {
      // The lease was lost, so somebody else sends it; or the outbox is unreachable and hands it out again later.
      log.warn({ err: error, trace: lease.entry.trace }, 'an answer is not sent from here any more');
    } finally {
      const lane = conversationKey(lease.entry.message.address);
      if (this.#notices.get(lane) === lease.entry.key) this.#notices.delete(lane);
      const left = (this.#busy.get(chat) ?? 1) - 1;
      if (left > 0) this.#busy.set(chat, left);
      else this.#busy.delete(chat);
      this.#active--;
      if (this.#active === 0) this.#idle?.();
    }
  }

  async #tried(lease: OutboxLease, tries: Tries): Promise<number | 'finished'> {
    try {
      return await this.#attempt(lease, tries);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      const { log } = this.#options;
      log.error({ err: error, lane: lease.lane }, 'the outbox could not be written; its messages are tried again');
      return backoff(tries);
    }
  }

  /** Returns the ms until the next try. */
  async #attempt(lease: OutboxLease, tries: Tries): Promise<number | 'finished'> {
    const { message, createdAt } = lease.entry;
    const channel = this.#options.channelOf(message);
    if (this.#now() - createdAt > TTL_MS)
      return this.#giveUp(lease, 'dead', 'not delivered within 24 hours', 'too-late');
    if (!channel) return backoff(tries);
    const delay = this.#pace.delay(message.address);
    if (delay > 0) return delay;
    const ended = this.#options.watch?.(lease.entry);
    try {
      const ledger = this.#partsOf(lease, channel.isExact === true || isNotice(lease));
      await channel.send(message, {
        part: async (index, post) => this.#noted(message, await ledger.part(index, post)),
        hasButtons: (id) => this.#options.onButtons?.(message, id),
      });
    } catch (error) {
      ended?.(error instanceof StorageError ? 'storage' : failureKind(error));
      // A full or failing disk (of the ledger) isn't the message's fault: it stays and is retried.
      if (error instanceof StorageError || error instanceof LeaseLost) throw error;
      return this.#failed(lease, tries, error);
    }
    ended?.();
    await this.#sent(lease, channel);
    return 'finished';
  }

  async #noted(message: OutboundMessage, part: string): Promise<string> {
    const { onDigest, log } = this.#options;
    // A sent part stays sent; without the note a reply to it goes to the task of its conversation.
    if (message.digest)
      await onDigest?.(message, part).catch((err: unknown) => log.error({ err }, 'a digest could not be noted'));
    return part;
  }

  async #sent(lease: OutboxLease, channel: Sends): Promise<void> {
    const { outbox, onOutcome, log } = this.#options;
    const { trace, message } = lease.entry;
    this.#pace.sent(message.address);
    await outbox.finish(lease);
    onOutcome?.('sent', lease.entry);
    log.debug({ trace, channel: channel.id }, 'delivered');
  }

  async #failed(lease: OutboxLease, tries: Tries, error: unknown): Promise<number | 'finished'> {
    const { log, onOutcome } = this.#options;
    const { trace, message } = lease.entry;
    if (!(error instanceof DeliveryError || error instanceof UnsureError)) {
      tries.broken++;
      log.error({ err: error, trace, tries: tries.broken }, 'the channel failed while sending');
    }
    const failure = failureOf(error, tries.broken, lease.parts.values());
    if (failure.kind === 'over') return this.#giveUp(lease, failure.to, failure.reason, failureKind(error));
    // It is unknown whether an error that no channel should throw will pass: retry a few times, then report it.
    if (failure.kind === 'broken') return backoff(tries);
    onOutcome?.('retry', lease.entry, failureKind(error));
    log.warn({ err: error, trace, lane: message.address.chat }, 'sending is tried again');
    const mayAnnoy = isNotice(lease) && error instanceof DeliveryError && error.ambiguous;
    if (!failure.isLimited) return Math.max(failure.leastMs, backoff(tries), mayAnnoy ? NOTICE_MS : 0);
    this.#pace.limited(message.address, failure.leastMs);
    return failure.leastMs;
  }

  /** The answer leaves the outbox last: after a crash it is given up again, so that people are told at least once. */
  async #giveUp(lease: OutboxLease, to: 'dead' | 'unsure', reason: string, failure: string): Promise<'finished'> {
    const { outbox, log, onDead, onOutcome } = this.#options;
    const { trace, message } = lease.entry;
    log.error({ trace, reason, channel: message.address.channel }, `message moved to ${to}`);
    await outbox.giveUp(lease, to, reason);
    if (to === 'dead') await onDead?.(message, reason);
    else await this.#tellUnsure(lease);
    await outbox.finish(lease);
    onOutcome?.(to, lease.entry, failure);
    return 'finished';
  }

  async #tellUnsure(lease: OutboxLease): Promise<void> {
    const { key, trace, message } = lease.entry;
    const chat = conversationKey(message.address);
    if (isNotice(lease) || this.#notices.has(chat)) return;
    const messages = this.#options.messagesAt?.(message.address) ?? messagesFor(message);
    const text = messages.text('failures.uncertain');
    const id = `${key}${NOTICE}`;
    await this.add({ id, address: message.address, text, files: [] }, trace, true);
    this.#notices.set(chat, id);
  }

  /** Ends early when the outbox is closed. */
  #sleep(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms * (this.#options.timeScale ?? 1));
      signal.addEventListener('abort', done);
    });
  }
}

const isNotice = ({ entry }: OutboxLease): boolean => entry.key.endsWith(NOTICE);

/**
 * Paces sends after a platform has said "slow down" (promise 8). Before that nothing is held back, since platforms
 * allow bursts; from the first 429 on, the chat is slowed down for a while.
 */
interface Pace {
  /** 0 to send now, else ms. */
  delay(address: Address): number;
  /** The platform refused with "retry after". */
  limited(address: Address, retryAfterMs: number): void;
  sent(address: Address): void;
}

const SLOW_FOR_MS = 60_000;
/** Telegram's advice for one chat; Slack's and Discord's limits are similar. */
const SLOW_GAP_MS = 1_050;
const MAX_CHATS = 5_000;

interface ChatPace {
  blockedUntil: number;
  slowUntil: number;
  lastAt: number;
}

/** Topics and threads share their chat's limit. */
export const chatKeyOf = (address: Address): string => `${address.channel} ${address.account} ${address.chat}`;

/** Limits apply to a bot: each process shares the limits it hits. */
type SharedPace = Engine<unknown>;

const TOPIC = 'pace';
const toldShape = shape<{ chat: string; ms: number }>(objectOf({ chat: isText, ms: isCount }));

/** @param shared for several processes; a lost notice costs one more refusal */
export function createPace(now: () => number, shared?: SharedPace): Pace {
  const chats = createLru<ChatPace>(MAX_CHATS);

  function hold(key: string, ms: number): void {
    const before = chats.get(key);
    // A notice that arrives twice, or late, never shortens a wait.
    const until = Math.max(now() + ms, before?.blockedUntil ?? 0);
    chats.set(key, { blockedUntil: until, slowUntil: until + SLOW_FOR_MS, lastAt: before?.lastAt ?? 0 });
  }

  shared?.subscribe(TOPIC, (text) => {
    const { data } = toldShape.safeParse(JSON.parse(text));
    if (data) hold(data.chat, data.ms);
  });
  return {
    delay(address) {
      const chat = chats.get(chatKeyOf(address));
      if (!chat) return 0;
      const at = now();
      if (at >= chat.slowUntil) {
        chats.delete(chatKeyOf(address));
        return 0;
      }
      return Math.max(0, chat.blockedUntil - at, chat.lastAt + SLOW_GAP_MS - at);
    },
    limited(address, retryAfterMs) {
      hold(chatKeyOf(address), retryAfterMs);
      shared?.publish(TOPIC, JSON.stringify({ chat: chatKeyOf(address), ms: retryAfterMs }));
    },
    sent(address) {
      const chat = chats.get(chatKeyOf(address));
      if (chat) chat.lastAt = now();
    },
  };
}
