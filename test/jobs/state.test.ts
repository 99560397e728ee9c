/** What is remembered of jobs, on the disk. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type JobState, openJobStates } from '../../src/features/jobs/state.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'job-state-'));
  folders.push(root);
  return path.join(root, 'jobs');
}

const FULL: JobState = {
  schedule: '{"kind":"cron"}',
  since: 1,
  lastSlot: 2,
  failures: 3,
  failingSince: 4,
  restUntil: 5,
  toldAt: 6,
  goneSince: 7,
  lastRun: { slot: 8, at: 9, task: 't', state: 'error' },
  lastSkip: { slot: 10, reason: 'busy' },
};

test('everything is there again, and removed things are not', async () => {
  const root = folder();
  const states = openJobStates(root);
  await states.set('a', { schedule: 'x', since: 1, failures: 0 });
  await states.set('a', FULL);
  await states.set('b', FULL);
  states.remove('b');
  const again = openJobStates(root);
  expect(again.get('a')).toEqual(FULL);
  expect(again.ids()).toEqual(['a']);
  expect(fs.statSync(path.join(root, 'a.json')).mode & 0o777).toBe(0o600);
});

test('the last of many changes is the one on the disk', async () => {
  const root = folder();
  const states = openJobStates(root);
  const ids = Array.from({ length: 20 }, (_, i) => `j${i}`);
  for (let turn = 1; turn <= 30; turn++) {
    for (const id of ids) void states.set(id, { schedule: 'x'.repeat(turn * 40), since: turn, failures: 0 });
  }
  await states.flush();
  const again = openJobStates(root);
  expect(ids.map((id) => again.get(id)?.since)).toEqual(ids.map(() => 30));
});

test('cut or changed anywhere it is set aside or read as a record, and never stops the start', async () => {
  const root = folder();
  await openJobStates(root).set('a', FULL);
  const file = path.join(root, 'a.json');
  const whole = fs.readFileSync(file);
  for (let at = 0; at < whole.length; at += 16) {
    for (const bytes of [
      whole.subarray(0, at),
      Buffer.concat([whole.subarray(0, at), Buffer.from('\0'), whole.subarray(at + 1)]),
    ]) {
      fs.writeFileSync(file, bytes);
      const state = openJobStates(root).get('a');
      expect(state === undefined || state.since === 1).toBe(true);
      fs.rmSync(`${file}.bad`, { force: true });
    }
  }
});

test('a record that cannot be written is told to its writer and holds all the same', async () => {
  const root = folder();
  const states = openJobStates(root);
  fs.rmSync(root, { recursive: true, force: true });
  fs.writeFileSync(root, 'no folder');
  await expect(states.set('a', FULL)).rejects.toThrow();
  expect(states.get('a')).toEqual(FULL);
  fs.rmSync(root);
  await states.set('b', FULL);
  await states.flush();
});

test('names that are no job are left alone', () => {
  const root = folder();
  fs.mkdirSync(root, { recursive: true });
  for (const name of ['notes.txt', 'A B.json', 'x.json.bad']) fs.writeFileSync(path.join(root, name), '?');
  expect(openJobStates(root).ids()).toEqual([]);
  expect(fs.readdirSync(root)).toHaveLength(3);
});

test('who only reads changes nothing, whatever is found', () => {
  const root = folder();
  expect(openJobStates(path.join(root, 'none'), { isReader: true }).ids()).toEqual([]);
  expect(fs.existsSync(path.join(root, 'none'))).toBe(false);
  fs.mkdirSync(root, { recursive: true });
  fs.writeFileSync(path.join(root, 'a.json'), '{"schedule": "half');
  expect(openJobStates(root, { isReader: true }).ids()).toEqual([]);
  expect(fs.readdirSync(root)).toEqual(['a.json']);
});
