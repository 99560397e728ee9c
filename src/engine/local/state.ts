/**
 * Small state on one machine, in the cache's table (`engine/cache.ts`): it outlives the process and has no other writers.
 *
 * Invariant: changes of a key run one after the other, in the order of the calls, so that a read and a write are
 * atomic.
 */
import type { Cache } from '../cache.ts';
import type { State } from '../engine.ts';

export class LocalState implements State {
  readonly #cache: Cache;
  /** The end of the last pending change, by key. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  get(key: string): Promise<string | undefined> {
    const before = this.#tails.get(key);
    return before === undefined ? this.#cache.get(key) : this.#change(key, () => this.#cache.get(key));
  }

  set(key: string, value: string, ttlMs?: number): Promise<void> {
    return this.#change(key, () => this.#cache.set(key, value, ttlMs));
  }

  create(key: string, value: string, ttlMs?: number): Promise<boolean> {
    return this.#when(key, undefined, () => this.#cache.set(key, value, ttlMs));
  }

  cas(key: string, before: string | undefined, after: string, ttlMs?: number): Promise<boolean> {
    return this.#when(key, before, () => this.#cache.set(key, after, ttlMs));
  }

  add(key: string, by: number, ttlMs?: number): Promise<number> {
    return this.#change(key, async () => {
      const sum = (Number(await this.#cache.get(key)) || 0) + by;
      await this.#cache.set(key, String(sum), ttlMs);
      return sum;
    });
  }

  delete(key: string): Promise<void> {
    return this.#change(key, () => this.#cache.delete(key));
  }

  async close(): Promise<void> {
    await Promise.all(this.#tails.values());
    await this.#cache.close();
  }

  #when(key: string, before: string | undefined, change: () => Promise<void>): Promise<boolean> {
    return this.#change(key, async () => {
      if ((await this.#cache.get(key)) !== before) return false;
      await change();
      return true;
    });
  }

  #change<R>(key: string, work: () => Promise<R>): Promise<R> {
    const before = this.#tails.get(key);
    const done = before === undefined ? work() : before.then(work);
    // The caller gets the failure; the next change runs regardless.
    const tail: Promise<unknown> = done.then(
      () => this.#over(key, tail),
      () => this.#over(key, tail),
    );
    this.#tails.set(key, tail);
    return done;
  }

  #over(key: string, tail: Promise<unknown>): void {
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
  }
}
