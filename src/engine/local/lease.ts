/** Leases of one machine: a lane is lost only when its owner released or finished it. */
import { LeaseLost } from '../../errors.ts';
import type { Fence, LaneView, Lease, QueueItem } from '../engine.ts';

export class LocalFence implements Fence {
  readonly epoch: number;
  readonly #name: string;
  readonly #isHeld: () => boolean;
  #controller: AbortController | undefined;

  constructor(name: string, epoch: number, isHeld: () => boolean) {
    this.#name = name;
    this.epoch = epoch;
    this.#isHeld = isHeld;
  }

  /** Created on demand: nothing else in this process takes it over. */
  get lost(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  check(): void {
    if (!this.#isHeld()) throw new LeaseLost(`${this.#name} is not owned any more (epoch ${this.epoch})`);
  }

  lose(): void {
    this.#controller?.abort(new LeaseLost(`${this.#name} was taken away (epoch ${this.epoch})`));
  }
}

interface HeldItems<T> {
  items: QueueItem<T>[];
  isAgain: boolean;
  isHeld: () => boolean;
  /** Returns pending writes of the running lane. */
  storing: () => Promise<void>[];
}

export class LocalLease<T> extends LocalFence implements Lease<T> {
  readonly lane: string;
  readonly items: QueueItem<T>[];
  readonly isAgain: boolean;
  view: LaneView | undefined;
  readonly #storing: () => Promise<void>[];

  constructor(lane: string, epoch: number, { items, isAgain, isHeld, storing }: HeldItems<T>) {
    super(lane, epoch, isHeld);
    this.lane = lane;
    this.items = items;
    this.isAgain = isAgain;
    this.#storing = storing;
  }

  async stored(): Promise<void> {
    const storing = this.#storing();
    if (storing.length > 0) await Promise.allSettled(storing);
    this.check();
  }
}
