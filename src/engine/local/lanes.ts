/**
 * The messages of a lane in order, the running ones first: pure functions. Messages being stored are kept separately,
 * by lane.
 */
import type { Arrival } from '../arrival.ts';
import type { OrderKey, QueueItem, Share } from '../engine.ts';
import type { SpoolFile } from './dead-letters.ts';
import type { LocalLease } from './lease.ts';

export interface LaneItem<T> extends QueueItem<T> {
  by: Share;
  notBefore: number;
  group: string | undefined;
  orderKey: OrderKey | undefined;
  /** It may have been run before. */
  isAgain: boolean;
  /** Settles when the item is durable or couldn't be stored; undefined after that. */
  storing?: Promise<void> | undefined;
}

export interface Lane<T> {
  items: LaneItem<T>[];
  /** How many items at the front are running. */
  leased: number;
  lease: LocalLease<T> | undefined;
  retryAt: number;
  /** It waits for somebody's turn. */
  isReady: boolean;
  /** The person in whose turn it runs. */
  share: Share | undefined;
}

export const emptyLane = <T>(): Lane<T> => {
  return { items: [], leased: 0, lease: undefined, retryAt: 0, isReady: false, share: undefined };
};

export function laneItem<T>(file: SpoolFile<T>, isAgain: boolean): LaneItem<T> {
  const { id, lane, seq, attempts, message, acceptedAt, group, orderKey, notBefore = 0 } = file;
  const by = file.by ?? { person: lane, isOwner: false };
  return { id, lane, seq, attempts, message, acceptedAt, by, notBefore, group, orderKey, isAgain };
}

/**
 * Inserts the item in order of arrival, since writes that share a sync may end in any order, but before anything its
 * source sent later.
 */
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

export function putBack<T>(lane: Lane<T>): void {
  const all = lane.items.sort((a, b) => a.seq - b.seq);
  lane.items = [];
  lane.leased = 0;
  for (const item of all) insert(lane, item);
}

/** Returns the messages that are handed out together: the first and its neighbours in the same group. */
export function head<T>({ items }: Lane<T>): LaneItem<T>[] {
  const group = items[0]?.group;
  if (group === undefined) return items.slice(0, 1);
  const end = items.findIndex((item) => item.group !== group);
  return end < 0 ? [...items] : items.slice(0, end);
}

/** Longer than any real wait. A wait that seems longer means that the clock was set back while no gateway ran. */
const LONGEST_WAIT_MS = 30 * 60_000;

export const isDue = (at: number, now: number): boolean => at <= now || at - now > LONGEST_WAIT_MS;

/** Returns when the head may be handed out, by `elapsed`. */
export const dueAt = <T>(lane: Lane<T>): number => Math.max(lane.retryAt, ...head(lane).map((item) => item.notBefore));

/** Returns the waiting items that are due; a group is due when all of it is. */
export function dueBehind<T>(lane: Lane<T>, now: number): LaneItem<T>[] {
  const waiting = lane.items.slice(lane.leased);
  const early = new Set(
    waiting.flatMap((item) => (!isDue(item.notBefore, now) ? [item.id, item.group ?? item.id] : [])),
  );
  return waiting.filter((item) => !early.has(item.id) && !early.has(item.group ?? item.id));
}

/** Moves these waiting items behind the running ones and marks them as running. */
export function lease<T>(lane: Lane<T>, taken: readonly LaneItem<T>[]): void {
  const waiting = lane.items.slice(lane.leased);
  const rest = waiting.filter((item) => !taken.includes(item));
  lane.items = [...lane.items.slice(0, lane.leased), ...taken, ...rest];
  lane.leased += taken.length;
}

/** Messages being stored, by lane: they count as waiting and aren't handed out yet. */
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
