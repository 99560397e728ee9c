/** git in a repository that came from elsewhere: reading runs nothing of it, and a push sends what was shown. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  branchesOf,
  branchName,
  gitEnvironment,
  isCommitAsked,
  keptPaths,
  readGit,
} from '../../src/features/projects/commands/git.ts';
import { settingsFor } from '../../src/features/projects/commands/identity.ts';
import { parseCommand } from '../../src/features/projects/commands/parse.ts';
import { findPush, pushWords, runPush } from '../../src/features/projects/commands/push.ts';
import { projectFacts } from '../../src/features/projects/facts.ts';
import { tempFolder } from '../helpers/temp.ts';
import { git, repositoryAt } from './repository.ts';

const repository = (files: Readonly<Record<string, string>>): string =>
  repositoryAt(path.join(fs.realpathSync(tempFolder()), 'shop'), files);

/** A repository with everything that makes git run a program; each leaves a mark beside the repository. */
function hostile(): { folder: string; marks: () => string[] } {
  const folder = repository({
    'a.txt': 'a\n',
    'b.bin': 'b\n',
    '.gitattributes': '*.txt filter=x diff=x\n*.bin diff=y\n',
  });
  const above = path.dirname(folder);
  const script = (name: string) => {
    const file = path.join(above, `${name}.sh`);
    fs.writeFileSync(file, `#!/bin/sh\ntouch ${above}/ran-${name}\ncat\n`, { mode: 0o755 });
    return file;
  };
  const hooks = path.join(folder, 'hooks');
  fs.mkdirSync(hooks);
  for (const hook of ['post-index-change', 'pre-push', 'reference-transaction', 'fsmonitor-watchman'])
    fs.writeFileSync(path.join(hooks, hook), `#!/bin/sh\ntouch ${above}/ran-${hook}\n`, { mode: 0o755 });
  const settings: [string, string][] = [
    ['filter.x.clean', script('clean')],
    ['filter.x.smudge', script('smudge')],
    ['filter.x.process', script('process')],
    ['filter.x.required', 'true'],
    ['diff.x.command', script('command')],
    ['diff.y.textconv', script('textconv')],
    ['diff.external', script('external')],
    ['core.fsmonitor', script('fsmonitor')],
    ['core.pager', script('pager')],
    ['core.hooksPath', hooks],
    ['core.sshCommand', script('ssh')],
    ['credential.helper', `!${script('credential')}`],
    ['gpg.program', script('gpg')],
    ['log.showSignature', 'true'],
    ['alias.status', `!${script('alias')}`],
  ];
  for (const [key, value] of settings) git(folder, 'config', key, value);
  // A changed time makes git look into the file.
  fs.writeFileSync(path.join(folder, 'a.txt'), 'changed\n');
  fs.writeFileSync(path.join(folder, 'b.bin'), 'changed\n');
  return { folder, marks: () => fs.readdirSync(above).filter((name) => name.startsWith('ran-')) };
}

describe('reading a repository from elsewhere', () => {
  it('runs none of its programs', async () => {
    const { folder, marks } = hostile();
    expect(await projectFacts(folder)).toMatchObject({ branch: 'main', changed: 3 });
    expect(await readGit(folder, ['diff', '--no-ext-diff', '--no-textconv', 'HEAD'])).toContain('+changed');
    expect(await readGit(folder, ['log', '--format=%s'])).toBe('Begin\n');
    await keptPaths(folder, ['a.txt', 'b.bin']);
    expect(marks()).toEqual([]);
    // The marks are made where nothing prevents it.
    const { variables, isPlain } = (await gitEnvironment(folder)) ?? {};
    expect(isPlain).toBe(false);
    execFileSync('git', ['status'], { cwd: folder, env: { ...process.env, ...variables }, stdio: 'ignore' });
    expect(marks()).toEqual([]);
    expect(() => execFileSync('git', ['diff'], { cwd: folder, stdio: 'ignore' })).toThrow('git diff');
    expect(marks()).not.toEqual([]);
  });

  it('does not follow its settings to another folder, or a link to another repository', async () => {
    const folder = repository({ 'a.txt': 'a\n' });
    const other = repository({ 'secret.txt': 's\n' });
    git(folder, 'config', 'core.worktree', other);
    expect(await readGit(folder, ['ls-files', '--others'])).toBe('');
    fs.rmSync(path.join(folder, '.git'), { recursive: true });
    fs.symlinkSync(path.join(other, '.git'), path.join(folder, '.git'));
    expect(await readGit(folder, ['ls-files'])).toBeUndefined();
  });

  it('is left where what counts depends on the branch', async () => {
    const folder = repository({ 'a.txt': 'a\n' });
    git(folder, 'config', 'includeIf.onbranch:x.path', '../settings');
    expect(await gitEnvironment(folder)).toBeUndefined();
  });
});

it('knows which files git can give back', async () => {
  const folder = repository({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'src/c.txt': 'c\n',
    'lib/d.txt': 'd\n',
    '.gitignore': 'out\n',
    '*.md': 'x',
  });
  fs.writeFileSync(path.join(folder, 'b.txt'), 'changed\n');
  fs.mkdirSync(path.join(folder, 'out'));
  fs.writeFileSync(path.join(folder, 'out/x'), '');
  fs.writeFileSync(path.join(folder, 'lib/new.txt'), '');
  fs.mkdirSync(path.join(folder, 'empty'));
  fs.writeFileSync(path.join(folder, 'staged.txt'), '');
  git(folder, 'add', 'staged.txt');
  fs.writeFileSync(path.join(folder, 'README.md'), '');
  // biome-ignore format: a list is filled
  const asked = [
    'a.txt', 'b.txt', 'src', 'src/c.txt', 'lib', 'lib/d.txt', 'out', 'out/x', 'empty', 'gone', 'staged.txt', '', '*.md',
  ];
  expect([...(await keptPaths(folder, asked))].sort()).toEqual([
    '*.md',
    'a.txt',
    'gone',
    'lib/d.txt',
    'src',
    'src/c.txt',
  ]);
  git(folder, 'update-index', '--assume-unchanged', 'a.txt');
  fs.writeFileSync(path.join(folder, 'a.txt'), 'hidden change\n');
  expect(await keptPaths(folder, ['a.txt'])).toEqual(new Set());
  expect(await keptPaths(tempFolder(), ['gone'])).toEqual(new Set(['gone']));
});

it('names branches, and knows when a person asked for a commit to one', async () => {
  expect(branchName('t-41', 'Fix the price: “10 €”!')).toBe('viber/t-41-fix-the-price-10');
  expect(branchName('t-41', '日本語')).toBe('viber/t-41');
  expect(branchName('t-41', `${'very long '.repeat(20)}`)).toMatch(/^viber\/t-41-[a-z-]{1,40}$/);
  expect(isCommitAsked('main', ['Commit this to main, please.'])).toBe(true);
  expect(isCommitAsked('main', ['Fix the maintenance page and commit it'])).toBe(false);
  expect(isCommitAsked('main', ['What is on main?'])).toBe(false);
  const folder = repository({ a: '' });
  expect(await branchesOf(folder)).toEqual({ branch: 'main', main: 'main' });
  git(folder, 'switch', '--quiet', '-c', 'x');
  expect(await branchesOf(folder)).toEqual({ branch: 'x', main: undefined });
});

it('writes a name for commits that git reads as it is', () => {
  const file = path.join(tempFolder(), 'settings');
  const name = 'Al"ex \\ [core]\n\tpager = x # ; ü';
  fs.writeFileSync(file, settingsFor({ name, email: 'a@example.com', signs: false }));
  expect(git('/', 'config', '--file', file, '--list')).toBe(
    `user.name=${name.replace(/[\n\t]/g, ' ')}\nuser.email=a@example.com\n`,
  );
  expect(settingsFor({ signs: true })).toBe('');
});

const wordsOf = (text: string) => {
  const parsed = parseCommand(text);
  return pushWords('why' in parsed ? undefined : parsed.commands);
};

describe('a push', () => {
  it.each(
    // biome-ignore format: a list is filled
    [
      'npm test && git push', 'git push | cat', 'X=1 git push', 'git push > log', 'git -C x push', 'git push --mirror',
      'git push --tags', 'git push --receive-pack=x origin main', 'git push origin :main', 'git push origin a b',
      'git push $X', 'git push "ext::sh -c x" main', 'git push origin "main\nx"', 'sudo git push',
    ],
  )('%j is refused', (text) => {
    expect(() => wordsOf(text)).toThrow(/push/);
  });

  it('sends the commit that was shown, whatever happened since, and runs nothing of the repository', async () => {
    const { folder, marks } = hostile();
    const remote = path.join(tempFolder(), 'remote.git');
    git(folder, 'init', '--quiet', '--bare', remote);
    git(folder, 'remote', 'add', 'origin', remote);
    git(folder, 'config', 'remote.origin.receivepack', `${path.dirname(folder)}/ssh.sh`);
    git(folder, 'config', 'url.ext::x.pushInsteadOf', remote);
    const shown = await findPush(folder, wordsOf('git push -u origin main'), []);
    expect(shown).toMatchObject({ remote: 'origin', branch: 'main', to: 'main', subjects: ['Begin'], count: 1 });
    const before = marks();
    git(folder, '-c', 'core.hooksPath=/dev/null', 'commit', '--allow-empty', '-m', 'Later');
    const made = marks();
    await runPush(folder, shown);
    expect(marks()).toEqual(made);
    expect(before).toEqual([]);
    expect(git(remote, 'log', '--format=%s', 'main')).toBe('Begin\n');
  });

  it.each(['ext::sh -c x', 'http://example.com/x', 'git://example.com/x', '-x', 'fd::3'])(
    'never goes to %s',
    async (url) => {
      const folder = repository({ a: '' });
      git(folder, 'config', 'remote.origin.url', url);
      await expect(findPush(folder, wordsOf('git push'), [])).rejects.toThrow(/https, ssh|can't be used/);
    },
  );

  it.each([
    ['a folder of the project', (folder: string) => path.join(folder, 'inner.git')],
    ['its address', (folder: string) => `file://${folder}/inner.git`],
    ['a relative one', () => './inner.git'],
    ['one behind a link', (folder: string) => path.join(folder, 'link.git')],
    ['its user’s file address', (folder: string) => `file://localhost${folder}/inner.git`],
  ])('never goes where a command may have left hooks: %s', async (_what, addressOf) => {
    const folder = repository({ a: '' });
    const inner = path.join(folder, 'inner.git');
    git(folder, 'init', '--quiet', '--bare', inner);
    fs.symlinkSync(inner, path.join(folder, 'link.git'));
    const mark = path.join(tempFolder(), 'ran');
    fs.writeFileSync(path.join(inner, 'hooks', 'pre-receive'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    git(folder, 'remote', 'add', 'origin', addressOf(folder));
    const pushed = findPush(folder, wordsOf('git push origin main'), []).then((push) => runPush(folder, push));
    await expect(pushed).rejects.toThrow('Commands can write');
    expect(fs.existsSync(mark)).toBe(false);
  });

  it.each(['ssh://localhost/srv/x.git', 'alex@127.0.0.1:x.git', 'https://[::1]/x.git', `${os.hostname()}:x.git`])(
    'reaches no folder of this machine by %s',
    async (url) => {
      const folder = repository({ a: '' });
      git(folder, 'remote', 'add', 'origin', url);
      await expect(findPush(folder, wordsOf('git push'), [])).rejects.toThrow('on this machine');
    },
  );

  it('goes to no allowed folder and not into the home', async () => {
    const folder = repository({ a: '' });
    const root = tempFolder();
    const remote = path.join(root, 'other', 'x.git');
    git(folder, 'init', '--quiet', '--bare', remote);
    git(folder, 'remote', 'add', 'origin', remote);
    await expect(findPush(folder, wordsOf('git push'), [root])).rejects.toThrow('Commands can write');
  });

  it('shows at most twenty commits, and no password', async () => {
    const folder = repository({ a: '' });
    git(folder, 'remote', 'add', 'origin', 'https://alex:secret@example.com/shop.git');
    for (let at = 0; at < 25; at += 1) git(folder, 'commit', '--quiet', '--allow-empty', '-m', `Step ${at}`);
    const push = await findPush(folder, wordsOf('git push --force'), []);
    expect(push).toMatchObject({ address: 'https://example.com/shop.git', count: 26, isForced: true });
    expect(push.subjects).toHaveLength(20);
    expect(push.subjects[0]).toBe('Step 24');
  });

  it('takes no objects from elsewhere', async () => {
    const folder = repository({ a: '' });
    const remote = path.join(tempFolder(), 'remote.git');
    git(folder, 'init', '--quiet', '--bare', remote);
    git(folder, 'remote', 'add', 'origin', remote);
    const push = await findPush(folder, wordsOf('git push'), []);
    const other = repository({ secret: '' });
    fs.writeFileSync(path.join(folder, '.git/objects/info/alternates'), path.join(other, '.git/objects'));
    await expect(runPush(folder, push)).rejects.toThrow(/shares objects/);
    fs.rmSync(path.join(folder, '.git/objects'), { recursive: true });
    fs.symlinkSync(path.join(other, '.git/objects'), path.join(folder, '.git/objects'));
    await expect(runPush(folder, push)).rejects.toThrow(/elsewhere/);
  });
});
