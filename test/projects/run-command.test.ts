/** Commands in a project: what they may touch, how they end, and what the model gets of them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { openShop } from './commands.ts';

describe.skipIf(!isSandboxed)(`a command ${IN_SANDBOX}`, () => {
  it('runs in the project, and gives its exit code and both streams in their order', async () => {
    const { call, folder } = await openShop({ 'src/a.txt': 'a\n' });
    expect(await call('cat a.txt; echo wrong >&2; echo right; touch made; exit 3', { cwd: 'src' })).toMatchObject({
      exit: 3,
      output: 'a\nwrong\nright',
    });
    expect(fs.existsSync(path.join(folder, 'src/made'))).toBe(true);
  });

  it('goes on after a failure, as it would in a terminal', async () => {
    const { call } = await openShop();
    expect(await call('false; grep x /dev/null; echo done')).toMatchObject({ exit: 0, output: 'done' });
  });

  it('refuses a folder that leads out of the project', async () => {
    const { call, folder, above } = await openShop();
    fs.symlinkSync(above, path.join(folder, 'out'));
    await expect(call('pwd', { cwd: '..' })).rejects.toThrow();
    await expect(call('pwd', { cwd: 'out' })).rejects.toThrow();
    await expect(call('pwd', { cwd: 'none' })).rejects.toThrow('There is no folder "none".');
    expect(await call('cat out/secret.txt ../secret.txt')).toMatchObject({ exit: 1 });
  });

  it('writes no hooks and no settings of the repository', async () => {
    const { call, folder } = await openShop();
    execFileSync('git', ['init', '--quiet', folder]);
    const { output } = await call(
      'echo x > .git/hooks/pre-commit; echo x >> .git/config; mv .git away; git config a.b c; git commit -qm one --allow-empty && echo ok',
    );
    expect(output).toMatch(/ok$/);
    expect(fs.existsSync(path.join(folder, '.git/hooks/pre-commit'))).toBe(false);
    expect(fs.readFileSync(path.join(folder, '.git/config'), 'utf8')).not.toMatch(/^x$|\[a\]/m);
  });

  it('leaves no repository whose hooks or settings would run outside, however it came', async () => {
    const { call, folder, above } = await openShop();
    execFileSync('git', ['init', '--quiet', path.join(folder, 'old')]);
    const trace = path.join(above, 'trace');
    const hook = `printf '#!/bin/sh\\ntouch ${trace}\\n' > H/post-checkout; chmod +x H/post-checkout`;
    const set = (at: string) =>
      `git config --file ${at} core.fsmonitor 'touch ${trace}; false'; git config --file ${at} user.name Kim`;
    const made = [
      `git init -q .; ${hook.replaceAll('H', '.git/hooks')}; ${set('.git/config')}`,
      // Its guards go along with the folder.
      `mv old moved; mkdir old; git init -q old; ${hook.replaceAll('H', 'old/.git/hooks')}; ${set('old/.git/config')}`,
      `git init -q --bare a/b/bare; ${set('a/b/bare/config')}`,
      `git init -q --separate-git-dir data linked; ${set('data/config')}`,
      `git init -q named; cp -r named/.git common; ${set('common/config')}; echo "$PWD/common" > named/.git/commondir`,
    ];
    const { output, disarmed } = await call(`${made.join('; ')}; echo made`);
    expect(output).toMatch(/made$/);
    for (const at of [
      '.git/hooks',
      '.git/config',
      'old/.git/hooks',
      'old/.git/config',
      'a/b/bare/config',
      'data/config',
    ])
      expect(disarmed).toContain(path.join(folder, at));
    for (const at of ['.', 'old', 'moved', 'a/b/bare', 'linked', 'named']) {
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', path.join(folder, at), ...args], { stdio: 'pipe', encoding: 'utf8' });
      if (at !== 'a/b/bare') git('status');
      git('symbolic-ref', 'HEAD');
      if (at === '.') expect(git('config', 'user.name')).toBe('Kim\n');
    }
    expect(fs.existsSync(trace)).toBe(false);
    expect(await call('git -C old log; echo again')).not.toHaveProperty('disarmed');
  });

  it('leaves no file that runs with the rights of its owner, and reaches no hypervisor', async () => {
    const { call, folder } = await openShop();
    const socket = `perl -e 'print socket(S, 40, 1, 0) ? "vsock" : "no: $!"'`;
    const { output } = await call(
      `cp /bin/true x; chmod 755 x; chmod u+s x; install -m 4755 /bin/true y; ${socket}; :`,
    );
    expect(output).toMatch(/x.*not permitted.*y.*not permitted.*no: Address family not supported/s);
    for (const name of fs.readdirSync(folder)) expect(fs.statSync(path.join(folder, name)).mode & 0o6000).toBe(0);
  });

  it.skipIf(process.getuid?.() !== 0)('ends before it has filled the disk', async () => {
    const { call, folder } = await openShop();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
    const fill =
      'for i in 1 2 3 4 5 6 7 8 9; do fallocate -l 50M $i || head -c 50000000 /dev/zero > $i; sleep 0.3; done';
    const { ended } = await call(fill);
    expect(ended).toMatch(/^It left less than 20 MB free on the disk and was ended/);
    const { bavail, bsize } = fs.statfsSync(folder);
    expect(bavail * bsize).toBeGreaterThan(0);
  });

  it('shows nothing of this machine while another swaps the folder of a repository for a link', async () => {
    const { call, folder, above } = await openShop({
      'swap.js': SWAP,
      'sub/.git/hooks/x': '',
      'other/.git/hooks/x': '',
    });
    fs.mkdirSync(path.join(above, 'outside'));
    fs.writeFileSync(path.join(above, 'outside', 'a.txt'), 'canary');
    expect(await call('node swap.js', { background: true })).toMatchObject({ id: 'p1' });
    const read =
      'for i in 1 2 3 4 5; do cat sub/.git/a.txt sub/aside/a.txt; echo > sub/.git/b; echo > sub/aside/b; done';
    const found = [];
    for (let count = 0; count < 15; count++) {
      const result = await call(`(${read}) 2>/dev/null; echo looked`).catch((error: Error) => ({
        output: error.message,
      }));
      found.push(String(result.output));
    }
    expect(found.join('\n')).not.toContain('canary');
    expect(found.every((text) => /looked|Nothing was run, because the sandbox could not be set up/.test(text))).toBe(
      true,
    );
    expect(fs.readdirSync(path.join(above, 'outside'))).toEqual(['a.txt']);
    expect(fs.existsSync(folder)).toBe(true);
  });
});

/** The folder of a repository that appeared after it began is no mount to it. */
const SWAP = `
const fs = require('node:fs');
const quiet = (act) => { try { act(); } catch {} };
setTimeout(() => process.exit(), 60000);
fs.mkdirSync('sub/new');
quiet(() => fs.renameSync('sub', 'was'));
fs.mkdirSync('sub/.git/hooks', { recursive: true });
const step = () => {
  for (let i = 0; i < 2000; i++) {
    quiet(() => fs.renameSync('sub/.git', 'sub/aside'));
    quiet(() => fs.symlinkSync('../../outside', 'sub/.git'));
    quiet(() => fs.unlinkSync('sub/.git'));
    quiet(() => fs.renameSync('sub/aside', 'sub/.git'));
  }
  setImmediate(step);
};
step();
`;
