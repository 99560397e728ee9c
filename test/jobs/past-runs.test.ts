/** What the runs of jobs leave: kept for as long as the setting says, then gone; what people have begun or taken over is not. */

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { noteJobRun, sweepJobRuns } from '../../src/features/jobs/past-runs.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { saveTask } from '../../src/workspace/tasks/record.ts';
import { Task } from '../../src/workspace/tasks/task.ts';
import type { TaskRecord } from '../../src/workspace/types.ts';
import { tempFolder } from '../helpers/temp.ts';

const DAY = 86_400_000;
const START = new Date('2026-01-12T08:00:00Z');
const days = (count: number) => new Date(START.getTime() + count * DAY);

/** Every task is expected to go. */
const fail = (_task: string, error: unknown): void => {
  throw error;
};

let home: Home;
beforeEach(async () => {
  home = await openHome(tempFolder());
});

/** A task of a job that ended, unless told otherwise. */
async function ran(id: string, more: Partial<TaskRecord> = {}): Promise<void> {
  const at = START.toISOString();
  const record: TaskRecord = {
    ...{ id, viber: 'default', goal: 'x', title: 'x', state: 'completed', runs: 1, createdAt: at, updatedAt: at },
    ...{ people: ['job:digest'], conversations: [], job: 'digest', ...more },
  };
  await saveTask(home, record);
  fs.writeFileSync(path.join(home.taskDir(id), 'digest.md'), '# Digest');
  for (const viber of ['default', 'helper']) {
    await openTask(home, id, viber).session.append([
      { type: 'result', run: 'r', at, state: 'completed', text: 'x', summary: 'x', artifactRefs: [] },
    ]);
  }
  await noteJobRun(home, id, START);
}

const left = (id: string) => [
  fs.existsSync(home.taskDir(id)),
  fs.existsSync(home.sessionPath('default', id)),
  fs.existsSync(home.sessionPath('helper', id)),
];
const lists = () => fs.readdirSync(path.join(home.spool, 'jobs', 'runs'));

test('tasks of runs go with their files and sessions once they are old enough', async () => {
  await ran('20260112-aaaa2');
  expect(await sweepJobRuns(home, 30, days(30), fail)).toBe(0);
  expect(left('20260112-aaaa2')).toEqual([true, true, true]);
  expect(await sweepJobRuns(home, 30, days(31), fail)).toBe(1);
  expect(left('20260112-aaaa2')).toEqual([false, false, false]);
  expect(lists()).toEqual([]);
  expect(await sweepJobRuns(home, 30, days(31), fail)).toBe(0);
});

test('what somebody has taken over stays, and so does every task that is on no list', async () => {
  await ran('20260112-aaaa2');
  await openTask(home, '20260112-aaaa2').update(({ job: _job, ...record }) => record);
  const { job: _job, ...mine } = openTask(home, '20260112-aaaa2').record() as TaskRecord;
  await saveTask(home, { ...mine, id: '20250101-bbbb2' });
  expect(await sweepJobRuns(home, 1, days(400), fail)).toBe(0);
  expect(left('20260112-aaaa2')).toEqual([true, true, true]);
  expect(fs.existsSync(home.taskDir('20250101-bbbb2'))).toBe(true);
});

test('one that still waits is looked at again later', async () => {
  await ran('20260112-aaaa2', { state: 'running' });
  expect(await sweepJobRuns(home, 30, days(40), fail)).toBe(0);
  expect(left('20260112-aaaa2')).toEqual([true, true, true]);
  await openTask(home, '20260112-aaaa2').update((record) => ({ ...record, state: 'completed' }));
  expect(await sweepJobRuns(home, 30, days(60), fail)).toBe(0);
  expect(await sweepJobRuns(home, 30, days(71), fail)).toBe(1);
});

test('a damaged record, a torn list and names that are no ids remove nothing else', async () => {
  await ran('20260112-aaaa2');
  await ran('20260112-cccc2');
  fs.writeFileSync(path.join(home.taskDir('20260112-aaaa2'), 'task.json'), '{"id":');
  const list = path.join(home.spool, 'jobs', 'runs', '2026-01-12.jsonl');
  fs.appendFileSync(list, '{"task":"../../access"}\n{"task":"agents"}\n{"task":"20260112-cc');
  expect(await sweepJobRuns(home, 30, days(40), fail)).toBe(1);
  expect(fs.existsSync(home.taskDir('20260112-aaaa2'))).toBe(true);
  expect(fs.existsSync(home.access)).toBe(true);
  expect(left('20260112-cccc2')).toEqual([false, false, false]);
});

test('a sweep that was cut goes on where it ended', async () => {
  await ran('20260112-aaaa2');
  fs.rmSync(home.sessionPath('default', '20260112-aaaa2'));
  fs.rmSync(path.join(home.taskDir('20260112-aaaa2'), 'digest.md'));
  expect(await sweepJobRuns(home, 30, days(31), fail)).toBe(1);
  expect(left('20260112-aaaa2')).toEqual([false, false, false]);
});

test('one task that cannot be removed is told and looked at again, and the others go', async () => {
  const ids = ['20260112-aaaa2', '20260112-bbbb2', '20260112-cccc2'];
  for (const id of ids) await ran(id);
  // A list that cannot be read comes first.
  fs.mkdirSync(path.join(home.spool, 'jobs', 'runs', '2026-01-01.jsonl', 'x'), { recursive: true });
  const { remove } = Task.prototype;
  const busy = vi.spyOn(Task.prototype, 'remove').mockImplementation(async function (this: Task) {
    if (this.id === '20260112-bbbb2') throw new Error('EBUSY: resource busy or locked');
    await remove.call(this);
  });
  onTestFinished(() => busy.mockRestore());
  const told: string[] = [];
  expect(await sweepJobRuns(home, 30, days(31), (task) => told.push(task))).toBe(2);
  expect(told).toContain('20260112-bbbb2');
  expect(left('20260112-cccc2')).toEqual([false, false, false]);
  busy.mockRestore();
  expect(await sweepJobRuns(home, 30, days(80), fail)).toBe(1);
  expect(left('20260112-bbbb2')).toEqual([false, false, false]);
});
