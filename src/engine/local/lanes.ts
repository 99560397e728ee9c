/** A lane's messages in their order, those in work at the front: pure functions. What is being stored stands beside it, by lane. */
import type { Arrival } from '../arrival.ts';
import type { OrderKey, QueueItem, Share } from '../engine.ts';
import type { SpoolFile } from './dead-letters.ts';
import type { LocalLease } from './lease.ts';

export interface LaneItem<T> extends QueueItem<T> {
  by: Share;
  notBefore: number;
  group: string | undefined;
  orderKey: OrderKey | undefined;
  /** It may have been worked on before. */
  isAgain: boolean;
  /** Settles when it is durable, or could not be stored; undefined once it is. */
  storing?: Promise<void> | undefined;
}

export interface Lane<T> {
  items: LaneItem<T>[];
  /** Items from the front that are in work. */
  leased: number;
  /** Of its owner. */
  lease: LocalLease<T> | undefined;
  retryAt: number;
  /** It waits for somebody's turn. */
  isReady: boolean;
  /** In whose turn it is in work. */
  share: Share | undefined;
}

export const emptyLane = <T>(): Lane<T> => {
  return { items: [], leased: 0, lease: undefined, retryAt: 0, isReady: false, share: undefined };
};

export function itemOf<T>(file: SpoolFile<T>, isAgain: boolean): LaneItem<T> {
  const { id, lane, seq, attempts, message, acceptedAt, group, orderKey, notBefore = 0 } = file;
  const by = file.by ?? { person: lane, isOwner: false };
  return { id, lane, seq, attempts, message, acceptedAt, by, notBefore, group, orderKey, isAgain };
}

/** In its place by arrival, since what was stored together may come in any order; before what its source sent after it. */
export function insert<T>(lane: Lane<T>, item: LaneItem<T>): void {
  const { items } = lane;
  const later = item.orderKey ? items.findIndex((other, at) => at >= lane.leased && isAfter(other, item)) : -1;
  let at = items.length;
  while (at > lane.leased && (items[at - 1]?.seq ?? 0) > item.seq) at--;
  items.splice(later < 0 ? at : Math.min(at, later), 0, item);
}

function isAfter<T>({ orderKey }: LaneItem<T>, before: LaneItem<T>): boolean {
  const { source, at } = before.orderKey ?? {};
  return orderKey !== undefined && orderKey.source === source && at !== undefined && orderKey.at > at;
}

/** Puts what was in work back in its place. */
export function putBack<T>(lane: Lane<T>): void {
  const all = lane.items.sort((a, b) => a.seq - b.seq);
  lane.items = [];
  lane.leased = 0;
  for (const item of all) insert(lane, item);
}

/** Messages that are handed out together: the head and its neighbours of the same group. */
export function head<T>({ items }: Lane<T>): LaneItem<T>[] {
  const group = items[0]?.group;
  if (group === undefined) return items.slice(0, 1);
  const end = items.findIndex((item) => item.group !== group);
  return end < 0 ? [...items] : items.slice(0, end);
}

/** Longer than anything is made to wait: what seems to has met a clock that went back while no gateway ran. */
const LONGEST_WAIT_MS = 30 * 60_000;

export const isDue = (at: number, now: number): boolean => at <= now || at - now > LONGEST_WAIT_MS;

/** When what comes first may be handed out, by `elapsed`. */
export const dueAt = <T>(lane: Lane<T>): number => Math.max(lane.retryAt, ...head(lane).map((item) => item.notBefore));

/** What waits behind the items in work and is due; a group is when all of it is. */
export function dueBehind<T>(lane: Lane<T>, now: number): LaneItem<T>[] {
  const waiting = lane.items.slice(lane.leased);
  const early = new Set(
    waiting.flatMap((item) => (!isDue(item.notBefore, now) ? [item.id, item.group ?? item.id] : [])),
  );
  return waiting.filter((item) => !early.has(item.id) && !early.has(item.group ?? item.id));
}

/** Puts these, which wait, behind the items in work and into it. */
export function lease<T>(lane: Lane<T>, taken: readonly LaneItem<T>[]): void {
  const waiting = lane.items.slice(lane.leased);
  const rest = waiting.filter((item) => !taken.includes(item));
  lane.items = [...lane.items.slice(0, lane.leased), ...taken, ...rest];
  lane.leased += taken.length;
}

/** By lane, messages that are being stored: nobody is given them yet, and they count as waiting. */
export class Storing {
  readonly #byLane = new Map<string, Map<string, Arrival>>();

  add(lane: string, id: string, arrival: Arrival): void {
    this.#byLane.set(lane, (this.#byLane.get(lane) ?? new Map<string, Arrival>()).set(id, arrival));
  }

  delete(lane: string, id: string): void {
    const left = this.#byLane.get(lane);
    left?.delete(id);
    if (left?.size === 0) this.#byLane.delete(lane);
  }

  of(lane: string): readonly (Arrival & { id: string })[] {
    return [...(this.#byLane.get(lane) ?? [])].map(([id, arrival]) => ({ ...arrival, id }));
  }
}
