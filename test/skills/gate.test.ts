/** What is checked before anything runs in a sandbox: each mount in the work folder shows its own place. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkMounts, hasOwnPidLimits } from '../../src/skills/gate.ts';
import { createRunFolder, removeRunFolder } from '../../src/skills/run-folder.ts';
import { startProcess } from '../../src/skills/run-process.ts';
import { findSandbox } from '../../src/skills/sandbox.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { folder } from './helpers.ts';

/** Starts a sandbox with these mounts in its work folder, which are checked as those of `guards`. */
async function begin(work: string, mounts: string[], guards: { at: string; isReadOnly: boolean }[]) {
  const sandbox = await findSandbox();
  if (!sandbox) throw new Error('no sandbox');
  const run = await createRunFolder('', work);
  onTestFinished(() => removeRunFolder(run));
  const held = await open(work);
  onTestFinished(() => held.close());
  const args = await sandbox.args({ work, guards: [], run, mounts });
  const started = startProcess({
    command: sandbox.command,
    args: [...args, '/bin/sh', '-c', 'echo ran; cat repo/.git/a.txt'],
    env: {},
    cwd: work,
    timeoutMs: 60_000,
    maxOutput: 1_000,
    signal: undefined,
    strays: { kind: 'namespace' },
    gate: (first) => checkMounts(first, [{ folder: work, fd: held.fd }], guards),
  });
  const why = await started.begun;
  const { stdout } = await started.ended;
  return { why, stdout: stdout.read([]).text };
}

function project() {
  const [work, outside] = [folder(), folder()];
  const git = path.join(work, 'repo', '.git');
  mkdirSync(git, { recursive: true });
  writeFileSync(path.join(git, 'a.txt'), 'inside\n');
  writeFileSync(path.join(outside, 'a.txt'), 'outside\n');
  return { work, outside, git };
}

describe(`a sandbox ${IN_SANDBOX}`, () => {
  test.skipIf(!isSandboxed)('begins where each mount shows its own place', async () => {
    const { work, git } = project();
    const found = await begin(work, ['--bind', git, git], [{ at: git, isReadOnly: false }]);
    expect(found).toEqual({ why: undefined, stdout: 'ran\ninside\n' });
  });

  test.skipIf(!isSandboxed)(
    'runs nothing where one shows another folder, is elsewhere, or can be written',
    async () => {
      const { work, outside, git } = project();
      const elsewhere = path.join(work, 'repo');
      for (const [mounts, isReadOnly] of [
        [['--bind', outside, git], false],
        [['--bind', git, elsewhere], false],
        [['--bind', git, git], true],
        [[], false],
      ] as const) {
        const { why, stdout } = await begin(work, [...mounts], [{ at: git, isReadOnly }]);
        expect([why, stdout]).toEqual([`${git} was replaced while the sandbox was set up`, '']);
      }
    },
  );

  test.skipIf(!isSandboxed)('runs nothing where the work folder is another', async () => {
    const { work, outside } = project();
    const { why, stdout } = await begin(work, ['--bind', outside, work], []);
    // The right one is below it.
    expect([why, stdout]).toEqual([`${work} was replaced while the sandbox was set up`, '']);
  });
});

test('a PID namespace has a limit of its own since Linux 6.14; before, the same file is the machine’s', () => {
  expect(['6.14.0-rc1', '6.18.44-fc', '7.0'].map(hasOwnPidLimits)).toEqual([true, true, true]);
  expect(['6.13.9', '5.19', '6.1.0-26-amd64', '', 'x'].map(hasOwnPidLimits)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
