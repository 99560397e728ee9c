/** The lock of a file of `access/`, left by a process that was killed in the middle of a change. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { locked } from '../../src/access/records.ts';
import { tempFolder } from '../helpers/temp.ts';

const APART = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'];
const WITHOUT_NAMESPACES =
  spawnSync('unshare', [...APART, 'true'], { stdio: 'ignore' }).status === 0 ? '' : ' (skipped: no namespaces here)';

const SOURCE = path.join(import.meta.dirname, '../../src/access/records.ts');
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

test.skipIf(WITHOUT_NAMESPACES !== '')(
  `of a process that has the same number and host name elsewhere, as two containers may, is waited for${WITHOUT_NAMESPACES}`,
  async () => {
    const file = fresh();
    const held = `import('${SOURCE}').then(({ locked }) => locked('${file}', () => {
      process.stdout.write(process.pid + ' begins ');
      // The work takes its time.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
      process.stdout.write('ends ');
    }))`;
    const children = [0, 1].map(() =>
      spawn('unshare', [...APART, process.execPath, '-e', held], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    const said: string[] = [];
    for (const child of children) {
      onTestFinished(() => void child.kill('SIGKILL'));
      child.stdout.on('data', (data) => said.push(String(data)));
    }
    await Promise.all(children.map((child) => once(child, 'close')));
    expect(said.join('')).toBe('1 begins ends 1 begins ends ');
  },
);
