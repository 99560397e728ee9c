/** Repositories of git, as a person of the tests makes them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { putAll } from '../helpers/temp.ts';

const ALEX = ['-c', 'user.name=Alex', '-c', 'user.email=alex@example.com', '-c', 'commit.gpgsign=false'];

export const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', [...ALEX, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** @returns the folder, with these files in its first commit */
export function repositoryAt(folder: string, files: Readonly<Record<string, string>> = { 'a.txt': 'a\n' }): string {
  fs.mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  putAll(folder, files);
  git(folder, 'add', '-A');
  git(folder, 'commit', '--quiet', '-m', 'Begin');
  return folder;
}
