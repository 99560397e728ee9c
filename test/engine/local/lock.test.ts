/** The lock of the home with a damaged file: a new holder where there is none, and never two. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { acquireLock } from '../../../src/engine/local/lock.ts';
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

test('a folder in its place is moved away, and a pipe is refused by name', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'lock.sqlite');
  fs.mkdirSync(path.join(file, 'in it'), { recursive: true });
  acquireLock(folder).release();
  expect(fs.existsSync(path.join(`${file}.bad`, 'in it'))).toBe(true);
  fs.rmSync(file);
  spawnSync('mkfifo', [file]);
  expect(() => acquireLock(folder)).toThrow(`${file} is no regular file: delete it`);
});
