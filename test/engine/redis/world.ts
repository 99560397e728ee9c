/** Engines on a server of the tests' own; each world has a database, so that worlds do not meet. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Engine, Lease } from '../../../src/engine/engine.ts';
import { openRedisEngine, type RedisEngine, type RedisEngineOptions } from '../../../src/engine/redis/engine.ts';
import { hasRedis, type RedisServer, startRedis } from '../../helpers/redis.ts';
import type { EngineWorld, WorldOptions } from '../contract.ts';

/** Long enough for a machine that is busy with other work to renew it. */
export const LEASE_MS = 1_200;
const DATABASES = 64;

export interface RedisWorld extends EngineWorld {
  url: string;
  open(more?: Partial<RedisEngineOptions<string>>): Promise<RedisEngine<string>>;
  openSecond(more?: Partial<RedisEngineOptions<string>>): Promise<RedisEngine<string>>;
}

/** One server for the tests of a file. */
export function redisWorlds(): (options?: WorldOptions) => RedisWorld {
  let server: RedisServer | undefined;
  let worlds = 0;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    if (hasRedis) server = await startRedis(undefined, (end) => void ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return (options) => {
    if (worlds === DATABASES - 1) throw new Error('a server has no more databases: give these tests another file');
    return redisWorld(`${server?.url}/${worlds++}`, options);
  };
}

export function redisWorld(url: string, { onError, hasResult }: WorldOptions = {}): RedisWorld {
  let current: RedisEngine<string> | undefined;
  const openSecond = async (more: Partial<RedisEngineOptions<string>> = {}) => {
    const engine = await openRedisEngine<string>({
      ...{ url, leaseMs: LEASE_MS, shards: 1, replicas: 0, dedupeDays: 30, waits: { suspectMs: 5 } },
      onDead: () => undefined,
      hasResult: async ({ message }) => hasResult?.(message) === true,
      onError:
        onError ??
        ((error) => {
          throw error;
        }),
      ...more,
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  return {
    url,
    openSecond,
    async open(more) {
      current = await openSecond(more);
      return current;
    },
    crash: async () => current?.cut(),
  };
}

export async function claim(engine: Engine<string>): Promise<Lease<string>> {
  const lease = await engine.queue.claim('task:');
  if (!lease) throw new Error('the queue is closed');
  return lease;
}
