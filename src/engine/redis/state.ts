/** Small values on a server. Every read-then-write is one script, which is safe to repeat (`change.lua`). */
import { randomUUID } from 'node:crypto';
import type { State } from '../engine.ts';
import { stateKey } from './keys.ts';
import type { Answer } from './scripts.ts';
import type { World } from './world.ts';

export class RedisState implements State {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#world.connections.own.get(this.#key(key))) ?? undefined;
  }

  async set(key: string, value: string, ttlMs?: number): Promise<void> {
    const { own } = this.#world.connections;
    await (ttlMs === undefined ? own.set(this.#key(key), value) : own.set(this.#key(key), value, 'PX', wholeMs(ttlMs)));
  }

  async create(key: string, value: string, ttlMs?: number): Promise<boolean> {
    return (await this.#change(key, { isNew: true, ms: ttlMs && wholeMs(ttlMs) }, '', value)).what === 'ok';
  }

  async cas(key: string, before: string | undefined, after: string, ttlMs?: number): Promise<boolean> {
    const ask = { isNew: before === undefined, ms: ttlMs && wholeMs(ttlMs) };
    return (await this.#change(key, ask, before ?? '', after)).what === 'ok';
  }

  async add(key: string, by: number, ttlMs?: number): Promise<number> {
    return Number((await this.#change(key, { op: 'add', by, ms: ttlMs && wholeMs(ttlMs) })).value);
  }

  async delete(key: string): Promise<void> {
    await this.#world.connections.own.del(this.#key(key));
  }

  #change(key: string, ask: object, ...more: string[]): Promise<Answer> {
    return this.#world.scripts.run('change', this.#key(key), { ...ask, once: randomUUID() }, ...more);
  }

  #key(key: string): string {
    return stateKey(key, this.#world.shards);
  }
}

/** The server accepts no fractions and no expiry of zero or less. */
const wholeMs = (ms: number): number => Math.max(1, Math.ceil(ms));
