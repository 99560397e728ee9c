/** A running lane of messages. */
import type { Lease, QueueItem } from '../engine.ts';
import type { HeldLane } from './held.ts';

export class RedisLease<T> implements Lease<T> {
  readonly held: HeldLane;
  readonly items: QueueItem<T>[];

  constructor(held: HeldLane, items: QueueItem<T>[]) {
    this.held = held;
    this.items = items;
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

  get isAgain(): boolean {
    return this.held.isAgain;
  }

  check(): void {
    this.held.check();
  }

  /** Nothing is handed out before it is durable. */
  async stored(): Promise<void> {
    this.check();
  }
}
