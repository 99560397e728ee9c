/**
 * The outbox on a server: one lane per address, one answer per lease, and the state of its parts in a hash.
 *
 * Invariant: an answer that was given up is durable in its new place before it leaves its lane, so a crash between the
 * two repeats the end and loses nothing.
 */
import { conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import { LeaseLost } from '../../errors.ts';
import { parseJson } from '../../lib/json.ts';
import { isCount, isFlag, isNumber, isText, objectOf, optional, type Schema, shape } from '../../lib/shape.ts';
import type { AddOptions, Outbox, OutboxFile, OutboxLease, OutboxStats, PartOutcome, PartState } from '../engine.ts';
import type { HeldLane } from './held.ts';
import { orLast } from './in-time.ts';
import { Lanes } from './lanes.ts';
import { RedisLease } from './lease.ts';
import type { RawItem } from './scripts.ts';
import type { World } from './world.ts';

export interface RedisOutboxOptions {
  world: World;
  schema: Schema<OutboxFile>;
  /** Returns the key of the lane whose message is answered. */
  keyOfLane: (lane: string) => string;
}

const partShape = shape<PartState>(
  objectOf({ unsure: isCount, open: isFlag, since: optional(isNumber), sentId: optional(isText) }),
);
/** How many lanes are prefetched, since answers are claimed one by one. */
const AHEAD = 8;
const KINDS = 'kinds of answers';
/** How long a sent answer is kept, in ms; nobody reads it again. */
const KEPT_MS = 3_600_000;
const EVERYBODY = { person: '', isOwner: true };

/** Returns the channel, which `conversationKey` begins with. */
const laneChannel = (lane: string): string => lane.slice(2, Math.max(2, lane.indexOf('"', 2)));
const isOf = (kind: string, prefix: string): boolean =>
  `["${kind}",`.startsWith(prefix) || prefix.startsWith(`["${kind}",`);

class Sending implements OutboxLease {
  readonly held: HeldLane;
  readonly entry: OutboxFile;
  readonly parts: Map<number, PartState>;

  constructor(held: HeldLane, entry: OutboxFile, parts: Map<number, PartState>) {
    this.held = held;
    this.entry = entry;
    this.parts = parts;
  }

  get lane(): string {
    return this.held.lane;
  }

  get epoch(): number {
    return this.held.epoch;
  }

  get lost(): AbortSignal {
    return this.held.lost;
  }

  check(): void {
    this.held.check();
  }
}

export class RedisOutbox implements Outbox {
  readonly lanes: Lanes;
  readonly #options: RedisOutboxOptions;
  readonly #world: World;
  /** Channels that ever had an answer. */
  readonly #kinds = new Set<string>();
  /** Prefixes of lanes that were claimed here. */
  readonly #prefixes = new Set<string>();
  #stats: OutboxStats = { waiting: 0, unsure: 0, dead: 0 };

  constructor(options: RedisOutboxOptions) {
    const { world } = options;
    this.#options = options;
    this.#world = world;
    this.lanes = new Lanes({
      side: 'out',
      world,
      kindOf: laneChannel,
      limitsOf: () => undefined,
      keepMs: KEPT_MS,
      ahead: { count: AHEAD, wants: (kind) => [...this.#prefixes].some((prefix) => isOf(kind, prefix)) },
    });
    world.news.subscribe(KINDS, (kind) => this.#learn(kind));
  }

  async add(message: OutboundMessage, trace: string, { fence }: AddOptions = {}): Promise<void> {
    fence?.check();
    const key = message.id;
    const entry: OutboxFile = { key, trace, createdAt: Date.now(), seq: Date.now() * 1000, message, sending: false };
    const lane = conversationKey(message.address);
    const { what, isNewKind } = await this.lanes.put({
      lane,
      id: key,
      by: EVERYBODY,
      dedupeId: key,
      message: JSON.stringify(entry),
      fence: fence instanceof RedisLease ? { key: this.#options.keyOfLane(fence.lane), epoch: fence.epoch } : undefined,
    });
    if (what === 'lost') throw new LeaseLost(`an answer comes from an owner that has lost its lane (${lane})`);
    if (!isNewKind) return;
    this.#learn(laneChannel(lane));
    this.#world.news.publish(KINDS, laneChannel(lane));
  }

  async claim(prefix: string): Promise<OutboxLease | undefined> {
    this.#prefixes.add(prefix);
    const wants = (kind: string) => isOf(kind, prefix);
    const claimed = this.lanes.claim(wants, [...this.#kinds].filter(wants));
    for (let held = await claimed; held; held = await this.lanes.claim(wants, [])) {
      const sending = await this.#opened(held);
      if (sending) return sending;
    }
    return undefined;
  }

  async intent(lease: OutboxLease, part: number): Promise<void> {
    await this.#note(lease, part, 'intent');
  }

  async outcome(lease: OutboxLease, part: number, what: PartOutcome, id?: string): Promise<void> {
    await this.#note(lease, part, what, id);
  }

  async finish(lease: OutboxLease): Promise<void> {
    await this.lanes.finish(heldOf(lease), [lease.entry.key]);
  }

  async giveUp(lease: OutboxLease, to: 'dead' | 'unsure', reason: string): Promise<void> {
    const { entry } = lease;
    const text = JSON.stringify({ ...entry, reason, diedAt: new Date().toISOString() });
    await this.lanes.owned(heldOf(lease), 'bury', { id: entry.key, to }, text);
    await this.lanes.copied();
  }

  async release(lease: OutboxLease): Promise<void> {
    await this.lanes.release(heldOf(lease));
  }

  /** Returns the last known counts while the server is away, so that health checks get a reply at once. */
  async stats(): Promise<OutboxStats> {
    this.#stats = await orLast(this.#world, () => this.#count(), this.#stats);
    return this.#stats;
  }

  close(): void {
    this.lanes.stop();
  }

  async #count(): Promise<OutboxStats> {
    const { own } = this.#world.connections;
    const all = await Promise.all(
      this.lanes.prefixes().map(async (prefix) => ({
        waiting: await own.zcard(`${prefix}open`),
        unsure: await own.hlen(`${prefix}unsure`),
        dead: await own.hlen(`${prefix}dead`),
        oldest: (await own.zrange(`${prefix}open`, '0', '0', 'WITHSCORES'))[1],
      })),
    );
    const sum = (of: 'waiting' | 'unsure' | 'dead') => all.reduce((total, each) => total + each[of], 0);
    const oldest = Math.min(...all.flatMap((each) => (each.oldest === undefined ? [] : [Number(each.oldest)])));
    const since = Number.isFinite(oldest) ? { oldest } : {};
    return { waiting: sum('waiting'), unsure: sum('unsure'), dead: sum('dead'), ...since };
  }

  /** Finds channels that another process has begun to answer on. */
  async lookForKinds(): Promise<void> {
    const { own } = this.#world.connections;
    const found = await Promise.all(this.lanes.prefixes().map((prefix) => own.smembers(`${prefix}kinds`)));
    for (const kind of found.flat()) this.#learn(kind);
  }

  #learn(kind: string): void {
    this.#kinds.add(kind);
    if ([...this.#prefixes].some((prefix) => isOf(kind, prefix))) this.lanes.serve(kind);
  }

  /** Returns undefined for an answer that can't be sent, after giving it up. */
  async #opened(held: HeldLane): Promise<Sending | undefined> {
    const [raw] = held.items as [RawItem];
    const isOurs = this.lanes.isOurs(held.lane, raw);
    const { success, data } = this.#options.schema.safeParse(isOurs ? parseJson(raw.message) : undefined);
    if (success && data) return new Sending(held, data, await this.#partsOf(held, raw.id));
    const reason = isOurs
      ? 'it does not hold what it should'
      : 'it carries no seal of this home: somebody else put it there';
    const text = JSON.stringify({ key: raw.id, reason, diedAt: new Date().toISOString(), text: raw.message });
    await this.lanes.owned(held, 'bury', { id: raw.id, to: 'dead' }, text);
    await this.lanes.finish(held, [raw.id]);
    return undefined;
  }

  /** Returns an empty map for an answer that nobody tried to send before. */
  async #partsOf(held: HeldLane, key: string): Promise<Map<number, PartState>> {
    if (!held.isAgain) return new Map();
    const known = await this.#world.connections.own.hgetall(`${this.lanes.prefix(held.lane)}parts:${key}`);
    return new Map(
      Object.entries(known).flatMap(([part, text]): [number, PartState][] => {
        const { data } = partShape.safeParse(JSON.parse(text));
        return data ? [[Number(part), data]] : [];
      }),
    );
  }

  async #note(lease: OutboxLease, part: number, event: 'intent' | PartOutcome, sentId?: string): Promise<void> {
    await this.lanes.owned(heldOf(lease), 'ledger', { id: lease.entry.key, part, event, sentId });
    await this.lanes.copied();
  }
}

function heldOf(lease: OutboxLease): HeldLane {
  if (lease instanceof Sending) return lease.held;
  throw new LeaseLost(`${lease.lane} was given by another engine`);
}
