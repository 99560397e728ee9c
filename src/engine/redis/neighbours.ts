/**
 * Finds processes of this machine that are gone: the system knows at once, long before their leases expire. Each
 * process registers on the server, and only those on the same machine check it with the system.
 *
 * Invariant: a process reported as gone does nothing any more. One that hangs or is cut off isn't gone. A process on
 * another machine, or in another PID namespace, is only judged by its lease.
 */

import { parseJson } from '../../lib/json.ts';
import { isGone, type Mark, ownProcess } from '../../lib/processes.ts';
import { isFilled, isInteger, objectOf, shape } from '../../lib/shape.ts';
import type { World } from './world.ts';

interface Neighbour extends Mark {
  name: string;
}

const PROCESSES = 'viber:processes';
/** A process not heard of for this long is forgotten, in ms; its leases expired long ago. */
const FORGOTTEN_MS = 3_600_000;
const neighbourShape = shape<Neighbour>(objectOf({ name: isFilled, space: isFilled, pid: isInteger, began: isFilled }));

export class Neighbours {
  readonly #world: World;
  readonly #onGone: (name: string) => Promise<void>;
  readonly #self: Neighbour | undefined;

  /** @param onGone frees what the process owned */
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
      // It stays registered: every neighbour has its own locks to take over.
      gone.add(data.name);
    }
    await connections.own.zremrangebyscore(PROCESSES, '-inf', now - FORGOTTEN_MS);
  }

  /** Unregisters this process after it handed everything back. */
  async leave(): Promise<void> {
    const { own } = this.#world.connections;
    if (this.#self && own.status === 'ready') await own.zrem(PROCESSES, JSON.stringify(this.#self));
  }
}
