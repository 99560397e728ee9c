/**
 * `viber update`: installs a newer program over this one, with git or npm, as it was installed. Does not touch the
 * home.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, errorMessage, UserError } from '../errors.ts';
import { viberCommand } from '../lib/invocation.ts';
import { say } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { comesAfter, type NpmAnswer, newestPublished } from './published.ts';
import { REPLACED_SIGNAL } from './replaced.ts';
import { runHere } from './run-here.ts';
import { type Running, runningGateways } from './running.ts';
import { PACKAGE, packageFolder, versionOf } from './version.ts';

const ask = promisify(execFile);
interface Updating {
  home: string;
  env: NodeJS.ProcessEnv;
  switches: ReadonlySet<string>;
  print: CliContext['print'];
  messages: CliContext['messages'];
}

export async function run(context: CliContext): Promise<number> {
  const folder = packageFolder();
  return fs.existsSync(path.join(folder, '.git')) ? updateCheckout(folder, context) : updatePackage(folder, context);
}

/** Fast-forwards only: never discards local changes or commits. */
export async function updateCheckout(folder: string, context: Updating): Promise<number> {
  const { print, switches, env, messages } = context;
  const git = async (...args: string[]) => {
    const settings = { cwd: folder, env: { ...env, GIT_TERMINAL_PROMPT: '0' }, maxBuffer: 10_000_000 };
    return (await ask('git', args, settings).catch(explain('git'))).stdout.trim();
  };
  const changed = await git('status', '--porcelain', '--untracked-files=no');
  if (changed !== '') throw new UserError(say('cli.ownChanges', { folder, changed }));
  const upstream = await git('rev-parse', '--abbrev-ref', '@{upstream}').catch(() => '');
  if (upstream === '') throw new UserError(say('cli.noUpstream', { folder }));
  await git('fetch', '--quiet');
  const [before, own, news] = await Promise.all([
    git('rev-parse', '--short', 'HEAD'),
    git('rev-list', '--count', '@{upstream}..HEAD'),
    git('log', '--oneline', '--no-decorate', 'HEAD..@{upstream}'),
  ]);
  if (news === '') {
    print(messages.text('cli.upToDate', { folder, upstream }));
    return EXIT.ok;
  }
  if (own !== '0') throw new UserError(say('cli.ownCommits', { n: Number(own), folder, upstream }));
  print(messages.text('cli.newCommits', { upstream, news: news.split('\n').slice(0, 20).join('\n') }));
  if (switches.has('check')) return EXIT.ok;
  const running = await runningHere(context);
  await git('merge', '--ff-only', '--quiet', '@{upstream}');
  for (const args of [['ci'], ['run', 'build']]) {
    if ((await runHere(['npm', ...args], { cwd: folder, env, isDeaf: true })) === EXIT.ok) continue;
    print(messages.text('cli.npmFailed', { command: `npm ${args.join(' ')}`, folder, before }));
    return EXIT.failed;
  }
  print(messages.text('cli.updated', { before, after: await git('rev-parse', '--short', 'HEAD') }));
  renewRunning(running, context);
  return EXIT.ok;
}

/**
 * Prints the npm command for a newer version that is published; runs it with --yes, since it may need another user's
 * rights.
 * @throws {UserError} if nothing of ours is published, or nobody can say so
 */
export async function updatePackage(folder: string, context: Updating): Promise<number> {
  const { print, switches, env, messages } = context;
  const prefix = /^(.*)\/lib\/node_modules\/[^/]+$/.exec(folder)?.[1];
  if (prefix === undefined) throw new UserError(say('cli.notInstalled', { folder }));
  const [version, newest] = [versionOf(), newestVersion(await newestPublished(env))];
  if (!comesAfter(newest, version)) {
    print(messages.text('cli.newest', { version }));
    return EXIT.ok;
  }
  const args = ['install', '--global', '--prefix', prefix, `${PACKAGE}@${newest}`];
  if (!switches.has('yes') || switches.has('check')) {
    const command = `npm ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`;
    print(messages.text('cli.toUpdate', { version, newest, command }));
    print(messages.text('cli.updateDoes', { command: viberCommand('update --yes') }));
    return EXIT.ok;
  }
  const running = await runningHere(context);
  if ((await runHere(['npm', ...args], { cwd: prefix, env, isDeaf: true })) !== EXIT.ok) return EXIT.failed;
  renewRunning(running, context);
  return EXIT.ok;
}

function newestVersion(found: NpmAnswer): string {
  if (found.kind === 'version') return found.version;
  if (found.kind === 'none') throw new UserError(say('cli.notPublished', { name: PACKAGE }));
  if (found.kind === 'unknown') throw new UserError(say('cli.cantAskNpm', { why: found.why }));
  throw new UserError(say('cli.foreignPackage', { name: PACKAGE, theirs: found.theirs, ours: found.ours }));
}

/** Looked up first: parts of this command that load late may be gone after an update. */
const runningHere = (context: Updating) => runningGateways({ config: undefined, ...context });

/** Asks each running gateway to restart with the new program once its current work has finished or is suspended. */
function renewRunning(running: readonly Running[], { print, messages }: Updating): void {
  if (running.length === 0) print(messages.text('cli.startIt', { command: viberCommand('start') }));
  for (const { pid, renewedBy } of running) {
    if (renewedBy !== REPLACED_SIGNAL) print(messages.text('cli.stillOld', { pid }));
    else if (signalled(pid)) print(messages.text('cli.renewing', { pid }));
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
    if (errorCode(error) === 'ENOENT') throw new UserError(say('cli.noProgram', { program }));
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new UserError(say('cli.programSays', { program, what: said || errorMessage(error) }));
  };
