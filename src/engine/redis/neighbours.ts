/**
 * Processes of this machine that are gone: the system knows it at once, long before their leases have ended. Each says on the server which it
 * is, and those beside it, and only those, ask the system.
 *
 * Invariant: who is called gone does nothing any more. One that hangs, or is cut off, is not gone; of one on another machine, or with
 * process numbers of its own, only its lease tells.
 */
import { isGone, type Mark, ownProcess } from '../../lib/processes.ts';
import { parseJson } from '../../lib/read-json.ts';
import { isFilled, isInteger, objectOf, shape } from '../../lib/shape.ts';
import type { World } from './world.ts';

interface Neighbour extends Mark {
  name: string;
}

const PROCESSES = 'viber:processes';
/** Whoever has not been heard of for so long is forgotten; its leases have ended long ago. */
const FORGOTTEN_MS = 3_600_000;
const neighbourShape = shape<Neighbour>(objectOf({ name: isFilled, space: isFilled, pid: isInteger, began: isFilled }));

export class Neighbours {
  readonly #world: World;
  readonly #onGone: (name: string) => Promise<void>;
  readonly #self: Neighbour | undefined;

  /** @param onGone frees what it owned */
  constructor(world: World, onGone: (name: string) => Promise<void>) {
    const own = ownProcess();
    this.#world = world;
    this.#onGone = onGone;
    this.#self = own && { name: world.name, ...own };
  }

  async look(): Promise<void> {
    const { connections, gone } = this.#world;
    if (!this.#self || connections.own.status !== 'ready') return;
    const now = Date.now();
    await connections.own.zadd(PROCESSES, now, JSON.stringify(this.#self));
    for (const text of await connections.own.zrange(PROCESSES, '0', '-1')) {
      const { data } = neighbourShape.safeParse(parseJson(text));
      if (!data || data.space !== this.#self.space || gone.has(data.name) || !isGone(data)) continue;
      await this.#onGone(data.name);
      // It stands there still: each of those beside it has locks to take over.
      gone.add(data.name);
    }
    await connections.own.zremrangebyscore(PROCESSES, '-inf', now - FORGOTTEN_MS);
  }

  /** What it owned is handed back. */
  async leave(): Promise<void> {
    const { own } = this.#world.connections;
    if (this.#self && own.status === 'ready') await own.zrem(PROCESSES, JSON.stringify(this.#self));
  }
}
