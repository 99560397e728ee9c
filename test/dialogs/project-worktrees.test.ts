/** Tasks of a project that each work in a git worktree of their own. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openChat, press } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import type { PlatformWorldOptions } from '../platforms/world.ts';

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Alex', '-c', 'user.email=alex@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const call = (name: string, given: object) => ({ toolCalls: [{ name, arguments: { ...given } }] });
const edit = (text: string) => call('edit_file', { path: 'price.txt', edits: [{ old: 'cents', new: text }] });

async function open(options: PlatformWorldOptions = {}) {
  const root = fs.realpathSync(tempFolder());
  const shop = path.join(root, 'shop');
  fs.mkdirSync(shop);
  git(shop, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(path.join(shop, 'price.txt'), 'cents\n');
  git(shop, 'add', '-A');
  git(shop, 'commit', '--quiet', '-m', 'Begin');
  fs.mkdirSync(path.join(root, 'notes'));
  fs.writeFileSync(path.join(root, 'notes/AGENTS.md'), 'Notes.\n');
  const { world, platform: telegram } = await openChat(
    {
      channel: { live: 'off', injection: 'followup' },
      ...options,
      config: { projects: { roots: [{ folder: root, worktree: true }] } },
    },
    'telegram',
  );
  const trees = () =>
    git(shop, 'worktree', 'list', '--porcelain')
      .split('\n')
      .flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []))
      .slice(1);
  return { world, shop, root, telegram, dm: telegram.dm('alex'), trees };
}

it('keeps the changes of two tasks and of the person apart, also after a kill, and says where they are', async () => {
  const { world, shop, telegram, dm, trees } = await open({ process: true });
  world.llm.script(({ toolResults, lastUser }) => {
    const steps = [call('use_project', { project: 'shop' }), edit(lastUser.includes('euros') ? 'euros' : 'pounds')];
    return (lastUser.includes('shop') ? steps[toolResults.length] : undefined) ?? { text: 'Done.' };
  });
  await ask(telegram, dm, 'In shop, write euros.');
  const [first = ''] = trees();
  expect(first.startsWith(`${fs.realpathSync(world.home)}/worktrees/`)).toBe(true);
  expect(fs.readFileSync(path.join(first, 'price.txt'), 'utf8')).toBe('euros\n');
  const told = world.llm.requests().at(-1)?.system;
  expect(told).toContain(`You work in the project shop, ${first}.`);
  expect(told).toContain(`a git worktree of ${shop}, made for this task alone: its branch is viber/`);
  const { text } = await telegram.command(dm, 'project');
  expect(text).toContain('This task works in shop');
  expect(text).toContain('It has its own worktree');
  expect(text).toContain(path.basename(path.dirname(first)));

  await telegram.command(dm, 'new');
  await ask(telegram, dm, 'In shop, write pounds.');
  const [, second = ''] = trees();
  expect(fs.readFileSync(path.join(second, 'price.txt'), 'utf8')).toBe('pounds\n');
  await world.kill();
  await ask(telegram, dm, 'Are you still there?');
  expect(world.llm.requests().at(-1)?.system).toContain(`You work in the project shop, ${second}.`);
  expect(trees()).toEqual([first, second]);
  expect(fs.readFileSync(path.join(first, 'price.txt'), 'utf8')).toBe('euros\n');
  expect(git(shop, 'status', '--porcelain')).toBe('');
});

it.skipIf(!isSandboxed)('commits on the branch of the task, which the person has at once', async () => {
  const { world, shop, telegram, dm, trees } = await open();
  const steps = [
    call('use_project', { project: 'shop' }),
    edit('euros'),
    call('run_command', { command: 'git commit -qam "Use euros" && git status --short --branch' }),
    call('show_changes', {}),
  ];
  world.llm.script(({ toolResults }) => steps[toolResults.length] ?? { text: `I got ${toolResults.join('; ')}` });
  telegram.say(dm, 'In shop, write euros and commit.');
  const asked = await waitFor(telegram, dm, { text: /git commit/ });
  const { text } = await press(telegram, dm, asked.buttons[0] ?? '', /I got/);
  expect(text).toContain('## viber/');
  expect(text).toContain('+euros');
  expect(git(trees()[0] ?? '', 'status', '--porcelain')).toBe('');
  expect(git(shop, 'log', '--format=%s', '--branches')).toBe('Use euros\nBegin\n');
  expect(git(shop, 'status', '--porcelain')).toBe('');
});

it('refuses a folder that is not a repository, in a sentence', async () => {
  const { world, telegram, dm } = await open();
  const steps = [call('use_project', { project: 'notes' })];
  world.llm.script(({ toolResults }) => steps[toolResults.length] ?? { text: `I got ${toolResults.at(-1)}` });
  const why = "notes isn't a git repository, and each task in this folder needs its own worktree";
  expect((await ask(telegram, dm, 'In notes, look around.')).text).toContain(why);
  expect((await telegram.command(dm, 'project', 'notes')).text).toBe(`I can't work there: ${why}.`);
  expect((await telegram.command(dm, 'project')).text).toContain('works in no project');
});
