/**
 * Decides which lane is handed out next: due lanes wait for their people's turns (`fair.ts`), and callers wait in
 * `claim`. Invariants: a lane has one owner at a time. A message that was part of two crashes runs only while no other
 * such message does, so that the one that kills the gateway is alone the next time and takes no innocent message with
 * it to `dead`.
 */
import { awakeNow } from '../../lib/clock.ts';
import { SUSPECT_FROM } from '../crashes.ts';
import type { FairLimits, Lease } from '../engine.ts';
import { createFair, type Fair } from './fair.ts';
import { dueAt, emptyLane, head, isDue, type Lane, type LaneItem, putBack } from './lanes.ts';
import { LocalLease } from './lease.ts';

/** The lanes of one kind, and the callers waiting for one. */
interface Kind<T> {
  fair: Fair;
  claimers: ((lease: Lease<T> | undefined) => void)[];
}

export interface HandOutOptions<T> {
  /** The most running lanes per person, by kind of lane; absent for no limit. */
  limits: Readonly<Record<string, FairLimits>> | undefined;
  /** Called with the items that start running. */
  onTaken: (items: readonly LaneItem<T>[]) => void;
}

/** A monotonic clock in whole milliseconds: setting the system's clock back makes no wait longer. */
export const elapsed = (): number => Math.floor(awakeNow());

/** The same moment by the system's clock and by `elapsed`. */
export interface Clocks {
  wall: number;
  steady: number;
}

export const readClocks = (now: () => number): Clocks => ({ wall: now(), steady: elapsed() });

/** Converts a wall-clock time to `elapsed`. 0 means no wait. */
export const waitsUntil = (time: number, { wall, steady }: Clocks): number => (time === 0 ? 0 : time - wall + steady);

/** `task:` of `task:20261122-abcde`. */
const laneKind = (lane: string): string => lane.slice(0, lane.indexOf(':') + 1);

export class HandOut<T> {
  readonly #options: HandOutOptions<T>;
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #kinds = new Map<string, Kind<T>>();
  /** Lanes that begin with a suspected message while another one runs. */
  readonly #held = new Set<string>();
  /** The lane that is running a suspected message. */
  #suspect: string | undefined;
  #epoch = 0;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(options: HandOutOptions<T>) {
    this.#options = options;
  }

  get(name: string): Lane<T> | undefined {
    return this.#lanes.get(name);
  }

  all(): Iterable<Lane<T>> {
    return this.#lanes.values();
  }

  /** Returns the lane, created if missing. */
  laneOf(name: string): Lane<T> {
    const lane = this.#lanes.get(name) ?? emptyLane<T>();
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Deletes the lane if nothing was added to it. */
  forgetEmpty(name: string): void {
    if (this.#lanes.get(name)?.items.length === 0) this.#lanes.delete(name);
  }

  /** Call it when a message was added to its lane. */
  added(name: string, lane: Lane<T>, { by }: LaneItem<T>): void {
    if (lane.isReady) this.#kindFor(laneKind(name)).fair.add(name, by);
  }

  /**
   * Removes a message that couldn't be stored. Its owner loses the lane, and the other messages it held wait again;
   * these are returned.
   */
  takeBack(name: string, id: string): readonly LaneItem<T>[] {
    const lane = this.#lanes.get(name);
    const at = lane?.items.findIndex((item) => item.id === id) ?? -1;
    if (!lane || at < 0) return [];
    const { lease } = lane;
    const inWork = at < lane.leased ? lane.items.slice(0, lane.leased) : [];
    lane.items.splice(at, 1);
    if (inWork.length === 0) {
      if (lane.items.length === 0 && !lane.isReady) this.forgetEmpty(name);
      return [];
    }
    putBack(lane);
    this.freed(name, lane);
    lease?.lose();
    return inWork.filter((item) => item.id !== id);
  }

  claim(kindName: string): Promise<Lease<T> | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Lease<T> | undefined>();
    const kind = this.#kindFor(kindName);
    kind.claimers.push(resolve);
    this.#handOut(kind);
    return promise;
  }

  wakeAll(): void {
    for (const name of this.#lanes.keys()) this.wake(name);
  }

  wake(name: string): void {
    const lane = this.#lanes.get(name);
    if (!lane || lane.leased > 0 || lane.isReady || lane.items.length === 0 || this.#isClosed) return;
    const due = dueAt(lane);
    if (!isDue(due, elapsed())) {
      this.#wakeAt(due);
      return;
    }
    lane.isReady = true;
    const kind = this.#kindFor(laneKind(name));
    for (const { by } of lane.items) kind.fair.add(name, by);
    this.#handOut(kind);
  }

  /** Returns whether the owner of a lane may take this item too. */
  mayTake(name: string, { attempts }: LaneItem<T>): boolean {
    return attempts < SUSPECT_FROM || this.#suspect === undefined || this.#suspect === name;
  }

  /** Call it when the owner of a lane took these items too. */
  took(name: string, items: readonly LaneItem<T>[]): void {
    if (items.some(({ attempts }) => attempts >= SUSPECT_FROM)) this.#suspect = name;
    for (const item of items) item.isAgain = true;
    this.#options.onTaken(items);
  }

  /** Call it when the lane has no owner any more. */
  freed(name: string, lane: Lane<T>): void {
    lane.leased = 0;
    lane.lease = undefined;
    const kind = this.#kindFor(laneKind(name));
    if (lane.share) kind.fair.done(lane.share);
    lane.share = undefined;
    if (lane.items.length === 0) this.#lanes.delete(name);
    if (this.#suspect === name) {
      this.#suspect = undefined;
      const waited = [...this.#held];
      this.#held.clear();
      for (const each of waited) this.wake(each);
    }
    this.wake(name);
    this.#handOut(kind);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { claimers } of this.#kinds.values()) for (const resolve of claimers.splice(0)) resolve(undefined);
  }

  #kindFor(name: string): Kind<T> {
    const kind = this.#kinds.get(name) ?? { fair: createFair(this.#options.limits?.[name]), claimers: [] };
    this.#kinds.set(name, kind);
    return kind;
  }

  #wakeAt(due: number): void {
    if (due >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = due;
    const again = () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.wakeAll();
    };
    this.#timer = setTimeout(again, Math.max(1, due - elapsed()));
  }

  #handOut(kind: Kind<T>): void {
    const { fair, claimers } = kind;
    while (!this.#isClosed && claimers.length > 0) {
      const taken = fair.take();
      if (!taken) return;
      const { lane: name, share } = taken;
      const lane = this.laneOf(name);
      lane.isReady = false;
      if (lane.items.length === 0) {
        // Its only message couldn't be stored.
        fair.done(share);
        this.#lanes.delete(name);
        continue;
      }
      if (this.#suspect !== undefined && (lane.items[0]?.attempts ?? 0) >= SUSPECT_FROM) {
        this.#held.add(name);
        fair.done(share);
        continue;
      }
      lane.share = share;
      claimers.shift()?.(this.#lease(name, lane));
    }
  }

  #lease(name: string, lane: Lane<T>): Lease<T> {
    const items = head(lane);
    lane.leased = items.length;
    lane.retryAt = 0;
    // True for any of them: the owner may take items from further behind.
    const isAgain = lane.items.some((item) => item.isAgain);
    const lease: LocalLease<T> = new LocalLease<T>(name, ++this.#epoch, {
      items,
      isAgain,
      isHeld: () => lane.lease === lease,
      storing: () => lane.items.slice(0, lane.leased).flatMap((item) => item.storing ?? []),
    });
    lane.lease = lease;
    this.took(name, items);
    return lease;
  }
}
