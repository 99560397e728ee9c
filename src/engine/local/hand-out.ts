/**
 * Which lane is handed out next: lanes that are due wait in the turns of their people (`fair.ts`), and whoever wants one waits in
 * `claim`. Invariants: a lane has one owner at a time; a message that was part of two crashes is in work while no other such message
 * is, so that the one that kills the gateway is alone when it does so again, and takes no innocent one with it to `dead`.
 */
import { awakeNow } from '../../lib/steady.ts';
import { SUSPECT_FROM } from '../crashes.ts';
import type { FairLimits, Lease } from '../engine.ts';
import { createFair, type Fair } from './fair.ts';
import { dueAt, emptyLane, head, isDue, type Lane, type LaneItem, putBack } from './lanes.ts';
import { LocalLease } from './lease.ts';

/** Lanes of one kind, and those who want one. */
interface Kind<T> {
  fair: Fair;
  claimers: ((lease: Lease<T> | undefined) => void)[];
}

export interface HandOutOptions<T> {
  /** By kind of lane, how many may be in work for whom; absent: as many as are claimed. */
  limits: Readonly<Record<string, FairLimits>> | undefined;
  /** These are in work now. */
  onTaken: (items: readonly LaneItem<T>[]) => void;
}

/** Waits are counted by this, in whole milliseconds: a clock that goes back makes none longer. */
export const elapsed = (): number => Math.floor(awakeNow());

/** By `elapsed`, the time that the clock calls so while it says `now`; 0 is no wait. */
export const waitsUntil = (time: number, now: number): number => (time === 0 ? 0 : time - now + elapsed());

/** `task:` of `task:20261122-abcde`. */
const kindOf = (lane: string): string => lane.slice(0, lane.indexOf(':') + 1);

export class HandOut<T> {
  readonly #options: HandOutOptions<T>;
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #kinds = new Map<string, Kind<T>>();
  /** Lanes that begin with a suspected message, while another such message is in work. */
  readonly #held = new Set<string>();
  /** The lane at work with a suspected message. */
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

  /** The lane, made where there is none. */
  laneOf(name: string): Lane<T> {
    const lane = this.#lanes.get(name) ?? emptyLane<T>();
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Nothing has come into it after all. */
  forgetEmpty(name: string): void {
    if (this.#lanes.get(name)?.items.length === 0) this.#lanes.delete(name);
  }

  /** A message has come into its lane. */
  added(name: string, lane: Lane<T>, { by }: LaneItem<T>): void {
    if (lane.isReady) this.#kindFor(kindOf(name)).fair.add(name, by);
  }

  /** A message could not be stored after all: whoever works on it loses the lane, and what else was in work there waits again. */
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
    const kind = this.#kindFor(kindOf(name));
    for (const { by } of lane.items) kind.fair.add(name, by);
    this.#handOut(kind);
  }

  /** Whether the owner of a lane may take this one as well. */
  mayTake(name: string, { attempts }: LaneItem<T>): boolean {
    return attempts < SUSPECT_FROM || this.#suspect === undefined || this.#suspect === name;
  }

  /** The owner of a lane has taken these as well. */
  took(name: string, items: readonly LaneItem<T>[]): void {
    if (items.some(({ attempts }) => attempts >= SUSPECT_FROM)) this.#suspect = name;
    for (const item of items) item.isAgain = true;
    this.#options.onTaken(items);
  }

  /** The lane is free again. */
  freed(name: string, lane: Lane<T>): void {
    lane.leased = 0;
    lane.lease = undefined;
    const kind = this.#kindFor(kindOf(name));
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
        // Its only message could not be stored.
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
    // Of any of them: the owner may take what stands further behind.
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
