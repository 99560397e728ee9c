/** A lane in work on one machine: it is lost only once its owner has given it back or finished it. */
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

  /** Made when somebody asks for it: nobody else takes what is held in this process. */
  get lost(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  check(): void {
    if (!this.#isHeld()) throw new LeaseLost(`${this.#name} is not owned any more (epoch ${this.epoch})`);
  }

  /** It was taken from its owner. */
  lose(): void {
    this.#controller?.abort(new LeaseLost(`${this.#name} was taken away (epoch ${this.epoch})`));
  }
}

interface Held<T> {
  items: QueueItem<T>[];
  isAgain: boolean;
  isHeld: () => boolean;
  /** What of the lane in work is on its way to the disk. */
  storing: () => Promise<void>[];
}

export class LocalLease<T> extends LocalFence implements Lease<T> {
  readonly lane: string;
  readonly items: QueueItem<T>[];
  readonly isAgain: boolean;
  view: LaneView | undefined;
  readonly #storing: () => Promise<void>[];

  constructor(lane: string, epoch: number, { items, isAgain, isHeld, storing }: Held<T>) {
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
