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
import { COMMIT_FILE } from './commit.ts';
import { comesAfter, type NpmAnswer, newestPublished } from './published.ts';
import { REPLACED_SIGNAL } from './replaced.ts';
import { runHere } from './run-here.ts';
import { type Running, runningGateways } from './running.ts';
import { PACKAGE, packageFolder, versionOf } from './version.ts';

const ask = promisify(execFile);
/** In git's folder, from the moment the new commits are there until they are installed and built; `./viber` looks for it. */
const UNFINISHED = 'viber-update';

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
  const mark = path.resolve(folder, await git('rev-parse', '--git-path', UNFINISHED));
  if (news === '' && !isCutOff(mark, folder)) {
    print(messages.text('cli.upToDate', { folder, upstream }));
    return EXIT.ok;
  }
  if (own !== '0' && news !== '') throw new UserError(say('cli.ownCommits', { n: Number(own), folder, upstream }));
  const isChecking = switches.has('check');
  if (news !== '') print(messages.text('cli.newCommits', { upstream, news: news.split('\n').slice(0, 20).join('\n') }));
  else print(messages.text(isChecking ? 'cli.updateCutOff' : 'cli.finishesUpdate', { folder }));
  if (isChecking) return EXIT.ok;
  const running = await runningHere(context);
  fs.writeFileSync(mark, '');
  await git('merge', '--ff-only', '--quiet', '@{upstream}');
  const code = await installAndBuild(folder, before, context);
  if (code !== EXIT.ok) return code;
  fs.rmSync(mark, { force: true });
  print(messages.text('cli.updated', { before, after: await git('rev-parse', '--short', 'HEAD') }));
  renewRunning(running, context);
  return EXIT.ok;
}

async function installAndBuild(folder: string, before: string, { env, print, messages }: Updating): Promise<number> {
  print(messages.text('cli.installing'));
  for (const args of [['ci'], ['run', 'build']]) {
    const code = await runHere(['npm', ...args], { cwd: folder, env, isDeaf: true });
    if (code === EXIT.ok) continue;
    const command = `npm ${args.join(' ')}`;
    print(messages.text(code > 128 ? 'cli.updateCutOff' : 'cli.npmFailed', { command, folder, before }));
    return code;
  }
  return EXIT.ok;
}

/** Somebody may have finished it by hand. */
function isCutOff(mark: string, folder: string): boolean {
  const begun = fs.statSync(mark, { throwIfNoEntry: false });
  const built = fs.statSync(path.join(folder, 'dist', COMMIT_FILE), { throwIfNoEntry: false });
  return begun !== undefined && (built === undefined || built.mtimeMs < begun.mtimeMs);
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
  print(messages.text('cli.installing'));
  const code = await runHere(['npm', ...args], { cwd: prefix, env, isDeaf: true });
  if (code !== EXIT.ok) return code;
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
