/**
 * The outbox: what must reach a chat. One lane an address, in order; lanes never wait for each other.
 *
 *   out/<key>.json --sent--> done/<day>/<key>.out.json      every part: intent (synced) -> send -> sent(platform id)
 *        | refused for good, or older than a day -----------> dead/<key>.json
 *        | twice unknown whether it arrived ----------------> unsure/<key>.json, and the person is told once (R4);
 *          not where the platform takes a key or can be asked (`Channel.isExact`): there it is tried until it is known
 *
 * Retrying lives here and nowhere else: `retry_after` is obeyed exactly, an unreachable platform is tried again after
 * 1 s, doubling to 5 min with jitter, for 24 h.
 */
import { type Channel, conversationKey, type OutboundMessage } from '../channels/channel.ts';
import type { OutboxFile } from '../engine/engine.ts';
import type { Ledger, PartState } from '../engine/local/ledger.ts';
import { chatOf, createPace, type Pace } from '../engine/local/pace.ts';
import { createParts, UnsureError } from '../engine/local/parts.ts';
import type { SpoolStore } from '../engine/local/store.ts';
import { DeliveryError, errorMessage, StorageError } from '../errors.ts';
import { type Logger, scrub } from '../log.ts';
import { outboxShape } from './contract/spool-shapes.ts';

const TTL_MS = 24 * 3_600_000;
const MAX_BACKOFF_MS = 300_000;
const MAX_BROKEN = 3;

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
export function openDelivery(options: DeliveryOptions): Delivery {
  const { store, ledger, log } = options;
  const now = options.now ?? Date.now;
  const lanes = new Map<string, Lane>();
  const pace: Pace = createPace(now);
  const partsOf = createParts(ledger, now);
  const stopping = new AbortController();
  let lastSeq = 0;
  let active = 0;
  let idle: (() => void) | undefined;

  function laneOf(message: OutboundMessage): [string, Lane] {
    const key = conversationKey(message.address);
    let lane = lanes.get(key);
    if (!lane) {
      lane = { entries: [], adding: 0, running: false, failures: 0, chat: chatOf(message.address) };
      lanes.set(key, lane);
    }
    return [key, lane];
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stopping.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms * (options.timeScale ?? 1));
      stopping.signal.addEventListener('abort', done);
    });
  }

  /** Sends the lane's entries one after the other until it is empty. */
  async function work(key: string, lane: Lane): Promise<void> {
    if (lane.running || stopping.signal.aborted) return;
    lane.running = true;
    active++;
    try {
      for (let entry = lane.entries[0]; entry && !stopping.signal.aborted; entry = lane.entries[0]) {
        const wait = await attempt(entry, lane);
        if (wait === 'finished') lane.entries.shift();
        else await sleep(wait);
      }
      if (lane.entries.length + lane.adding === 0) lanes.delete(key);
    } catch (error) {
      log.error({ err: error, lane: key }, 'the outbox could not be written; its messages are tried again');
      setTimeout(() => void work(key, lane), backoff(lane) * (options.timeScale ?? 1)).unref();
    } finally {
      lane.running = false;
      active--;
      if (active === 0) idle?.();
    }
  }

  /** Tries once. Gives the milliseconds to wait before the next try, or `finished`. */
  async function attempt(entry: OutboxFile, lane: Lane): Promise<number | 'finished'> {
    const { message, trace } = entry;
    const channel = options.channelOf(message);
    if (now() - entry.createdAt > TTL_MS) return giveUp(entry, 'dead', 'not delivered within 24 hours');
    if (!channel) return backoff(lane);
    const delay = pace.delay(message.address);
    if (delay > 0) return delay;
    try {
      await channel.send(message, partsOf(entry, statesOf(entry.key), channel.isExact === true));
    } catch (error) {
      if (error instanceof UnsureError) return giveUp(entry, 'unsure', error.message);
      // A full or failing disk (the ledger's) is no fault of the message: it stays and is tried again.
      if (error instanceof StorageError) throw error;
      if (!(error instanceof DeliveryError)) return broken(entry, lane, error);
      if (error.retryAfterMs === undefined) return giveUp(entry, 'dead', error.message);
      options.onOutcome?.('retry');
      log.warn({ err: error, trace, lane: message.address.chat }, 'sending is tried again');
      if (!error.rateLimited) return Math.max(error.retryAfterMs, backoff(lane));
      pace.limited(message.address, error.retryAfterMs);
      return error.retryAfterMs;
    }
    lane.failures = 0;
    pace.sent(message.address);
    store.finish('out', entry.key, `${entry.key}.out`);
    forget(entry);
    options.onOutcome?.('sent');
    log.debug({ trace, channel: channel.id }, 'delivered');
    return 'finished';
  }

  /** The channel threw what it never should. Whether that passes is not known: it is tried a few times, and then told. */
  function broken(entry: OutboxFile, lane: Lane, error: unknown): Promise<number | 'finished'> | number {
    const tries = (brokenOf.get(entry.key) ?? 0) + 1;
    log.error({ err: error, trace: entry.trace, tries }, 'the channel failed while sending');
    brokenOf.set(entry.key, tries);
    if (tries < MAX_BROKEN) return backoff(lane);
    const parts = [...(partStates.get(entry.key)?.values() ?? [])];
    const isUnsure = parts.some((part) => part.sentId === undefined && part.unsure > 0);
    return giveUp(entry, isUnsure ? 'unsure' : 'dead', `the channel failed while sending: ${errorMessage(error)}`);
  }

  function backoff(lane: Lane): number {
    const ms = Math.min(MAX_BACKOFF_MS, 1000 * 2 ** lane.failures++);
    return ms * (0.75 + Math.random() / 2);
  }

  function statesOf(key: string): Map<number, PartState> {
    const states = partStates.get(key) ?? new Map<number, PartState>();
    partStates.set(key, states);
    return states;
  }

  function forget({ key }: OutboxFile): void {
    known.delete(key);
    partStates.delete(key);
    brokenOf.delete(key);
  }

  async function giveUp(entry: OutboxFile, to: 'dead' | 'unsure', reason: string): Promise<'finished'> {
    log.error({ trace: entry.trace, reason, channel: entry.message.address.channel }, `message moved to ${to}`);
    await store.put(to, entry.key, { ...entry, reason });
    if (to === 'dead') await options.onDead?.(entry.message, reason);
    store.remove('out', entry.key);
    forget(entry);
    options.onOutcome?.(to);
    if (to === 'unsure') {
      const text = `I cannot tell whether my last message reached you (trace ${entry.trace}). If it is missing, send /status.`;
      await add({ id: `${entry.key}-unsure`, address: entry.message.address, text, files: [] }, entry.trace);
    }
    return 'finished';
  }

  async function add(message: OutboundMessage, trace: string, again = false): Promise<void> {
    const key = message.id;
    if (again ? has(key) : known.has(key)) return;
    known.add(key);
    lastSeq = Math.max(lastSeq + 1, now() * 1000);
    const [name, lane] = laneOf(message);
    const sending = lane.entries.length + lane.adding === 0;
    const clean = { ...message, text: scrub(message.text) };
    const entry: OutboxFile = { key, trace, createdAt: now(), seq: lastSeq, message: clean, sending };
    lane.adding++;
    try {
      await store.put('out', key, entry);
      lane.entries.push(entry);
    } catch (error) {
      known.delete(key);
      throw error;
    } finally {
      lane.adding--;
    }
    void work(name, lane);
  }

  const has = (key: string) =>
    known.has(key) || store.wasFinished(`${key}.out`) || store.has('dead', key) || store.has('unsure', key);

  const left = store
    .names('out')
    .flatMap((name) => store.read('out', name, outboxShape) ?? [])
    .sort((a, b) => a.seq - b.seq);
  const known = new Set(left.map((entry) => entry.key));
  const createdAt = new Map(left.map((entry) => [entry.key, entry.createdAt]));
  /** How often the channel threw something else than a DeliveryError. */
  const brokenOf = new Map<string, number>();
  const partStates = ledger.load(known, (key) => createdAt.get(key));
  for (const entry of left) {
    if (entry.sending && !partStates.get(entry.key)?.has(0)) {
      partStates.set(entry.key, new Map([[0, { unsure: 0, open: true, since: entry.createdAt }]]));
    }
    entry.sending = false;
    laneOf(entry.message)[1].entries.push(entry);
    lastSeq = Math.max(lastSeq, entry.seq);
  }
  // After the caller has finished composing, so that `channelOf` knows its channels.
  setImmediate(() => {
    for (const [key, lane] of lanes) void work(key, lane);
  });

  return {
    add,
    oldest: () => {
      const times = [...lanes.values()].flatMap((lane) => lane.entries.slice(0, 1).map((entry) => entry.createdAt));
      return times.length ? Math.min(...times) : undefined;
    },
    isBusy: (to) =>
      pace.delay(to) > 0 || [...lanes.values()].some((lane) => lane.entries[0] && lane.chat === chatOf(to)),
    counts: () => ({ waiting: known.size, unsure: store.names('unsure').length, dead: store.names('dead').length }),
    async close(timeoutMs) {
      const drained = new Promise<void>((resolve) => {
        if (active === 0) resolve();
        idle = resolve;
      });
      stopping.abort();
      const timer = Promise.withResolvers<void>();
      const handle = setTimeout(timer.resolve, timeoutMs);
      await Promise.race([drained, timer.promise]);
      clearTimeout(handle);
    },
  };
}
