/**
 * Locks and leads on one machine: by name, one after the other in the order of the calls. Invariant: a fence is owned
 * from the beginning of its work to the end, and never again.
 */
import type { Fence, Stop } from '../engine.ts';
import { LocalFence } from './lease.ts';

export class Turns {
  /** The end of the last waiting or running one, by name. */
  readonly #tails = new Map<string, Promise<void>>();
  #epoch = 0;

  async lock<R>(name: string, work: (fence: Fence) => Promise<R>): Promise<R> {
    const before = this.#tails.get(name);
    const { promise: tail, resolve: end } = Promise.withResolvers<void>();
    this.#tails.set(name, tail);
    await before;
    let isHeld = true;
    try {
      return await work(new LocalFence(name, ++this.#epoch, () => isHeld));
    } finally {
      isHeld = false;
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
      end();
    }
  }

  lead(name: string, run: (fence: Fence) => Promise<void>, onError: (error: unknown) => void): Stop {
    let isOver = false;
    let fence: LocalFence | undefined;
    const led = this.lock(name, async () => {
      if (isOver) return;
      const mine = new LocalFence(name, ++this.#epoch, () => !isOver);
      fence = mine;
      try {
        await run(mine);
      } finally {
        isOver = true;
      }
    }).catch(onError);
    return async () => {
      isOver = true;
      // Work that hasn't begun never does.
      if (!fence) return;
      fence.lose();
      await led;
    };
  }
}
