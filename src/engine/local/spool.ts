/**
 * The inbox: platform messages, from our acknowledgement until the answer is being delivered.
 *
 *   put new  -- claim -->  move cur  -- ack -->  done, and its key is kept for 30 days
 *      ^                      |  cur at start: a crash; counted and put again, given up after the third
 *      +----- release --------+-----------------------------------------> dead/<key>.json, then drop
 *
 * These are lines of the log (`log-lines.ts`). Invariants: a lane has one owner; its messages are handed out in order
 * of arrival; an event is put once. A message is handed out as soon as it is written, so that work on it overlaps its
 * sync; its owner awaits `stored` before any effect that can't be undone, and loses the lane when the disk fails.
 */
import path from 'node:path';
import { crashPoint } from '../../crash-points.ts';
import { LeaseLost, toStorageError } from '../../errors.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { readJson } from '../../lib/json.ts';
import { serialise } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';
import { anything, isFilled, listOf, type Schema, shape } from '../../lib/shape.ts';
import { type Arrival, isBefore } from '../arrival.ts';
import { MAX_CRASHES } from '../crashes.ts';
import {
  type DeadLetter,
  type EnqueueOptions,
  type FairLimits,
  type GivenUp,
  type LaneLook,
  type LaneSignal,
  type LaneView,
  type Lease,
  type Queue,
  type QueueItem,
  type QueueStats,
  spoolKey,
} from '../engine.ts';
import { bury, deadLetters, deadReason, type SpoolFile } from './dead-letters.ts';
import { elapsed, HandOut, readClocks, waitsUntil } from './hand-out.ts';
import { dueBehind, insert, lease as intoWork, type Lane, type LaneItem, laneItem, putBack, Storing } from './lanes.ts';
import { type RecoveryOptions, recoverSpool, spoolShape } from './recovery.ts';
import type { SpoolStore } from './store.ts';

/**
 * How long the gateway must be up before it tries a message that was part of two crashes, in ms. A third crash right
 * then is no accident; kills that merely follow each other quickly don't count against it.
 */
const SUSPECT_DELAY_MS = 3_000;
const MAX_FAILED = 1_000;

interface SpoolOptions<T> extends RecoveryOptions<T> {
  /** The most running lanes per person, by kind of lane; absent for no limit. */
  limits?: Readonly<Record<string, FairLimits>>;
  now?: () => number;
  /** Milliseconds; for tests. */
  suspectDelayMs?: number;
}

type Listener = Parameters<Queue<unknown>['onSignal']>[0];

/** Opens the inbox and loads what an earlier process left, before anything new arrives. */
export async function openSpool<T>(options: SpoolOptions<T>): Promise<Spool<T>> {
  const { store, now = Date.now, suspectDelayMs = SUSPECT_DELAY_MS } = options;
  const left = await recoverSpool<T>(options, now);
  // One time for all: messages that ran together are due together.
  const suspectsDue = now() + suspectDelayMs;
  const files = left.map((file) => (file.attempts >= MAX_CRASHES - 1 ? { ...file, notBefore: suspectsDue } : file));
  return new Spool<T>({ store, now, limits: options.limits, schema: options.schema ?? shape<T>(anything) }, files);
}

interface OpenSpool<T> {
  store: SpoolStore;
  now: () => number;
  limits: SpoolOptions<T>['limits'] | undefined;
  schema: Schema<T>;
}

export class Spool<T> implements Queue<T> {
  readonly #store: SpoolStore;
  readonly #now: () => number;
  readonly #schema: Schema<SpoolFile<T>>;
  readonly #lanes: HandOut<T>;
  /** Unfinished messages, including those being stored. */
  readonly #known = new Set<string>();
  /** Pending writes by ID: no caller may treat these messages as durable yet. */
  readonly #commits = new Map<string, Promise<void>>();
  readonly #storing = new Storing();
  readonly #stopped: StoppedMessages;
  /** IDs of messages that were handed out and then couldn't be stored. */
  readonly #failed = createLru<true>(MAX_FAILED);
  readonly #listeners: Listener[] = [];
  #lastSeq = 0;

  constructor({ store, now, limits, schema }: OpenSpool<T>, left: readonly SpoolFile<T>[]) {
    this.#store = store;
    this.#now = now;
    this.#schema = spoolShape(schema);
    const onTaken = (items: readonly QueueItem<T>[]) => {
      for (const item of items) store.move('cur', item.id);
    };
    this.#lanes = new HandOut<T>({ limits, onTaken });
    const unfinished = new Set(left.map(({ id }) => id));
    this.#stopped = new StoppedMessages(store.root, (id) => unfinished.has(id));
    // Both clocks are read once for all: messages that ran together are due together, however busy the machine is.
    const clocks = readClocks(now);
    for (const file of left) {
      // After a crash the log may lack its last claims.
      this.#add(file, file.attempts > 0 || !store.endedCleanly || store.wasInWork(file.id), clocks);
      this.#lastSeq = file.seq;
    }
    this.#lanes.wakeAll();
  }

  async enqueue(lane: string, message: T, options: EnqueueOptions): Promise<'accepted' | 'duplicate' | 'full'> {
    const id = spoolKey(options.dedupeId);
    const before = this.#seen(id);
    if (before) return before.then(() => 'duplicate');
    if (this.#waiting(lane).length >= (options.maxDepth ?? Number.POSITIVE_INFINITY)) return 'full';
    this.#known.add(id);
    const file = this.#fileOf(lane, message, id, options);
    crashPoint('accept:before-commit');
    this.#storing.add(lane, id, file);
    let item: LaneItem<T> | undefined;
    const onWritten = () => {
      this.#storing.delete(lane, id);
      item = this.#add(file, this.#failed.has(id));
      item.storing = this.#commits.get(id);
      this.#lanes.wake(lane);
    };
    try {
      const commit = this.#store.put('new', id, file, onWritten);
      this.#commits.set(id, commit);
      await commit;
    } catch (error) {
      if (item) this.#takeBack(lane, id);
      else this.#storing.delete(lane, id);
      this.#known.delete(id);
      this.#stopped.delete(id);
      this.#lanes.forgetEmpty(lane);
      throw error;
    } finally {
      this.#commits.delete(id);
      if (item) item.storing = undefined;
    }
    crashPoint('accept:after-commit');
    return 'accepted';
  }

  async seen(dedupeId: string): Promise<boolean> {
    const commit = this.#seen(spoolKey(dedupeId));
    if (commit === undefined) return false;
    await commit;
    return true;
  }

  claim(kind: string): Promise<Lease<T> | undefined> {
    return this.#lanes.claim(kind);
  }

  async extend(lease: Lease<T>, pick: (item: QueueItem<T>) => boolean): Promise<QueueItem<T>[]> {
    const lane = this.#owned(lease);
    const taken = dueBehind(lane, elapsed()).filter((item) => this.#lanes.mayTake(lease.lane, item) && pick(item));
    if (taken.length === 0) return [];
    intoWork(lane, taken);
    this.#lanes.took(lease.lane, taken);
    return taken;
  }

  async ack(lease: Lease<T>, ids: readonly string[]): Promise<void> {
    const lane = this.#owned(lease);
    for (const id of ids) {
      const at = lane.items.findIndex((item) => item.id === id);
      if (at < 0 || at >= lane.leased) continue;
      this.#store.finish('cur', id);
      lane.items.splice(at, 1);
      lane.leased--;
      this.#known.delete(id);
      this.#stopped.delete(id);
    }
    if (lane.leased === 0) this.#lanes.freed(lease.lane, lane);
  }

  async release(lease: Lease<T>, { retryAt = 0 }: { retryAt?: number } = {}): Promise<void> {
    const lane = this.#lanes.get(lease.lane);
    if (!lane || lane.lease !== lease) return;
    for (const item of lane.items.slice(0, lane.leased)) this.#store.move('new', item.id);
    putBack(lane);
    lane.retryAt = waitsUntil(retryAt, readClocks(this.#now));
    this.#lanes.freed(lease.lane, lane);
  }

  show(lease: Lease<T>, view: LaneView): void {
    const lane = this.#lanes.get(lease.lane);
    if (lane?.lease && lane.lease === lease) lane.lease.view = view;
  }

  async look(name: string): Promise<LaneLook> {
    const lane = this.#lanes.get(name);
    const waiting = this.#waiting(name);
    const stopped = waiting.filter((id) => this.#stopped.has(id)).length;
    const view = lane?.lease?.view;
    const depth = waiting.length - stopped;
    return { depth, busy: (lane?.leased ?? 0) > 0, ...(stopped > 0 ? { stopped } : {}), ...(view ? { view } : {}) };
  }

  async signal(name: string, signal: LaneSignal, before?: Arrival): Promise<boolean> {
    const lane = this.#lanes.get(name);
    if (lane?.lease) {
      const answers = await Promise.all(this.#listeners.map((listener) => listener(name, signal, before)));
      if (answers.some((answer) => answer !== undefined)) return answers.includes(true);
    }
    if (signal !== 'stop') return false;
    // It is being stored, waits, or has an owner that hasn't begun.
    const isMeant = (item: Arrival) => before === undefined || isBefore(item, before);
    const items = (this.#lanes.get(name)?.items ?? []).filter(isMeant);
    const ids = [...items, ...this.#storing.of(name).filter(isMeant)].map(({ id }) => id);
    if (ids.length === 0) return false;
    for (const item of items) item.isStopped = true;
    await this.#stopped.add(ids);
    return true;
  }

  onSignal(listener: Listener): void {
    this.#listeners.push(listener);
  }

  async find(id: string): Promise<T | undefined> {
    return this.#store.find(id, this.#schema)?.message;
  }

  async reasonOf(id: string): Promise<string | undefined> {
    return deadReason(this.#store, id);
  }

  async giveUp(item: GivenUp, reason: string): Promise<void> {
    const stored = this.#store.read('cur', item.id, this.#schema) ?? { ...item, dedupeId: item.dedupeId ?? '' };
    await bury<unknown>(this.#store, stored, reason, this.#now());
  }

  async deadLetters(): Promise<DeadLetter[]> {
    return deadLetters(this.#store);
  }

  async unfinished(): Promise<QueueItem<T>[]> {
    return [...this.#lanes.all()].flatMap(({ items }) => items);
  }

  async stats(): Promise<QueueStats> {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { items } of this.#lanes.all()) {
      if (items[0]) oldest = Math.min(oldest, Date.parse(items[0].acceptedAt));
    }
    return { waiting: this.#known.size, ...(Number.isFinite(oldest) ? { oldest } : {}) };
  }

  close(): void {
    this.#lanes.close();
  }

  #fileOf(lane: string, message: T, id: string, options: EnqueueOptions): SpoolFile<T> {
    const { dedupeId, by, notBefore, group, orderKey, raw } = options;
    this.#lastSeq = Math.max(this.#lastSeq + 1, this.#now() * 1000);
    const acceptedAt = new Date(this.#now()).toISOString();
    return {
      id,
      dedupeId,
      lane,
      seq: this.#lastSeq,
      attempts: 0,
      by,
      message,
      acceptedAt,
      ...(notBefore === undefined ? {} : { notBefore }),
      ...(group === undefined ? {} : { group }),
      ...(orderKey === undefined ? {} : { orderKey }),
      ...(raw === undefined ? {} : { raw }),
    };
  }

  /**
   * Takes back a message that was handed out before the disk failed. The platform delivers it again, and by then it may
   * have been run.
   */
  #takeBack(lane: string, id: string): void {
    this.#failed.set(id, true);
    for (const other of this.#lanes.takeBack(lane, id)) this.#store.move('new', other.id);
  }

  #add(file: SpoolFile<T>, isAgain: boolean, clocks = readClocks(this.#now)): LaneItem<T> {
    const lane = this.#lanes.laneOf(file.lane);
    const item = laneItem({ ...file, notBefore: waitsUntil(file.notBefore ?? 0, clocks) }, isAgain);
    if (this.#stopped.has(file.id)) item.isStopped = true;
    insert(lane, item);
    this.#known.add(file.id);
    this.#lanes.added(file.lane, lane, item);
    return item;
  }

  #seen(id: string): Promise<void> | undefined {
    const isHere = this.#known.has(id) || this.#store.wasFinished(id) || this.#store.has('dead', id);
    return isHere ? (this.#commits.get(id) ?? Promise.resolve()) : undefined;
  }

  /** Returns the IDs of waiting messages, including those being stored. */
  #waiting(name: string): string[] {
    const { items, leased } = this.#lanes.get(name) ?? { items: [], leased: 0 };
    return [...items.slice(leased), ...this.#storing.of(name)].map(({ id }) => id);
  }

  #owned(lease: Lease<T>): Lane<T> {
    const lane = this.#lanes.get(lease.lane);
    if (!lane || lane.lease !== lease) throw new LeaseLost(`${lease.lane} has another owner, or none`);
    return lane;
  }
}

const idsShape = shape<string[]>(listOf(isFilled));
const ABOUT = { lost: 'which waiting messages were stopped', next: 'They are worked on. Stop them again.', tell: true };

/**
 * Messages stopped while they waited: `spool/stopped.json`, a list of IDs. Effective at once, durable when `add`
 * resolves.
 *
 * Invariant: a stopped message stays stopped until it is finished, across restarts.
 */
export class StoppedMessages {
  readonly #file: string;
  readonly #ids: Set<string>;

  /** @param isUnfinished finished messages need no mark */
  constructor(root: string, isUnfinished: (id: string) => boolean) {
    this.#file = path.join(root, 'stopped.json');
    this.#ids = new Set(readJson(this.#file, idsShape, ABOUT)?.filter(isUnfinished));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** @throws StorageError when they can't be written; they then stay stopped while this process lives */
  async add(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#ids.add(id);
    await serialise(this.#file, async () => {
      // Taken now, since some may have been finished while this waited.
      const text = `${JSON.stringify([...this.#ids])}\n`;
      await writeFileAtomic(this.#file, text).catch((error: unknown) => Promise.reject(toStorageError(error)));
    });
  }

  /** Unmarks a message that is finished or was never stored. The file changes with the next write. */
  delete(id: string): void {
    this.#ids.delete(id);
  }
}
