/** Which bubblewrap is taken, and what of /proc a script can change in it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBubblewrap, findTrusted } from '../../src/skills/sandbox.ts';
import { PROGRAM } from '../helpers/program.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { folder, run, write } from './helpers.ts';

/** A program that says what the gateway wants to hear of its sandbox, and leaves a trace. */
function impostor(at: string, trace: string): void {
  chmodSync(write(path.join(at, 'bwrap'), `#!/bin/sh\necho ran > '${trace}'\necho works\n`), 0o755);
}

describe('bubblewrap', () => {
  test('is not taken from a folder of the PATH that others than root can write', () => {
    const [bin, home] = [folder(), folder()];
    const trace = path.join(home, 'trace');
    impostor(bin, trace);
    const { stdout } = spawnSync(process.execPath, [PROGRAM, 'doctor', '--home', home, '--json'], {
      env: { PATH: `${bin}${path.delimiter}${process.env.PATH}` },
      encoding: 'utf8',
    });
    const { checks }: { checks: { name: string; state: string }[] } = JSON.parse(stdout);
    expect(checks.find(({ name }) => name === 'sandbox')?.state).toBe(isSandboxed ? 'ok' : 'note');
    expect(existsSync(trace)).toBe(false);
  });

  test('is looked for where the PATH says, and in the usual folders where there is none', async () => {
    expect(await findBubblewrap(folder())).toBeUndefined();
    expect(await findBubblewrap('.:usr/bin::/nowhere')).toBeUndefined();
    if (isSandboxed) expect(await findBubblewrap('')).toMatch(/^\/.*\/bwrap$/);
  });
});

describe('a program of the system', () => {
  test("is root's, as every folder above it, and nobody else may change it", async () => {
    expect(await findTrusted('sh', ['/bin'])).toBe(realpathSync('/bin/sh'));
    const root = folder();
    const put = (name: string, mode: number, ofFile = 0o755) => {
      const at = path.join(root, name, 'bin');
      mkdirSync(at, { recursive: true });
      chmodSync(write(path.join(at, 'tool'), ''), ofFile);
      chmodSync(path.join(root, name), mode);
      return at;
    };
    const open = [put('others', 0o757), put('group', 0o775), put('file', 0o755, 0o757)];
    for (const at of open) expect(await findTrusted('tool', [at]), at).toBeUndefined();
    const closed = put('closed', 0o755);
    // Only root can make one that is root's.
    const isRoot = process.getuid?.() === 0;
    expect(await findTrusted('tool', [...open, closed])).toBe(isRoot ? path.join(closed, 'tool') : undefined);
    const links = path.join(root, 'links');
    mkdirSync(links);
    symlinkSync(path.join(open[0] ?? '', 'tool'), path.join(links, 'tool'));
    expect(await findTrusted('tool', [links])).toBeUndefined();
    symlinkSync('/bin/sh', path.join(links, 'sh'));
    expect(await findTrusted('sh', [links])).toBe(realpathSync('/bin/sh'));
  });
});

describe(`/proc ${IN_SANDBOX}`, () => {
  test.skipIf(!isSandboxed)('is read-only, that of the script itself too', async () => {
    const text = [
      'grep " /proc" /proc/self/mounts | grep -v " ro," && echo "something below /proc can be written"',
      'for file in comm oom_score_adj coredump_filter timerslack_ns; do',
      '  ( echo 0 > "/proc/self/$file" ) 2>/dev/null && echo "wrote $file"; done',
      'cat /proc/self/comm',
    ].join('\n');
    expect((await run(text, { cwd: folder() })).stdout).toBe('cat\n');
  });
});
