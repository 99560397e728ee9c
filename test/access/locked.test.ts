/** The lock of a file of `access/`, left by a process that was killed in the middle of a change. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { locked } from '../../src/access/json-file.ts';
import { tempFolder } from '../helpers/temp.ts';

const SOURCE = path.join(import.meta.dirname, '../../src/access/json-file.ts');
const fresh = () => path.join(tempFolder(), 'links.json');
const leave = (file: string, text: string) => fs.writeFileSync(`${file}.lock`, text);
/** How long a change waits for it. */
function waited(file: string): number {
  const began = performance.now();
  expect(locked(file, () => 'changed')).toBe('changed');
  expect(fs.existsSync(`${file}.lock`)).toBe(false);
  return performance.now() - began;
}

test('of a process that was killed is nobody’s: the next change is made right away', async () => {
  const file = fresh();
  const hold = `import('${SOURCE}').then(({ locked }) => locked('${file}', () => { process.stdout.write('held'); for (;;); }))`;
  const child = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(fs.existsSync(`${file}.lock`)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(waited(file)).toBeLessThan(500);
});

test('of this process before its restart, under the same number, is nobody’s', () => {
  const file = fresh();
  leave(file, `${process.pid} ${os.hostname()}`);
  expect(waited(file)).toBeLessThan(500);
});

test('that has not said whose it is counts for a second', () => {
  const file = fresh();
  leave(file, '');
  const ms = waited(file);
  expect([ms > 900, ms < 3_000]).toEqual([true, true]);
});

test('of another machine, or of one at work, is waited for', () => {
  const file = fresh();
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  leave(file, `${pid} another-machine`);
  fs.utimesSync(`${file}.lock`, new Date(), new Date(Date.now() - 3_500));
  expect(waited(file)).toBeGreaterThan(1_000);
  leave(file, `${process.ppid} ${os.hostname()}`);
  fs.utimesSync(`${file}.lock`, new Date(), new Date(Date.now() - 3_500));
  expect(waited(file)).toBeGreaterThan(1_000);
});
