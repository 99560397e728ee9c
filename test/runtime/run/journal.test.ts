/** Before a call with an effect is noted and made, what it is made for is durable. */

import { expect, test } from 'vitest';
import { LeaseLost } from '../../../src/errors.ts';
import type { Order } from '../../../src/runtime/contract/order.ts';
import { journal, progressOf } from '../../../src/runtime/run/journal.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { quiet } from '../../kit/quiet.ts';

async function open(stored: () => Promise<void>) {
  const home = await openHome(tempFolder());
  const task = { id: 'task1', viber: 'default' } as Order['task'];
  const progress = progressOf({ earlier: [] });
  const { onCall } = journal({ task, run: 'run1', stored }, progress, home);
  const calls = async () =>
    openTask(home, 'task1', 'default')
      .session.tail()
      .filter(({ type }) => type === 'call');
  return { onCall: () => onCall({ callId: 'c', tool: 'notify' }), calls };
}

test('a call waits until its message is durable', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { onCall, calls } = await open(() => promise);
  const called = onCall();
  await quiet();
  expect(await calls()).toEqual([]);
  resolve();
  await called;
  expect(await calls()).toHaveLength(1);
});

test('a call for a message that the disk has not taken is never made', async () => {
  const { onCall, calls } = await open(() => Promise.reject(new LeaseLost('the lane was taken away')));
  await expect(onCall()).rejects.toThrow(LeaseLost);
  expect(await calls()).toEqual([]);
});
