/** The commit that this program was made from. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageFolder } from './version.ts';

/** The build writes the commit into this file beside the program. */
export const COMMIT_FILE = 'commit';

/** Returns the commit, with `-dirty` for one that was changed since; undefined if nobody knows it. Asks git only in a checkout. */
export function commitOf(): string | undefined {
  const file = path.join(import.meta.dirname, COMMIT_FILE);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : commitOfCheckout(packageFolder());
}

export function commitOfCheckout(folder: string): string | undefined {
  if (!fs.existsSync(path.join(folder, '.git'))) return undefined;
  const args = ['-C', folder, 'describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout.trim() : undefined;
}
