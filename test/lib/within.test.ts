/** A wait with a limit. */
import { afterEach, expect, it, vi } from 'vitest';
import { within } from '../../src/lib/within.ts';

afterEach(() => void vi.useRealTimers());

it('gives what the work gives, or throws what it throws, and leaves no timer behind', async () => {
  vi.useFakeTimers();
  expect(await within(Promise.resolve(5), 1_000)).toBe(5);
  expect(await within(Promise.resolve(undefined), 1_000, () => 'late')).toBe(undefined);
  await expect(within(Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

it('gives nothing, what is given instead, or throws when the time is over', async () => {
  vi.useFakeTimers();
  const { promise, reject } = Promise.withResolvers<number>();
  const waits = [
    within(promise, 100),
    within(promise, 100, () => 'late'),
    within(promise, 100, () => {
      throw new Error('no answer');
    }).catch((error: Error) => error.message),
  ];
  await vi.advanceTimersByTimeAsync(99);
  expect(vi.getTimerCount()).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.all(waits)).toEqual([undefined, 'late', 'no answer']);
  // What fails afterwards is nobody's unhandled rejection.
  reject(new Error('too late'));
  await vi.advanceTimersByTimeAsync(1);
});
