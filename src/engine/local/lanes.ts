/** A lane's messages in order of arrival, those in work at the front. Pure. */
import type { QueueItem, Share } from '../engine.ts';
import type { SpoolFile } from './recovery.ts';

export interface LaneItem<T> extends QueueItem<T> {
  by: Share;
  notBefore: number;
  group: string | undefined;
}

export interface Lane<T> {
  items: LaneItem<T>[];
  /** Items from the front that are in work. */
  leased: number;
  epoch: number;
  retryAt: number;
  /** It waits for somebody's turn. */
  isReady: boolean;
  /** In whose turn it is in work. */
  share: Share | undefined;
}

export const emptyLane = <T>(): Lane<T> => {
  return { items: [], leased: 0, epoch: 0, retryAt: 0, isReady: false, share: undefined };
};

/** In its place by arrival: what was stored together may come in any order. */
export function insert<T>({ items }: Lane<T>, file: SpoolFile<T>): LaneItem<T> {
  const { id, lane, seq, attempts, message, acceptedAt, by = { person: lane, isOwner: false } } = file;
  const item = { id, lane, seq, attempts, message, acceptedAt, by, notBefore: file.notBefore ?? 0, group: file.group };
  let at = items.length;
  while (at > 0 && (items[at - 1]?.seq ?? 0) > seq) at--;
  items.splice(at, 0, item);
  return item;
}

/** Messages that are handed out together: the head and its neighbours of the same group. */
export function head<T>({ items }: Lane<T>): LaneItem<T>[] {
  const group = items[0]?.group;
  if (group === undefined) return items.slice(0, 1);
  const end = items.findIndex((item) => item.group !== group);
  return end < 0 ? [...items] : items.slice(0, end);
}

/** When what comes first may be handed out, in milliseconds since the epoch. */
export const dueAt = <T>(lane: Lane<T>): number => Math.max(lane.retryAt, ...head(lane).map((item) => item.notBefore));

/** What waits behind the items in work and is due; a group is when all of it is. */
export function dueBehind<T>(lane: Lane<T>, now: number): LaneItem<T>[] {
  const waiting = lane.items.slice(lane.leased);
  const early = new Set(waiting.flatMap((item) => (item.notBefore > now ? [item.id, item.group ?? item.id] : [])));
  return waiting.filter((item) => !early.has(item.id) && !early.has(item.group ?? item.id));
}

/** Puts these, which wait, behind the items in work and into it. */
export function lease<T>(lane: Lane<T>, taken: readonly LaneItem<T>[]): void {
  const waiting = lane.items.slice(lane.leased);
  const rest = waiting.filter((item) => !taken.includes(item));
  lane.items = [...lane.items.slice(0, lane.leased), ...taken, ...rest];
  lane.leased += taken.length;
}
