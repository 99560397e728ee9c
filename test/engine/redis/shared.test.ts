import { describe } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { sharedContract } from '../contract-shared.ts';
import { redisWorlds } from './world.ts';

describe.skipIf(!hasRedis)(`on a server${WITHOUT_REDIS}`, () => {
  const createWorld = redisWorlds();
  // The turns of people hold within a queue, so those of three are not compared with one.
  for (const [shards, isFair] of [
    [1, true],
    [3, false],
  ] as const) {
    const world = () => {
      const { openSecond } = createWorld();
      return { open: (limits = {}) => openSecond({ limits, shards }) };
    };
    sharedContract(`redis, ${shards} queues`, world, isFair);
  }
});
