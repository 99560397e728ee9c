/** Which messages of a lane are one turn, and which turn goes first. */
import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/engine/engine.ts';
import type { Entry } from '../../../src/runtime/contract/entry.ts';
import { firstBatches, type Item } from '../../../src/runtime/run/batches.ts';

type Mode = Entry['mode'];

const item = (id: string, user: string, mode?: Mode): Item =>
  ({ id, attempts: 1, message: { principal: { channel: 'telegram', account: '1', user, name: user }, mode } }) as Item;

/** A lane with its first item at work, and the runs that an earlier process has started. */
async function order([head, ...waiting]: readonly Item[], started: Record<string, string>): Promise<string[][]> {
  const lease = { items: [head] as readonly Item[] } as Lease<Entry>;
  const left = [...waiting];
  const queue = {
    async extend(_lease: Lease<Entry>, takes: (one: Item) => boolean) {
      const found = left.filter(takes);
      for (const one of found) left.splice(left.indexOf(one), 1);
      return found;
    },
  };
  const found = await firstBatches(lease, queue, new Map(Object.entries(started)), { isRetried: false });
  return found.map(({ items }) => items.map(({ id }) => id));
}

describe('what waits together', () => {
  const begin = async (...items: Item[]) => order(items, {});

  it('is one turn of a person, but for what was stopped', async () => {
    const [first, second] = [item('m1', 'kim', 'steer'), item('m2', 'kim', 'steer')];
    expect(await begin(first, second)).toEqual([['m1', 'm2']]);
    expect(await begin({ ...first, isStopped: true }, second)).toEqual([['m1'], ['m2']]);
    expect(await begin({ ...first, isStopped: true }, { ...second, isStopped: true })).toEqual([['m1', 'm2']]);
  });

  it('goes on with what somebody has decided before it', async () => {
    const decided = item('m1', 'kim');
    decided.message.resume = { approval: 'a', run: 'run-1' };
    expect(await begin(decided, item('m2', 'kim', 'steer'))).toEqual([['m1'], ['m2']]);
    expect(await begin(item('m1', 'kim'), item('m2', 'kim', 'steer'))).toEqual([['m2'], ['m1']]);
  });
});

describe('after a crash', () => {
  it('what was started goes on in that order, and is steered by what steered it', async () => {
    const [older, newer] = [item('m1', 'kim'), item('m2', 'pia', 'steer')];
    expect(await order([older, newer], { m1: 'run-1', m2: 'run-2' })).toEqual([['m1'], ['m2']]);
  });

  it('what waited and was started later is not ended by what had gone before it', async () => {
    const [older, newer] = [item('m1', 'kim'), item('m2', 'pia', 'steer')];
    expect(await order([older, newer], { m2: 'run-2', m1: 'run-1' })).toEqual([['m2'], ['m1']]);
  });

  it('what steers and was not started steers what was', async () => {
    const [first, second, third] = [item('m1', 'kim'), item('m2', 'pia', 'steer'), item('m3', 'pia', 'steer')];
    expect(await order([first, second, third], { m1: 'run-1' })).toEqual([['m1'], ['m2', 'm3']]);
    expect(await order([first, second, third], { m3: 'run-3', m1: 'run-1' })).toEqual([['m3'], ['m1'], ['m2']]);
  });
});
