import { expect, it } from 'vitest';
import type { Fence } from '../../../src/engine/engine.ts';
import { LocalFence, LocalLease } from '../../../src/engine/local/lease.ts';
import { Turns } from '../../../src/engine/local/turns.ts';
import { LeaseLost } from '../../../src/errors.ts';

it('a lock is held by one after the other, each with a higher epoch, and by nobody afterwards', async () => {
  const turns = new Turns();
  const fences: Fence[] = [];
  const order: string[] = [];
  const work = (name: string) => async (fence: Fence) => {
    fences.push(fence);
    fence.check();
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
  };
  await Promise.all([turns.lock('x', work('a')), turns.lock('x', work('b'))]);
  await turns.lock('x', work('c'));
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  const epochs = fences.map(({ epoch }) => epoch);
  expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
  expect(new Set(epochs).size).toBe(3);
  for (const fence of fences)
    expect(() => fence.check()).toThrow(new LeaseLost(`x is not owned any more (epoch ${fence.epoch})`));
});

it('whoever leads hears that it is over, and who has not begun never does', async () => {
  const turns = new Turns();
  const errors: unknown[] = [];
  let mine: Fence | undefined;
  const stopFirst = turns.lead(
    'poller',
    async (fence) => {
      mine = fence;
      fence.check();
      await new Promise<void>((resolve) => fence.lost.addEventListener('abort', () => resolve()));
    },
    (error) => void errors.push(error),
  );
  let hasBegun = false;
  const stopSecond = turns.lead(
    'poller',
    async () => {
      hasBegun = true;
    },
    (error) => void errors.push(error),
  );
  await expect.poll(() => mine).toBeDefined();
  await stopSecond();
  await stopFirst();
  await new Promise((resolve) => setImmediate(resolve));
  expect([hasBegun, errors]).toEqual([false, []]);
  expect(mine?.lost.reason).toEqual(new LeaseLost(`poller was taken away (epoch ${mine?.epoch})`));
  expect(() => mine?.check()).toThrow(LeaseLost);
});

it('one who leads and fails is told of, and has lost it', async () => {
  const turns = new Turns();
  const errors: unknown[] = [];
  let mine: Fence | undefined;
  turns.lead(
    'poller',
    async (fence) => {
      mine = fence;
      throw new Error('no connection');
    },
    (error) => void errors.push(error),
  );
  await expect.poll(() => errors).toEqual([new Error('no connection')]);
  expect(() => mine?.check()).toThrow(LeaseLost);
  // Somebody else may lead then.
  let isLed = false;
  turns.lead(
    'poller',
    async () => {
      isLed = true;
    },
    () => undefined,
  );
  await expect.poll(() => isLed).toBe(true);
});

it('what a lane stores is waited for, also where it fails, and then whether it is still owned', async () => {
  let isHeld = true;
  let storing: Promise<void>[] = [];
  const lease = new LocalLease('task:1', 3, {
    ...{ items: [], isAgain: false, isHeld: () => isHeld, storing: () => storing },
  });
  expect([lease.isAgain, lease.epoch]).toEqual([false, 3]);
  await lease.stored();
  const { promise, reject } = Promise.withResolvers<void>();
  storing = [promise];
  let isOver = false;
  const waiting = lease.stored().then(
    () => 'stored',
    (error: unknown) => error,
  );
  void waiting.then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  isHeld = false;
  reject(new Error('EIO'));
  expect(await waiting).toBeInstanceOf(LeaseLost);
  expect(new LocalFence('x', 1, () => true).lost.aborted).toBe(false);
});
