/** The scheduler on a clock that the test moves: each slot once, whatever clocks, crashes, disks and editors do. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Job, parseJob } from '../../src/features/jobs/job.ts';
import type { Trouble } from '../../src/features/jobs/records.ts';
import { Scheduler } from '../../src/features/jobs/scheduler.ts';
import { type JobStates, openJobStates } from '../../src/features/jobs/state.ts';
import type { JobFile } from '../../src/features/jobs/written/job-file.ts';
import { silentLog } from '../../src/log.ts';
import { ownTime } from '../helpers/own-time.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface World {
  clock: ManualClock;
  /** `id slot` of each run, in order: what the queue accepted. */
  runs: string[];
  /** The same, refused ones included. */
  fired: string[];
  skipped: string[];
  troubles: Trouble[];
  removed: string[];
  busy: Set<string>;
  scheduler: Scheduler;
  folder: string;
  /** Set to make the disk of the queue, or that of the records, fail. */
  failing: { fire: boolean; state: boolean };
  put(id: string, yaml: string, state?: JobFile['state']): Promise<void>;
  drop(id: string): void;
  advance(ms: number): Promise<void>;
  advanceTo(time: string): Promise<void>;
  /** The process ends at once and another one starts. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

function world(start: string, options: { timezone?: string } = {}): World {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'jobs-state-'));
  folders.push(folder);
  const clock = manualClock(start);
  const files = new Map<string, JobFile>();
  const listeners = new Set<(changed: readonly string[]) => void>();
  const names = new Set<string>();
  const lists = { runs: [] as string[], fired: [] as string[], skipped: [] as string[], removed: [] as string[] };
  const troubles: Trouble[] = [];
  const busy = new Set<string>();
  const failing = { fire: false, state: false };

  function open(): Scheduler {
    const state = openJobStates(folder);
    const torn: JobStates = {
      ...state,
      change: async (id, next) => {
        if (failing.state) throw new Error('ENOSPC');
        return state.change(id, next);
      },
    };
    return new Scheduler({
      clock,
      state: torn,
      jobs: {
        all: () => [...files.values()],
        get: (id) => files.get(id),
        onChange(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        async remove(id) {
          lists.removed.push(id);
          return it.drop(id) ?? true;
        },
      },
      async fire(job, slot) {
        if (failing.fire) throw new Error('ENOSPC');
        const name = `${job.id} ${slot.toISOString()}`;
        lists.fired.push(name);
        if (names.has(name)) return 'duplicate';
        names.add(name);
        lists.runs.push(name);
        return 'accepted';
      },
      isBusy: async (id) => busy.has(id),
      log: silentLog(),
      onTrouble: (_job, trouble) => void troubles.push(trouble),
      onSkip: (job, slot, reason) => void lists.skipped.push(`${job.id} ${slot.toISOString()} ${reason}`),
    });
  }

  const it: World = {
    ...lists,
    ...{ clock, troubles, busy, folder, failing, scheduler: open() },
    async put(id, yaml, state = 'loaded') {
      const text = `name: ${id}\nprompt: x\n${yaml}\n`;
      const timezone = options.timezone ?? 'UTC';
      const job = await parseJob(text, { file: `${id}.yaml`, now: new Date(clock.now()), timezone });
      const common = { id, file: `${id}.yaml`, path: `/jobs/${id}.yaml`, state };
      files.set(id, state === 'disabled' ? common : { ...common, job });
      for (const listener of listeners) listener([]);
      await it.scheduler.idle();
    },
    drop(id) {
      files.delete(id);
      for (const listener of listeners) listener([]);
    },
    advance: (ms) => clock.advance(ms, () => it.scheduler.idle()),
    advanceTo: (time) => clock.advanceTo(time, () => it.scheduler.idle()),
    async crash() {
      listeners.clear();
      await it.scheduler.stop();
      it.scheduler = open();
    },
    async start() {
      it.scheduler.start();
      await it.scheduler.idle();
    },
  };
  return it;
}

const times = (runs: readonly string[], id = 'a') =>
  runs.filter((run) => run.startsWith(`${id} `)).map((run) => run.slice(id.length + 1).replace(':00.000Z', 'Z'));

test('a job fires at its slots, and not before it was seen', async () => {
  const it = world('2026-03-01T09:30:00Z');
  await it.put('a', 'schedule: "0 9,10 * * *"');
  await it.start();
  await it.advance(26 * HOUR);
  expect(times(it.runs)).toEqual(['2026-03-01T10:00Z', '2026-03-02T09:00Z', '2026-03-02T10:00Z']);
  expect(it.skipped).toEqual([]);
});

test('one timer at most, in steps of a minute; none without jobs or when none is to come', async () => {
  const it = world('2026-03-01T09:30:00Z');
  await it.start();
  expect(it.clock.timers()).toEqual([]);
  await it.put('a', 'schedule: "0 12 * * *"');
  await it.put('b', 'schedule: "0 13 * * *"');
  expect(it.clock.timers()).toEqual([Date.parse('2026-03-01T09:31:00Z')]);
  await it.advanceTo('2026-03-01T11:59:30Z');
  expect(it.clock.timers()).toEqual([Date.parse('2026-03-01T12:00:00Z')]);
  it.drop('a');
  it.drop('b');
  expect(it.clock.timers()).toEqual([]);
  await it.put('c', 'schedule: 2026-03-01 12:30');
  await it.advance(HOUR);
  expect(times(it.runs, 'c')).toEqual(['2026-03-01T12:30Z']);
  expect(it.clock.timers()).toEqual([]);
});

const BERLIN: [string, string, string, string[]][] = [
  ['spring, a time that is left out', '2026-03-28T12:00:00Z', '30 2 * * *', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
  ['spring, after the change', '2026-03-28T12:00:00Z', '0 9 * * *', ['2026-03-29T07:00Z', '2026-03-30T07:00Z']],
  ['autumn, a time that comes twice', '2026-10-24T12:00:00Z', '30 2 * * *', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
  ['autumn, after the change', '2026-10-24T12:00:00Z', '0 9 * * *', ['2026-10-25T08:00Z', '2026-10-26T08:00Z']],
];

test.each(BERLIN)('summer time in Berlin: %s', async (_what, start, pattern, expected) => {
  const it = world(start, { timezone: 'Europe/Berlin' });
  await it.put('a', `schedule: "${pattern}"`);
  await it.start();
  await it.advance(48 * HOUR);
  expect(times(it.runs)).toEqual(expected);
});

test('hourly through both changes: every hour once', async () => {
  for (const start of ['2026-03-28T23:10:00Z', '2026-10-24T23:10:00Z']) {
    const it = world(start, { timezone: 'Europe/Berlin' });
    await it.put('a', 'schedule: "0 * * * *"');
    await it.start();
    await it.advance(5 * HOUR);
    const gaps = times(it.runs).map((time, index, all) => Date.parse(time) - Date.parse(all[index - 1] ?? time));
    expect(gaps).toEqual([0, HOUR, HOUR, HOUR, HOUR]);
  }
});

const DOWN: [string, string, number, string[], string[]][] = [
  ['36 h, daily: the latest', '0 9 * * *', 36, ['2026-03-03T09:00Z'], []],
  ['20 min, every 5 min: the latest', '*/5 * * * *', 0.3, ['2026-03-01T21:55Z'], []],
  ['30 days, monthly, two days ago: none', '0 9 29 * *', 24 * 30, [], ['a 2026-03-29T09:00:00.000Z missed']],
  ['nothing missed', '0 9 * * *', 2, [], []],
];

test.each(DOWN)('down for %s', async (_what, pattern, hours, runs, skipped) => {
  const it = world('2026-03-01T21:40:00Z');
  await it.put('a', `schedule: "${pattern}"`);
  await it.start();
  await it.crash();
  it.clock.jump(hours * HOUR);
  await it.start();
  expect(times(it.runs)).toEqual(runs);
  expect(it.skipped).toEqual(skipped);
  await it.crash();
  await it.start();
  expect(times(it.fired)).toEqual(runs);
});

test('catch_up: false runs no missed slot, but one that is a moment late', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: "0 9,10 * * *"\ncatch_up: false');
  await it.start();
  await it.crash();
  it.clock.jump(90_000);
  await it.start();
  expect(times(it.runs)).toEqual(['2026-03-01T09:00Z']);
  await it.crash();
  it.clock.jump(2 * HOUR);
  await it.start();
  expect(times(it.runs)).toHaveLength(1);
  expect(it.skipped).toEqual(['a 2026-03-01T10:00:00.000Z missed']);
  await it.advance(24 * HOUR);
  expect(times(it.runs)).toHaveLength(3);
});

test('a clock that jumps forward, or a machine that has slept: the latest slot runs within a minute, once', async () => {
  const it = world('2026-03-01T08:00:00Z');
  await it.put('a', 'schedule: "0 * * * *"');
  await it.start();
  it.clock.jump(5 * HOUR + 10 * MINUTE);
  await it.advance(MINUTE);
  expect(times(it.runs)).toEqual(['2026-03-01T13:00Z']);
});

test.each([10 * MINUTE, 3 * HOUR, 40 * HOUR])(
  'a clock that goes back %d ms: no slot a second time, and none is lost',
  async (ms) => {
    const it = world('2026-03-03T08:50:00Z');
    await it.put('a', 'schedule: "0 * * * *"');
    await it.start();
    await it.advance(15 * MINUTE);
    expect(times(it.runs)).toEqual(['2026-03-03T09:00Z']);
    it.clock.jump(-ms);
    await it.advance(ms + 2 * HOUR);
    // What has run is asked for once more, and the queue refuses it.
    expect(times(it.runs)).toEqual(['2026-03-03T09:00Z', '2026-03-03T10:00Z', '2026-03-03T11:00Z']);
  },
);

test.each([
  [3, 'goes on'],
  [20, 'goes on'],
  [20, 'is started anew'],
  [60, 'goes on'],
])(
  'a clock that was ahead %d days for minutes, and the process %s: the job runs on each day',
  async (days, process) => {
    const it = world('2026-03-01T08:50:00Z');
    await it.put('a', 'schedule: "0 9 * * *"');
    await it.start();
    await it.advance(HOUR);
    it.clock.jump(days * 24 * HOUR);
    await it.put('made-then', 'schedule: "30 9 * * *"');
    await it.advance(10 * MINUTE);
    it.clock.jump(-days * 24 * HOUR);
    if (process === 'is started anew') {
      await it.crash();
      await it.start();
    }
    await it.advance(2 * 24 * HOUR);
    for (const time of ['01', '02', '03']) expect(times(it.runs)).toContain(`2026-03-${time}T09:00Z`);
    expect(times(it.runs, 'made-then')).toContain('2026-03-03T09:30Z');
    expect(it.skipped).toEqual([]);
    expect(new Set(it.runs).size).toBe(it.runs.length);
  },
);

const CHAT = 'createdBy: telegram:1001\ncreatedAt: 2026-03-01T08:50:00Z';

test('a job for one time from a chat outlives a clock that was ahead, and runs', async () => {
  const it = world('2026-03-01T08:50:00Z');
  await it.put('a', `schedule: 2026-03-02 09:00\n${CHAT}`);
  await it.start();
  it.clock.jump(72 * HOUR);
  await it.advance(2 * MINUTE);
  it.clock.jump(-72 * HOUR);
  await it.advance(25 * HOUR);
  expect(times(it.runs)).toEqual(['2026-03-02T09:00Z']);
  expect(it.removed).toEqual([]);
  await it.scheduler.ended('a', 'completed');
  expect(it.removed).toEqual(['a']);
});

test('a job for one time from a chat that was missed for good goes after a day', async () => {
  const it = world('2026-03-01T08:50:00Z');
  await it.put('a', `schedule: 2026-03-02 09:00\n${CHAT}`);
  await it.start();
  await it.crash();
  it.clock.jump(72 * HOUR);
  await it.start();
  await it.advance(23 * HOUR);
  expect([it.skipped, it.removed]).toEqual([['a 2026-03-02T09:00:00.000Z missed'], []]);
  await it.advance(2 * HOUR);
  expect(it.removed).toEqual(['a']);
});

test('a start in 1970: nobody is told that a job was missed which has run', async () => {
  const it = world('2026-03-01T08:50:00Z');
  await it.put('a', 'schedule: 2026-03-01 09:00');
  await it.start();
  await it.advance(HOUR);
  await it.scheduler.ended('a', 'completed');
  await it.advance(20 * 24 * HOUR);
  await it.crash();
  const back = it.clock.now() - HOUR;
  it.clock.jump(-back);
  await it.start();
  await it.advance(MINUTE);
  it.clock.jump(back);
  await it.advance(2 * MINUTE);
  expect([times(it.runs), it.skipped]).toEqual([['2026-03-01T09:00Z'], []]);
});

test('a clock that was years ahead does not silence a job for years', async () => {
  const it = world('2031-01-01T08:50:00Z');
  await it.put('a', 'schedule: "0 9 * * *"');
  await it.start();
  await it.advance(HOUR);
  await it.crash();
  it.clock.jump(Date.parse('2026-03-01T08:00:00Z') - it.clock.now());
  await it.start();
  await it.advance(25 * HOUR);
  expect(times(it.runs).slice(1)).toEqual(['2026-03-01T09:00Z', '2026-03-02T09:00Z']);
});

test('killed between the durable run and the record: fired again, run once', async () => {
  const it = world('2026-03-01T08:50:00Z');
  await it.put('a', 'schedule: "0 9 * * *"');
  await it.start();
  it.failing.state = true;
  await it.advance(15 * MINUTE);
  // In this process it counts as fired although it could not be written.
  expect(it.fired).toHaveLength(1);
  await it.crash();
  it.failing.state = false;
  await it.start();
  expect(times(it.fired)).toEqual(['2026-03-01T09:00Z', '2026-03-01T09:00Z']);
  expect(times(it.runs)).toEqual(['2026-03-01T09:00Z']);
  await it.advance(10 * HOUR);
  await it.crash();
  await it.start();
  expect(it.fired).toHaveLength(2);
});

test('killed at random moments over five days: each slot once', async () => {
  const it = world('2026-03-01T00:30:00Z');
  await it.put('a', 'schedule: "0 */3 * * *"');
  await it.start();
  let seed = 7;
  for (let i = 0; i < 60; i++) {
    seed = (seed * 48_271) % 2_147_483_647;
    it.failing.state = seed % 3 === 0;
    await it.advance((seed % 240) * MINUTE);
    await it.crash();
    it.failing.state = false;
    await it.start();
  }
  const slots = times(it.runs);
  expect(new Set(slots).size).toBe(slots.length);
  const gaps = slots.slice(1).map((time, index) => Date.parse(time) - Date.parse(slots[index] ?? time));
  expect(new Set(gaps)).toEqual(new Set([3 * HOUR]));
});

test('a disk that is full: nothing is marked, and the slot runs once there is room', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: "0 9 * * *"\ncatch_up: false');
  await it.start();
  it.failing.fire = true;
  await it.advance(20 * MINUTE);
  expect(it.fired).toEqual([]);
  it.failing.fire = false;
  await it.advance(5 * MINUTE);
  expect(times(it.runs)).toEqual(['2026-03-01T09:00Z']);
  await it.advance(HOUR);
  expect(it.fired).toHaveLength(1);
});

test('no overlap: a slot that finds its job at work is left out, not queued', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: "*/10 * * * *"');
  await it.start();
  await it.advance(2 * MINUTE);
  it.busy.add('a');
  await it.advance(25 * MINUTE);
  it.busy.delete('a');
  await it.scheduler.ended('a', 'completed', { task: 't1' });
  await it.advance(10 * MINUTE);
  expect(times(it.runs)).toEqual(['2026-03-01T09:00Z', '2026-03-01T09:30Z']);
  expect(it.skipped).toEqual(['a 2026-03-01T09:10:00.000Z busy', 'a 2026-03-01T09:20:00.000Z busy']);
  expect(it.scheduler.history('a')?.lastSkip?.reason).toBe('busy');
});

test('jitter: later, the same for the same slot, spread over jobs, before the next slot', async () => {
  const delays = async () => {
    const it = world('2026-03-01T08:59:59Z');
    const found = new Map<string, number>();
    for (let i = 0; i < 40; i++) await it.put(`j${i}`, 'schedule: "*/10 * * * *"\njitter: 3600');
    await it.start();
    for (let second = 0; second < 600; second += 5) {
      const before = it.runs.length;
      await it.advance(5_000);
      for (const run of it.runs.slice(before)) found.set(run, second);
    }
    return found;
  };
  const first = await delays();
  expect(first.size).toBe(40);
  expect(new Set([...first.keys()].map((run) => run.split(' ')[1]))).toEqual(new Set(['2026-03-01T09:00:00.000Z']));
  expect(new Set(first.values()).size).toBeGreaterThan(20);
  expect(Math.max(...first.values())).toBeLessThan(9 * 60 + 5);
  expect(await delays()).toEqual(first);
});

test('a schedule edited while it is waited for: the new one counts from now, the old one never fires', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: "0 9 * * *"');
  await it.start();
  await it.put('a', 'schedule: "30 8 * * *"');
  await it.advance(HOUR);
  expect(it.runs).toEqual([]);
  await it.put('a', 'schedule: "0 11 * * *"\njitter: 0');
  await it.advance(2 * HOUR);
  expect(times(it.runs)).toEqual(['2026-03-01T11:00Z']);
});

test('an edit that leaves the schedule alone neither loses nor repeats a slot', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: "0 * * * *"');
  await it.start();
  for (let i = 0; i < 12; i++) {
    await it.put('a', `schedule: "0 * * * *"\nmaxSteps: ${i + 1}`);
    await it.advance(20 * MINUTE);
  }
  expect(times(it.fired)).toEqual(['09', '10', '11', '12'].map((hour) => `2026-03-01T${hour}:00Z`));
});

test('slots while a job is paused, removed or broken are not made up for', async () => {
  const it = world('2026-03-01T08:30:00Z');
  await it.put('a', 'schedule: "0 * * * *"');
  await it.put('b', 'schedule: "0 * * * *"');
  await it.start();
  await it.put('a', 'schedule: "0 * * * *"', 'disabled');
  it.drop('b');
  await it.advance(HOUR);
  await it.put('a', 'schedule: "0 * * * *"');
  await it.put('b', 'schedule: "0 * * * *"');
  await it.advance(HOUR);
  expect(times(it.fired, 'a')).toEqual(['2026-03-01T10:00Z']);
  expect(times(it.fired, 'b')).toEqual(['2026-03-01T10:00Z']);
});

test('failures: a rest that doubles, the owner told once, a success ends the streak', async () => {
  const it = world('2026-03-01T09:00:30Z');
  await it.put('a', 'schedule: "* * * * *"');
  await it.start();
  const ranAt: number[] = [];
  for (let i = 0; i < 4; i++) {
    const before = it.runs.length;
    while (it.runs.length === before) await it.advance(MINUTE);
    ranAt.push(it.clock.now());
    await it.scheduler.ended('a', 'error', { error: 'no model', task: `t${i}` });
  }
  const rests = ranAt.slice(1).map((time, index) => Math.round((time - (ranAt[index] ?? 0)) / MINUTE));
  expect(rests).toEqual([5, 10, 20]);
  expect(it.troubles).toEqual([{ failures: 1, since: expect.any(Date), error: 'no model' }]);
  await it.crash();
  await it.start();
  expect(it.scheduler.history('a')).toMatchObject({ failures: 4, lastRun: { state: 'error', task: 't3' } });
  await it.scheduler.ended('a', 'completed');
  expect(it.scheduler.history('a')).toMatchObject({ failures: 0, lastRun: { state: 'completed' } });
  await it.scheduler.ended('a', 'stopped');
  expect(it.troubles).toHaveLength(1);
  await it.scheduler.ended('a', 'error');
  expect(it.troubles).toHaveLength(2);
});

test.each(['made anew', 'mended', 'paused and resumed'])(
  'a job that is %s has no failures and no rest from before',
  async (how) => {
    const it = world('2026-03-01T09:00:30Z');
    await it.put('a', 'schedule: "*/15 * * * *"');
    await it.start();
    for (let i = 0; i < 60; i++) {
      const before = it.runs.length;
      await it.advance(15 * MINUTE);
      if (it.runs.length > before) await it.scheduler.ended('a', 'error', { error: 'no model' });
    }
    expect(it.troubles).toHaveLength(1);
    expect(it.scheduler.history('a')?.failures).toBeGreaterThan(4);
    if (how === 'made anew') it.drop('a');
    if (how === 'paused and resumed') await it.put('a', 'schedule: "*/15 * * * *"', 'disabled');
    if (how !== 'mended') await it.advance(MINUTE);
    const [runs, skipped] = [it.runs.length, it.skipped.length];
    await it.put(
      'a',
      how === 'mended' ? 'schedule: "*/15 * * * *"\nmodel: openai/gpt-5-mini' : 'schedule: "*/15 * * * *"',
    );
    expect(it.scheduler.history('a')).toMatchObject({ failures: 0 });
    await it.advance(15 * MINUTE);
    expect([it.runs.length, it.skipped.length]).toEqual([runs + 1, skipped]);
    await it.scheduler.ended('a', 'error', { error: 'another trouble' });
    expect(it.troubles).toEqual([
      expect.anything(),
      { failures: 1, since: expect.any(Date), error: 'another trouble' },
    ]);
    // A restart is no change.
    await it.crash();
    await it.start();
    expect(it.scheduler.history('a')).toMatchObject({ failures: 1 });
  },
);

test('a rest never costs a daily job its slot', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: "0 9 * * *"');
  await it.start();
  for (let day = 1; day <= 9; day++) {
    await it.advance(24 * HOUR);
    await it.scheduler.ended('a', 'error');
  }
  expect(times(it.runs)).toHaveLength(9);
});

test('a rest never costs a job its last slot', async () => {
  const it = world('2026-03-01T08:50:00Z');
  await it.put('a', 'schedule: 2026-03-01 09:00');
  await it.start();
  await it.advance(8 * MINUTE);
  await it.scheduler.runNow('a');
  await it.scheduler.ended('a', 'error');
  await it.advance(3 * MINUTE);
  expect(it.runs).toHaveLength(2);
  expect(it.skipped).toEqual([]);
});

test('one time only: a job from a chat goes when its run has ended, one written by hand stays', async () => {
  const it = world('2026-03-01T08:59:00Z');
  const made = 'createdBy: telegram:1001\ncreatedAt: 2026-03-01T08:58:00Z';
  await it.put('chat', `schedule: 2026-03-01 09:00\n${made}`);
  await it.put('hand', 'schedule: 2026-03-01 09:00');
  await it.start();
  await it.advance(5 * MINUTE);
  expect(it.runs).toHaveLength(2);
  expect(it.removed).toEqual([]);
  await it.crash();
  await it.start();
  expect(it.removed).toEqual([]);
  await it.scheduler.ended('chat', 'completed');
  await it.scheduler.ended('hand', 'completed');
  expect(it.removed).toEqual(['chat']);
  expect(it.scheduler.next('hand', 3)).toEqual([]);
  await it.crash();
  await it.start();
  await it.advance(48 * HOUR);
  expect(it.fired).toHaveLength(2);
});

test('a run that ends before it is written down as fired is not taken for running', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: 2026-03-01 09:00\ncreatedBy: telegram:1001');
  await it.start();
  const { scheduler } = it;
  const push = it.runs.push.bind(it.runs);
  let ended: Promise<void> | undefined;
  it.runs.push = (...items) => {
    ended = scheduler.ended('a', 'completed', { task: 't' });
    return push(...items);
  };
  await it.advance(5 * MINUTE);
  await ended;
  expect(it.removed).toEqual(['a']);
  expect(scheduler.history('a')?.lastRun).toMatchObject({ state: 'completed', task: 't' });
});

test('a job made from a chat right before a crash still comes', async () => {
  const it = world('2026-03-01T08:59:00Z');
  it.clock.jump(5 * MINUTE);
  const text = 'schedule: 2026-03-01 09:00\ncreatedBy: telegram:1001\ncreatedAt: 2026-03-01T08:58:00Z';
  await it.put('a', text);
  await it.start();
  expect(times(it.runs)).toEqual(['2026-03-01T09:00Z']);
});

test('a job from a chat whose file is renamed or copied does not run its last time again', async () => {
  const it = world('2026-03-01T08:59:00Z');
  const text = 'schedule: "0 9 * * *"\ncreatedBy: telegram:1001\ncreatedAt: 2026-01-01T08:50:00Z';
  await it.put('a', text);
  await it.start();
  expect(it.runs).toEqual([]);
  await it.advance(6 * HOUR);
  await it.scheduler.ended('a', 'completed');
  it.drop('a');
  await it.put('b', text);
  await it.put('c', text);
  await it.advance(20 * HOUR);
  expect(it.runs.sort()).toEqual(
    ['01 a', '02 b', '02 c'].map((run) => `${run.slice(3)} 2026-03-${run.slice(0, 2)}T09:00:00.000Z`),
  );
});

test('out of turn: at once, not while it is at work, and its next slot comes all the same', async () => {
  const it = world('2026-03-01T08:30:00Z');
  await it.put('a', 'schedule: "0 * * * *"');
  await it.put('b', 'schedule: "0 * * * *"', 'disabled');
  await it.start();
  const twice = await Promise.allSettled([it.scheduler.runNow('a'), it.scheduler.runNow('a')]);
  expect(twice.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  it.busy.add('a');
  await expect(it.scheduler.runNow('a')).rejects.toThrow('already');
  it.busy.delete('a');
  await expect(it.scheduler.runNow('b')).rejects.toThrow('paused');
  await expect(it.scheduler.runNow('c')).rejects.toThrow('no job c');
  await it.advance(HOUR);
  expect(times(it.runs)).toEqual(['2026-03-01T08:30Z', '2026-03-01T09:00Z']);
  expect(it.scheduler.next('a', 2).map((time) => time.toISOString())).toEqual([
    '2026-03-01T10:00:00.000Z',
    '2026-03-01T11:00:00.000Z',
  ]);
});

/** 1,000 with PROPERTY_RUNS set. */
const MANY = process.env.PROPERTY_RUNS === undefined ? 300 : 1_000;

test('hundreds of jobs at one minute: each once, few at a time, and the process stays awake', async () => {
  const it = world('2026-03-01T08:59:30Z');
  let open = 0;
  let most = 0;
  const scheduler = new Scheduler({
    clock: it.clock,
    state: openJobStates(it.folder),
    jobs: { all: () => files, get: () => undefined, onChange: () => () => undefined, remove: async () => true },
    async fire() {
      most = Math.max(most, ++open);
      // Its start takes its time.
      await sleep(1);
      open--;
      count++;
      return 'accepted';
    },
    isBusy: async () => false,
    log: silentLog(),
  });
  let count = 0;
  const files: JobFile[] = await Promise.all(
    Array.from({ length: MANY }, async (_, i) => {
      const id = `j${i}`;
      const text = `name: ${id}\nprompt: x\nschedule: "0 9 ${(i % 28) + 1},1 * *"\n`;
      const job: Job = await parseJob(text, { file: `${id}.yaml`, now: new Date(it.clock.now()), timezone: 'UTC' });
      return { id, file: `${id}.yaml`, path: id, state: 'loaded', job };
    }),
  );
  let longest = 0;
  let last = ownTime();
  const probe = setInterval(() => {
    longest = Math.max(longest, ownTime() - last);
    last = ownTime();
  }, 1);
  scheduler.start();
  await scheduler.idle();
  await it.clock.advance(MINUTE, () => scheduler.idle());
  clearInterval(probe);
  await scheduler.stop();
  expect(count).toBe(MANY);
  expect(most).toBeLessThanOrEqual(16);
  expect(longest).toBeLessThan(500);
});

test('one damaged record, one job that cannot be computed: the others go on', async () => {
  const it = world('2026-03-01T08:59:00Z');
  for (const id of ['a', 'b', 'c']) await it.put(id, 'schedule: "0 * * * *"');
  await it.start();
  await it.advance(MINUTE);
  await it.crash();
  fs.writeFileSync(path.join(it.folder, 'a.json'), '{"schedule": 7');
  fs.writeFileSync(path.join(it.folder, 'b.json'), '[]');
  await it.crash();
  await it.start();
  await it.advance(HOUR);
  for (const id of ['a', 'b', 'c']) expect(times(it.runs, id)).toEqual(['2026-03-01T09:00Z', '2026-03-01T10:00Z']);
  expect(fs.readdirSync(it.folder).filter((name) => name.endsWith('.bad'))).toHaveLength(2);
});

test('what is gone is forgotten after 30 days, what is only paused is not', async () => {
  const it = world('2026-03-01T08:59:00Z');
  for (const id of ['a', 'b', 'c']) await it.put(id, 'schedule: "0 9 1 * *"');
  await it.start();
  it.drop('a');
  await it.put('b', 'schedule: "0 9 1 * *"', 'disabled');
  it.clock.jump(31 * 24 * HOUR);
  await it.crash();
  await it.start();
  expect(fs.readdirSync(it.folder).sort()).toEqual(['b.json', 'c.json']);
});

test('after the end nothing fires', async () => {
  const it = world('2026-03-01T08:59:00Z');
  await it.put('a', 'schedule: "0 * * * *"');
  await it.start();
  await it.scheduler.stop();
  await it.advance(5 * HOUR);
  expect(it.fired).toEqual([]);
  expect(it.clock.timers()).toEqual([]);
});
