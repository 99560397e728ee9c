/** The lock of the home with a damaged file: a new holder where there is none, and never two. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { acquireLock, holderOf } from '../../../src/engine/local/lock.ts';
import { LockedError } from '../../../src/errors.ts';
import { type Damage, listenForDamage } from '../../../src/lib/damage.ts';
import { tempFolder } from '../../helpers/temp.ts';

/** From another process: closing a file of its own would cost this one its lock. */
const damage = (file: string, text: string) =>
  spawnSync(process.execPath, [
    '-e',
    'fs.writeFileSync(process.argv[1], JSON.parse(process.argv[2]))',
    file,
    JSON.stringify(text),
  ]);

test.each([
  ['nothing', ''],
  ['null', 'null'],
  ['words', 'garbage '.repeat(2_000)],
  ['zeros', '\0'.repeat(8_192)],
  ['half a header', 'SQLite format 3\0 and no more'],
])('that holds %s is free for one, and held while somebody holds it', (_name, text) => {
  const folder = tempFolder();
  const file = path.join(folder, 'lock.sqlite');
  const told: Damage[] = [];
  listenForDamage(folder, (each) => told.push(each));
  const first = acquireLock(folder);
  damage(file, text);
  expect(() => acquireLock(folder)).toThrow(LockedError);
  first.release();
  damage(file, text);
  const second = acquireLock(folder);
  expect(second.epoch).toBeGreaterThan(first.epoch);
  expect(() => acquireLock(folder)).toThrow(LockedError);
  second.release();
  if (text !== '') expect(told.map((each) => each.file)).toContain(file);
});

test.runIf(process.platform === 'linux')('names the process that holds it, and nobody once it is free', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'lock.sqlite');
  expect(holderOf(file)).toBeUndefined();
  const lock = acquireLock(folder);
  expect(holderOf(file)).toBe(process.pid);
  expect(() => acquireLock(folder)).toThrow(expect.objectContaining({ file }));
  lock.release();
  expect(holderOf(file)).toBeUndefined();
});

test('a folder in its place is moved away, and a pipe is refused by name', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'lock.sqlite');
  fs.mkdirSync(path.join(file, 'in it'), { recursive: true });
  const told: Damage[] = [];
  listenForDamage(folder, (each) => told.push(each));
  const before = Math.floor(Date.now() / 1000);
  const moved = acquireLock(folder);
  expect(moved.epoch).toBe(1);
  moved.release();
  expect(fs.existsSync(path.join(`${file}.bad`, 'in it'))).toBe(true);
  const about = { lost: 'only the count of starts', next: 'A new one is used.', file };
  expect(told).toEqual([{ ...about, why: 'is a folder', movedTo: `${file}.bad` }]);
  // Above every count of starts, and no further than the time in seconds.
  damage(file, 'garbage '.repeat(2_000));
  const emptied = acquireLock(folder);
  expect(told.slice(1)).toEqual([{ ...about, why: 'was damaged and has been emptied' }]);
  expect([emptied.epoch > before, emptied.epoch <= Math.floor(Date.now() / 1000) + 1]).toEqual([true, true]);
  const home = path.dirname(folder);
  const refusal = `another gateway holds ${home}; stop it first, or give this one its own --home`;
  expect(() => acquireLock(folder)).toThrow(expect.objectContaining({ message: refusal, cause: expect.any(Error) }));
  emptied.release();
  fs.rmSync(file);
  spawnSync('mkfifo', [file]);
  expect(() => acquireLock(folder)).toThrow(`${file} is not a regular file: delete it`);
});

test('a full disk is named, and nobody is told to delete anything', () => {
  const folder = tempFolder();
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const message = `${path.join(folder, 'lock.sqlite')} cannot be written: the disk is full. Free some space, and try again.`;
  expect(() => acquireLock(folder)).toThrow(expect.objectContaining({ name: 'WorkspaceError', message }));
});

test('one that cannot be used is named, with what to do; another error is thrown as it is', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'none', 'lock.sqlite');
  const what = expect.objectContaining({
    name: 'WorkspaceError',
    message: expect.stringMatching(
      /lock\.sqlite cannot be used \(.+\): check its rights, or delete it, then start again\.$/,
    ),
    cause: expect.objectContaining({ code: 'ERR_SQLITE_ERROR' }),
  });
  expect(() => acquireLock(path.dirname(file))).toThrow(what);
  const failure = Object.assign(new Error('EIO'), { code: 'EIO' });
  vi.spyOn(fs, 'statSync').mockImplementationOnce(() => {
    throw failure;
  });
  expect(() => acquireLock(folder)).toThrow(failure);
});
