/**
 * Locks and leads on a server: one process at a time owns a name, and within a process callers take turns in the order
 * of their calls. Invariant: a fence is owned for as long as its lock is renewed; an owner that can't renew it has lost
 * it, and stops.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { steadyNow } from '../../lib/clock.ts';
import type { Fence, Stop } from '../engine.ts';
import { RedisFence } from './fence.ts';
import { shardOf, tagOf } from './keys.ts';
import type { World } from './world.ts';

interface OwnedTurn {
  key: string;
  holder: string;
  fence: RedisFence;
}

const FREED = 'freed';
/** The poll interval when no notification arrives. */
const LOOK_MS = 500;

export class RedisTurns {
  readonly #world: World;
  /** The end of the last waiting or running one in this process, by name. */
  readonly #tails = new Map<string, Promise<void>>();
  readonly #owned = new Set<OwnedTurn>();
  readonly #ending = new AbortController();

  constructor(world: World) {
    this.#world = world;
  }

  async lock<R>(name: string, work: (fence: Fence) => Promise<R>): Promise<R> {
    return this.#inTurn(name, async () => {
      const owned = await this.#take(name, this.#ending.signal);
      if (!owned) throw this.#ending.signal.reason;
      try {
        return await work(owned.fence);
      } finally {
        await this.#giveBack(name, owned);
      }
    });
  }

  lead(name: string, run: (fence: Fence) => Promise<void>, onError: (error: unknown) => void): Stop {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.#ending.signal]);
    let leading: RedisFence | undefined;
    const led = this.#inTurn(
      name,
      async () => {
        // After a loss, try to lead again.
        for (let isLost = true; isLost && !signal.aborted; ) {
          const owned = await this.#take(name, signal);
          if (!owned) return;
          leading = owned.fence;
          try {
            await run(owned.fence);
          } finally {
            isLost = owned.fence.lost.aborted;
            await this.#giveBack(name, owned);
          }
        }
      },
      signal,
    ).catch(onError);
    return async () => {
      stopping.abort();
      leading?.lose();
      await led;
    };
  }

  /** Renews all locks, and drops those that can't be renewed. */
  async renew(): Promise<void> {
    const { leaseMs } = this.#world;
    await Promise.all(
      [...this.#owned].map(async ({ key, holder, fence }) => {
        const askedAt = steadyNow();
        const { what } = await this.#world.scripts.run('lock', key, { holder, ms: leaseMs, isKept: true });
        if (what === 'ok') fence.prolong(askedAt + leaseMs);
        else fence.lose();
      }),
    );
  }

  expire(): void {
    for (const { fence } of this.#owned) if (!fence.isOwned) fence.lose();
  }

  close(): void {
    this.#ending.abort(new Error('the engine was closed'));
    for (const { fence } of this.#owned) fence.lose();
  }

  /** Runs in the order of the calls; an aborted caller leaves at once. */
  async #inTurn<R>(name: string, work: () => Promise<R>, signal?: AbortSignal): Promise<R> {
    const before = this.#tails.get(name);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const tail = Promise.all([before, over]).then(() => undefined);
    this.#tails.set(name, tail);
    try {
      await Promise.race([before, signal && aborted(signal)]);
      return await work();
    } finally {
      end();
      void tail.then(() => this.#tails.get(name) === tail && this.#tails.delete(name));
    }
  }

  async #take(name: string, signal: AbortSignal): Promise<OwnedTurn | undefined> {
    const { scripts, leaseMs, shards, gone } = this.#world;
    const key = `${tagOf(shardOf(name, shards))}:lock:${name}`;
    const holder = `${this.#world.name}-${randomUUID()}`;
    while (!signal.aborted) {
      const askedAt = steadyNow();
      const { epoch } = await scripts.run('lock', key, { holder, ms: leaseMs, gone: [...gone] });
      if (epoch !== undefined) {
        const owned = { key, holder, fence: new RedisFence(name, epoch, askedAt + leaseMs) };
        this.#owned.add(owned);
        return owned;
      }
      await this.#freed(name, signal);
    }
    return undefined;
  }

  async #freed(name: string, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const stop = this.#world.news.subscribe(FREED, (freed) => freed === name && woken.abort());
    // A timeout and an abort both continue.
    await sleep(LOOK_MS, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
    await stop();
  }

  async #giveBack(name: string, owned: OwnedTurn): Promise<void> {
    const { key, holder, fence } = owned;
    fence.end();
    this.#owned.delete(owned);
    if (this.#ending.signal.aborted) {
      // Not awaited at the end: the server forgets a process that is gone.
      void this.#world.scripts.run('unlock', key, { holder }).catch(this.#world.onQuiet);
      return;
    }
    await this.#world.scripts.run('unlock', key, { holder });
    this.#world.news.publish(FREED, name);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}
