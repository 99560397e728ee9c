/** What a script may leave in a repository for whoever calls git there next: nothing that git would run. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { folder, run } from './helpers.ts';

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@x', '-c', 'protocol.file.allow=always', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
  });

/** A project with a module, and a repository in a folder of it. */
function makeProject(base: string): string {
  const [root, other] = ['project', 'other'].map((name) => path.join(base, name)) as [string, string];
  for (const repository of [root, other]) {
    fs.mkdirSync(repository);
    git(repository, 'init', '-q');
    fs.writeFileSync(path.join(repository, 'a.txt'), 'a\n');
    git(repository, 'add', '.');
    git(repository, 'commit', '-qm', 'first');
  }
  git(root, 'submodule', '--quiet', 'add', other, 'module');
  git(root, 'commit', '-qm', 'a module');
  fs.mkdirSync(path.join(root, 'inner'));
  git(path.join(root, 'inner'), 'init', '-q');
  fs.rmSync(path.join(root, 'inner/.git/hooks'), { recursive: true });
  return root;
}

const template = tempFolder(afterAll);
let made: string | undefined;

/** A copy of that project, made once, and a trace that hooks and settings would leave. */
function project(): { root: string; trace: string } {
  made ??= makeProject(template);
  const base = fs.realpathSync(folder());
  const root = path.join(base, 'project');
  fs.cpSync(made, root, { recursive: true, verbatimSymlinks: true });
  return { root, trace: path.join(base, 'trace') };
}

const places = ['.git', '.git/modules/module', 'inner/.git'];
const ATTEMPTS: Record<string, (git: string) => string> = {
  'write a hook': (at) =>
    `mkdir -p ${at}/hooks; printf '#!/bin/sh\\ntouch "$TRACE"\\n' > ${at}/hooks/post-checkout; chmod +x ${at}/hooks/post-checkout`,
  'put other hooks in place': (at) => `mkdir evil; mv ${at}/hooks ${at}/old; mv evil ${at}/hooks`,
  'set a program': (at) => `git config --file ${at}/config core.fsmonitor 'touch "$TRACE"; false'`,
  'put other settings in place': (at) => `printf '[core]\\nfsmonitor = touch "$TRACE"\\n' > c; mv -f c ${at}/config`,
  'remove the settings': (at) => `rm -rf ${at}/config ${at}/hooks`,
  'name a common folder': (at) =>
    `cp -r ${at} common; printf '[core]\\nfsmonitor = touch "$TRACE"\\n' >> common/config; echo "$PWD/common" > ${at}/commondir`,
};

describe(`a repository ${IN_SANDBOX}`, () => {
  for (const [name, attempt] of Object.entries(ATTEMPTS))
    test.skipIf(!isSandboxed).each(places)(`a script cannot ${name} in %s`, async (place) => {
      const { root, trace } = project();
      const stands = (at: string) => {
        const config = fs.readFileSync(path.join(root, at, 'config'), 'utf8');
        const hooks = path.join(root, at, 'hooks');
        return [
          config,
          fs.existsSync(hooks) ? fs.readdirSync(hooks) : [],
          fs.existsSync(path.join(root, at, 'commondir')),
        ];
      };
      const before = places.map(stands);
      await run(attempt(place).replaceAll('$TRACE', trace), { cwd: root });
      const after = places.map(stands);
      expect(after).toEqual(before);
      for (const at of ['.', 'module', 'inner']) git(path.join(root, at), 'status');
      git(root, 'checkout', '-q', '-b', `after-${Date.now()}`);
      expect(fs.existsSync(trace)).toBe(false);
    });

  test.skipIf(!isSandboxed)('no other repository is put in the place of one', async () => {
    const { root, trace } = project();
    const text = `mv .git aside; git init -q .; git config core.fsmonitor 'touch "${trace}"; false'; exit 0`;
    await run(text, { cwd: root });
    git(root, 'status');
    expect(fs.existsSync(trace)).toBe(false);
    expect(git(root, 'log', '--format=%s').trim()).toBe('a module\nfirst');
  });

  test.skipIf(!isSandboxed)('is worked in as ever: changes, branches, commits, a clone', async () => {
    const { root } = project();
    const text = [
      'echo b > b.txt; git add b.txt; git commit -qm second; git checkout -q -b topic',
      'git tag one; git stash list; git clone -q . copy; git -C copy log --format=%s | head -1',
      'git -C module status --short; git worktree add -q ../tree 2>/dev/null; git worktree add -q tree; git -C tree log -1 --format=%s',
    ].join('\n');
    const { stdout, code, stderr } = await run(text.replace('git worktree add -q ../tree 2>/dev/null; ', ''), {
      cwd: root,
    });
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout).toBe('second\nsecond\n');
    expect(git(root, 'log', '--format=%s').split('\n')[0]).toBe('second');
  });
});
