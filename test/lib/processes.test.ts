/** Other processes: whether one is gone is said only where it is certain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isGone, ownProcess } from '../../src/lib/processes.ts';

const own = ownProcess();

describe.skipIf(own === undefined)('a process of this machine', () => {
  const mark = (pid: number, began: string) => ({ space: own?.space ?? '', pid, began });
  const beganOf = (pid: number) => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';

  it('is there while it works or hangs, and gone once it is killed', async () => {
    expect(own && isGone(own)).toBe(false);
    const child = spawn('sleep', ['600']);
    const pid = child.pid ?? 0;
    const began = beganOf(pid);
    expect(isGone(mark(pid, began))).toBe(false);
    child.kill('SIGSTOP');
    expect(isGone(mark(pid, began))).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isGone(mark(pid, began))).toBe(true);
  });

  it('is gone where its number is another one’s', () => {
    expect(isGone(mark(process.pid, '1'))).toBe(true);
  });

  it('is gone when it has ended and nobody has taken note of it', async () => {
    // The shell becomes a program that asks for none of its children.
    const shell = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 600']);
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    const pid = Number(String(line).trim());
    const began = beganOf(pid);
    await expect.poll(() => isGone(mark(pid, began))).toBe(true);
    expect(fs.existsSync(`/proc/${pid}/stat`)).toBe(true);
    shell.kill('SIGKILL');
  });
});
