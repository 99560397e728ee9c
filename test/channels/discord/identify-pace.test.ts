/** Identifies stay within what Discord allows, whatever its gateway does to the connection. */
import { expect, it } from 'vitest';
import { createIdentifyPace } from '../../../src/channels/discord/connect/identify-pace.ts';

const DAY_MS = 24 * 3_600_000;

it('identifies at most once in five seconds, and fewer than 1000 times a day, however often it is asked to', () => {
  const wait = createIdentifyPace(5000);
  const made: number[] = [];
  for (let now = 1_000_000; now < 1_000_000 + 2 * DAY_MS; ) {
    now += wait(now);
    made.push(now);
  }
  const gaps = made.slice(1).map((at, index) => at - (made[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000);
  const inADay = made.map((from) => made.filter((at) => at >= from && at < from + DAY_MS).length);
  expect(Math.max(...inADay)).toBeLessThan(1000);
});

it('does not wait where there was none for long', () => {
  const wait = createIdentifyPace(5000);
  expect([wait(0), wait(100), wait(60_000)]).toEqual([0, 4900, 0]);
});
