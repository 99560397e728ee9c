/**
 * Runs `git push` outside the sandbox with the person's own credentials, after asking. Invariants: it pushes exactly
 * the commit that was shown, to the address that was shown. No program or setting of the project has an effect, because
 * the push comes from an empty repository that only borrows the project's objects.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { errorCode, UserError } from '../../../errors.ts';
import type { Json } from '../../../workspace/types.ts';
import { liesIn } from '../roots.ts';
import { readGit } from './git.ts';
import { findGitFolder } from './git-folder.ts';
import { gitCommand } from './git-risks.ts';
import type { SimpleCommand } from './parse.ts';

const MAX_SHOWN = 20;
const MAX_SUBJECT = 120;
const PUSH_MS = 120_000;
const MAX_OUTPUT = 4_000;
const NAME = /^[\w./@+-]+$/;

/** A push, as the person is shown it and as it is sent. */
export interface Push {
  remote: string;
  /** The address to show, without a password. */
  address: string;
  url: string;
  branch: string;
  to: string;
  commit: string;
  /** Subjects of the newest commits that the remote doesn't have, as far as this repository knows. */
  subjects: string[];
  count: number;
  isForced: boolean;
}

export interface PushWords {
  remote: string | undefined;
  from: string | undefined;
  to: string | undefined;
  isForced: boolean;
}

const ELSEWHERE = "The .git file of this project names a repository that doesn't know it: ask the person to push.";
const ALONE =
  'A push must be a separate call, because it runs outside the sandbox: call run_command with `git push REMOTE BRANCH` and nothing else. Use separate calls for other commands.';

/**
 * Parses a push that is the whole command.
 * @throws UserError if other commands are in the chain, or for an unsupported option
 */
export function pushWords(commands: readonly SimpleCommand[] | undefined): PushWords {
  const [only, ...others] = commands ?? [];
  if (!only || others.length > 0 || only.assignments.length > 0 || only.redirections.length > 0)
    throw new UserError(ALONE);
  const [program, ...args] = only.words;
  const { name, rest, settings } = gitCommand(args);
  if (program?.text !== 'git' || name?.text !== 'push' || settings.length > 0) throw new UserError(ALONE);
  if (rest.some(({ is }) => is !== 'plain'))
    throw new UserError('Write out the remote and the branch of a push, without variables or patterns.');
  const texts = rest.map(({ text }) => text);
  const options = texts.filter((text) => text.startsWith('-'));
  const [remote, refs, ...more] = texts.filter((text) => !text.startsWith('-'));
  const unknown = options.find(
    (option) => !/^(?:-u|--set-upstream|-f|--force|--force-with-lease|-q|--quiet)$/.test(option),
  );
  if (unknown !== undefined || more.length > 0)
    throw new UserError(
      'A push is `git push [--force] REMOTE BRANCH`, one branch at a time; ask the person to do anything else.',
    );
  const isForced = refs?.startsWith('+') === true || options.some((option) => /^(?:-f|--force)/.test(option));
  const [from, to = from] = (refs ?? '').replace(/^\+/, '').split(':');
  if ((refs !== undefined && !from) || [remote, from, to].some((part) => part && !NAME.test(part)))
    throw new UserError(
      'A push is `git push REMOTE BRANCH`, with plain names; ask the person to delete a remote branch.',
    );
  return { remote, from: from || undefined, to: to || undefined, isForced };
}

/**
 * @param writable folders to which commands in the sandbox can write
 * @throws UserError if there is nothing to push, or no place to push it to
 */
export async function findPush(
  folder: string,
  words: PushWords,
  writable: readonly string[],
  signal?: AbortSignal,
): Promise<Push> {
  if (!findGitFolder(folder)) throw new UserError(ELSEWHERE);
  const read = async (...args: string[]) => (await readGit(folder, args, signal))?.trim();
  const here = await read('symbolic-ref', '--quiet', '--short', 'HEAD');
  const from = words.from === undefined || words.from === 'HEAD' ? here : words.from;
  if (!from) throw new UserError('No branch is checked out: name the one to push.');
  const commit = await read('rev-parse', '--verify', '--quiet', `refs/heads/${from}^{commit}`);
  if (!commit) throw new UserError(`There is no branch "${from}".`);
  const remote = words.remote ?? 'origin';
  const url =
    (await read('config', '--get', `remote.${remote}.pushurl`)) ||
    (await read('config', '--get', `remote.${remote}.url`));
  if (!url) throw new UserError(`There is no remote "${remote}"; use a name, not an address.`);
  const to = words.to === undefined || words.to === 'HEAD' ? from : words.to.replace(/^refs\/heads\//, '');
  const known = await read('rev-parse', '--verify', '--quiet', `refs/remotes/${remote}/${to}^{commit}`);
  const range = known ? [commit, `^${known}`] : [commit, '--not', `--remotes=${remote}`];
  const log = (await read('log', `--max-count=${MAX_SHOWN}`, '--format=%s', ...range)) ?? '';
  const count = Number((await read('rev-list', '--count', ...range)) ?? 0);
  const subjects = log
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(0, MAX_SUBJECT).toWellFormed());
  if (count === 0 && known === commit) throw new UserError(`${remote} already has all commits of ${from}.`);
  return {
    remote,
    address: shownAddress(url),
    url: await checkedAddress(url, folder, writable),
    branch: from,
    to,
    commit,
    subjects,
    count,
    isForced: words.isForced,
  };
}

/** @throws UserError for a transport that runs a program or isn't encrypted */
async function checkedAddress(url: string, folder: string, writable: readonly string[]): Promise<string> {
  if (/^(?:https|ssh):\/\//i.test(url)) return elsewhere(URL.parse(url)?.hostname ?? '', url);
  const isFile = /^file:\/\//i.test(url);
  if (!isFile && /^[a-z][\w+.-]*:(?::|\/\/)/i.test(url))
    throw new UserError('A push must use https, ssh, or a folder on this machine.');
  // `host:path` means ssh; anything else is a folder.
  const [, host] = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/.exec(url) ?? [];
  if (host !== undefined) return elsewhere(host, url);
  if (url.startsWith('-')) throw new UserError("The address of this remote can't be used.");
  return safeFolder(isFile ? decodeURIComponent(url.replace(/^file:\/\/[^/]*/i, '')) : url, folder, writable);
}

/** @throws UserError for an address of this machine: its folder must be named instead */
function elsewhere(host: string, url: string): string {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (/^(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0)$/.test(name) || name === os.hostname().toLowerCase())
    throw new UserError('This remote is on this machine: its address must be the folder.');
  return url;
}

/**
 * Returns the real path of a repository on this machine. Git runs that repository's hooks and settings outside the
 * sandbox, so it must be in a place to which no command can write.
 * @throws UserError
 */
async function safeFolder(given: string, folder: string, writable: readonly string[]): Promise<string> {
  const real = await fs.realpath(path.resolve(folder, given)).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    throw new UserError("The folder of this remote doesn't exist.", { cause: error });
  });
  const places = await Promise.all([folder, ...writable].map((place) => fs.realpath(place).catch(() => place)));
  if (places.some((place) => liesIn(real, place)))
    throw new UserError(
      "Commands can write to this remote's folder, and git would run its hooks: ask the person to push there.",
    );
  return real;
}

const shownAddress = (url: string): string => url.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');

/** The values that the question's digest covers. */
export const shownPush = ({ url, branch, to, commit, subjects, count, isForced }: Push): Json => [
  url,
  branch,
  to,
  commit,
  subjects,
  count,
  isForced,
];

/** @throws UserError with git's message if it fails */
export async function runPush(folder: string, push: Push, signal?: AbortSignal): Promise<Json> {
  const objects = await objectsOf(folder);
  const own = await fs.mkdtemp(path.join(os.tmpdir(), 'viber-push-'));
  try {
    await emptyRepository(own, objects);
    const ref = `${push.commit}:refs/heads/${push.to}`;
    const args = [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-recurse-submodules',
      ...(push.isForced ? ['--force'] : []),
      '--',
      push.url,
      ref,
    ];
    const text = await git(own, args, signal);
    return { pushed: push.branch, to: `${push.remote}/${push.to}`, commit: push.commit, output: text };
  } finally {
    await fs.rm(own, { recursive: true, force: true });
  }
}

/** @throws UserError if objects are stored elsewhere, because the person wasn't shown those */
async function objectsOf(folder: string): Promise<string> {
  const at = findGitFolder(folder);
  if (!at) throw new UserError(ELSEWHERE);
  const objects = path.join(at.common, 'objects');
  try {
    if ((await fs.realpath(objects)) !== objects)
      throw new UserError('The repository keeps its objects elsewhere: ask the person to push.');
    await fs.access(path.join(objects, 'info', 'alternates'));
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof UserError) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return objects;
  }
  throw new UserError('The repository shares objects with another one: ask the person to push.');
}

async function emptyRepository(own: string, objects: string): Promise<void> {
  await fs.mkdir(path.join(own, 'objects', 'info'), { recursive: true });
  await fs.mkdir(path.join(own, 'refs'));
  await fs.writeFile(path.join(own, 'HEAD'), 'ref: refs/heads/none\n');
  await fs.writeFile(path.join(own, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  // Quoted, the path may contain any character.
  await fs.writeFile(path.join(own, 'objects', 'info', 'alternates'), `${JSON.stringify(objects)}\n`);
}

/** Runs git with the person's own settings, which provide their credentials. */
function git(own: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const {
    GIT_DIR: _dir,
    GIT_WORK_TREE: _tree,
    GIT_CONFIG_COUNT: _count,
    GIT_CONFIG_PARAMETERS: _given,
    ...env
  } = process.env;
  const options = {
    cwd: own,
    timeout: PUSH_MS,
    env: {
      ...env,
      GIT_DIR: own,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '/bin/false',
      SSH_ASKPASS: '/bin/false',
      SSH_ASKPASS_REQUIRE: 'never',
      GIT_ALLOW_PROTOCOL: 'https:ssh:file',
      ...(env.GIT_SSH_COMMAND === undefined && env.GIT_SSH === undefined && { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes' }),
    },
    ...(signal && { signal }),
  };
  execFile(
    'git',
    ['-c', 'core.hooksPath=/dev/null', '-c', 'push.gpgSign=false', ...args],
    options,
    (error, stdout, stderr) => {
      const said = maskPasswords(`${stdout}${stderr}`).slice(-MAX_OUTPUT).trim();
      if (!error) resolve(said);
      else if (signal?.aborted) reject(signal.reason);
      else reject(new UserError(`The push failed. ${said || 'git said nothing, or took too long.'}`));
    },
  );
  return promise;
}

const maskPasswords = (text: string): string => text.replace(/([a-z]+:\/\/)[^/@\s]*@/gi, '$1');
