/**
 * Runs git to read a project's repository. Invariant: no program that the repository names is run. Its settings may
 * come from anybody, so each one that names a program (a filter, a monitor, a hook) is overridden.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { errorCode, UserError } from '../../../errors.ts';
import { readBytes, useFile } from '../../../lib/files/below.ts';
import { unlessRefused } from '../files.ts';
import { findGitFolder, type GitFolder } from './git-folder.ts';

const GIT_MS = 5_000;
/** Checking out a large repository takes time. */
const CHANGE_MS = 300_000;
const MAX_OUTPUT = 32 * 1024 * 1024;
const MAX_SETTINGS = 500;

/** Settings whose value git would run, or that make it read more, each with a harmless value. */
const HARMLESS: readonly [RegExp, string][] = [
  [/^filter\.[\s\S]*\.required$/i, 'false'],
  [/^filter\.[\s\S]*\.(?:clean|smudge|process)$/i, ''],
  [/^log\.showsignature$/i, 'false'],
  [/^submodule\.recurse$/i, 'false'],
];
const ALWAYS: readonly [string, string][] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.untrackedCache', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.submoduleSummary', 'false'],
];

/** These settings name programs too, and have no harmless value. */
const SHOWS_DIFFS = /^diff\.(?:external|[\s\S]*\.(?:command|textconv))$/i;
/** Git can't be given a setting's name with other bytes unchanged, so such a setting can't be overridden. */
const UNNAMEABLE = /^filter\.[\s\S]*[^\x20-\x7e]/i;

type GitVariables = Readonly<Record<string, string>>;

export interface GitEnvironment {
  at: GitFolder;
  /** With these, git runs no program of the repository except those that show differences. */
  variables: GitVariables;
  /** Whether the repository names no program that shows differences. */
  isPlain: boolean;
}

const BASE: GitVariables = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // Don't fetch missing objects.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

function settingVariables(settings: readonly (readonly [string, string])[]): GitVariables {
  const numbered = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...BASE, GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}

/** Returns undefined if the folder has no repository that knows it, or its settings can't be made harmless. */
export async function gitEnvironment(folder: string, signal?: AbortSignal): Promise<GitEnvironment | undefined> {
  const at = findGitFolder(folder);
  if (!at) return undefined;
  const listed = await callGit(
    folder,
    at,
    settingVariables(ALWAYS),
    ['config', '--list', '--includes', '--name-only', '-z'],
    signal,
  );
  const names = listed?.split('\0').filter(Boolean) ?? [];
  // Which files are included may depend on the branch.
  if (listed === undefined || names.length > MAX_SETTINGS || names.some((name) => /^includeif\./i.test(name)))
    return undefined;
  if (names.some((name) => UNNAMEABLE.test(name))) return undefined;
  const replaced = names.flatMap((name) => {
    const value = HARMLESS.find(([pattern]) => pattern.test(name))?.[1];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    at,
    variables: settingVariables([...ALWAYS, ...replaced]),
    isPlain: !names.some((name) => SHOWS_DIFFS.test(name)),
  };
}

/**
 * Returns git's output; undefined if it fails, isn't installed or takes too long.
 * @param args must include `--no-ext-diff` and `--no-textconv` for commands that show differences
 */
export async function readGit(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const environment = await gitEnvironment(folder, signal);
  return environment && callGit(folder, environment.at, environment.variables, args, signal);
}

/**
 * Lets git change a repository without running any of its programs.
 * @throws UserError with git's message if it fails
 */
export async function changeGit(folder: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  const environment = await gitEnvironment(folder, signal);
  if (!environment) throw new UserError("git can't read its repository");
  const env = { ...gitVariables(folder, environment.at, environment.variables), GIT_OPTIONAL_LOCKS: '1' };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const options = { cwd: folder, timeout: CHANGE_MS, maxBuffer: MAX_OUTPUT, env, ...(signal && { signal }) };
  execFile('git', ['--no-pager', ...args], options, (error, _stdout, stderr) => {
    const said = stderr
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^(?:fatal|error): /, '')
      .slice(0, 300);
    if (error) reject(new UserError(said || 'git said nothing, or took too long', { cause: error }));
    else resolve();
  });
  return promise;
}

function callGit(
  folder: string,
  at: GitFolder,
  environment: GitVariables,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const env = gitVariables(folder, at, environment);
  const options = { cwd: folder, timeout: GIT_MS, maxBuffer: MAX_OUTPUT, env, ...(signal && { signal }) };
  execFile('git', ['--no-pager', ...args], options, (error, stdout) => resolve(error ? undefined : stdout));
  return promise;
}

const gitVariables = (folder: string, { git, common }: GitFolder, environment: GitVariables) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...environment,
  // Otherwise files in the repository, or its settings, could choose other folders.
  GIT_DIR: git,
  GIT_COMMON_DIR: common,
  GIT_WORK_TREE: folder,
});

/**
 * Returns the paths that don't exist, or whose files git can all restore unchanged.
 * @param paths relative to the project
 */
export async function keptPaths(folder: string, paths: readonly string[], signal?: AbortSignal): Promise<Set<string>> {
  const kept = new Set<string>();
  const there: string[] = [];
  for (const one of new Set(paths)) {
    if (one === '') continue;
    if (await isOnDisk(path.join(folder, one))) there.push(one);
    else kept.add(one);
  }
  if (there.length === 0) return kept;
  const [changes, files] = await Promise.all([
    readGit(
      folder,
      [
        '--literal-pathspecs',
        'status',
        '--porcelain=v1',
        '-z',
        '--no-renames',
        '--ignored',
        '--untracked-files=all',
        '--',
        ...there,
      ],
      signal,
    ),
    readGit(folder, ['--literal-pathspecs', 'ls-files', '-v', '-z', '--', ...there], signal),
  ]);
  if (changes === undefined || files === undefined) return kept;
  const changed = changes.split('\0').map((line) => line.slice(3));
  const tracked = files.split('\0').filter(Boolean);
  const isAt = (file: string, one: string) => file === one || file.startsWith(`${one}/`) || one.startsWith(file);
  for (const one of there) {
    const own = tracked.filter((line) => isAt(line.slice(2), one));
    // Git doesn't check files that have another mark.
    if (
      own.length > 0 &&
      own.every((line) => line.startsWith('H ')) &&
      !changed.some((file) => file !== '' && isAt(file, one))
    )
      kept.add(one);
  }
  return kept;
}

async function isOnDisk(file: string): Promise<boolean> {
  try {
    await fs.lstat(file);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return false;
  }
}

/** Common names of the default branch, for repositories that don't record theirs. */
export const USUAL_BRANCHES = ['main', 'master', 'trunk'];

/** Returns the branch that is checked out, and the default branch. */
export async function branchesOf(folder: string): Promise<{ branch: string | undefined; main: string | undefined }> {
  const at = findGitFolder(folder);
  if (!at) return { branch: undefined, main: undefined };
  const read = async (from: string, ...names: string[]) =>
    (await unlessRefused(useFile(from, names, ({ fd }) => readBytes(fd, 1_000))))?.toString('utf8') ?? '';
  const branch = /^ref: refs\/heads\/(\S+)/.exec(await read(at.git, 'HEAD'))?.[1];
  const origin = await read(at.common, 'refs', 'remotes', 'origin', 'HEAD');
  const main = /^ref: refs\/remotes\/origin\/(\S+)/.exec(origin)?.[1];
  const usual = USUAL_BRANCHES.find((name) => name === branch);
  return { branch, main: main ?? usual };
}

/** Returns whether the person's own message asks for a commit to this branch. */
export function isCommitAsked(branch: string, texts: readonly string[]): boolean {
  const said = texts.join('\n').toLowerCase();
  const isNamed = said.split(/[^\p{L}\p{N}/_.-]+/u).some((word) => word.replace(/[.]+$/, '') === branch.toLowerCase());
  return isNamed && /\b(?:commit|merge|rebase|committe|einchecke|pushe?|merge)/.test(said);
}

const MAX_SLUG = 40;

/** Returns the name of the branch for a task's commits. */
export function branchName(taskId: string, title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
  return `viber/${[taskId, words].filter(Boolean).join('-')}`;
}
