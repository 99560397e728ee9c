/** A git worktree for each task: added once whatever is interrupted, found again, and never removed with work in it. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/features/projects/find.ts';
import {
  leftWorktrees,
  openWorktree,
  sweepWorktrees,
  worktreeFolder,
  worktreeOf,
} from '../../src/features/projects/worktrees.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { openHome } from '../../src/workspace/home.ts';
import type { TaskRecord } from '../../src/workspace/types.ts';
import { tempFolder } from '../helpers/temp.ts';
import { git, repositoryAt } from './repository.ts';

async function open() {
  const above = fs.realpathSync(tempFolder());
  const home = await openHome(path.join(above, 'home'));
  const folder = repositoryAt(path.join(above, 'code/shop'), { 'a.txt': 'a\n', '.gitignore': 'build\n' });
  const project = { name: 'shop', folder };
  const task = (id: string) => {
    fs.mkdirSync(home.taskDir(id), { recursive: true });
    return { id, title: 'Fix the price' } as TaskRecord;
  };
  const begin = async (id = 't-1'): Promise<Project> => {
    const opened = await openWorktree(task(id), project, home);
    if ('why' in opened) throw new Error(messagesIn('en').said(opened.why));
    return opened;
  };
  const remove = (id = 't-1') => fs.rmSync(home.taskDir(id), { recursive: true });
  const trees = () => git(folder, 'worktree', 'list').trim().split('\n').length - 1;
  const about = path.join(path.dirname(worktreeFolder(home, 't-1', folder)), 'about.json');
  return { above, home, folder, project, task, begin, remove, trees, about };
}

describe('the worktree of a task', () => {
  it('is added once, on a branch of its own, and found again', async () => {
    const { home, folder, begin, trees } = await open();
    const [one, same, other] = await Promise.all([begin(), begin(), begin('t-2')]);
    expect(same).toEqual(one);
    expect(await begin()).toEqual(one);
    expect(one).toMatchObject({ folder: worktreeFolder(home, 't-1', folder), origin: folder });
    expect(other?.folder).not.toBe(one?.folder);
    expect(git(one?.folder ?? '', 'branch', '--show-current')).toBe('viber/t-1-fix-the-price\n');
    expect(fs.readFileSync(path.join(one?.folder ?? '', 'a.txt'), 'utf8')).toBe('a\n');
    expect(trees()).toBe(2);
    git(folder, 'worktree', 'prune');
    expect(trees()).toBe(2);
    expect(git(folder, 'status', '--porcelain')).toBe('');
  });

  it('runs nothing of the repository, whatever its settings and hooks name', async () => {
    const { above, folder, begin } = await open();
    const mark = path.join(above, 'ran');
    const script = path.join(above, 'evil.sh');
    fs.writeFileSync(script, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
      fs.copyFileSync(script, path.join(folder, '.git/hooks', hook));
    fs.writeFileSync(path.join(folder, '.gitattributes'), '* filter=x\n');
    git(folder, '-c', 'core.hooksPath=/dev/null', 'add', '-A');
    git(folder, '-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', 'Filter');
    for (const key of ['filter.x.smudge', 'filter.x.process', 'core.fsmonitor', 'core.sshCommand'])
      git(folder, 'config', key, script);
    await begin();
    expect(fs.existsSync(mark)).toBe(false);
  });

  it.each<[string, (at: Awaited<ReturnType<typeof open>>, tree: string) => void]>([
    [
      'before git began',
      ({ folder, about }, tree) => {
        git(folder, 'worktree', 'remove', '-f', '-f', tree);
        git(folder, 'branch', '-D', 'viber/t-1-fix-the-price');
        forget(about);
      },
    ],
    [
      'while git checked it out',
      ({ about }, tree) => {
        fs.rmSync(path.join(tree, 'a.txt'));
        fs.rmSync(path.join(tree, '.git'));
        forget(about);
      },
    ],
    ['before that was written down', ({ about }) => forget(about)],
    ['since somebody removed its folder', (_at, tree) => fs.rmSync(tree, { recursive: true })],
  ])('is made whole when it was interrupted %s', async (_when, interrupt) => {
    const at = await open();
    const { folder: tree } = await at.begin();
    interrupt(at, tree);
    expect((await at.begin()).folder).toBe(tree);
    expect(git(tree, 'status', '--porcelain')).toBe('');
    expect(git(tree, 'branch', '--show-current')).toBe('viber/t-1-fix-the-price\n');
    expect(at.trees()).toBe(1);
  });

  it.each([
    ['bytes that are no text', Buffer.from([0xff])],
    ['a line separator', Buffer.from('\u2028')],
    ['a letter with an accent', Buffer.from('é')],
    ['a line break', Buffer.from('a\\nb')],
  ])('is not added where a filter has %s in its name', async (_what, name) => {
    const { above, folder, project, task, home } = await open();
    const mark = path.join(above, 'ran');
    fs.writeFileSync(path.join(above, 'evil.sh'), `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
    const attributes = Buffer.concat([Buffer.from('* filter='), name, Buffer.from('\n')]);
    fs.writeFileSync(path.join(folder, '.gitattributes'), attributes);
    git(folder, 'add', '-A');
    git(folder, 'commit', '--quiet', '-m', 'Filter');
    const run = `${above}/evil.sh`;
    const lines = `"]\n\tsmudge = ${run}\n\tclean = ${run}\n`;
    fs.appendFileSync(
      path.join(folder, '.git/config'),
      Buffer.concat([Buffer.from('[filter "'), name, Buffer.from(lines)]),
    );
    fs.utimesSync(path.join(folder, 'a.txt'), 1, 1);
    await openWorktree(task('t-1'), project, home);
    expect(fs.existsSync(mark)).toBe(false);
  });

  it.each(['', '{', undefined])('stays as it is when its record is %j', async (record) => {
    const { about, project, task, begin, home } = await open();
    const { folder } = await begin();
    fs.writeFileSync(path.join(folder, 'mine.txt'), 'mine');
    if (record === undefined) fs.rmSync(about);
    else fs.writeFileSync(about, record);
    const opened = await openWorktree(task('t-1'), project, home);
    expect('why' in opened && messagesIn('en').said(opened.why)).toContain('about.json is missing or damaged');
    expect(fs.readFileSync(path.join(folder, 'mine.txt'), 'utf8')).toBe('mine');
  });

  it('has another name for its branch where that is taken', async () => {
    const { folder, begin } = await open();
    git(folder, 'branch', 'viber/t-1-fix-the-price');
    expect(git((await begin()).folder, 'branch', '--show-current')).toBe('viber/t-1-fix-the-price-2\n');
  });

  it.each<[string, (at: Awaited<ReturnType<typeof open>>, tree: string) => void]>([
    [
      'its .git file leads to another repository',
      ({ above, folder }, tree) => {
        fs.cpSync(folder, path.join(above, 'other'), { recursive: true });
        fs.writeFileSync(path.join(tree, '.git'), `gitdir: ${above}/other/.git\n`);
      },
    ],
    [
      'its repository names another one',
      ({ above, folder }) => {
        fs.cpSync(folder, path.join(above, 'other'), { recursive: true });
        fs.writeFileSync(path.join(folder, '.git/worktrees/shop/commondir'), `${above}/other/.git\n`);
      },
    ],
    [
      'a link took its place',
      ({ above, folder }, tree) => {
        fs.rmSync(tree, { recursive: true });
        fs.cpSync(folder, path.join(above, 'other'), { recursive: true });
        fs.symlinkSync(path.join(above, 'other'), tree);
      },
    ],
    [
      'it is the worktree of somebody else',
      ({ above, folder }, tree) => {
        git(folder, 'worktree', 'add', '--quiet', '-b', 'else', path.join(above, 'else'));
        fs.copyFileSync(path.join(above, 'else/.git'), path.join(tree, '.git'));
      },
    ],
  ])('is not used, and stays, if %s', async (_what, change) => {
    const at = await open();
    const { folder: tree } = await at.begin();
    change(at, tree);
    for (const found of [
      worktreeOf('t-1', at.project, at.home),
      await openWorktree(at.task('t-1'), at.project, at.home),
    ])
      expect(found).toHaveProperty('why');
    at.remove();
    expect(await sweepWorktrees(at.home)).toEqual([{ folder: tree, why: 'it was changed or replaced' }]);
    expect(fs.lstatSync(tree, { throwIfNoEntry: false })).toBeDefined();
    expect(fs.readFileSync(path.join(at.folder, 'a.txt'), 'utf8')).toBe('a\n');
  });

  it.each([
    [
      'a folder without a repository',
      (folder: string) => fs.rmSync(path.join(folder, '.git'), { recursive: true }),
      "isn't a git repository",
    ],
    ['a repository without commits', (folder: string) => git(folder, 'update-ref', '-d', 'HEAD'), 'has no commit yet'],
  ])('is refused for %s', async (_what, change, why) => {
    const { home, folder, project, task } = await open();
    change(folder);
    const opened = await openWorktree(task('t-1'), project, home);
    expect('why' in opened && messagesIn('en').said(opened.why)).toContain(why);
    expect(fs.existsSync(worktreeFolder(home, 't-1', folder))).toBe(false);
  });
});

/** As it is while git adds it. */
function forget(about: string): void {
  const { git: _git, ...planned } = JSON.parse(fs.readFileSync(about, 'utf8'));
  fs.writeFileSync(about, JSON.stringify(planned));
}

describe('the worktree of a deleted task', () => {
  it('is removed with its branch, but not while the deletion can be undone', async () => {
    const { home, folder, begin, remove, trees } = await open();
    const { folder: tree } = await begin();
    await begin('t-2');
    fs.mkdirSync(path.join(tree, 'build'));
    fs.writeFileSync(path.join(tree, 'build/out'), 'ignored');
    expect(await sweepWorktrees(home)).toEqual([]);
    expect(trees()).toBe(2);
    remove();
    const note = { id: 't-1', title: '', people: [], by: 'person:alex', at: '', way: 'out', places: [] };
    const box = path.join(home.spool, 'deleted/t-1');
    fs.mkdirSync(box, { recursive: true });
    fs.writeFileSync(path.join(box, 'deleted.json'), JSON.stringify(note));
    expect(leftWorktrees(home)).toEqual([]);
    fs.rmSync(box, { recursive: true });
    expect(leftWorktrees(home)).toHaveLength(1);
    // A removal was interrupted here.
    git(folder, 'worktree', 'unlock', tree);
    expect(await sweepWorktrees(home)).toEqual([]);
    expect(fs.existsSync(path.dirname(tree))).toBe(false);
    expect(trees()).toBe(1);
    expect(git(folder, 'branch', '--list', 'viber/t-1*')).toBe('');
    expect(git(folder, 'branch', '--list', 'viber/t-2*')).toContain('viber/t-2');
  });

  it.each([
    [
      'a file that git does not know',
      (tree: string) => fs.writeFileSync(path.join(tree, 'new.txt'), 'n'),
      'uncommitted',
    ],
    ['a changed file', (tree: string) => fs.writeFileSync(path.join(tree, 'a.txt'), 'changed'), 'uncommitted'],
    [
      'a changed file that is marked as unchanged',
      (tree: string) => {
        git(tree, 'update-index', '--skip-worktree', 'a.txt');
        fs.writeFileSync(path.join(tree, 'a.txt'), 'mine');
      },
      'marked as unchanged',
    ],
    ['a commit of its own', (tree: string) => git(tree, 'commit', '--quiet', '--allow-empty', '-m', 'Mine'), 'commits'],
    [
      'a commit on no branch',
      (tree: string) => {
        git(tree, 'checkout', '--quiet', '--detach');
        git(tree, 'commit', '--quiet', '--allow-empty', '-m', 'Mine');
      },
      'commits',
    ],
  ])('stays with %s until that is elsewhere', async (_what, change, why) => {
    const { home, folder, begin, remove, trees } = await open();
    const { folder: tree } = await begin();
    change(tree);
    remove();
    expect(await sweepWorktrees(home)).toEqual([{ folder: tree, why: expect.stringContaining(why) }]);
    expect(leftWorktrees(home)).toMatchObject([{ folder: tree }]);
    git(folder, 'worktree', 'prune');
    expect(trees()).toBe(1);
    git(tree, 'update-index', '--no-skip-worktree', 'a.txt');
    git(tree, 'add', '-A');
    git(tree, 'commit', '--quiet', '--allow-empty', '-m', 'Rest');
    git(folder, 'branch', 'kept', git(tree, 'rev-parse', 'HEAD').trim());
    expect(await sweepWorktrees(home)).toEqual([]);
    expect(trees()).toBe(0);
  });

  it('stays known to git where its folder is gone and its commits are on no branch', async () => {
    const { home, begin, remove, trees } = await open();
    const { folder: tree } = await begin();
    git(tree, 'checkout', '--quiet', '--detach');
    git(tree, 'commit', '--quiet', '--allow-empty', '-m', 'Mine');
    fs.rmSync(tree, { recursive: true });
    remove();
    expect(await sweepWorktrees(home)).toEqual([
      { folder: tree, why: expect.stringContaining('has no branch checked out') },
    ]);
    expect(trees()).toBe(1);
  });
});
