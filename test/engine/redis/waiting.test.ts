/** Whoever waits for a lane is served also after the server failed in the midst of giving it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Scripts } from '../../../src/engine/redis/scripts.ts';
import { StorageError } from '../../../src/errors.ts';
import { hasRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { redisWorlds } from './world.ts';

afterEach(() => vi.restoreAllMocks());

describe.skipIf(!hasRedis)(`a lane that could not be given${WITHOUT_REDIS}`, () => {
  const createWorld = redisWorlds();

  it('is asked for again for the one who waits', async () => {
    const errors: unknown[] = [];
    const { open } = createWorld({ onError: (error) => void errors.push(error) });
    const engine = await open();
    const { run } = Scripts.prototype;
    let claims = 0;
    vi.spyOn(Scripts.prototype, 'run').mockImplementation(async function (this: Scripts, name, ...rest) {
      if (name !== 'claim' || ++claims > 1) return run.call(this, name, ...rest);
      // Late: when nobody else is waiting for anything any more.
      await sleep(100);
      throw new StorageError('the server went away');
    });
    const waiting = engine.queue.claim('task:');
    await engine.queue.enqueue('task:1', 'hello', { by: { person: 'alex', isOwner: true }, dedupeId: 'm1' });
    const lease = await waiting;
    expect(lease?.items.map(({ message, attempts }) => ({ message, attempts }))).toEqual([
      { message: 'hello', attempts: 0 },
    ]);
    expect(claims).toBe(2);
    expect(errors).toEqual([new StorageError('the server went away')]);
  });
});
