/**
 * Looks at repositories that appeared in a folder while a script could write it. Git runs a repository's hooks, and
 * programs that its settings name, for whoever calls it there next, outside any sandbox; prompts of shells and editors
 * call it unasked. Hooks are put aside, and only settings that name no program stay. Every step is by descriptor, since
 * another script may still be writing there.
 */
import { execFile } from 'node:child_process';
import { closeSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import { type HeldFolder, holdFolder, openFile } from '../lib/files/below.ts';

/** Where hooks and settings are put that are not used. */
const ASIDE = '.refused';
const MAX_CONFIG = 1_000_000;
const GIT_MS = 5_000;

const HARMLESS = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf|quotepath|longpaths|sharedrepository|abbrev)$/,
  /^remote\..*\.(?:url|pushurl|fetch|mirror|prune|tagopt|promisor|partialclonefilter)$/,
  /^branch\..*\.(?:remote|merge|rebase|pushremote|description)$/,
  /^submodule\.(?:active|.*\.(?:url|active|branch|ignore))$/,
  /^(?:user|author|committer)\.(?:name|email)$/,
  /^extensions\.(?:objectformat|worktreeconfig|partialclone|refstorage|relativeworktrees)$/,
  /^(?:init\.defaultbranch|pull\.rebase|pull\.ff|push\.default|push\.autosetupremote|merge\.ff|fetch\.prune|color\.ui)$/,
  /^(?:gc\.auto|rerere\.enabled|lfs\.repositoryformatversion|advice\..*)$/,
];

/**
 * Returns what was put aside, as paths.
 * @param folder absolute, without links
 * @param git the repository's own folder, in it
 * @param isWorktree whether a folder that it names holds the rest of it
 */
export async function disarm(folder: string, git: string, isWorktree: boolean): Promise<string[]> {
  const held = holdOrSkip(folder, path.relative(folder, git).split(path.sep).filter(Boolean));
  if (!held) return [];
  try {
    const done: string[] = [];
    if (hasHooks(held)) done.push(...refuseFile(held, git, 'hooks'));
    for (const name of ['config', 'config.worktree']) {
      const settings = await readGitSettings(held, name);
      if (settings === undefined) continue;
      const kept = settings.filter(([key]) => HARMLESS.some((pattern) => pattern.test(key.toLowerCase())));
      if (kept.length === settings.length && settings.length > 0) continue;
      done.push(...refuseFile(held, git, name));
      writeFileSync(held.at(name), kept.map(settingText).join(''), { flag: 'wx', mode: 0o644 });
    }
    // Otherwise hooks and settings would be those of another folder.
    if (!isWorktree && held.stat('commondir')) rmSync(held.at('commondir'), { force: true, recursive: true });
    return done;
  } catch (error) {
    // It changed meanwhile; whoever changes it is looked at when that ends.
    if (errorCode(error) === undefined && !(error instanceof UserError)) throw error;
    return [];
  } finally {
    held.close();
  }
}

function holdOrSkip(folder: string, names: readonly string[]): HeldFolder | undefined {
  try {
    return holdFolder(folder, names);
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof UserError)) throw error;
    return undefined;
  }
}

/** Git's own examples don't run. */
function hasHooks(git: HeldFolder): boolean {
  const stat = git.stat('hooks');
  if (!stat) return false;
  if (!stat.isDirectory()) return true;
  const hooks = git.folder('hooks');
  try {
    return hooks.entries(100).some(({ name }) => !name.endsWith('.sample'));
  } finally {
    hooks.close();
  }
}

function refuseFile(held: HeldFolder, git: string, name: string): string[] {
  rmSync(held.at(`${name}${ASIDE}`), { force: true, recursive: true });
  renameSync(held.at(name), held.at(`${name}${ASIDE}`));
  return [path.join(git, name)];
}

type GitSetting = readonly [key: string, value: string | undefined];

/** Returns undefined if there is none; nothing for a file that git can't read. */
async function readGitSettings(held: HeldFolder, name: string): Promise<GitSetting[] | undefined> {
  const stat = held.stat(name);
  if (!stat) return undefined;
  if (!stat.isFile() || stat.size > MAX_CONFIG) return [];
  const file = openFile(held, [name]);
  if (!file) return undefined;
  try {
    const args = ['config', '--file', file.path, '--no-includes', '--list', '-z'];
    const { promise, resolve } = Promise.withResolvers<string>();
    const options = { cwd: '/', timeout: GIT_MS, env: { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: '/' } };
    execFile('git', args, options, (error, stdout) => resolve(error ? '' : stdout));
    return (await promise)
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const at = entry.indexOf('\n');
        return at === -1 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)];
      });
  } finally {
    closeSync(file.fd);
  }
}

function settingText([key, value]: GitSetting): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const below = first === last ? '' : ` "${key.slice(first + 1, last).replace(/["\\]/g, '\\$&')}"`;
  const text = value?.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `[${key.slice(0, first)}${below}]\n\t${key.slice(last + 1)}${text === undefined ? '' : ` = "${text}"`}\n`;
}
