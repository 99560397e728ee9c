import { expect, test } from 'vitest';
import { emptyLane, insert, isDue, type Lane, type LaneItem } from '../../../src/engine/local/lanes.ts';

const item = (seq: number): LaneItem<string> => ({
  ...{
    id: `m${seq}`,
    lane: 'task:t',
    seq,
    attempts: 0,
    message: '',
    acceptedAt: '',
    by: { person: '1', isOwner: false },
  },
  ...{ notBefore: 0, group: undefined, orderKey: undefined, isAgain: false },
});
const orderOf = ({ items }: Lane<string>) => items.map(({ seq }) => seq);

test('what is stored late takes its place by its number, never before what is in work', () => {
  const lane = emptyLane<string>();
  for (const seq of [2, 5, 3]) insert(lane, item(seq));
  expect(orderOf(lane)).toEqual([2, 3, 5]);
  lane.leased = 2;
  insert(lane, item(1));
  insert(lane, item(4));
  expect(orderOf(lane)).toEqual([2, 3, 1, 4, 5]);
});

test('a wait ends at its time, and at once where it is longer than any can be', () => {
  expect(isDue(1000, 1000)).toBe(true);
  expect(isDue(1001, 1000)).toBe(false);
  expect(isDue(1000 + 30 * 60_000, 1000)).toBe(false);
  expect(isDue(1001 + 30 * 60_000, 1000)).toBe(true);
});
