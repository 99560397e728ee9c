/**
 * The outbox: what must reach a chat. One lane an address, in order; lanes never wait for each other.
 *
 *   put out --- sent -----------------------------> done out      each part: intent (synced) -> send -> sent (platform's id)
 *      | refused for good, or older than a day ----> dead/<key>.json, then drop out
 *      | twice unknown whether it arrived ---------> unsure/<key>.json, the person is told once, then drop out;
 *        not where the platform takes a key or can be asked (`Channel.isExact`): there it is tried until it is known
 *
 * put, done and drop are lines of the log (`engine/local/log-lines.ts`). What ends an answer is durable before it leaves `out`, so
 * that a crash between the two repeats the end and loses nothing.
 *
 * Retrying lives here and nowhere else: `retry_after` is obeyed exactly, an unreachable platform is tried again for 24 h.
 */
import { type Channel, conversationKey, type OutboundMessage } from '../channels/channel.ts';
import type { OutboxFile } from '../engine/engine.ts';
import type { Ledger, PartState } from '../engine/local/ledger.ts';
import { chatOf, createPace, type Pace } from '../engine/local/pace.ts';
import { createParts, type PartsOf, UnsureError } from '../engine/local/parts.ts';
import { backoff, failureOf } from '../engine/local/send-failure.ts';
import type { SpoolStore } from '../engine/local/store.ts';
import { DeliveryError, StorageError } from '../errors.ts';
import { type Logger, scrub } from '../log.ts';
import { outboxShape } from './contract/spool-shapes.ts';

const TTL_MS = 24 * 3_600_000;

export interface Delivery {
  /**
   * Durable when it resolves; sending goes on by itself. The same key again has no effect; `again` says that an earlier
   * process may have added it, so that the disk is asked as well.
   */
  add(message: OutboundMessage, trace: string, again?: boolean): Promise<void>;
  /** Milliseconds since the epoch of the oldest message not yet delivered. */
  oldest(): number | undefined;
  /** Whether something waits to be sent to the chat of an address. */
  isBusy(address: OutboundMessage['address']): boolean;
  counts(): { waiting: number; unsure: number; dead: number };
  /** Resolves when nothing is being sent; entries that wait for a retry stay on disk. */
  close(timeoutMs: number): Promise<void>;
}

export interface DeliveryOptions {
  store: SpoolStore;
  ledger: Ledger;
  /** The channel of an address; undefined while it is switched off. */
  channelOf: (message: OutboundMessage) => Channel | undefined;
  log: Logger;
  onOutcome?: (outcome: 'sent' | 'retry' | 'unsure' | 'dead') => void;
  /** A message was given up for good; may be told again after a crash. Must not throw. */
  onDead?: (message: OutboundMessage, reason: string) => Promise<void>;
  /** Scales every wait; 1 except in tests. */
  timeScale?: number;
  now?: () => number;
}

interface Lane {
  chat: string;
  /** Durable, oldest first. */
  entries: OutboxFile[];
  /** Being written. */
  adding: number;
  running: boolean;
  failures: number;
}

/** Opens the outbox and takes up what an earlier process left. */
export const openDelivery = (options: DeliveryOptions): Delivery => new Outbox(options);

class Outbox implements Delivery {
  readonly #options: DeliveryOptions;
  readonly #now: () => number;
  readonly #lanes = new Map<string, Lane>();
  readonly #pace: Pace;
  readonly #partsOf: PartsOf;
  readonly #stopping = new AbortController();
  /** Answers that are not delivered yet, those being stored included. */
  readonly #known: Set<string>;
  readonly #partStates: Map<string, Map<number, PartState>>;
  /** How often the channel threw something else than a DeliveryError. */
  readonly #brokenOf = new Map<string, number>();
  #lastSeq = 0;
  #active = 0;
  #idle: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#pace = createPace(this.#now);
    this.#partsOf = createParts(options.ledger, this.#now);
    const left = leftIn(options.store);
    this.#known = new Set(left.map(({ key }) => key));
    const createdAt = new Map(left.map((entry) => [entry.key, entry.createdAt]));
    this.#partStates = options.ledger.load(this.#known, (key) => createdAt.get(key));
    for (const entry of left) this.#takeUp(entry);
    // After the caller has finished composing, so that `channelOf` knows its channels.
    setImmediate(() => {
      for (const [key, lane] of this.#lanes) void this.#work(key, lane);
    });
  }

  async add(message: OutboundMessage, trace: string, again = false): Promise<void> {
    const key = message.id;
    if (again ? this.#has(key) : this.#known.has(key)) return;
    this.#known.add(key);
    const createdAt = this.#now();
    this.#lastSeq = Math.max(this.#lastSeq + 1, createdAt * 1000);
    const [name, lane] = this.#laneOf(message);
    const sending = lane.entries.length + lane.adding === 0;
    const clean = { ...message, text: scrub(message.text) };
    const entry: OutboxFile = { key, trace, createdAt, seq: this.#lastSeq, message: clean, sending };
    lane.adding++;
    try {
      await this.#options.store.put('out', key, entry);
      lane.entries.push(entry);
    } catch (error) {
      this.#known.delete(key);
      throw error;
    } finally {
      lane.adding--;
    }
    void this.#work(name, lane);
  }

  oldest(): number | undefined {
    const times = [...this.#lanes.values()].flatMap((lane) => lane.entries.slice(0, 1).map((entry) => entry.createdAt));
    return times.length ? Math.min(...times) : undefined;
  }

  isBusy(to: OutboundMessage['address']): boolean {
    const isWaiting = [...this.#lanes.values()].some((lane) => lane.entries[0] && lane.chat === chatOf(to));
    return isWaiting || this.#pace.delay(to) > 0;
  }

  counts(): { waiting: number; unsure: number; dead: number } {
    const { store } = this.#options;
    return { waiting: this.#known.size, unsure: store.names('unsure').length, dead: store.names('dead').length };
  }

  async close(timeoutMs: number): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      if (this.#active === 0) resolve();
      this.#idle = resolve;
    });
    this.#stopping.abort();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const handle = setTimeout(resolve, timeoutMs);
    await Promise.race([drained, late]);
    clearTimeout(handle);
  }

  /** Its first part may have been sent when the earlier process ended. */
  #takeUp(entry: OutboxFile): void {
    if (entry.sending && !this.#partStates.get(entry.key)?.has(0)) {
      this.#partStates.set(entry.key, new Map([[0, { unsure: 0, open: true, since: entry.createdAt }]]));
    }
    entry.sending = false;
    this.#laneOf(entry.message)[1].entries.push(entry);
    this.#lastSeq = Math.max(this.#lastSeq, entry.seq);
  }

  #has(key: string): boolean {
    const { store } = this.#options;
    const isOver = () => store.wasFinished(`${key}.out`) || store.has('dead', key) || store.has('unsure', key);
    return this.#known.has(key) || isOver();
  }

  #laneOf(message: OutboundMessage): [string, Lane] {
    const key = conversationKey(message.address);
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { entries: [], adding: 0, running: false, failures: 0, chat: chatOf(message.address) };
      this.#lanes.set(key, lane);
    }
    return [key, lane];
  }

  /** Sends the lane's entries one after the other until it is empty. */
  async #work(key: string, lane: Lane): Promise<void> {
    const { signal } = this.#stopping;
    if (lane.running || signal.aborted) return;
    lane.running = true;
    this.#active++;
    try {
      for (let entry = lane.entries[0]; entry && !signal.aborted; entry = lane.entries[0]) {
        const wait = await this.#attempt(entry, lane);
        if (wait === 'finished') lane.entries.shift();
        else await this.#sleep(wait);
      }
      if (lane.entries.length + lane.adding === 0) this.#lanes.delete(key);
    } catch (error) {
      const { log, timeScale = 1 } = this.#options;
      log.error({ err: error, lane: key }, 'the outbox could not be written; its messages are tried again');
      setTimeout(() => void this.#work(key, lane), backoff(lane) * timeScale).unref();
    } finally {
      lane.running = false;
      this.#active--;
      if (this.#active === 0) this.#idle?.();
    }
  }

  /** Tries once. Gives the milliseconds to wait before the next try, or `finished`. */
  async #attempt(entry: OutboxFile, lane: Lane): Promise<number | 'finished'> {
    const { message, key } = entry;
    const channel = this.#options.channelOf(message);
    if (this.#now() - entry.createdAt > TTL_MS) return this.#giveUp(entry, 'dead', 'not delivered within 24 hours');
    if (!channel) return backoff(lane);
    const delay = this.#pace.delay(message.address);
    if (delay > 0) return delay;
    const states = this.#partStates.get(key) ?? new Map<number, PartState>();
    this.#partStates.set(key, states);
    try {
      await channel.send(message, this.#partsOf(entry, states, channel.isExact === true));
    } catch (error) {
      // A full or failing disk (the ledger's) is no fault of the message: it stays and is tried again.
      if (error instanceof StorageError) throw error;
      return this.#failed(entry, lane, error, states);
    }
    this.#sent(entry, lane, channel);
    return 'finished';
  }

  #sent(entry: OutboxFile, lane: Lane, channel: Channel): void {
    const { store, onOutcome, log } = this.#options;
    lane.failures = 0;
    this.#pace.sent(entry.message.address);
    store.finish('out', entry.key, `${entry.key}.out`);
    this.#forget(entry);
    onOutcome?.('sent');
    log.debug({ trace: entry.trace, channel: channel.id }, 'delivered');
  }

  /** Does what a failure asks for. Gives what `#attempt` does. */
  async #failed(
    entry: OutboxFile,
    lane: Lane,
    error: unknown,
    states: Map<number, PartState>,
  ): Promise<number | 'finished'> {
    const { log, onOutcome } = this.#options;
    const { key, trace, message } = entry;
    const isBroken = !(error instanceof DeliveryError || error instanceof UnsureError);
    const tries = (this.#brokenOf.get(key) ?? 0) + (isBroken ? 1 : 0);
    if (isBroken) {
      this.#brokenOf.set(key, tries);
      log.error({ err: error, trace, tries }, 'the channel failed while sending');
    }
    const failure = failureOf(error, tries, states.values());
    if (failure.kind === 'over') return this.#giveUp(entry, failure.to, failure.reason);
    // Whether what a channel never should throw passes is not known: it is tried a few times, and then told.
    if (failure.kind === 'broken') return backoff(lane);
    onOutcome?.('retry');
    log.warn({ err: error, trace, lane: message.address.chat }, 'sending is tried again');
    if (!failure.isLimited) return Math.max(failure.leastMs, backoff(lane));
    this.#pace.limited(message.address, failure.leastMs);
    return failure.leastMs;
  }

  /** The entry leaves `out` last: after a crash before that it is given up again, and people are told at least once. */
  async #giveUp(entry: OutboxFile, to: 'dead' | 'unsure', reason: string): Promise<'finished'> {
    const { store, log, onDead, onOutcome } = this.#options;
    log.error({ trace: entry.trace, reason, channel: entry.message.address.channel }, `message moved to ${to}`);
    await store.put(to, entry.key, { ...entry, reason });
    if (to === 'dead') await onDead?.(entry.message, reason);
    else await this.#tellUnsure(entry);
    store.remove('out', entry.key);
    this.#forget(entry);
    onOutcome?.(to);
    return 'finished';
  }

  #tellUnsure({ key, trace, message: { address } }: OutboxFile): Promise<void> {
    const text = `I cannot tell whether my last message reached you (trace ${trace}). If it is missing, send /status.`;
    return this.add({ id: `${key}-unsure`, address, text, files: [] }, trace, true);
  }

  #forget({ key }: OutboxFile): void {
    this.#known.delete(key);
    this.#partStates.delete(key);
    this.#brokenOf.delete(key);
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

function leftIn(store: SpoolStore): OutboxFile[] {
  const left = store.names('out').flatMap((name) => store.read('out', name, outboxShape) ?? []);
  return left.sort((a, b) => a.seq - b.seq);
}
