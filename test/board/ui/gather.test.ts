/** Events that come together ask once, the first at once, and none is left without an answer. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { gather } from '../../../src/board/ui/net/gather.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('asks for the first at once, and once more for all that follow within the time', () => {
  const work = vi.fn();
  const { soon } = gather(work, 100);
  soon();
  expect(work).toHaveBeenCalledTimes(1);
  for (let n = 0; n < 5; n++) soon();
  vi.advanceTimersByTime(99);
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(work).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1_000);
  expect(work).toHaveBeenCalledTimes(2);
  soon();
  expect(work).toHaveBeenCalledTimes(3);
});

it('asks no more once it has ended, and again when it is used anew', () => {
  const work = vi.fn();
  const { soon, end } = gather(work, 100);
  soon();
  soon();
  end();
  vi.advanceTimersByTime(1_000);
  expect(work).toHaveBeenCalledTimes(1);
  soon();
  expect(work).toHaveBeenCalledTimes(2);
});
