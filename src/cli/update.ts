/**
 * `viber update`: installs a newer program over this one, with git or npm, as it was installed. Does not touch the
 * home.
 */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, errorMessage, UserError } from '../errors.ts';
import { viberCommand } from '../lib/invocation.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { REPLACED_SIGNAL } from './replaced.ts';
import { type Running, runningGateways } from './running.ts';
import { PACKAGE, packageFolder, versionOf } from './version.ts';

const ask = promisify(execFile);
type Updating = Pick<CliContext, 'home' | 'env' | 'switches' | 'print'>;

export async function run(context: CliContext): Promise<number> {
  const folder = packageFolder();
  return fs.existsSync(path.join(folder, '.git')) ? updateCheckout(folder, context) : updatePackage(folder, context);
}

/** Fast-forwards only: never discards local changes or commits. */
export async function updateCheckout(folder: string, context: Updating): Promise<number> {
  const { print, switches, env } = context;
  const git = async (...args: string[]) => {
    const settings = { cwd: folder, env: { ...env, GIT_TERMINAL_PROMPT: '0' }, maxBuffer: 10_000_000 };
    return (await ask('git', args, settings).catch(explain('git'))).stdout.trim();
  };
  const changed = await git('status', '--porcelain', '--untracked-files=no');
  if (changed !== '')
    throw new UserError(
      `${folder} has changes of its own:\n${changed}\nCommit them or put them aside (git stash), then try again.`,
    );
  const upstream = await git('rev-parse', '--abbrev-ref', '@{upstream}').catch(() => '');
  if (upstream === '')
    throw new UserError(`The branch in ${folder} follows none: set one with git branch --set-upstream-to.`);
  await git('fetch', '--quiet');
  const [before, own, news] = await Promise.all([
    git('rev-parse', '--short', 'HEAD'),
    git('rev-list', '--count', '@{upstream}..HEAD'),
    git('log', '--oneline', '--no-decorate', 'HEAD..@{upstream}'),
  ]);
  if (news === '') {
    print(`${folder} is up to date with ${upstream}.`);
    return EXIT.ok;
  }
  if (own !== '0')
    throw new UserError(`${folder} has ${own} commits that ${upstream} does not have: rebase or merge them by hand.`);
  print(`New in ${upstream}:\n${news.split('\n').slice(0, 20).join('\n')}`);
  if (switches.has('check')) return EXIT.ok;
  const running = await runningHere(context);
  await git('merge', '--ff-only', '--quiet', '@{upstream}');
  for (const args of [['ci'], ['run', 'build']]) {
    if ((await follow('npm', args, folder, env)) === EXIT.ok) continue;
    print(`npm ${args.join(' ')} failed. To go back: git -C "${folder}" reset --hard ${before}, and npm ci there.`);
    return EXIT.failed;
  }
  print(`Updated from ${before} to ${await git('rev-parse', '--short', 'HEAD')}.`);
  renew(running, print);
  return EXIT.ok;
}

/** Prints the npm command; runs it with --yes, since it may need another user's rights. */
export async function updatePackage(folder: string, context: Updating): Promise<number> {
  const { print, switches, env } = context;
  const prefix = /^(.*)\/lib\/node_modules\/[^/]+$/.exec(folder)?.[1];
  if (prefix === undefined)
    throw new UserError(`${folder} is no checkout of git and no global package of npm: update it as it was installed.`);
  const args = ['install', '--global', '--prefix', prefix, `${PACKAGE}@latest`];
  if (!switches.has('yes')) {
    print(
      `This is viber ${versionOf()}. To update it: npm ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`,
    );
    print(`${viberCommand('update --yes')} does that.`);
    return EXIT.ok;
  }
  const running = await runningHere(context);
  if ((await follow('npm', args, prefix, env)) !== EXIT.ok) return EXIT.failed;
  renew(running, print);
  return EXIT.ok;
}

/** Looked up first: parts of this command that load late may be gone after an update. */
const runningHere = (context: Updating) => runningGateways({ config: undefined, ...context });

/** Asks each running gateway to restart with the new program once its current work has finished or is suspended. */
function renew(running: readonly Running[], print: CliContext['print']): void {
  if (running.length === 0) print(`Start it with ${viberCommand('start')}.`);
  for (const { pid, renewedBy } of running) {
    if (renewedBy !== REPLACED_SIGNAL)
      print(`The gateway that runs (process ${pid}) is still the one before: stop it, and start it again.`);
    else if (signalled(pid)) print(`The gateway that runs (process ${pid}) goes on as the newer one in a moment.`);
  }
}

/** Returns false if the process has ended. */
function signalled(pid: number): boolean {
  try {
    return process.kill(pid, REPLACED_SIGNAL);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

const explain =
  (program: string) =>
  (error: unknown): never => {
    if (errorCode(error) === 'ENOENT') throw new UserError(`There is no ${program} here.`);
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new UserError(`${program} says: ${said || errorMessage(error)}`);
  };

async function follow(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) =>
      reject(errorCode(error) === 'ENOENT' ? new UserError(`There is no ${program} here.`) : error),
    );
    child.on('exit', (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
  });
}
