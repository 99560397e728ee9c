import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { openRedisEngine, type RedisEngine } from '../../../src/engine/redis/engine.ts';
import { hasRedis, type RedisServer, startRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { type EngineWorld, engineContract } from '../contract.ts';

const LEASE_MS = 400;

describe.skipIf(!hasRedis)(`on a server${WITHOUT_REDIS}`, () => {
  let server: RedisServer;
  let database = 0;
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    server = await startRedis(undefined, (end) => void ends.push(() => void end({} as never)));
  });
  afterAll(() => {
    for (const end of ends.reverse()) end();
  });

  /** A database each; a crash cuts every socket, so that nothing is handed back. */
  function redisWorld(): EngineWorld {
    const url = `${server.url}/${database++ % 16}`;
    let current: RedisEngine<string> | undefined;
    const open = async () => {
      const engine = await openRedisEngine<string>({
        ...{ url, leaseMs: LEASE_MS, shards: 1, replicas: 0, dedupeDays: 30, suspectDelayMs: 5 },
        onDead: () => undefined,
        onError(error) {
          throw error;
        },
      });
      onTestFinished(() => engine.close());
      return engine;
    };
    return {
      async open() {
        current = await open();
        return current;
      },
      crash: async () => current?.cut(),
    };
  }

  engineContract('redis', redisWorld);
});
