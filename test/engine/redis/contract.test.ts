import { describe } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { engineContract } from '../contract.ts';
import { redisWorlds } from './world.ts';

describe.skipIf(!hasRedis)(`on a server${WITHOUT_REDIS}`, () => {
  engineContract('redis', redisWorlds());
});
