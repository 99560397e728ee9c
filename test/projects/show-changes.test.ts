/** What a task has changed, by `show_changes`. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { ProjectRun } from '../../src/features/projects/tools/run.ts';
import { showChanges } from '../../src/features/projects/tools/show-changes.ts';
import { openHome } from '../../src/workspace/home.ts';
import type { ArtifactRef } from '../../src/workspace/types.ts';
import { tempFolder } from '../helpers/temp.ts';

async function open() {
  const folder = fs.realpathSync(tempFolder());
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Kim', '-c', 'user.email=kim@example.org', ...args]);
  const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);
  git('init', '--quiet', '--initial-branch=main');
  write('price.txt', 'prise\n');
  const attached: ArtifactRef[] = [];
  const scope = {
    ...{ home: await openHome(tempFolder()), viber: 'default', taskId: '20260101-aaaaa', runId: 'run' },
    onArtifact: (ref: ArtifactRef) => void attached.push(ref),
  };
  fs.mkdirSync(path.join(scope.home.root, 'artifacts', scope.taskId), { recursive: true });
  const run = { scope, project: () => ({ name: 'shop', folder }) } as unknown as ProjectRun;
  const show = async (given = {}) =>
    (await showChanges.execute(given, run, { signal: AbortSignal.timeout(60_000), callId: 'call' })) as Record<
      string,
      unknown
    >;
  return { git, write, show, attached, folder };
}

it('is what the branch has committed and what is not committed yet, and a file of it', async () => {
  const { git, write, show, attached } = await open();
  git('add', '-A');
  git('commit', '--quiet', '-m', 'Begin');
  expect(await show()).toEqual({ summary: '' });
  git('checkout', '--quiet', '-b', 'viber/fix');
  write('price.txt', 'price\n');
  git('commit', '--quiet', '-am', 'Fix');
  write('new.txt', 'new\n');
  const { summary, diff, untracked } = await show();
  expect(summary).toContain('price.txt | 2 +-');
  expect(diff).toContain('-prise\n+price\n');
  expect(untracked).toEqual(['new.txt']);
  expect(attached).toMatchObject([{ title: 'Changes', ref: expect.stringMatching(/\.diff$/) }]);
  write('price.txt', 'prices\n');
  expect((await show({ path: 'price.txt' })).diff).toContain('-prise\n+prices\n');
  git('checkout', '--quiet', '-f', 'main');
  write('price.txt', 'prize\n');
  expect((await show()).diff).toContain('-prise\n+prize\n');
});

it('is everything in a repository without a commit, and nothing of it runs', async () => {
  const { git, show, folder } = await open();
  git('add', '-A');
  const settings: [string, string][] = [
    ['diff.external', `touch ${path.join(folder, 'ran')}; true`],
    ['core.fsmonitor', `touch ${path.join(folder, 'ran')}; true`],
    ['filter.x.clean', `touch ${path.join(folder, 'ran')}; cat`],
    ['diff.x.textconv', `touch ${path.join(folder, 'ran')}; cat`],
  ];
  for (const [key, value] of settings) git('config', key, value);
  fs.writeFileSync(path.join(folder, '.git', 'info', 'attributes'), '* filter=x diff=x\n');
  expect((await show()).diff).toContain('+prise');
  expect(fs.existsSync(path.join(folder, 'ran'))).toBe(false);
});

it('says that there is no repository', async () => {
  const { show, folder } = await open();
  fs.rmSync(path.join(folder, '.git'), { recursive: true });
  await expect(show()).rejects.toThrow('the folder has no repository');
});
