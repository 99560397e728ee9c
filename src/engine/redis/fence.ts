/** Something that this process owns on the server, until it is handed back, taken away, or can't be confirmed. */
import { LeaseLost } from '../../errors.ts';
import { steadyNow } from '../../lib/clock.ts';
import type { Fence } from '../engine.ts';

export class RedisFence implements Fence {
  readonly epoch: number;
  readonly #name: string;
  readonly #controller = new AbortController();
  #until: number;
  #isOver = false;

  /** @param until by `steadyNow`, when another may own it, unless prolonged: setting the clock takes nothing away */
  constructor(name: string, epoch: number, until: number) {
    this.#name = name;
    this.epoch = epoch;
    this.#until = until;
  }

  get lost(): AbortSignal {
    return this.#controller.signal;
  }

  get isOwned(): boolean {
    return !this.#isOver && steadyNow() < this.#until;
  }

  check(): void {
    if (!this.isOwned) throw new LeaseLost(`${this.#name} is not owned any more (epoch ${this.epoch})`);
  }

  prolong(until: number): void {
    this.#until = until;
  }

  end(): void {
    this.#isOver = true;
  }

  lose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.abort(new LeaseLost(`${this.#name} was taken away (epoch ${this.epoch})`));
  }
}
