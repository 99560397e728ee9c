/** Dead letters: one hash per shard and side, with the message, the platform's event and the reason. */
import { parseJson } from '../../lib/json.ts';
import { isText, objectOf, optional, shape } from '../../lib/shape.ts';
import type { DeadLetter, GivenUp } from '../engine.ts';
import { allShards, prefixOf } from './keys.ts';
import type { Lanes } from './lanes.ts';
import type { World } from './world.ts';

interface Grave {
  message?: unknown;
  deadReason?: string;
  /** The reason an answer was given up. */
  reason?: string;
  diedAt?: string;
}

const graveShape = shape<Grave>(
  objectOf({ deadReason: optional(isText), reason: optional(isText), diedAt: optional(isText) }),
);

export class Graves {
  readonly #world: World;
  readonly #lanes: Lanes;

  constructor(world: World, lanes: Lanes) {
    this.#world = world;
    this.#lanes = lanes;
  }

  /** Durable when it resolves. The raw event is left out where it can't be serialised. */
  async dig(item: GivenUp, reason: string): Promise<void> {
    const key = `${this.#lanes.prefix(item.lane)}item:${item.id}`;
    const [dedupeId, raw] = await this.#world.connections.own.hmget(key, 'dedupeId', 'raw');
    const grave = {
      ...item,
      dedupeId: item.dedupeId ?? dedupeId ?? '',
      deadReason: reason,
      diedAt: new Date().toISOString(),
    };
    const text = written({
      ...grave,
      raw: item.raw ?? (raw === null || raw === undefined ? undefined : parseJson(raw)),
    });
    const { raw: _left, ...rest } = grave;
    await this.#lanes.run('bury', item.lane, { id: item.id, to: 'dead' }, text ?? JSON.stringify(rest));
    await this.#lanes.copied();
  }

  /** Reads a message; answers have names of their own. */
  async read(id: string): Promise<Grave | undefined> {
    const found = this.#lanes.prefixes().map((prefix) => this.#world.connections.own.hget(`${prefix}dead`, id));
    const text = (await Promise.all(found)).find((one) => one !== null);
    return text === null || text === undefined ? undefined : graveShape.safeParse(JSON.parse(text)).data;
  }

  /** Lists messages and answers. */
  async all(): Promise<DeadLetter[]> {
    const sides = ['in', 'out'] as const;
    const prefixes = allShards(this.#world.shards).flatMap((shard) => sides.map((side) => prefixOf(shard, side)));
    const hashes = await Promise.all(prefixes.map((prefix) => this.#world.connections.own.hgetall(`${prefix}dead`)));
    return hashes.flatMap((hash) =>
      Object.entries(hash).map(([id, text]): DeadLetter => {
        const grave = graveShape.safeParse(JSON.parse(text)).data;
        return { id, reason: grave?.deadReason ?? grave?.reason ?? 'unknown', diedAt: grave?.diedAt ?? '' };
      }),
    );
  }
}

function written(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
