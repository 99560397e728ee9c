/**
 * The outbox on one machine: `out` of the log (`log-lines.ts`), with a ledger of its parts (`ledger.ts`).
 *
 *   put out  -- claim, intent, outcome of each part, finish -->  done out
 *      | giveUp: dead/<key>.json or unsure/<key>.json, then finish ->  drop out
 *
 * Invariants: an address has one sender at a time and keeps its order. An answer that was given up is durable in its
 * new place before it leaves `out`, so a crash between the two repeats the end and loses nothing.
 */
import { conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import { errorCode, errorMessage, LeaseLost, StorageError } from '../../errors.ts';
import { anything, type Schema, shape } from '../../lib/shape.ts';
import type { AddOptions, Outbox, OutboxFile, OutboxLease, OutboxStats, PartOutcome, PartState } from '../engine.ts';
import { LocalFence } from './lease.ts';
import type { Ledger } from './ledger.ts';
import type { SpoolStore } from './store.ts';

export interface OutboxOptions {
  store: SpoolStore;
  ledger: Ledger;
  /** The required shape of an answer; anything by default. */
  schema?: Schema<OutboxFile>;
  now?: () => number;
}

interface Lane {
  /** Durable, oldest first. */
  entries: OutboxFile[];
  /** How many are being written. */
  adding: number;
  lease: Sending | undefined;
}

interface Claimer {
  prefix: string;
  resolve: (lease: OutboxLease | undefined) => void;
}

class Sending extends LocalFence implements OutboxLease {
  readonly lane: string;
  readonly entry: OutboxFile;
  readonly parts: Map<number, PartState>;
  isGivenUp = false;

  constructor(lane: string, epoch: number, entry: OutboxFile, parts: Map<number, PartState>, isHeld: () => boolean) {
    super(lane, epoch, isHeld);
    this.lane = lane;
    this.entry = entry;
    this.parts = parts;
  }
}

export class LocalOutbox implements Outbox {
  readonly #store: SpoolStore;
  readonly #ledger: Ledger;
  readonly #now: () => number;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with an answer and without a sender, in the order in which they began to wait. */
  readonly #ready = new Set<string>();
  #claimers: Claimer[] = [];
  /** Undelivered answers, including those being stored. */
  readonly #known: Set<string>;
  readonly #parts: Map<string, Map<number, PartState>>;
  #lastSeq = 0;
  #epoch = 0;
  #isClosed = false;

  /** Loads what an earlier process left. */
  constructor({ store, ledger, schema = shape<OutboxFile>(anything), now = Date.now }: OutboxOptions) {
    this.#store = store;
    this.#ledger = ledger;
    this.#now = now;
    const left = store.names('out').flatMap((name) => store.read('out', name, schema) ?? []);
    left.sort((a, b) => a.seq - b.seq);
    this.#known = new Set(left.map(({ key }) => key));
    const createdAt = new Map(left.map((entry) => [entry.key, entry.createdAt]));
    this.#parts = ledger.load(this.#known, (key) => createdAt.get(key));
    for (const entry of left) this.#takeUp(entry);
    for (const name of this.#lanes.keys()) this.#ready.add(name);
  }

  async add(message: OutboundMessage, trace: string, { isAgain = false, fence }: AddOptions = {}): Promise<void> {
    fence?.check();
    const key = message.id;
    if (isAgain ? this.#has(key) : this.#known.has(key)) return;
    this.#known.add(key);
    const createdAt = this.#now();
    this.#lastSeq = Math.max(this.#lastSeq + 1, createdAt * 1000);
    const [name, lane] = this.#laneOf(message);
    const sending = lane.entries.length + lane.adding === 0;
    const entry: OutboxFile = { key, trace, createdAt, seq: this.#lastSeq, message, sending };
    lane.adding++;
    try {
      await this.#store.put('out', key, entry);
      lane.entries.push(entry);
    } catch (error) {
      this.#known.delete(key);
      throw error;
    } finally {
      lane.adding--;
      this.#freed(name, lane);
    }
  }

  claim(prefix: string): Promise<OutboxLease | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    for (const name of this.#ready) {
      const lane = this.#lanes.get(name);
      if (!lane || !name.startsWith(prefix)) continue;
      this.#ready.delete(name);
      return Promise.resolve(this.#lease(name, lane));
    }
    const { promise, resolve } = Promise.withResolvers<OutboxLease | undefined>();
    this.#claimers.push({ prefix, resolve });
    return promise;
  }

  async intent(lease: OutboxLease, part: number): Promise<void> {
    this.#owned(lease);
    const { entry } = lease;
    const isWritten = entry.sending && part === 0;
    entry.sending = false;
    if (!isWritten) await stored(() => this.#ledger.intent(entry.key, part));
  }

  async outcome(lease: OutboxLease, part: number, what: PartOutcome, id?: string): Promise<void> {
    this.#owned(lease);
    await stored(() => this.#ledger.outcome(lease.entry.key, part, what, id));
  }

  async finish(lease: OutboxLease): Promise<void> {
    const lane = this.#owned(lease);
    const { key } = lease.entry;
    if (lane.lease?.isGivenUp) this.#store.remove('out', key);
    else this.#store.finish('out', key, `${key}.out`);
    this.#known.delete(key);
    this.#parts.delete(key);
    lane.entries.shift();
    lane.lease = undefined;
    this.#freed(lease.lane, lane);
  }

  async giveUp(lease: OutboxLease, to: 'dead' | 'unsure', reason: string): Promise<void> {
    const lane = this.#owned(lease);
    await this.#store.put(to, lease.entry.key, { ...lease.entry, reason });
    if (lane.lease) lane.lease.isGivenUp = true;
  }

  async release(lease: OutboxLease): Promise<void> {
    const lane = this.#lanes.get(lease.lane);
    if (!lane || lane.lease !== lease) return;
    lane.lease = undefined;
    this.#freed(lease.lane, lane);
  }

  async stats(): Promise<OutboxStats> {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { entries } of this.#lanes.values()) if (entries[0]) oldest = Math.min(oldest, entries[0].createdAt);
    const filed = { unsure: this.#store.names('unsure').length, dead: this.#store.names('dead').length };
    return { waiting: this.#known.size, ...filed, ...(Number.isFinite(oldest) ? { oldest } : {}) };
  }

  close(): void {
    this.#isClosed = true;
    for (const { resolve } of this.#claimers.splice(0)) resolve(undefined);
  }

  /** Adds an answer from an earlier process, which may have sent its first part before it ended. */
  #takeUp(entry: OutboxFile): void {
    if (entry.sending && !this.#parts.get(entry.key)?.has(0)) {
      this.#parts.set(entry.key, new Map([[0, { unsure: 0, open: true, since: entry.createdAt }]]));
    }
    entry.sending = false;
    this.#laneOf(entry.message)[1].entries.push(entry);
    this.#lastSeq = Math.max(this.#lastSeq, entry.seq);
  }

  #has(key: string): boolean {
    const store = this.#store;
    const isOver = () => store.wasFinished(`${key}.out`) || store.has('dead', key) || store.has('unsure', key);
    return this.#known.has(key) || isOver();
  }

  #laneOf({ address }: OutboundMessage): [string, Lane] {
    const name = conversationKey(address);
    const lane = this.#lanes.get(name) ?? { entries: [], adding: 0, lease: undefined };
    this.#lanes.set(name, lane);
    return [name, lane];
  }

  /** Gives the lane to the next waiting caller, if it has an answer and no sender. */
  #freed(name: string, lane: Lane): void {
    if (lane.lease) return;
    if (lane.entries.length === 0) {
      if (lane.adding === 0) this.#lanes.delete(name);
      return;
    }
    const at = this.#claimers.findIndex(({ prefix }) => name.startsWith(prefix));
    const [claimer] = at < 0 ? [] : this.#claimers.splice(at, 1);
    if (claimer) claimer.resolve(this.#lease(name, lane));
    else this.#ready.add(name);
  }

  #lease(name: string, lane: Lane): OutboxLease {
    const entry = lane.entries[0] as OutboxFile;
    const parts = this.#parts.get(entry.key) ?? new Map<number, PartState>();
    this.#parts.set(entry.key, parts);
    const lease: Sending = new Sending(name, ++this.#epoch, entry, parts, () => lane.lease === lease);
    lane.lease = lease;
    return lease;
  }

  #owned(lease: OutboxLease): Lane {
    const lane = this.#lanes.get(lease.lane);
    if (!lane || lane.lease !== lease) throw new LeaseLost(`${lease.lane} has another sender, or none`);
    return lane;
  }
}

async function stored(write: () => Promise<void> | void): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new StorageError(errorMessage(error), { code: errorCode(error), cause: error });
  }
}
