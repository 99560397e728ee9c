/** Work that failed without an answer: how often it is tried again, and what becomes of it then. */
import { expect, test } from 'vitest';
import type { Lease } from '../../../src/engine/engine.ts';
import { DeliveryError, StorageError } from '../../../src/errors.ts';
import { silentLog } from '../../../src/log.ts';
import type { Entry } from '../../../src/runtime/contract/entry.ts';
import { handBack } from '../../../src/runtime/run/conclude.ts';
import { createLanes, type Lanes } from '../../../src/runtime/run/work.ts';
import { partsOf } from '../../helpers/gateway.ts';

const ENTRY = { taskId: 't-1', message: { address: { channel: 'telegram', account: '1', chat: '2' } } } as Entry;
const LEASE: Lease<Entry> = {
  ...{ lane: 'a lane', epoch: 1, isAgain: false },
  items: [{ id: 'm1', seq: 1, lane: 'a lane', attempts: 0, acceptedAt: '', message: ENTRY }],
  lost: new AbortController().signal,
  ...{ check: () => undefined, stored: async () => undefined },
};
const missing = () => Object.assign(new Error("Cannot find module './part.js'"), { code: 'ERR_MODULE_NOT_FOUND' });

/** How many times it was tried until it was given up, of at most twenty; the waits between in seconds. */
async function tried(error: () => unknown, giveUpFails = false): Promise<{ tries: number; waits: number[] }> {
  const waits: number[] = [];
  let isGivenUp = false;
  const lanes: Lanes = createLanes();
  const gw = partsOf({
    engine: {
      queue: {
        ack: async () => undefined,
        release: async (_lease: unknown, options?: { retryAt?: number }) => {
          if (options?.retryAt !== undefined) waits.push(Math.round((options.retryAt - Date.now()) / 1000));
        },
        giveUp: async () => {
          if (giveUpFails) throw new Error('the disk is full');
        },
      },
    },
    people: { owners: { tellGivenUp: async () => undefined } },
    tasks: { lanes, records: { fail: async () => undefined }, news: { emit: () => undefined } },
    places: { channelOf: () => undefined },
    features: { on: [{ name: 'listener', gaveUp: () => (isGivenUp = true) }] },
    log: silentLog(),
  } as unknown as Parameters<typeof partsOf>[0]);
  let tries = 0;
  while (!isGivenUp && tries < 20) {
    await handBack(LEASE, error(), gw);
    tries++;
  }
  expect(lanes.failures.has('a lane')).toBe(!isGivenUp);
  return { tries, waits };
}

test('what nobody can mend by waiting is given up at the third time', async () => {
  expect(await tried(() => new TypeError('a defect'))).toEqual({ tries: 3, waits: [2, 4] });
});

test('what passes is tried for as long as it takes, at most every five minutes', async () => {
  for (const error of [new StorageError('full', { code: 'ENOSPC' }), new DeliveryError('away', { retryAfterMs: 1 })])
    expect(await tried(() => error)).toMatchObject({ tries: 20 });
  expect((await tried(() => Object.assign(new Error('a bad disk'), { code: 'EIO' }))).waits.at(-1)).toBe(300);
});

test('a part of the program that is gone is waited for while another program is being put in its place', async () => {
  const { tries, waits } = await tried(missing);
  expect(tries).toBe(8);
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(180);
});

test('what cannot be given up is kept', async () => {
  expect(await tried(() => new TypeError('a defect'), true)).toMatchObject({ tries: 20 });
});
