/** A project whose repository is elsewhere: a linked worktree or a submodule, and `.git` files that lie. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { branchesOf, readGit } from '../../src/features/projects/commands/git.ts';
import { findGitFolder } from '../../src/features/projects/commands/git-folder.ts';
import { parseCommand } from '../../src/features/projects/commands/parse.ts';
import { findPush, pushWords, runPush } from '../../src/features/projects/commands/push.ts';
import { runCommand } from '../../src/features/projects/tools/run-command.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openShop } from './commands.ts';
import { git, repositoryAt } from './repository.ts';

/** A repository, one of its worktrees beside it, and the folder that git keeps for that. */
function linked() {
  const above = fs.realpathSync(tempFolder());
  const main = repositoryAt(path.join(above, 'main'));
  const tree = path.join(above, 'tree');
  git(main, 'worktree', 'add', '--quiet', '-b', 'fix', tree);
  return { above, main, tree, own: path.join(main, '.git/worktrees/tree') };
}

const words = (command: string) => {
  const parsed = parseCommand(command);
  return pushWords('commands' in parsed ? parsed.commands : undefined);
};

describe('a repository outside of the project', () => {
  it('is found where it knows the folder', async () => {
    const { main, tree, own } = linked();
    expect(findGitFolder(tree)).toEqual({ git: own, common: path.join(main, '.git') });
    expect(await readGit(tree, ['log', '--format=%s'])).toBe('Begin\n');
    expect(await branchesOf(tree)).toMatchObject({ branch: 'fix' });
    const sub = path.join(main, 'sub');
    git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', tree, 'sub');
    const data = path.join(main, '.git/modules/sub');
    expect(findGitFolder(sub)).toEqual({ git: data, common: data });
    expect(await readGit(sub, ['log', '--format=%s'])).toBe('Begin\n');
  });

  it.each<[string, (at: ReturnType<typeof linked>) => string]>([
    ['a repository that has no such worktree', ({ above, main }) => point(above, path.join(main, '.git'))],
    ['the worktree of another folder', ({ above, own }) => point(above, own)],
    [
      'a submodule of another folder',
      ({ above, main, tree }) => {
        git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', tree, 'sub');
        return point(above, path.join(main, '.git/modules/sub'));
      },
    ],
    [
      'a folder of its own that borrows another repository',
      ({ above, main }) => {
        const forged = path.join(above, 'forged', 'data/worktrees/x');
        fs.mkdirSync(forged, { recursive: true });
        fs.writeFileSync(path.join(forged, 'HEAD'), 'ref: refs/heads/main\n');
        fs.writeFileSync(path.join(forged, 'commondir'), `${main}/.git\n`);
        fs.writeFileSync(path.join(forged, 'gitdir'), `${path.join(above, 'forged/.git')}\n`);
        return point(above, forged);
      },
    ],
    [
      'a link to a repository',
      ({ above, main }) => {
        fs.symlinkSync(path.join(main, '.git'), path.join(above, 'alias'));
        return point(above, path.join(above, 'alias'));
      },
    ],
    ['what is too long', ({ above }) => point(above, 'x'.repeat(5_000))],
    [
      'another repository since its commondir was swapped',
      ({ above, tree, own }) => {
        const other = repositoryAt(path.join(above, 'other'));
        fs.writeFileSync(path.join(own, 'commondir'), `${other}/.git\n`);
        return tree;
      },
    ],
    [
      'a worktree that was moved away and replaced by a link',
      ({ above, tree }) => {
        fs.renameSync(tree, path.join(above, 'moved'));
        fs.symlinkSync(path.join(above, 'moved'), tree);
        return path.join(above, 'moved');
      },
    ],
  ])('is neither read nor pushed where .git leads to %s', async (_what, make) => {
    const folder = make(linked());
    expect(findGitFolder(folder)).toBeUndefined();
    expect(await readGit(folder, ['log'])).toBeUndefined();
    expect(await branchesOf(folder)).toEqual({ branch: undefined, main: undefined });
    await expect(findPush(folder, words('git push origin main'), [])).rejects.toThrow(/doesn't know it/);
  });

  it('of a .git folder is not read while a file in it names another', async () => {
    const above = fs.realpathSync(tempFolder());
    const [main, other] = [repositoryAt(path.join(above, 'main')), repositoryAt(path.join(above, 'other'))];
    fs.writeFileSync(path.join(other, 'secret.txt'), 'secret');
    git(other, 'add', '-A');
    git(other, 'commit', '--quiet', '-m', 'Secret');
    fs.writeFileSync(path.join(main, '.git/commondir'), `${other}/.git\n`);
    expect(await readGit(main, ['log', '--format=%s'])).toBeUndefined();
  });

  it('is pushed as any other', async () => {
    const { above, main, tree } = linked();
    const remote = path.join(above, 'remote.git');
    git(above, 'init', '--quiet', '--bare', remote);
    git(main, 'remote', 'add', 'origin', remote);
    fs.writeFileSync(path.join(tree, 'b.txt'), 'b\n');
    git(tree, 'add', '-A');
    git(tree, 'commit', '--quiet', '-m', 'Add b');
    const push = await findPush(tree, words('git push origin fix'), []);
    expect(push).toMatchObject({ branch: 'fix', to: 'fix', subjects: ['Add b', 'Begin'] });
    await runPush(tree, push);
    expect(git(remote, 'log', '--format=%s', 'fix')).toBe('Add b\nBegin\n');
  });
});

/** Makes a project whose `.git` file names this. */
function point(above: string, to: string): string {
  const folder = path.join(above, 'forged');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, '.git'), `gitdir: ${to}\n`);
  return folder;
}

describe.skipIf(!isSandboxed)(`commands in a linked worktree ${IN_SANDBOX}`, () => {
  async function open() {
    const shop = await openShop();
    const at = linked();
    const found = findGitFolder(at.tree);
    const project = { name: 'tree', folder: at.tree, ...(found && { repository: found }) };
    const run = { ...shop.run, project: () => project };
    const options = { signal: new AbortController().signal, callId: 'call-1' };
    const call = async (command: string): Promise<Record<string, unknown>> =>
      Object(await runCommand.execute(runCommand.input.parse({ command }), run, options));
    return { ...at, call };
  }

  it('commit there, and nothing of the other worktree can be changed but what git shares', async () => {
    const { main, tree, call } = await open();
    const done = await call(
      'echo b > b.txt && git add -A && git commit -q -m "Add b" && git log --format=%s && ls ../main',
    );
    expect(String(done.output)).toContain('Add b\nBegin');
    expect(git(tree, 'status', '--porcelain')).toBe('');
    expect(git(main, 'log', '--format=%s', 'fix')).toBe('Add b\nBegin\n');
    expect(String(done.output)).not.toContain('a.txt');
  });

  it('write no hooks, no settings, no pointers and no other worktree', async () => {
    const { above, main, own, call } = await open();
    const other = path.join(above, 'other');
    git(main, 'worktree', 'add', '--quiet', '-b', 'other', other);
    git(main, 'config', 'extensions.worktreeConfig', 'true');
    const common = path.join(main, '.git');
    const ofOther = path.join(common, 'worktrees/other');
    const files = [
      ...['config', 'hooks/pre-commit', 'config.worktree'].map((name) => path.join(common, name)),
      ...['commondir', 'gitdir', 'config.worktree'].map((name) => path.join(own, name)),
      ...['HEAD', 'index', 'gitdir'].map((name) => path.join(ofOther, name)),
    ];
    const read = () => files.map((file) => (fs.existsSync(file) ? fs.readFileSync(file, 'latin1') : undefined));
    const before = read().map((text, at) => (files[at]?.endsWith('config.worktree') ? '' : text));
    const attack = files.map((file) => `echo evil > ${file}; rm -f ${file}; mv ${file} ${file}.gone`).join('; ');
    const done = await call(
      `${attack}; git worktree prune; echo "gitdir: /etc" > .git; rm -f .git; mv ${common}/worktrees ${common}/w; echo /etc > ${common}/commondir`,
    );
    expect(String(done.output)).toContain('Read-only file system');
    expect(read()).toEqual(before);
    expect(fs.existsSync(path.join(common, 'commondir'))).toBe(false);
    expect(git(other, 'status', '--porcelain')).toBe('');
    expect(git(path.join(above, 'tree'), 'rev-parse', '--git-common-dir').trim()).toBe(common);
  });
});
