/** A job asked for in a chat: what it becomes is what was shown when it was asked for. */
import { expect, test } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import type { Address } from '../../src/channels/channel.ts';
import { UserError } from '../../src/errors.ts';
import { createNewJobs } from '../../src/features/jobs/new-job.ts';
import { manualClock } from './manual-clock.ts';

const OWNER: Principal = {
  channel: 'telegram',
  account: 'b',
  user: '1001',
  role: 'owner',
  via: 'message',
  name: 'Alex',
};
const HERE: Address = { channel: 'telegram', account: 'b', chat: '1001' };
const MINUTE = 60_000;

/** Monday 12 January, 23:58 in Berlin. */
function open({ reached = [HERE], off = '' }: { reached?: Address[]; off?: string } = {}) {
  const clock = manualClock('2026-01-12T22:58:00Z');
  const find = async (text: string) => {
    if (off !== '' && text.startsWith(off)) throw new UserError(`${off} is not on`);
    return HERE;
  };
  const targets = { read: () => HERE, find, isDirect: async () => true };
  const settings = { timezone: 'Europe/Berlin', minMinutes: 5, max: 100 };
  return {
    clock,
    fresh: createNewJobs({ clock, jobs: { all: () => [] }, targets, settings, directOf: () => reached }),
  };
}
const job = (schedule: string) => ({ name: 'A', schedule, prompt: 'x' });

test.each([
  ['tomorrow 9am', '2026-01-13T08:00:00Z'],
  ['in 20 minutes', '2026-01-12T23:18:00Z'],
  ['in 3 minutes', '2026-01-12T23:01:00Z'],
])('%s counts from when it was asked for, not from when it was approved', async (schedule, stored) => {
  const { clock, fresh } = open();
  const { next } = fresh.preview(job(schedule));
  expect(next).toEqual([stored.replace('Z', '.000Z')]);
  await clock.advance(9 * MINUTE);
  const fields = await fresh.fields(job(schedule), OWNER, HERE, 9 * MINUTE);
  expect(fields).toMatchObject({ schedule: stored, createdAt: '2026-01-12T22:58:00.000Z' });
});

test('a rhythm begins with the coming day, and stays as it was shown', async () => {
  const { fresh } = open();
  const { next } = fresh.preview(job('every 2 weeks on monday'));
  expect(next.slice(0, 2)).toEqual(['2026-01-19T08:00:00.000Z', '2026-02-02T08:00:00.000Z']);
  const { schedule } = await fresh.fields(job('every 2 weeks on monday'), OWNER, HERE, 0);
  expect(fresh.preview(job(schedule)).next).toEqual(next);
});

test('what can be said in the same words at any time is kept as it was said', async () => {
  const { fresh } = open();
  const fields = await fresh.fields(job(' every weekday at 9 '), OWNER, HERE, 0);
  expect(fields).toMatchObject({
    schedule: 'every weekday at 9',
    deliver: ['telegram:1001'],
    createdBy: 'telegram:1001',
  });
});

test.each(['local', 'terminal', 'api', 'hub'])(
  'asked for on %s, where nobody can be written to first',
  async (channel) => {
    const from = { channel, account: channel, chat: 'x' };
    const slack = { channel: 'slack', account: 's', chat: 'D1' };
    const fields = (options?: Parameters<typeof open>[0], more: { deliver?: string[] } = {}) =>
      open(options).fresh.fields({ ...job('daily'), ...more }, OWNER, from, 0);
    expect(await fields()).toMatchObject({ deliver: ['telegram:1001'] });
    expect(await fields({ reached: [slack, HERE], off: 'slack' })).toMatchObject({ deliver: ['telegram:1001'] });
    await expect(fields({ reached: [] })).rejects.toThrow('I can only answer, not write to you first');
    await expect(fields({ reached: [slack], off: 'slack' })).rejects.toThrow(
      'I can only answer, not write to you first',
    );
    expect(await fields({ reached: [] }, { deliver: [] })).not.toHaveProperty('deliver');
  },
);
