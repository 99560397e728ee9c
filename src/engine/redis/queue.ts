/** The inbox on a server: platform messages, from our acknowledgement until the answer is being delivered. */
import { crashPoint } from '../../crash-points.ts';
import { LeaseLost } from '../../errors.ts';
import { parseJson } from '../../lib/json.ts';
import { isNumber, objectOf, type Schema, shape } from '../../lib/shape.ts';
import { type Arrival, isBefore } from '../arrival.ts';
import { isGivenUp } from '../crashes.ts';
import type {
  DeadLetter,
  EnqueueOptions,
  FairLimits,
  GivenUp,
  LaneLook,
  LaneSignal,
  LaneView,
  Lease,
  Queue,
  QueueItem,
  QueueStats,
} from '../engine.ts';
import { spoolKey } from '../engine.ts';
import { Graves } from './graves.ts';
import type { HeldLane } from './held.ts';
import { inTime, orLast } from './in-time.ts';
import { allShards, prefixOf } from './keys.ts';
import { Lanes } from './lanes.ts';
import { RedisLease } from './lease.ts';
import type { RawItem } from './scripts.ts';
import { Signals } from './signals.ts';
import type { World } from './world.ts';

export interface RedisQueueOptions<T> {
  world: World;
  schema: Schema<T>;
  limits: Readonly<Record<string, FairLimits>>;
  hasResult?: ((item: QueueItem<T>) => Promise<boolean>) | undefined;
  onDead: (item: QueueItem<T>, reason: string) => unknown;
}

type Listener = Parameters<Queue<unknown>['onSignal']>[0];

/** How long accepting a message may take before it is refused, in ms. */
const TAKE_IN_MS = 5_000;
/** How long the text of finished messages is kept, in ms. */
const KEPT_MS = 2 * 86_400_000;
/** The delay by which changes of a lane's view are merged, in ms: they are frequent and seldom read. */
const SHOW_MS = 100;
/** How many messages are read in one round trip. */
const READ_AT_ONCE = 200;
const viewShape = shape<LaneView>(objectOf({ startedAt: isNumber }));

/** `task` of `task:20261122-abcde`. */
const laneKind = (lane: string): string => lane.slice(0, Math.max(0, lane.indexOf(':')));

export class RedisQueue<T> implements Queue<T> {
  readonly lanes: Lanes;
  readonly #options: RedisQueueOptions<T>;
  readonly #world: World;
  readonly #graves: Graves;
  readonly #signals: Signals;
  readonly #listeners: Listener[] = [];
  /** The items handed out, by lease. */
  readonly #handed = new WeakMap<HeldLane, readonly QueueItem<T>[]>();
  /** The view to write next, by lease. */
  readonly #views = new Map<HeldLane, LaneView>();
  #stats: QueueStats = { waiting: 0 };

  constructor(options: RedisQueueOptions<T>) {
    const { world, limits } = options;
    this.#options = options;
    this.#world = world;
    this.lanes = new Lanes({
      side: 'in',
      world,
      kindOf: laneKind,
      keepMs: KEPT_MS,
      limitsOf: (kind) => limits[`${kind}:`],
      onCrashed: (lane, items) => this.#died(lane, items),
    });
    this.#graves = new Graves(world, this.lanes);
    this.#signals = new Signals(world, (lane, signal, before) => this.#answer(lane, signal, before));
  }

  async enqueue(lane: string, message: T, options: EnqueueOptions): Promise<'accepted' | 'duplicate' | 'full'> {
    crashPoint('accept:before-commit');
    const outcome = await inTime(this.#put(lane, message, options), TAKE_IN_MS, this.#world.address);
    crashPoint('accept:after-commit');
    return outcome;
  }

  seen(dedupeId: string): Promise<boolean> {
    return inTime(this.#isKnown(spoolKey(dedupeId), this.lanes.prefixes()), TAKE_IN_MS, this.#world.address);
  }

  async claim(kindName: string): Promise<Lease<T> | undefined> {
    const kind = laneKind(kindName);
    for (;;) {
      const held = await this.lanes.claim((other) => other === kind, [kind]);
      if (!held) return undefined;
      const items = await this.#sound(held);
      if (items.length === 0) continue;
      this.#handed.set(held, items);
      return new RedisLease<T>(held, items);
    }
  }

  async extend(lease: Lease<T>, pick: (item: QueueItem<T>) => boolean): Promise<QueueItem<T>[]> {
    const held = heldOf(lease);
    const waiting = await this.lanes.waiting(held);
    const taken = waiting.flatMap((raw) => {
      const item = this.#itemOf(held.lane, raw);
      return item && pick(item) ? [{ raw, item }] : [];
    });
    if (taken.length === 0) return [];
    const raws = taken.map(({ raw }) => raw);
    await this.lanes.take(held, raws);
    return taken.map(({ item }) => item);
  }

  async ack(lease: Lease<T>, ids: readonly string[]): Promise<void> {
    await this.lanes.finish(heldOf(lease), ids);
  }

  async release(lease: Lease<T>, { retryAt }: { retryAt?: number } = {}): Promise<void> {
    await this.lanes.release(heldOf(lease), retryAt);
  }

  show(lease: Lease<T>, view: LaneView): void {
    const held = heldOf(lease);
    const isShown = this.#views.has(held);
    if (held.isOwned) this.#views.set(held, view);
    if (!isShown && held.isOwned) setTimeout(() => void this.#show(held), SHOW_MS).unref();
  }

  async look(lane: string): Promise<LaneLook> {
    const { depth = 0, stopped = 0, busy = false, view } = await this.lanes.run('look', lane, {});
    const shown = viewShape.safeParse(view === undefined ? undefined : JSON.parse(view)).data;
    return { depth, busy, ...(stopped > 0 ? { stopped } : {}), ...(shown ? { view: shown } : {}) };
  }

  async signal(lane: string, signal: LaneSignal, before?: Arrival): Promise<boolean> {
    const here = await this.#answer(lane, signal, before);
    if (here !== undefined) return here;
    const { process, busy = false } = await this.lanes.run('look', lane, {});
    const isElsewhere = process !== undefined && process !== this.#world.name;
    const there = !isElsewhere ? undefined : await this.#signals.ask(process, lane, signal, before);
    if (there !== undefined) return there;
    if (signal !== 'stop') return false;
    const { seq, orderKey } = before ?? {};
    const place = seq === undefined ? {} : { before: { seq, source: orderKey?.source, order: orderKey?.at } };
    return (await this.lanes.run('stop', lane, { isForced: busy, ...place })).what === 'ok';
  }

  onSignal(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Answers what other processes asked about lanes owned here. */
  answerSignals(): Promise<void> {
    return this.#signals.look();
  }

  async find(id: string): Promise<T | undefined> {
    const { own } = this.#world.connections;
    const prefixes = this.lanes.prefixes();
    for (const prefix of prefixes) {
      const [lane, message, seal] = await own.hmget(`${prefix}item:${id}`, 'lane', 'message', 'seal');
      if (typeof lane !== 'string' || typeof message !== 'string') continue;
      return this.lanes.isOurs(lane, { id, message, seal: seal ?? '' }) ? this.#read(message) : undefined;
    }
    const value = (await this.#graves.read(id))?.message;
    return value === undefined ? undefined : this.#options.schema.safeParse(value).data;
  }

  async reasonOf(id: string): Promise<string | undefined> {
    return (await this.#graves.read(id))?.deadReason;
  }

  async giveUp(item: GivenUp, reason: string): Promise<void> {
    await this.#graves.dig(item, reason);
  }

  deadLetters(): Promise<DeadLetter[]> {
    return this.#graves.all();
  }

  async unfinished(): Promise<QueueItem<T>[]> {
    const { own } = this.#world.connections;
    const found: QueueItem<T>[] = [];
    for (const prefix of this.lanes.prefixes()) {
      const ids = await own.zrange(`${prefix}open`, '0', '-1');
      // One round trip for many: with a full queue, one for each took seconds.
      for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
        const read = ids.slice(at, at + READ_AT_ONCE).map((id) => this.#unfinishedItem(prefix, id));
        for (const item of await Promise.all(read)) if (item) found.push(item);
      }
    }
    return [...Map.groupBy(found, ({ lane }) => lane).values()].flatMap((all) => all.sort((a, b) => a.seq - b.seq));
  }

  async #unfinishedItem(prefix: string, id: string): Promise<QueueItem<T> | undefined> {
    const { own } = this.#world.connections;
    const fields = ['lane', 'message', 'seq', 'attempts', 'at', 'seal'];
    const [lane, message, seq, attempts, at, seal] = await own.hmget(`${prefix}item:${id}`, ...fields);
    const raw = { id, message: message ?? 'null', seq: seq ?? '0', attempts: Number(attempts), at: Number(at) };
    return this.#itemOf(lane ?? '', { ...raw, seal: seal ?? '' });
  }

  /** Returns the last known counts while the server is away, so that health checks get a reply at once. */
  async stats(): Promise<QueueStats> {
    this.#stats = await orLast(this.#world, () => this.#count(), this.#stats);
    return this.#stats;
  }

  close(): void {
    this.lanes.stop();
  }

  async #count(): Promise<QueueStats> {
    const { own } = this.#world.connections;
    const prefixes = this.lanes.prefixes();
    const counts = await Promise.all(prefixes.map((prefix) => own.zcard(`${prefix}open`)));
    const heads = await Promise.all(prefixes.map((prefix) => own.zrange(`${prefix}open`, '0', '0', 'WITHSCORES')));
    const oldest = Math.min(...heads.flatMap(([, at]) => (at === undefined ? [] : [Number(at)])));
    const waiting = counts.reduce((sum, count) => sum + count, 0);
    return { waiting, ...(Number.isFinite(oldest) ? { oldest } : {}) };
  }

  async #put(lane: string, message: T, options: EnqueueOptions): Promise<'accepted' | 'duplicate' | 'full'> {
    const { dedupeId, by, notBefore, group, orderKey, raw, maxDepth } = options;
    const id = spoolKey(dedupeId);
    const others = this.lanes.prefixes().filter((prefix) => prefix !== this.lanes.prefix(lane));
    if (await this.#isKnown(id, others)) {
      await this.lanes.copied();
      return 'duplicate';
    }
    const { what } = await this.lanes.put({
      lane,
      id,
      by,
      dedupeId,
      notBefore,
      group,
      maxDepth,
      source: orderKey?.source,
      order: orderKey?.at,
      message: JSON.stringify(message),
      raw: raw === undefined ? undefined : JSON.stringify(raw),
    });
    return what === 'accepted' || what === 'full' ? what : 'duplicate';
  }

  async #isKnown(id: string, prefixes: readonly string[]): Promise<boolean> {
    const { own } = this.#world.connections;
    const known = await Promise.all(prefixes.map((prefix) => own.exists(`${prefix}seen:${id}`, `${prefix}item:${id}`)));
    return known.some((count) => count > 0);
  }

  /** Returns the items that can be run; gives up the others. */
  async #sound(held: HeldLane): Promise<QueueItem<T>[]> {
    const pairs = held.items.map((raw) => ({ raw, item: this.#itemOf(held.lane, raw) }));
    const broken = pairs.flatMap(({ raw, item }) => (item ? [] : [raw]));
    if (broken.length > 0) {
      for (const raw of broken) {
        const isOurs = this.lanes.isOurs(held.lane, raw);
        const reason = isOurs
          ? 'it does not hold what it should'
          : 'it carries no seal of this home: somebody else put it there';
        await this.#graves.dig(unknownItem(held.lane, raw), reason);
      }
      const ids = broken.map(({ id }) => id);
      await this.lanes.finish(held, ids);
    }
    return pairs.flatMap(({ item }) => item ?? []);
  }

  #itemOf(lane: string, raw: RawItem): QueueItem<T> | undefined {
    const message = this.lanes.isOurs(lane, raw) ? this.#read(raw.message) : undefined;
    return message === undefined ? undefined : { ...unknownItem(lane, raw), message };
  }

  #read(message: string): T | undefined {
    const { success, data } = this.#options.schema.safeParse(parseJson(message));
    return success ? data : undefined;
  }

  /** Gives up what crashed too often, and returns it. */
  async #died(lane: string, items: readonly RawItem[]): Promise<RawItem[]> {
    const answers = allShards(this.#world.shards).map((shard) => prefixOf(shard, 'out'));
    const dead: RawItem[] = [];
    for (const raw of items) {
      const item = this.#itemOf(lane, raw);
      const { hasResult, onDead } = this.#options;
      const isAnswered = (await this.#isKnown(raw.id, answers)) || (item && (await hasResult?.(item))) === true;
      if (!isGivenUp(raw.attempts, isAnswered)) continue;
      const reason = `the gateway ended ${raw.attempts} times while working on it`;
      await this.#graves.dig(unknownItem(lane, raw), reason);
      if (item) await onDead(item, reason);
      dead.push(raw);
    }
    return dead;
  }

  /** Returns undefined when this process doesn't own the lane, or hasn't begun with it. */
  async #answer(lane: string, signal: LaneSignal, before?: Arrival): Promise<boolean | undefined> {
    const held = this.lanes.ownedBy(lane);
    if (!held) return undefined;
    const answers = await Promise.all(this.#listeners.map((listener) => listener(lane, signal, before)));
    if (answers.some((answer) => answer !== undefined)) return answers.includes(true);
    // Its owner hasn't begun: mark what it was handed, and let the server mark what waits.
    for (const item of signal === 'stop' ? (this.#handed.get(held) ?? []) : [])
      if (before === undefined || isBefore(item, before)) item.isStopped = true;
    return undefined;
  }

  async #show(held: HeldLane): Promise<void> {
    const view = this.#views.get(held);
    this.#views.delete(held);
    try {
      if (held.isOwned) await this.lanes.owned(held, 'show', {}, JSON.stringify(view));
    } catch (error) {
      if (!(error instanceof LeaseLost)) this.#world.onQuiet(error);
    }
  }
}

function unknownItem(lane: string, { id, message, seq, attempts, at, isStopped }: RawItem): QueueItem<unknown> {
  const acceptedAt = new Date(at).toISOString();
  const item = { id, lane, seq: Number(seq), attempts, message: parseJson(message), acceptedAt };
  return isStopped ? { ...item, isStopped } : item;
}

function heldOf<T>(lease: Lease<T>): HeldLane {
  if (lease instanceof RedisLease) return lease.held;
  throw new LeaseLost(`${lease.lane} was given by another engine`);
}
